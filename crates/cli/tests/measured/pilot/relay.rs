//! A status server or a PD whose answers to changes never come.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What becomes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It does not arrive.
    Swallow,
    /// It is carried out, and nobody is told.
    CarryOut,
    /// It is carried out after this time, whether somebody still waits for its answer or not.
    Late(Duration),
}

/// Passes reads on to a status server.
pub(crate) struct Relay {
    addr: SocketAddr,
    posted: Arc<AtomicBool>,
}

impl Relay {
    /// Before the status server at `to`; it ends with the test.
    pub(crate) fn start(to: SocketAddr, way: Way) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let posted = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&posted);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&seen);
                thread::spawn(move || pass(stream, to, way, &seen));
            }
        });
        Self { addr, posted }
    }

    /// Where it listens.
    pub(crate) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Whether a change was asked for, and what was to become of it has.
    pub(crate) fn posted(&self) -> bool {
        self.posted.load(Ordering::SeqCst)
    }
}

/// One request a connection: the pilot's next one comes on a new one.
fn pass(mut stream: TcpStream, to: SocketAddr, way: Way, posted: &AtomicBool) {
    let asked = request(&mut stream);
    let text = String::from_utf8_lossy(&asked).into_owned();
    let changes = text.starts_with("POST");
    if let (true, Way::Late(by)) = (changes, way) {
        posted.store(true, Ordering::SeqCst);
        thread::sleep(by);
    }
    if !(changes && way == Way::Swallow) {
        let mut server = TcpStream::connect(to).unwrap();
        server.write_all(text.replacen("\r\n", "\r\nconnection: close\r\n", 1).as_bytes()).unwrap();
        let mut answer = Vec::new();
        server.read_to_end(&mut answer).unwrap();
        if !changes {
            // Who was killed meanwhile reads no answer.
            let _ = stream.write_all(&answer);
            return;
        }
    }
    posted.store(true, Ordering::SeqCst);
    // Held open longer than the test lasts.
    thread::sleep(Duration::from_secs(120));
}

/// A request with as much of a body as it says.
fn request(stream: &mut TcpStream) -> Vec<u8> {
    let (mut asked, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut part).unwrap_or(0);
        asked.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&asked).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if read == 0 {
                return asked;
            }
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
        if read == 0 || body.len() >= length.unwrap_or(0) {
            return asked;
        }
    }
}
