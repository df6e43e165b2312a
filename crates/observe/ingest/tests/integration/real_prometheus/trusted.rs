//! A real Prometheus behind TLS, with a certificate that nobody but its own CA knows.

use ingest::GatherError;
use ingest::prometheus::{ClientAccess, PrometheusOptions, PrometheusServer, QueryRange, gather};
use jiff::Timestamp;

use crate::real_prometheus::server::Prometheus;

/// What is said of the last hour, of which there is nothing.
fn error(server: PrometheusServer) -> GatherError {
    let until = Timestamp::now();
    let range = QueryRange { from: Timestamp::from_second(until.as_second() - 3_600).unwrap(), until, step: None };
    gather(&server, &range, &PrometheusOptions::default()).unwrap_err()
}

#[test]
fn a_certificate_is_trusted_only_with_its_ca() {
    let folder = tempfile::tempdir().unwrap();
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (ca, key) = (signed.cert.pem(), signed.signing_key.serialize_pem());
    std::fs::write(folder.path().join("cert.pem"), &ca).unwrap();
    std::fs::write(folder.path().join("key.pem"), key).unwrap();
    let web = folder.path().join("web.yml");
    std::fs::write(&web, "tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n").unwrap();
    let prometheus = Prometheus::start(folder.path(), "", &[format!("--web.config.file={}", web.display())]);
    let server = |access| PrometheusServer::new(&format!("https://localhost:{}", prometheus.port), access).unwrap();

    let stranger = error(server(ClientAccess::default()));
    assert!(matches!(stranger, GatherError::Server(_)), "{stranger}");
    assert!(stranger.to_string().contains("give the CA that signed its certificate"), "{stranger}");
    // Let in, there is nothing to be had: it scrapes nobody.
    let known = error(server(ClientAccess::default().ca("CA", ca.as_bytes()).unwrap()));
    assert!(matches!(known, GatherError::Asked(_)), "{known}");
    assert!(known.to_string().contains("knows no series"), "{known}");
    // Spoken to without TLS, it answers with a text that is no API.
    let plain = error(
        PrometheusServer::new(&format!("http://localhost:{}", prometheus.port), ClientAccess::default()).unwrap(),
    );
    assert!(plain.to_string().contains("answers 400"), "{plain}");
}

#[test]
fn one_that_wants_to_know_who_asks_is_shown_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let signed = || rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (its, ours) = (signed(), signed());
    for (name, text) in
        [("cert.pem", its.cert.pem()), ("key.pem", its.signing_key.serialize_pem()), ("clients.pem", ours.cert.pem())]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let web = folder.path().join("web.yml");
    let config = "tls_server_config: {cert_file: cert.pem, key_file: key.pem, client_ca_file: clients.pem, \
                  client_auth_type: RequireAndVerifyClientCert}\n";
    std::fs::write(&web, config).unwrap();
    let options = [format!("--web.config.file={}", web.display())];
    let prometheus = Prometheus::start(folder.path(), "", &options);
    let server = |access: ClientAccess| {
        let access = access.ca("CA", its.cert.pem().as_bytes()).unwrap();
        PrometheusServer::new(&format!("https://localhost:{}", prometheus.port), access).unwrap()
    };
    let nobody = error(server(ClientAccess::default()));
    assert!(matches!(nobody, GatherError::Server(_)), "{nobody}");
    // Let in, there is nothing to be had.
    let key = ours.signing_key.serialize_pem();
    let known = error(server(ClientAccess::default().identity(ours.cert.pem().as_bytes(), key.as_bytes()).unwrap()));
    assert!(matches!(known, GatherError::Asked(_)), "{known}");
}
