//! Connections to stores and placement drivers.

use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use proto::LocalStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_util::either::Either;
use tonic::transport::{Channel, Endpoint, Uri};

use crate::listener;
use crate::traffic::Counter;

/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(2);
/// A silent peer is asked after so long whether it lives, and given so long to answer: TiDB's `grpc-keepalive-time` and
/// `grpc-keepalive-timeout`. Stores refuse clients that ask more often.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(3));
/// What a peer may send ahead, bytes: more than the answers to any sensible number of requests, for waiting here is a
/// mistake in what is measured.
const WINDOW: u32 = 64 << 20;
/// The largest piece in which a peer may send, bytes. HTTP/2's own 16 KiB cut a message of values into many, each with a call of
/// the kernel at either end.
const FRAME: u32 = 1 << 20;

/// Connects to a store or driver; bytes go to `counter` if there is one.
pub(crate) async fn connect(address: &str, counter: Option<Arc<Counter>>) -> Result<Channel, String> {
    let uri = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let wrong = |error: &dyn std::error::Error| format!("{address}: {}", chain(error));
    let endpoint = Endpoint::from_shared(uri)
        .map_err(|error| wrong(&error))?
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_frame_size(FRAME)
        .http2_keep_alive_interval(KEEPALIVE.0)
        .keep_alive_timeout(KEEPALIVE.1);
    let Some(counter) = counter else { return endpoint.connect().await.map_err(|error| wrong(&error)) };
    let connector = tower::service_fn(move |uri: Uri| {
        let counter = counter.clone();
        async move {
            let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
            let port = uri.port_u16().unwrap_or(80);
            let stream = match beside(&host, port).await {
                Some(stream) => Either::Right(stream),
                None => {
                    let stream = TcpStream::connect((host, port)).await?;
                    stream.set_nodelay(true)?;
                    Either::Left(stream)
                }
            };
            Ok::<_, io::Error>(TokioIo::new(Counted { stream, counter }))
        }
    });
    endpoint.connect_with_connector(connector).await.map_err(|error| wrong(&error))
}

/// Where a store of this machine listens beside its port.
async fn beside(host: &str, port: u16) -> Option<LocalStream> {
    let address = SocketAddr::new(host.parse::<IpAddr>().ok()?, port);
    let stream = UnixStream::connect(proto::beside(address)?).await.ok()?;
    // Anybody may take a name that nobody has: whoever has the port would be spoken to, too.
    let whose = stream.peer_cred().ok()?.uid();
    let own = rustix::process::geteuid().as_raw();
    let is_trusted = whose == 0 || whose == own || Some(whose) == listener::owner(address);
    is_trusted.then(|| LocalStream::new(stream).ok())?
}

/// An error with its causes: tonic's own text is only `transport error`.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// A stream whose bytes are counted.
struct Counted {
    stream: Either<TcpStream, LocalStream>,
    counter: Arc<Counter>,
}

impl Counted {
    fn sent(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = written {
            self.counter.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        written
    }
}

impl AsyncRead for Counted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, into);
        self.counter.received.fetch_add((into.filled().len() - before) as u64, Ordering::Relaxed);
        read
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, from);
        self.sent(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, from);
        self.sent(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
