use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use super::*;

fn shown(address: &str) -> String {
    Server::new(address).unwrap().shown().to_owned()
}

#[test]
fn an_address_is_cut_to_what_the_api_is_under() {
    assert_eq!(shown("http://p:9090"), "http://p:9090");
    assert_eq!(shown(" https://p/prometheus/api/v1/ "), "https://p/prometheus");
    assert_eq!(shown("http://p:9090/?g0.expr=up#x"), "http://p:9090");
    for wrong in ["p:9090", "ftp://p", "http://", "http://user@", "http://a b"] {
        let error = Server::new(wrong).unwrap_err().to_string();
        assert!(error.ends_with("expected one such as http://10.0.0.5:9090"), "{wrong}: {error}");
    }
}

#[test]
fn what_is_secret_is_shown_nowhere() {
    let server = Server::new("http://me:p%40ss@p:9090").unwrap();
    assert!(matches!(&server.auth, Auth::Basic { user, password } if user == "me" && password == "p@ss"));
    let bearer = Server::new("http://p").unwrap().auth(Auth::Bearer("t0ken".into()));
    let printed = format!("{server:?} {bearer:?} {}", server.shown());
    assert!(!printed.contains("p@ss") && !printed.contains("p%40ss") && !printed.contains("t0ken"), "{printed}");
    assert_eq!(bearer.redact("you sent t0ken".to_owned()), "you sent ***");
    assert_eq!(server.redact(format!("you sent {}", STANDARD.encode("me:p@ss"))), "you sent ***");
}

#[test]
fn a_file_without_certificate_is_no_ca() {
    let error = Server::new("https://p").unwrap().ca(b"hello").unwrap_err().to_string();
    assert!(error.contains("holds no certificate"), "{error}");
}

/// A server that answers one request so, and tells what it was asked.
fn once(answer: &'static str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let (mut told, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            told += &line;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        reader.get_mut().write_all(answer.as_bytes()).unwrap();
        told + std::str::from_utf8(&body).unwrap()
    });
    (address, served)
}

#[test]
fn a_query_is_posted_with_the_credentials_and_the_tenant() {
    let (address, served) = once("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
    let server = Server::new(&address).unwrap().auth(Auth::Bearer("t0ken".into())).tenant("team");
    let answer = server.post("/api/v1/query", &[("query", "up{a=\"b\"} + 1".to_owned())]).unwrap();
    assert_eq!(answer, Answer { status: 200, body: "{}".to_owned() });
    let asked = served.join().unwrap();
    assert!(asked.starts_with("POST /api/v1/query HTTP/1.1"), "{asked}");
    let asked = asked.to_lowercase();
    assert!(asked.contains("authorization: bearer t0ken") && asked.contains("x-scope-orgid: team"), "{asked}");
    assert!(asked.contains("query=up%7ba%3d%22b%22%7d+%2b+1"), "{asked}");
}

#[test]
fn a_server_that_gives_the_token_back_does_not_get_it_printed() {
    let (address, served) = once("HTTP/1.1 418 No\r\ncontent-length: 15\r\nconnection: close\r\n\r\nbad token t0ken");
    let server = Server::new(&address).unwrap().auth(Auth::Bearer("t0ken".into()));
    let error = server.instant("up".to_owned(), 1).unwrap_err().to_string();
    served.join().unwrap();
    assert!(error.contains("answers 418 with `bad token ***`"), "{error}");
}

#[test]
fn a_server_that_does_not_run_is_told_with_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://me:secret@{}", listener.local_addr().unwrap());
    drop(listener);
    let server = Server::new(&address).unwrap();
    let error = server.instant("up".to_owned(), 1).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    let error = error.to_string();
    assert!(error.contains("cannot be reached") && error.contains("127.0.0.1") && !error.contains("secret"), "{error}");
}

#[test]
fn a_token_with_a_line_break_is_refused_before_it_is_sent() {
    let server = Server::new("http://127.0.0.1:9").unwrap().auth(Auth::Bearer("a\nb".into()));
    let error = server.instant("up".to_owned(), 1).unwrap_err().to_string();
    assert!(error.contains("control character"), "{error}");
}
