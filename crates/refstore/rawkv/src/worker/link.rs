//! A store: what waits for it, and its connection.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proto::kvrpcpb::{RawCasRequest, RawCasResponse};
use proto::tikvpb::batch_commands_request::{Request, request::Cmd};
use proto::tikvpb::tikv_client::TikvClient;
use proto::tikvpb::{BatchCommandsRequest, BatchCommandsResponse};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::codec::CompressionEncoding;

use super::Worker;
use super::events::{Event, Stream};
use crate::connection::connect;
use crate::pd::said;
use crate::pending::Place;
use crate::traffic::Counter;

/// The most requests and about the most bytes in a message: twice TiDB's `max-batch-size`; far below the 4 MiB that servers
/// take unless told otherwise.
const MESSAGE: (usize, usize) = (256, 1 << 20);
/// A store that could not be connected is left alone for so long.
const LEFT_ALONE: Duration = Duration::from_millis(50);

/// The connection of a store.
pub(super) enum Link {
    /// There is none, and none is made before then.
    Down(Instant),
    Connecting,
    Up(Box<Stream>),
}

/// What is sent to a store at once.
pub(super) enum Parcel {
    Many(BatchCommandsRequest),
    One(u64, Box<RawCasRequest>),
}

/// What comes from a store at once, and from which of its connections.
pub(super) enum Arrival {
    Answers(u64, BatchCommandsResponse),
    Swapped(u64, u64, Box<Result<RawCasResponse, String>>),
    Broken(u64, String),
}

/// A store.
pub(super) struct Store {
    pub(super) address: String,
    /// Whether it is in another zone than the client.
    pub(super) far: bool,
    pub(super) counter: Arc<Counter>,
    pub(super) link: Link,
    /// The number of its last connection.
    pub(super) connection: u64,
    queue: BatchCommandsRequest,
    queued_bytes: usize,
    /// What waits until it may leave, for the way between zones or for a connection.
    outgoing: VecDeque<(Instant, Parcel)>,
    /// What is on its way between zones.
    pub(super) incoming: VecDeque<(Instant, Arrival)>,
}

impl Store {
    pub(super) fn new(address: String, far: bool, counter: Arc<Counter>, now: Instant) -> Self {
        Self {
            address,
            far,
            counter,
            link: Link::Down(now),
            connection: 0,
            queue: BatchCommandsRequest::default(),
            queued_bytes: 0,
            outgoing: VecDeque::new(),
            incoming: VecDeque::new(),
        }
    }

    /// Puts a request in the next message; `due` is when that may leave.
    pub(super) fn queue(&mut self, id: u64, command: Cmd, bytes: usize, due: Instant) {
        self.queue.requests.push(Request { cmd: Some(command) });
        self.queue.request_ids.push(id);
        self.queued_bytes += bytes;
        if self.queue.request_ids.len() >= MESSAGE.0 || self.queued_bytes >= MESSAGE.1 {
            self.seal(due);
        }
    }

    /// Sends a request by itself.
    pub(super) fn send_one(&mut self, id: u64, request: RawCasRequest, due: Instant) {
        self.seal(due);
        self.outgoing.push_back((due, Parcel::One(id, Box::new(request))));
    }

    fn seal(&mut self, due: Instant) {
        if !self.queue.request_ids.is_empty() {
            self.queued_bytes = 0;
            // The next message is likely of as many.
            let room = self.queue.request_ids.len();
            let next =
                BatchCommandsRequest { requests: Vec::with_capacity(room), request_ids: Vec::with_capacity(room) };
            self.outgoing.push_back((due, Parcel::Many(std::mem::replace(&mut self.queue, next))));
        }
    }

    pub(super) fn has_arrived(&self, now: Instant) -> bool {
        self.incoming.front().is_some_and(|(due, _)| *due <= now)
    }

    /// When something may leave or has arrived.
    pub(super) fn next_due(&self) -> Option<Instant> {
        // Without a connection it is the connection's event that goes on.
        let leaves = self.outgoing.front().filter(|_| matches!(self.link, Link::Up(_))).map(|(due, _)| *due);
        let arrives = self.incoming.front().map(|(due, _)| *due);
        leaves.into_iter().chain(arrives).min()
    }

    /// The numbers of all that waits to leave; none of it waits any more.
    pub(super) fn give_back(&mut self) -> Vec<u64> {
        let mut ids = std::mem::take(&mut self.queue).request_ids;
        self.queued_bytes = 0;
        for (_, parcel) in self.outgoing.drain(..) {
            match parcel {
                Parcel::Many(message) => ids.extend(message.request_ids),
                Parcel::One(id, _) => ids.push(id),
            }
        }
        ids
    }
}

