//! Peers that accept, and then say nothing, a byte a second, or more than anybody can hear.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// How a peer does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deaf {
    /// Reads, and never answers.
    Silent,
    /// A byte a second.
    Trickling,
    /// Without an end.
    Endless,
}

/// A peer that listens on a port of this machine until the test is over.
pub(crate) struct Peer {
    pub(crate) address: String,
    reached: Arc<AtomicU32>,
}

impl Peer {
    pub(crate) fn start(deaf: Deaf) -> Self {
        Self::serve(move |stream| drop(answer(stream, deaf)))
    }

    /// Hands each connection to `answer`, on a thread of its own.
    pub(crate) fn serve(answer: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, reached) = (listener.local_addr().unwrap().to_string(), Arc::new(AtomicU32::new(0)));
        let (counted, answer) = (Arc::clone(&reached), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                counted.fetch_add(1, Ordering::Relaxed);
                let answer = Arc::clone(&answer);
                thread::spawn(move || answer(stream));
            }
        });
        Self { address, reached }
    }

    /// How many connections it took.
    pub(crate) fn reached(&self) -> u32 {
        self.reached.load(Ordering::Relaxed)
    }
}

/// First bytes of an answer in the protocol of the other side; a client of MySQL waits for the server to speak first.
fn beginning(stream: &mut TcpStream) -> &'static [u8] {
    let mut asked = [0; 4096];
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    match stream.read(&mut asked) {
        // SETTINGS, and the head of a HEADERS frame of 16 KiB.
        Ok(read) if asked[..read].starts_with(b"PRI ") => b"\0\0\0\x04\0\0\0\0\0\0\x40\0\x01\0\0\0\0\x01",
        Ok(_) => b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
        // The head of a packet of 64 KiB.
        Err(_) => b"\xff\xff\0\0",
    }
}

fn answer(mut stream: TcpStream, deaf: Deaf) -> std::io::Result<()> {
    if deaf == Deaf::Silent {
        // Until the other side hangs up.
        let mut heard = [0; 4096];
        while stream.read(&mut heard)? > 0 {}
        return Ok(());
    }
    let beginning = beginning(&mut stream);
    stream.write_all(beginning)?;
    let many = vec![b'x'; 64 << 10];
    loop {
        match deaf {
            Deaf::Endless => stream.write_all(&many)?,
            _ => {
                stream.write_all(b"x")?;
                thread::sleep(Duration::from_secs(1));
            }
        }
    }
}

/// Reads a request's head and body.
pub(crate) fn request(stream: &mut TcpStream) -> std::io::Result<(String, String)> {
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&heard).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Ok((head.to_owned(), body.to_owned()));
            }
        }
        match stream.read(&mut piece)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            read => heard.extend_from_slice(&piece[..read]),
        }
    }
}
