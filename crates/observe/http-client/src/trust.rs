//! Whose certificates are trusted, and which of our own are shown.

use std::sync::Arc;

use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

/// Certificates that a server's must be signed by; `None` are those of the world's authorities.
pub type TrustRoots = Option<Vec<Certificate<'static>>>;

/// The certificates in a text as PEM. `what` names its file to people: `CA`.
///
/// # Errors
/// In a sentence, when there is none.
pub fn certificates(what: &str, pem: &[u8]) -> Result<Vec<Certificate<'static>>, String> {
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let found: Vec<_> = parse_pem(pem).filter_map(certificate).collect();
    if found.is_empty() {
        return Err(format!("the file of the {what} holds no certificate; expected PEM with `BEGIN CERTIFICATE`"));
    }
    Ok(found)
}

/// A client certificate and its key, both as PEM.
///
/// # Errors
/// In a sentence, when there is none.
pub fn identity(certificate: &[u8], key: &[u8]) -> Result<ClientCert, String> {
    let chain = certificates("certificate", certificate)?;
    let key = PrivateKey::from_pem(key)
        .map_err(|_| "the file of the key holds no private key; expected PEM with `BEGIN PRIVATE KEY`".to_owned())?;
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
        assert!(certificates("CA", b"nothing").unwrap_err().contains("file of the CA holds no certificate"));
        assert!(identity(b"nothing", b"nothing").unwrap_err().contains("holds no certificate"));
    }
}
