use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signals::StopSignal;

use super::*;

const LIMITS: RequestLimits = RequestLimits { patience: Duration::from_secs(2), most_bytes: 1 << 20 };

/// A server of this machine that does with each connection what it is told, after the request's head; and how many came.
fn serving(mut answer: impl FnMut(TcpStream, String) + Send + 'static) -> (String, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (place, count) = (listener.local_addr().unwrap().to_string(), Arc::new(AtomicU32::new(0)));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
            let mut head = vec![0; 4096];
            let read = stream.read(&mut head).unwrap_or(0);
            answer(stream, String::from_utf8_lossy(&head[..read]).into_owned());
        }
    });
    (place, count)
}

fn answering(text: impl Into<String>) -> (String, Arc<AtomicU32>) {
    let text = text.into();
    serving(move |mut stream, _| {
        let _ = stream.write_all(text.as_bytes());
    })
}

fn server(place: &str, access: &ClientAccess) -> RemoteServer {
    let address = ServerAddress::parse("it", &format!("http://{place}"), "http://a", "").unwrap();
    RemoteServer::new("it", address, access, LIMITS).unwrap()
}

fn get(place: &str, access: &ClientAccess) -> Result<HttpResponse, PeerError> {
    server(place, access).send(HttpRequest::new("GET", "/a"))
}

fn token() -> ClientAccess {
    ClientAccess::default().secret(Secret::Bearer("hush".to_owned())).unwrap()
}

#[test]
fn a_redirect_to_another_server_is_refused_and_nothing_is_sent_there() {
    for status in [301, 302, 303, 307, 308] {
        let (other, reached) = answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
        let (place, _) =
            answering(format!("HTTP/1.1 {status} Go\r\nlocation: http://{other}/b\r\ncontent-length: 0\r\n\r\n"));
        let error = get(&place, &token()).unwrap_err().to_string();
        assert!(error.contains(&place) && error.contains(&other), "{error}");
        assert_eq!(reached.load(Ordering::Relaxed), 0, "{status}");
    }
}

#[test]
fn a_redirect_on_the_same_server_is_followed_with_the_token_and_a_circle_is_left() {
    let (place, _) = serving(|mut stream, head| {
        assert!(head.to_lowercase().contains("authorization: bearer hush"), "{head}");
        let answer = match head.split_whitespace().nth(1).unwrap() {
            "/a" => "HTTP/1.1 302 Go\r\nlocation: /b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
            _ => "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi",
        };
        stream.write_all(answer.as_bytes()).unwrap();
    });
    assert_eq!(get(&place, &token()).unwrap().body, "hi");
    let (circle, count) =
        answering("HTTP/1.1 302 Go\r\nlocation: /a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    assert!(get(&circle, &token()).is_err() && count.load(Ordering::Relaxed) < 10);
}

#[test]
fn a_server_that_trickles_or_says_nothing_is_left_at_the_deadline() {
    let (silent, _) = serving(|stream, _| {
        thread::spawn(move || {
            thread::sleep(Duration::from_secs(60));
            drop(stream);
        });
    });
    let (trickling, _) = serving(|mut stream, _| {
        thread::spawn(move || {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
            while stream.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(100));
            }
        });
    });
    for place in [silent, trickling] {
        let from = Instant::now();
        assert_eq!(get(&place, &ClientAccess::default()).unwrap_err(), PeerError::Late(LIMITS.patience), "{place}");
        assert!(from.elapsed() < 5 * LIMITS.patience);
    }
}

#[test]
fn a_body_without_end_is_left_at_its_bound() {
    let (place, _) = serving(|mut stream, _| {
        thread::spawn(move || {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
            while stream.write_all(&[b'x'; 65536]).is_ok() {}
        });
    });
    assert_eq!(get(&place, &ClientAccess::default()).unwrap_err(), PeerError::TooLarge(LIMITS.most_bytes));
}

#[test]
fn a_wait_is_given_up_when_told() {
    let (place, _) = serving(|stream, _| {
        thread::spawn(move || {
            thread::sleep(Duration::from_secs(60));
            drop(stream);
        });
    });
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        set.store(true, Ordering::Relaxed);
    });
    let address = ServerAddress::parse("it", &format!("http://{place}"), "http://a", "").unwrap();
    let limits = RequestLimits { patience: Duration::from_secs(50), ..LIMITS };
    let server =
        RemoteServer::new("it", address, &ClientAccess::default().stop(StopSignal::from(flag)), limits).unwrap();
    let from = Instant::now();
    assert_eq!(server.send(HttpRequest::new("GET", "/")).unwrap_err(), PeerError::Stopped);
    assert!(from.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_does_not_run_and_one_that_speaks_something_else_are_told_apart() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    assert!(matches!(get(&free, &ClientAccess::default()).unwrap_err(), PeerError::Unreachable(_)));
    let (other, _) = answering("SSH-2.0-OpenSSH\r\n\r\n");
    assert!(matches!(get(&other, &ClientAccess::default()).unwrap_err(), PeerError::Answer(_)));
}

#[test]
fn a_body_that_is_no_utf8_is_read_all_the_same() {
    let (place, _) = serving(|mut stream, _| {
        stream.write_all(b"HTTP/1.1 418 No\r\netag: 7\r\ncontent-length: 3\r\n\r\na\xffb").unwrap();
    });
    let answer = get(&place, &ClientAccess::default()).unwrap();
    assert_eq!((answer.status, answer.body.as_str(), answer.header("etag")), (418, "a\u{fffd}b", Some("7")));
}
