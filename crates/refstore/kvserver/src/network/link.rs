//! The way to one store: a bounded queue, and a task that keeps a stream of batches open.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use proto::raft_serverpb::RaftMessage;
use proto::tikvpb::BatchRaftMessage;
use proto::tikvpb::tikv_client::TikvClient;
use tokio::net::TcpStream;
use tokio_stream::Stream;
use tokio_util::either::Either;
use tonic::codec::CompressionEncoding;
use tonic::transport::{Channel, Endpoint, Uri};

use super::Ways;
use super::counted::{Counted, Meter};
use super::stores::Place;
use super::timer::Timer;
use crate::GrpcCompression;

/// Messages that wait, at most: `server.raft-client-queue-size`. More are dropped, and raft sends them again.
const MOST_WAITING: usize = 16_384;
/// Bytes that wait, at most: what a store behind a slow network may keep of this one's memory.
const MOST_BYTES: usize = 128 << 20;
/// Messages in one batch: `server.raft-msg-max-batch-size`.
const BATCH: usize = 256;
/// Bytes in one batch, unless one message has more.
const BATCH_BYTES: usize = 2 << 20;
/// Any size of message is taken; raft bounds it.
const NO_LIMIT: usize = usize::MAX;
/// `server.grpc-keepalive-time` and `-timeout`.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(3));
/// How long a store may take to answer a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// After a failure the next try comes after the first of these, then after twice that, up to the second.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// A stream that went on for so long did not fail at once: the next try comes soon.
const LONG: Duration = Duration::from_secs(5);

/// The queue to one store.
#[derive(Default)]
pub(super) struct Link {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(Instant, RaftMessage)>,
    bytes: usize,
    waker: Option<Waker>,
    closed: bool,
}

impl Link {
    /// Queues messages; drops those that there is no room for, and answers how many.
    pub(super) fn push(&self, messages: Vec<RaftMessage>) -> usize {
        let now = Instant::now();
        let mut queue = self.queue.lock();
        let mut dropped = 0;
        for message in messages {
            if queue.waiting.len() >= MOST_WAITING || queue.bytes >= MOST_BYTES || queue.closed {
                dropped += 1;
                continue;
            }
            queue.bytes += message.message.len();
            queue.waiting.push_back((now, message));
        }
        let waker = queue.waker.take();
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
        dropped
    }

    /// Ends the stream.
    pub(super) fn close(&self) {
        let mut queue = self.queue.lock();
        queue.closed = true;
        if let Some(waker) = queue.waker.take() {
            waker.wake();
        }
    }

    /// What waits is old: raft sends anew what still matters.
    fn clear(&self) {
        let mut queue = self.queue.lock();
        queue.waiting.clear();
        queue.bytes = 0;
    }

    fn closed(&self) -> bool {
        self.queue.lock().closed
    }
}

/// The batches of a queue that are due.
struct Batches {
    link: Arc<Link>,
    delay: Duration,
    timer: Option<Timer>,
}

impl Stream for Batches {
    type Item = BatchRaftMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            let mut queue = this.link.queue.lock();
            if queue.closed {
                return Poll::Ready(None);
            }
            let Some(first) = queue.waiting.front().map(|(at, _)| *at + this.delay) else {
                queue.waker = Some(context.waker().clone());
                return Poll::Pending;
            };
            if let Some(timer) = this.timer.as_mut().filter(|_| first > Instant::now()) {
                // No waker: what comes now is due later.
                drop(queue);
                match timer.poll(context, first) {
                    Poll::Ready(Ok(())) => continue,
                    // Without its timer the stream ends, and the next one has another.
                    Poll::Ready(Err(_)) => return Poll::Ready(None),
                    Poll::Pending => return Poll::Pending,
                }
            }
            let now = Instant::now();
            let (mut msgs, mut bytes) = (Vec::new(), 0);
            while msgs.len() < BATCH && bytes < BATCH_BYTES {
                if queue.waiting.front().is_none_or(|(at, _)| *at + this.delay > now) {
                    break;
                }
                let Some((_, message)) = queue.waiting.pop_front() else { break };
                bytes += message.message.len();
                msgs.push(message);
            }
            queue.bytes -= bytes;
            return Poll::Ready(Some(BatchRaftMessage { msgs }));
        }
    }
}