impl Worker {
    /// Hands over what may leave.
    pub(super) fn send(&mut self) {
        let due = self.now + self.options.zone_round_trip / 2;
        let mut unsent = Vec::new();
        for (id, store) in &mut self.stores {
            store.seal(if store.far { due } else { self.now });
            if store.outgoing.is_empty() {
                continue;
            }
            match &store.link {
                Link::Connecting => continue,
                Link::Down(until) if *until > self.now => unsent.push((*id, store.give_back())),
                Link::Down(_) => {
                    self.connections += 1;
                    store.connection = self.connections;
                    store.link = Link::Connecting;
                    let (address, counter) = (store.address.clone(), store.counter.clone());
                    let events = self.sender.clone();
                    tokio::spawn(converse(*id, store.connection, address, counter, self.options.gzip, events));
                }
                Link::Up(link) => {
                    let (stream, client) = &**link;
                    let place = Place::Sent { store: *id, connection: store.connection };
                    while store.outgoing.front().is_some_and(|(due, _)| *due <= self.now) {
                        let Some((_, parcel)) = store.outgoing.pop_front() else { break };
                        // What has expired while it waited must not be sent: it was said to be refused.
                        let mut wanted =
                            |id: &u64| self.table.get_mut(*id).map(|pending| pending.place = place).is_some();
                        match parcel {
                            Parcel::Many(message) => {
                                let sent = match keep(message, &mut wanted) {
                                    Some(message) => stream.send(message),
                                    None => Ok(()),
                                };
                                if let Err(refused) = sent {
                                    unsent.push((*id, refused.0.request_ids));
                                }
                            }
                            Parcel::One(number, request) if wanted(&number) => {
                                let (mut client, events) = (client.clone(), self.sender.clone());
                                let (store, connection) = (*id, store.connection);
                                tokio::spawn(async move {
                                    let answer = client.raw_compare_and_swap(*request).await;
                                    let answer =
                                        answer.map(tonic::Response::into_inner).map_err(|status| said(&status));
                                    let _ = events.send(Event::Swapped(store, connection, number, Box::new(answer)));
                                });
                            }
                            Parcel::One(..) => {}
                        }
                    }
                }
            }
        }
        for (store, ids) in unsent {
            self.not_sent(store, ids, "the store cannot be reached");
        }
    }

    /// A connection is made, or not.
    pub(super) fn connected(&mut self, id: u64, connection: u64, result: Result<Box<Stream>, String>) {
        let Some(store) = self.stores.get_mut(&id).filter(|store| store.connection == connection) else { return };
        match result {
            Ok(stream) => store.link = Link::Up(stream),
            Err(reason) => {
                store.link = Link::Down(self.now + LEFT_ALONE);
                let ids = store.give_back();
                self.not_sent(id, ids, &reason);
            }
        }
    }
}

/// A message without the requests that nobody waits for; nothing if nothing is left.
fn keep(mut message: BatchCommandsRequest, wanted: &mut impl FnMut(&u64) -> bool) -> Option<BatchCommandsRequest> {
    let kept: Vec<bool> = message.request_ids.iter().map(wanted).collect();
    if kept.iter().all(|kept| *kept) {
        return Some(message);
    }
    let (mut of_requests, mut of_ids) = (kept.iter(), kept.iter());
    message.requests.retain(|_| of_requests.next() == Some(&true));
    message.request_ids.retain(|_| of_ids.next() == Some(&true));
    (!message.request_ids.is_empty()).then_some(message)
}

/// Connects to a store, and tells what it answers until the connection ends.
async fn converse(
    store: u64,
    connection: u64,
    address: String,
    counter: Arc<Counter>,
    gzip: bool,
    events: UnboundedSender<Event>,
) {
    let channel = match connect(&address, Some(counter)).await {
        Ok(channel) => channel,
        Err(reason) => {
            let _ = events.send(Event::Connected(store, connection, Err(reason)));
            return;
        }
    };
    let mut client = TikvClient::new(channel.clone()).max_decoding_message_size(proto::MOST_BYTES);
    if gzip {
        client = client.send_compressed(CompressionEncoding::Gzip).accept_compressed(CompressionEncoding::Gzip);
    }
    let (sender, receiver) = mpsc::unbounded_channel();
    let _ = events.send(Event::Connected(store, connection, Ok(Box::new((sender, client)))));
    let reason = match proto::batch_commands(channel, gzip, UnboundedReceiverStream::new(receiver)).await {
        Err(status) => said(&status),
        Ok(mut answers) => loop {
            match answers.message().await {
                Ok(Some(answer)) => {
                    let _ = events.send(Event::Answered(store, connection, answer));
                }
                Ok(None) => break "the store ended the stream".to_owned(),
                Err(status) => break said(&status),
            }
        },
    };
    let _ = events.send(Event::Broken(store, connection, format!("{address}: {reason}")));
}
