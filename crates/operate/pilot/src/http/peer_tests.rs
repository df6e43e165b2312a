use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::Value;

use super::*;
use crate::WorldError;

fn address(text: &str, access: &PilotAccess) -> Result<ApiServer, PilotError> {
    server("PD", text, access)
}

/// A server that answers one request so, and gives what it was asked.
fn served(answer: &'static str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = vec![0; 4096];
        let read = stream.read(&mut asked).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&asked[..read]).into_owned()
    });
    (place, asked)
}

#[test]
fn beyond_this_machine_plain_http_is_refused() {
    let open = PilotAccess::default();
    for near in ["http://127.0.0.1:2379", "http://localhost:2379", "http://[::1]:2379", "https://10.0.0.5:2379"] {
        assert!(address(near, &open).is_ok(), "{near}");
    }
    for far in ["http://10.0.0.5:2379", "http://pd.example:2379", "http://127.0.0.1.example", "http://0.0.0.0:2379"] {
        let error = address(far, &open).unwrap_err();
        assert!(matches!(error, PilotError::Input(_)));
        assert!(error.to_string().contains("--insecure"), "{error}");
        assert!(address(far, &PilotAccess::default().insecure(true)).is_ok(), "{far}");
    }
}

#[test]
fn what_is_no_address_is_told_as_such() {
    for (wrong, why) in [
        ("127.0.0.1:2379", "lacks `http://`"),
        ("ftp://127.0.0.1", "lacks `http://`"),
        ("http://", "the address of PD"),
        ("http://me:secret@127.0.0.1:2379", "name or password"),
    ] {
        let error = address(wrong, &PilotAccess::default()).unwrap_err();
        assert!(error.to_string().contains(why) && !error.to_string().contains("secret"), "{wrong}: {error}");
    }
}

#[test]
fn a_token_goes_along_and_is_not_shown() {
    let (place, asked) = served("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    let access = PilotAccess::default().token("s3cret\n").unwrap();
    assert!(!format!("{access:?}").contains("s3cret"));
    address(&place, &access).unwrap().json("/config").unwrap();
    assert!(asked.join().unwrap().to_lowercase().contains("authorization: bearer s3cret\r\n"));
    assert!(PilotAccess::default().token("a\r\nb").is_err() && PilotAccess::default().token(" ").is_err());
}

#[test]
fn what_an_answer_means_depends_on_its_status() {
    let asked = |answer: &'static str| -> Result<Value, WorldError> {
        let (place, asked) = served(answer);
        let answered = address(&place, &PilotAccess::default()).unwrap().json("/config");
        asked.join().unwrap();
        Ok(answered?)
    };
    let error = asked("HTTP/1.1 403 No\r\ncontent-length: 22\r\n\r\ncertificate role error").unwrap_err();
    assert!(
        matches!(error, WorldError::Denied { .. }) && error.to_string().contains("certificate role error"),
        "{error}"
    );
    let error = asked("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n").unwrap_err();
    assert!(matches!(error, WorldError::Silent { .. }), "{error}");
    let error = asked("HTTP/1.1 500 No\r\ncontent-length: 16\r\n\r\nfailed to update").unwrap_err();
    assert!(matches!(error, WorldError::Refused { .. }), "{error}");
    let error = asked("HTTP/1.1 302 Go\r\nlocation: http://example.com\r\ncontent-length: 0\r\n\r\n").unwrap_err();
    assert!(matches!(error, WorldError::Refused { .. }), "it is not led elsewhere: {error}");
    let error = asked("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>").unwrap_err();
    assert!(error.to_string().contains("is it the right address?"), "{error}");
}

#[test]
fn files_without_what_is_looked_for_are_refused() {
    assert!(PilotAccess::default().ca(b"nothing").unwrap_err().to_string().contains("BEGIN CERTIFICATE"));
    assert!(PilotAccess::default().identity(b"nothing", b"nothing").is_err());
}
