use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use super::*;

fn open(address: &str) -> Result<PrometheusServer, GatherError> {
    PrometheusServer::new(address, ClientAccess::default())
}

fn with_token(address: &str, token: &str) -> PrometheusServer {
    PrometheusServer::new(address, ClientAccess::default().secret(PrometheusAuth::Bearer(token.into())).unwrap())
        .unwrap()
}

fn shown(address: &str) -> String {
    open(address).unwrap().shown().to_owned()
}

#[test]
fn an_address_is_cut_to_what_the_api_is_under() {
    assert_eq!(shown("http://p:9090"), "http://p:9090");
    assert_eq!(shown(" https://p/prometheus/api/v1/ "), "https://p/prometheus");
    assert_eq!(shown("http://p:9090/?g0.expr=up#x"), "http://p:9090");
    for wrong in ["p:9090", "ftp://p", "http://", "http://a b"] {
        let error = open(wrong).unwrap_err().to_string();
        assert!(error.ends_with("expected one such as http://10.0.0.5:9090"), "{wrong}: {error}");
    }
}

#[test]
fn a_password_in_the_address_is_refused_and_not_repeated() {
    for secret in ["http://me:p%40ss@p:9090", "https://p%40ss@p"] {
        let error = open(secret).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("DISKWRIGHT_PROMETHEUS_PASSWORD") && !text.contains("p%40ss"), "{text}");
        assert!(matches!(error, GatherError::Input(_) | GatherError::Asked(_)));
    }
}

#[test]
fn a_token_does_not_leave_this_machine_in_the_clear() {
    let access = || ClientAccess::default().secret(PrometheusAuth::Bearer("t0ken".into())).unwrap();
    let error = PrometheusServer::new("http://p:9090", access()).unwrap_err().to_string();
    assert!(error.contains("--insecure") && !error.contains("t0ken"), "{error}");
    assert!(PrometheusServer::new("http://p:9090", access().insecure(true)).is_ok());
    assert!(PrometheusServer::new("https://p:9090", access()).is_ok() && open("http://p:9090").is_ok());
    let printed = format!("{:?}", with_token("https://p", "t0ken"));
    assert!(!printed.contains("t0ken"), "{printed}");
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
    let server = with_token(&address, "t0ken").tenant("team");
    let answer = server.post("/api/v1/query", &[("query", "up{a=\"b\"} + 1".to_owned())]).unwrap();
    assert_eq!(answer, Answer { status: 200, body: "{}".to_owned() });
    let asked = served.join().unwrap();
    assert!(asked.starts_with("POST /api/v1/query HTTP/1.1"), "{asked}");
    let asked = asked.to_lowercase();
    assert!(asked.contains("authorization: bearer t0ken") && asked.contains("x-scope-orgid: team"), "{asked}");
    assert!(asked.contains("query=up%7ba%3d%22b%22%7d%20%2b%201"), "{asked}");
}

#[test]
fn a_server_that_gives_the_token_back_does_not_get_it_printed() {
    let (address, served) = once("HTTP/1.1 418 No\r\ncontent-length: 15\r\nconnection: close\r\n\r\nbad token t0ken");
    let server = with_token(&address, "t0ken");
    let error = server.instant("up".to_owned(), 1).unwrap_err().to_string();
    served.join().unwrap();
    assert!(error.contains("answers 418 with `bad token ***`"), "{error}");
}

#[test]
fn a_server_that_does_not_run_is_told_with_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let server = open(&address).unwrap();
    let error = server.instant("up".to_owned(), 1).unwrap_err();
    assert!(matches!(error, GatherError::Server(_) | GatherError::Refused(_) | GatherError::Environment(_)));
    let error = error.to_string();
    assert!(error.contains("cannot be reached") && error.contains("127.0.0.1"), "{error}");
}
