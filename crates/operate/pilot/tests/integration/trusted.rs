//! Peers behind TLS that let in only whom their own authority knows.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use kubernetes::{KubernetesApi, KubernetesError, TokenSource};
use pilot::{PdApi, PdHttp, PilotAccess, PilotError, WorldError};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, Stream};

/// An authority, and what signs with it.
struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    fn sign(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        (CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap(), key)
    }
}

/// A server that is a PD and a Kubernetes to whom it lets in; its address. It ends with the test.
fn serve(authority: &Authority) -> String {
    let (certificate, key) = authority.sign("127.0.0.1");
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build().unwrap();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = config.with_client_cert_verifier(verifier).with_single_cert(vec![certificate.der().clone()], key);
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut connection) = (stream.unwrap(), ServerConnection::new(config.clone()).unwrap());
            let mut secured = Stream::new(&mut connection, &mut stream);
            let mut asked = [0; 4096];
            // Who is not let in ends the connection, or has it ended.
            if !secured.read(&mut asked).is_ok_and(|read| read > 0) {
                continue;
            }
            let body = r#"{"id":7,"kind":"Node","spec":{"unschedulable":true}}"#;
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            secured.write_all(format!("{head}{body}").as_bytes()).unwrap();
            connection.send_close_notify();
            let _ = connection.write_tls(&mut stream);
        }
    });
    place
}

#[test]
fn pd_is_trusted_by_its_authority_and_lets_us_in_by_our_certificate() {
    let (ours, other) = (Authority::new(), Authority::new());
    let place = serve(&ours);
    let pem = |authority: &Authority| authority.certificate.pem().into_bytes();
    let shown = |access: PilotAccess, (certificate, key): (rcgen::Certificate, KeyPair)| {
        access.identity(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap()
    };
    let trusting = || PilotAccess::default().ca(&pem(&ours)).unwrap();
    let pd = PdHttp::new(&place, &shown(trusting(), ours.sign("pilot"))).unwrap();
    assert_eq!(pd.cluster_id().unwrap(), "7");

    let refused = |access: PilotAccess, why: &str| {
        let error = PdHttp::new(&place, &access).unwrap_err();
        assert!(matches!(error, PilotError::World(WorldError::Silent { .. })), "{why}: {error:?}");
    };
    refused(trusting(), "nobody shows a certificate");
    refused(shown(trusting(), other.sign("pilot")), "it is signed by another");
    refused(shown(PilotAccess::default().ca(&pem(&other)).unwrap(), ours.sign("pilot")), "PD's is signed by another");
    refused(shown(PilotAccess::default(), ours.sign("pilot")), "the world's authorities do not know PD's");
}

#[test]
fn kubernetes_is_trusted_by_its_authority_and_lets_us_in_by_our_certificate() {
    let (ours, other) = (Authority::new(), Authority::new());
    let place = serve(&ours);
    let access = |trusted: &Authority| {
        kubernetes::KubernetesAccess::new(&place, TokenSource::None, Some(trusted.certificate.pem().as_bytes()))
            .unwrap()
    };
    let shown = |access: kubernetes::KubernetesAccess| {
        let (certificate, key) = ours.sign("pilot");
        access.identity(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap()
    };
    assert!(KubernetesApi::new(shown(access(&ours))).node("worker-1").unwrap().cordoned);
    for refused in [access(&ours), shown(access(&other))] {
        let error = KubernetesApi::new(refused).node("worker-1").unwrap_err();
        assert!(matches!(error, KubernetesError::Silent(_)), "{error:?}");
    }
}
