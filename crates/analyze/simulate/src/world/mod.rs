//! All nodes, clients and what is under way between them: events come from the agenda and from the processors, one at a time.

mod background;
mod batches;
mod build;
mod cached;
mod clients;
mod event;
mod jobs;
mod journal;
mod machine;
mod node;
mod outage;
mod own_log;
mod raft;
mod regions;
mod requests;
mod script;
mod sql;
mod stall;
mod syncs;
mod writeback;

use rand_xoshiro::Xoshiro256PlusPlus;
use slab::Slab;
use units::Nanos;

use batches::Batches;
use event::Event;
use event::{Group, Item, Op, Part, Req, Task, Work};
use machine::Shared;
pub(crate) use node::{Counts, Node};
pub(crate) use sql::SqlNode;

use crate::agenda::EventAgenda;
use crate::cpu::Pool;
use crate::events::Action;
use crate::load::Load;
use crate::network::Network;
use crate::sent::{Seen, Sent};
use crate::steps::{Due, PAUSE, Stepped};
use crate::{Constants, SimulationOptions};

/// Everything there is.
pub(crate) struct World {
    pub(crate) c: Constants,
    pub(crate) options: SimulationOptions,
    pub(crate) load: Load,
    pub(crate) sent: Sent,
    /// Who sent when the run began.
    began_with: Sent,
    /// Clients that end with the operation that they are at.
    leaving: u32,
    /// What is to happen beside, in order of time.
    script: Vec<(Nanos, Action)>,
    pub(crate) now: Nanos,
    pub(crate) agenda: EventAgenda<Event>,
    pub(crate) random: Xoshiro256PlusPlus,
    pub(crate) nodes: Vec<Node>,
    /// What runs beside the nodes, if one machine stands in for all.
    shared: Option<Shared>,
    /// Whether jobs may share hardware threads now.
    shares: bool,
    /// Nodes that speak SQL, and how many clients were connected to them; none where the layer never is full.
    pub(crate) sql: Vec<SqlNode>,
    connections: usize,
    pub(crate) network: Network,
    /// Nodes of each zone.
    zones: Vec<Vec<u16>>,
    /// Of each leader, the sets of followers that its ranges have.
    followers: Vec<Vec<Vec<u16>>>,
    /// Nodes that lead ranges, each as many as the others.
    leaders: Vec<u16>,
    /// Whether a node is away.
    any_away: bool,
    quorum: u8,
    ops: Slab<Op>,
    reqs: Slab<Req>,
    groups: Slab<Group>,
    batches: Batches,
    /// What goes to each node of what is being handled.
    outbox: Vec<u32>,
    /// The nodes of it to which anything goes.
    posted: Vec<u16>,
    /// Entries of it that are durable: leaders' and followers'.
    durable: [Vec<Item>; 2],
    /// Entries of it that a node is to apply.
    to_apply: Vec<Item>,
    works: Slab<Work>,
    parts: Slab<Part>,
    /// Proposals for each node of the write that is being sent.
    spread: Vec<u32>,
    /// From the commit of an entry to its answer, beside the work.
    apply_delay: Nanos,
    follower_read: bool,
    /// What a follower waits for its leader to tell how far it must have applied.
    index_trip: Nanos,
    /// Bytes on the wire over bytes in the log, and core-seconds of a byte.
    wire: (f64, f64),
    /// Bytes of a flushed memtable's separated values over its own, and the share of them that is collected later.
    separated: (f64, f64),
    pub(crate) seen: Seen,
    pub(crate) events: u64,
    /// How many there will be at the next pause.
    pause: u64,
    /// Clients stop.
    draining: bool,
}

impl Stepped for World {
    fn now(&self) -> Nanos {
        self.now
    }

    fn stop_at(&mut self, at: Nanos, due: Due) {
        self.agenda.add(at, Event::Stop(due));
    }

    fn run(&mut self) -> Due {
        loop {
            if self.events >= self.pause {
                self.pause = self.events + PAUSE;
                return Due::Pause;
            }
            self.events += 1;
            if self.shares && self.take_job() {
                continue;
            }
            let Some((at, event)) = self.agenda.take() else { return Due::Tick };
            self.now = self.now.max(at);
            if let Event::Stop(due) = event {
                // A look is no part of what is simulated.
                self.events -= u64::from(due == Due::Look);
                return due;
            }
            self.happened(event);
        }
    }
}

impl World {
    fn happened(&mut self, event: Event) {
        if self.any_away && self.set_aside(event) {
            return;
        }
        match event {
            Event::Arrive => self.arrive(),
            Event::Begin(op) => self.begin(op, self.now),
            Event::Statement(op) => self.statement(op),
            Event::Job(node, job) => self.end_job(node as usize, job),
            Event::Request(req) => self.sent_by_client(req),
            Event::Admitted(req) => self.admitted(req),
            Event::Read(req) => self.read_on(req),
            Event::Written(node) => self.log_written(node),
            Event::Synced(node) => self.log_synced(node),
            Event::Message(node, batch) => self.message(node as usize, batch),
            Event::Acks(node, batch) => self.acks(node as usize, batch),
            Event::Commits(node, batch) => self.commits(node as usize, batch),
            Event::Applied(group, place) => self.applied(group, place),
            Event::Grant(part) => self.granted(part),
            Event::Step(part) => self.request_done(part),
            Event::WrittenBack(node) => self.written_back(node as usize),
            Event::Collect(node) => self.collect_log(node),
            Event::Journaled(node) => self.journaled(node as usize),
            Event::Scripted(number) => self.scripted(number),
            Event::Elected(node) => self.elected(node as usize),
            Event::Pilot => self.pilot_looks(),
            Event::Stop(_) => {}
        }
    }

    /// A job is done. Its thread is free for the next, but for that of a read, which may wait for the disk.
    fn worked(&mut self, node: usize, pool: Pool, task: Task) {
        match task {
            Task::Read(req) => self.read_on(req),
            Task::Write(req) => self.freed(node, pool).propose(req),
            Task::Store(round) => self.freed(node, pool).round_done(node, round),
            Task::Apply(batch) => self.freed(node, pool).apply(node, batch),
            Task::Part(part) => self.freed(node, pool).step_half_done(part),
            Task::Sent(req) => self.freed(node, pool).request(req),
            Task::Statement(op) => {
                let now = self.now;
                self.freed(node, pool).go_on(op, now);
            }
            Task::Served => self.free(node, pool),
        }
    }

    /// Runs until `end`, then until nothing is under way but background work.
    #[cfg(test)]
    pub(crate) fn stop_after(&mut self, end: Nanos) {
        self.stop_at(end, Due::Tick);
        while self.run() == Due::Pause {}
        self.draining = true;
        for second in 1..=120 {
            if self.at_rest() {
                break;
            }
            self.stop_at(end + Nanos::secs(second), Due::Tick);
            while self.run() == Due::Pause {}
        }
    }

    /// Whether no operation, request or entry is under way.
    #[cfg(test)]
    pub(crate) fn at_rest(&self) -> bool {
        self.ops.is_empty() && self.reqs.is_empty() && self.groups.is_empty()
    }

    /// What is under way.
    #[cfg(test)]
    pub(crate) fn under_way(&self) -> String {
        format!("{} operations, {} requests, {} groups", self.ops.len(), self.reqs.len(), self.groups.len())
    }

    /// Operations under way.
    pub(crate) fn in_flight(&self) -> usize {
        self.ops.iter().filter(|(_, op)| op.waiting > 0).count()
    }
}
