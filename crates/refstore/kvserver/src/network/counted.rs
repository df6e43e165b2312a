//! Bytes on the wire, counted by the zones at both ends.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::task::{Context, Poll};

use prometheus::{IntCounter, IntCounterVec, register_int_counter_vec};
use proto::LocalStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_util::either::Either;
use tonic::Request;
use tonic::transport::server::Connected;

/// The header in which a client says in which zone it is.
const ZONE_HEADER: &str = "diskwright-zone";

static BYTES: LazyLock<IntCounterVec> = LazyLock::new(|| {
    let help = "Bytes on the wire between zones; `peer` of stores, counted where the connection begins, `client` where it ends";
    register_int_counter_vec!("diskwright_zone_bytes_total", help, &["from", "to", "kind"])
        .expect("the name is registered once")
});

/// Counts the bytes of connections between two zones.
#[derive(Debug)]
struct Zones {
    sent: IntCounter,
    received: IntCounter,
}

impl Zones {
    fn new(own: &str, other: &str, kind: &str) -> Self {
        let counter = |from: &str, to: &str| BYTES.with_label_values(&[from, to, kind]);
        Self { sent: counter(own, other), received: counter(other, own) }
    }
}

/// The bytes of a connection. Until somebody says where the other end is, they wait.
#[derive(Debug)]
pub(crate) struct Meter {
    own: String,
    zones: OnceLock<Zones>,
    sent: AtomicU64,
    received: AtomicU64,
}

impl Meter {
    /// Of a connection to a store.
    pub(crate) fn peer(own: &str, other: &str) -> Arc<Self> {
        let meter = Self::unknown(own);
        let _ = meter.zones.set(Zones::new(own, other, "peer"));
        meter
    }

    /// Of a connection from somebody.
    pub(crate) fn unknown(own: &str) -> Arc<Self> {
        let (sent, received) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { own: own.to_owned(), zones: OnceLock::new(), sent, received })
    }

    fn sent(&self, bytes: usize) {
        match self.zones.get() {
            Some(zones) => zones.sent.inc_by(bytes as u64),
            None => drop(self.sent.fetch_add(bytes as u64, Ordering::Relaxed)),
        }
    }

    fn received(&self, bytes: usize) {
        match self.zones.get() {
            Some(zones) => zones.received.inc_by(bytes as u64),
            None => drop(self.received.fetch_add(bytes as u64, Ordering::Relaxed)),
        }
    }

    fn client(&self, zone: &str) {
        if self.zones.get().is_none() && self.zones.set(Zones::new(&self.own, zone, "client")).is_ok() {
            self.settle();
        }
    }

    /// Counts what waited.
    fn settle(&self) {
        if let Some(zones) = self.zones.get() {
            zones.sent.inc_by(self.sent.swap(0, Ordering::Relaxed));
            zones.received.inc_by(self.received.swap(0, Ordering::Relaxed));
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.settle();
    }
}

/// Who is at the other end of a connection to this store.
#[derive(Debug, Clone)]
pub(crate) struct Caller(Arc<Meter>);

impl Caller {
    /// Notes the zone of whoever made a request, if it says so.
    pub(crate) fn note<T>(request: &Request<T>) {
        let zone = request.metadata().get(ZONE_HEADER).and_then(|zone| zone.to_str().ok());
        if let (Some(zone), Some(caller)) = (zone, request.extensions().get::<Self>()) {
            caller.0.client(zone);
        }
    }
}

/// A connection whose bytes are counted.
#[derive(Debug)]
pub(crate) struct Counted {
    stream: Either<TcpStream, LocalStream>,
    meter: Arc<Meter>,
}

impl Counted {
    /// Counts what passes a connection.
    pub(crate) fn new(stream: Either<TcpStream, LocalStream>, meter: Arc<Meter>) -> Self {
        Self { stream, meter }
    }
}

impl Connected for Counted {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        Caller(self.meter.clone())
    }
}

impl AsyncRead for Counted {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, into);
        if polled.is_ready() {
            self.meter.received(into.filled().len() - before);
        }
        polled
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(written)) = polled {
            self.meter.sent(written);
        }
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        if let Poll::Ready(Ok(written)) = polled {
            self.meter.sent(written);
        }
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
