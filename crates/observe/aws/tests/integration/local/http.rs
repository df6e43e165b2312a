//! As much of an HTTP server as the SDK needs: one thread a connection, bodies with a length.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// What came.
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

/// What goes back.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

/// Serves on a free port of this machine until the process ends, and says where.
pub(crate) fn serve(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            thread::spawn(move || talk(stream, answer.as_ref()));
        }
    });
    format!("http://{address}")
}

/// Until the client hangs up.
fn talk(stream: TcpStream, answer: &impl Fn(&Request) -> Response) -> Option<()> {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::with_capacity(1 << 18, stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let response = answer(&Request { path, body });
        let head = format!(
            "HTTP/1.1 {} x\r\ncontent-type: {}\r\nsmithy-protocol: rpc-v2-cbor\r\ncontent-length: {}\r\n\r\n",
            response.status,
            response.content_type,
            response.body.len()
        );
        writer.write_all(head.as_bytes()).ok()?;
        writer.write_all(&response.body).ok()?;
    }
}
