//! A server that wants TLS and to know who asks, with certificates of an authority of the test's own.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::sql::place::Place;

/// An authority's certificate, and what signs with it.
fn authority() -> (String, Issuer<'static, KeyPair>) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = params.self_signed(&key).unwrap().pem();
    (pem, Issuer::new(params, key))
}

#[test]
fn a_server_is_trusted_only_with_its_own_authority() {
    let place = Place::new();
    let (ours, issuer) = authority();
    let key = KeyPair::generate().unwrap();
    let signed = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let own = KeyPair::generate().unwrap();
    let mut shown = CertificateParams::new(vec!["bench".to_owned()]).unwrap();
    // One that has its authority's name is taken for an authority's own.
    shown.distinguished_name.push(DnType::CommonName, "bench");
    let shown = shown.signed_by(&own, &issuer).unwrap();
    let pems = [
        ("own.pem", shown.pem()),
        ("own-key.pem", own.serialize_pem()),
        ("ours.pem", ours),
        ("other.pem", authority().0),
        ("cert.pem", signed.pem()),
        ("key.pem", key.serialize_pem()),
    ];
    for (name, text) in pems {
        std::fs::write(place.path(name), text).unwrap();
    }
    let option = |option: &str, name: &str| format!("--{option}={}", place.path(name).display());
    let files = [("ssl-cert", "cert.pem"), ("ssl-key", "key.pem"), ("ssl-ca", "ours.pem")];
    let port = place.serve_with(&files.map(|(name, file)| option(name, file)), "REQUIRE X509");
    let bench = |options: &str| {
        place.run(&format!(
            "bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 1s --least 1s --most 2s --records 500 {options}"
        ))
    };
    let plain = bench("");
    assert!(plain.code == 2 && plain.stderr.contains("Access denied"), "{plain:?}");
    let other = bench("--tls-ca @other.pem");
    assert!(other.code == 3 && other.stderr.contains("certificate"), "{other:?}");
    assert_eq!(place.own("SHOW TABLES FROM mine").unwrap_or_default(), "", "nothing was written");
    let nobody = bench("--tls-ca @ours.pem");
    assert!(nobody.code == 2 && nobody.stderr.contains("Access denied"), "{nobody:?}");
    let ours = bench("--tls-ca @ours.pem --tls-cert @own.pem --tls-key @own-key.pem --json");
    assert_eq!(ours.code, 0, "{ours:?}");
    assert!(ours.json()["report"]["runs"][0]["operations"].as_u64().unwrap() > 0);
}