/// Opens a connection to a store, with its bytes counted.
pub(super) async fn connect(ways: &Ways, place: &Place) -> Result<TikvClient<Channel>, tonic::transport::Error> {
    let (address, meter) = (place.address.clone(), Meter::peer(&ways.zone, &place.zone));
    let connector = tower::service_fn(move |_: Uri| {
        let (address, meter) = (address.clone(), meter.clone());
        async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok::<_, io::Error>(TokioIo::new(Counted::new(Either::Left(stream), meter)))
        }
    });
    let endpoint = Endpoint::from_shared(format!("http://{}", place.address))?
        .connect_timeout(CONNECT)
        .initial_stream_window_size(ways.window)
        .initial_connection_window_size(ways.window.saturating_mul(2))
        .http2_keep_alive_interval(KEEP_ALIVE.0)
        .keep_alive_timeout(KEEP_ALIVE.1);
    let channel = endpoint.connect_with_connector(connector).await?;
    let client = TikvClient::new(channel).max_encoding_message_size(NO_LIMIT).max_decoding_message_size(NO_LIMIT);
    Ok(match ways.compression {
        GrpcCompression::None => client,
        GrpcCompression::Gzip => {
            client.send_compressed(CompressionEncoding::Gzip).accept_compressed(CompressionEncoding::Gzip)
        }
    })
}

/// Keeps a stream to a store open, until the link is closed. An outage is told of once, and so is its end.
pub(super) async fn keep(link: Arc<Link>, ways: Arc<Ways>, store: u64) {
    let (mut pause, mut told) = (BACKOFF.0, false);
    while !link.closed() {
        let began = Instant::now();
        if let Err(why) = stream(&link, &ways, store, &mut told).await
            && pause >= BACKOFF.1
            && !told
            && !link.closed()
        {
            // Not at the first failure: a store that restarts is no outage.
            textfile::log_line(format_args!("store {store} cannot be reached: {why}"));
            told = true;
        }
        link.clear();
        ways.refresh().await;
        pause = if began.elapsed() > LONG { BACKOFF.0 } else { (pause * 2).min(BACKOFF.1) };
        tokio::time::sleep(pause).await;
    }
}

async fn stream(link: &Arc<Link>, ways: &Ways, store: u64, told: &mut bool) -> Result<(), String> {
    let Some(place) = ways.stores.get(store) else {
        return Err("the placement driver does not know where it is".to_owned());
    };
    let client = connect(ways, &place).await;
    let mut client = client.map_err(|error| format!("{}: {}", place.address, chain(&error)))?;
    if std::mem::take(told) {
        textfile::log_line(format_args!("store {store} is reached again at {}", place.address));
    }
    let delay = ways.delay(&place);
    let timer = if delay.is_zero() { None } else { Some(Timer::new().map_err(|error| error.to_string())?) };
    let batches = Batches { link: link.clone(), delay, timer };
    client.batch_raft(batches).await.map(drop).map_err(|status| format!("{}: {}", place.address, status.message()))
}

/// An error with what it comes from, each once: tonic's own says `transport error` only, hyper's says its cause too.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        said if said.contains(&cause) => said.to_owned(),
        said => format!("{said}: {cause}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_does_not_answer_costs_no_more_than_its_queue() {
        let message = |size| RaftMessage { message: vec![0; size].into(), ..RaftMessage::default() };
        let many = Link::default();
        assert_eq!(many.push((0..MOST_WAITING + 3).map(|_| message(1)).collect()), 3);
        let large = Link::default();
        assert_eq!(large.push(vec![message(MOST_BYTES), message(1), message(1)]), 2);
        large.clear();
        assert_eq!(large.push(vec![message(1)]), 0);
        large.close();
        assert_eq!(large.push(vec![message(1)]), 1);
    }
}
