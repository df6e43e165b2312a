//! Whose certificates are trusted, and which of our own are shown.

use std::sync::Arc;

use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

use crate::CertificateError;

/// Certificates that a server's must be signed by; `None` are those of the world's authorities.
pub type TrustRoots = Option<Vec<Certificate<'static>>>;

/// The certificates in a text as PEM. `file` names its file to people: `CA`.
///
/// # Errors
/// When there is none.
pub fn certificates(file: &'static str, pem: &[u8]) -> Result<Vec<Certificate<'static>>, CertificateError> {
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let found: Vec<_> = parse_pem(pem).filter_map(certificate).collect();
    if found.is_empty() {
        return Err(CertificateError::NoCertificate { file });
    }
    Ok(found)
}

/// A client certificate and its key, both as PEM.
///
/// # Errors
/// When there is none.
pub fn identity(certificate: &[u8], key: &[u8]) -> Result<ClientCert, CertificateError> {
    let chain = certificates("certificate", certificate)?;
    let key = PrivateKey::from_pem(key).map_err(|_| CertificateError::NoKey)?;
    Ok(ClientCert::new_with_certs(&chain, key))
}

/// TLS that trusts what these certificates sign, and shows one of its own where there is one.
pub(crate) fn trusting(roots: &TrustRoots, identity: Option<ClientCert>) -> TlsConfig {
    let tls = TlsConfig::builder().client_cert(identity);
    match roots {
        Some(roots) => tls.root_certs(RootCerts::Specific(Arc::new(roots.clone()))).build(),
        None => tls.build(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_certificate_is_refused() {
        assert_eq!(certificates("CA", b"nothing").map(drop), Err(CertificateError::NoCertificate { file: "CA" }));
        let error = identity(b"nothing", b"nothing").unwrap_err();
        assert_eq!(error, CertificateError::NoCertificate { file: "certificate" });
    }
}
