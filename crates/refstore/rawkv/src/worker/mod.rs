//! The thread that talks to the cluster: one loop that owns everything, so that nothing on the way of a request is locked.

mod answer;
mod dispatch;
mod events;
mod finish;
mod learn;
mod link;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use slab::Slab;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::RawClientOptions;
use crate::alarm::Alarm;
use crate::mailbox::{Mailbox, Tagged};
use crate::pd::Pd;
use crate::pending::Table;
use crate::remedy::Backoff;
use crate::routes::Routes;
use crate::traffic::Meter;

pub(crate) use events::Event;
pub(crate) use learn::first;
use link::Store;

/// Events taken at once before requests are sent: it bounds how long the first of them waits for the last.
const TURN: usize = 256;

/// A session as its worker sees it.
struct End {
    mailbox: Arc<Mailbox>,
    /// Answers of this turn.
    fresh: Vec<Tagged>,
}

/// A batch of puts over several regions.
struct Batch {
    session: u32,
    tag: u64,
    /// Regions that have not answered.
    left: usize,
    /// Whether one has done its part.
    done: bool,
    refused: Option<String>,
    unknown: Option<String>,
}

/// All that a thread knows.
pub(crate) struct Worker {
    options: RawClientOptions,
    events: UnboundedReceiver<Event>,
    /// Events of one turn; empty between two.
    happened: Vec<Event>,
    /// For what this thread starts and wants to hear of again.
    sender: UnboundedSender<Event>,
    meter: Arc<Meter>,
    alarm: Alarm,
    backoff: Backoff,
    /// The time of this turn.
    now: Instant,
    ends: BTreeMap<u32, End>,
    table: Table,
    batches: Slab<Batch>,
    routes: Routes,
    /// Few: a hash of the number would cost more than to compare it.
    stores: BTreeMap<u64, Store>,
    /// The numbers of connections, so that no old one is taken for a new one.
    connections: u64,
    /// Requests that wait for their next try.
    later: BinaryHeap<Reverse<(Instant, u64)>>,
    /// Requests whose region is not known.
    parked: Vec<u64>,
    /// When deadlines are looked at next.
    sweep: Instant,
    /// The driver, while it is not asked.
    pd: Option<Pd>,
    /// Keys whose region the driver should tell, and whether it should tell the stores too.
    wanted: BTreeSet<Bytes>,
    want_stores: bool,
    /// Not before then is it asked again.
    ask_after: Instant,
}

impl Worker {
    /// Fails only if the system has no timer to give.
    pub(crate) fn new(
        options: RawClientOptions,
        channel: (UnboundedSender<Event>, UnboundedReceiver<Event>),
        meter: Arc<Meter>,
        seed: u64,
    ) -> std::io::Result<Self> {
        let now = Instant::now();
        Ok(Self {
            alarm: Alarm::new()?,
            options,
            events: channel.1,
            happened: Vec::with_capacity(TURN),
            sender: channel.0,
            meter,
            backoff: Backoff::new(seed),
            now,
            ends: BTreeMap::new(),
            table: Table::default(),
            batches: Slab::new(),
            routes: Routes::default(),
            stores: BTreeMap::new(),
            connections: 0,
            later: BinaryHeap::new(),
            parked: Vec::new(),
            sweep: now,
            pd: None,
            wanted: BTreeSet::new(),
            want_stores: false,
            ask_after: now,
        })
    }

    /// Runs until the client and its last session are gone.
    pub(crate) async fn run(mut self) {
        while self.turn(None).await {}
    }

    /// Waits until something happens, or until then, and does all that follows from it. False if nobody is left to ask.
    pub(crate) async fn turn(&mut self, until: Option<Instant>) -> bool {
        self.alarm.set(self.next_due().into_iter().chain(until).min());
        let mut happened = std::mem::take(&mut self.happened);
        poll_fn(|cx| {
            let some = self.events.poll_recv_many(cx, &mut happened, TURN).is_ready();
            // Both are asked each time, so that both wake this thread.
            let rang = self.alarm.poll(cx).is_ready();
            if some || rang { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        self.act(happened)
    }

    /// Does all that follows from what has happened, without waiting for more.
    pub(crate) fn look(&mut self) {
        let mut happened = std::mem::take(&mut self.happened);
        happened.extend(std::iter::from_fn(|| self.events.try_recv().ok()).take(TURN));
        self.act(happened);
    }

    /// Whether nobody waits for an answer, and nothing has happened that is not looked at.
    pub(crate) fn is_idle(&self) -> bool {
        self.table.is_empty() && self.events.is_empty()
    }

    /// Does what follows from events; false if nobody is left to ask.
    fn act(&mut self, mut happened: Vec<Event>) -> bool {
        self.now = Instant::now();
        let stopped = happened.iter().any(|event| matches!(event, Event::Stop));
        happened.drain(..).for_each(|event| self.take(event));
        self.happened = happened;
        self.take_what_has_come_far();
        self.try_again();
        self.expire();
        self.ask_driver();
        self.send();
        self.deliver();
        !stopped
    }

    /// Dispatches what has waited long enough for its next try.
    fn try_again(&mut self) {
        while let Some(Reverse((due, id))) = self.later.peek().copied() {
            if due > self.now {
                break;
            }
            self.later.pop();
            self.dispatch(id);
        }
    }

    /// When there is something to do though nothing happens.
    fn next_due(&self) -> Option<Instant> {
        let later = self.later.peek().map(|Reverse((due, _))| *due);
        let sweep = (!self.table.is_empty()).then_some(self.sweep);
        let ask = (self.pd.is_some() && self.wants()).then_some(self.ask_after);
        let stores = self.stores.values().filter_map(Store::next_due);
        stores.chain([later, sweep, ask].into_iter().flatten()).min()
    }

    /// Gives sessions the answers of this turn.
    fn deliver(&mut self) {
        for end in self.ends.values_mut() {
            if !end.fresh.is_empty() {
                end.mailbox.put(&mut end.fresh);
            }
        }
    }

    /// How long a deadline may go unnoticed.
    fn sweep_interval(&self) -> Duration {
        (self.options.timeout / 16).clamp(Duration::from_millis(1), Duration::from_millis(100))
    }
}
