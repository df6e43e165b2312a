//! What a worker hears of.

use std::sync::Arc;

use proto::kvrpcpb::RawCasResponse;
use proto::tikvpb::tikv_client::TikvClient;
use proto::tikvpb::{BatchCommandsRequest, BatchCommandsResponse};
use tokio::sync::mpsc::UnboundedSender;
use tonic::transport::Channel;

use super::learn::Learned;
use super::link::{Arrival, Link};
use super::{End, Worker};
use crate::RawRequest;
use crate::mailbox::Mailbox;
use crate::pending::{Owner, Pending};

/// A stream to a store, and the client for what does not go through it.
pub(crate) type Stream = (UnboundedSender<BatchCommandsRequest>, TikvClient<Channel>);

/// What a worker hears of.
pub(crate) enum Event {
    /// A session begins; its number is new.
    Opened(u32, Arc<Mailbox>),
    /// It ends: nobody waits for its answers.
    Closed(u32),
    /// It asks.
    Asked(u32, Vec<(u64, RawRequest)>),
    /// A store is connected, or cannot be.
    Connected(u64, u64, Result<Box<Stream>, String>),
    /// A store answers on one of its connections.
    Answered(u64, u64, BatchCommandsResponse),
    /// A store answers a compare-and-swap, by its number.
    Swapped(u64, u64, u64, Box<Result<RawCasResponse, String>>),
    /// A connection of a store ends.
    Broken(u64, u64, String),
    /// The driver has answered.
    Learned(Box<Learned>),
    /// Nobody is left to ask.
    Stop,
}

impl Worker {
    pub(super) fn take(&mut self, event: Event) {
        match event {
            Event::Opened(session, mailbox) => {
                self.ends.insert(session, End { mailbox, fresh: Vec::new() });
            }
            Event::Closed(session) => {
                self.ends.remove(&session);
            }
            Event::Asked(session, requests) => {
                if self.table.is_empty() {
                    self.sweep = self.now + self.sweep_interval();
                }
                let deadline = self.now + self.options.timeout;
                for (tag, request) in requests {
                    let id = self.table.insert(Pending::new(Owner::Session(session, tag), request, deadline));
                    self.dispatch(id);
                }
            }
            Event::Connected(store, connection, result) => self.connected(store, connection, result),
            Event::Answered(store, connection, answer) => self.arrived(store, Arrival::Answers(connection, answer)),
            Event::Swapped(store, connection, id, answer) => {
                self.arrived(store, Arrival::Swapped(connection, id, answer));
            }
            Event::Broken(store, connection, reason) => {
                let Some(known) = self.stores.get_mut(&store) else { return };
                if known.connection == connection {
                    known.link = Link::Down(self.now);
                }
                // Behind the answers that came before it.
                self.arrived(store, Arrival::Broken(connection, reason));
            }
            Event::Learned(learned) => self.learn(*learned),
            Event::Stop => {}
        }
    }

    /// Something arrives from a store: now, or after its way between zones.
    fn arrived(&mut self, store: u64, arrival: Arrival) {
        let half = self.options.zone_round_trip / 2;
        match self.stores.get_mut(&store) {
            Some(known) if known.far && !half.is_zero() => known.incoming.push_back((self.now + half, arrival)),
            Some(_) => self.receive(store, arrival),
            None => {}
        }
    }

    /// Receives what has been on its way between zones for long enough.
    pub(super) fn take_what_has_come_far(&mut self) {
        let now = self.now;
        let due: Vec<u64> = self.stores.iter().filter(|(_, store)| store.has_arrived(now)).map(|(id, _)| *id).collect();
        for id in due {
            while let Some(store) = self.stores.get_mut(&id).filter(|store| store.has_arrived(now)) {
                let Some((_, arrival)) = store.incoming.pop_front() else { break };
                self.receive(id, arrival);
            }
        }
    }
}
