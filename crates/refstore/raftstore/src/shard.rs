//! A thread that runs the raft of some of the node's replicas.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::crew::Hand;
use crate::lanes::Lanes;
use crate::messages::{Outcome, ToGc, ToShard, ToWriter};
use crate::node::Node;
use crate::out::{Mail, Out};
use crate::peer::Peer;
use crate::supplies::Supplies;
use crate::writer::Writer;
use crate::{RaftTransport, RegionStatus, clock, metrics};

/// What is taken from the channel before what it brought is carried out.
const ROUND: usize = 4096;

/// Who writes the log.
pub(crate) enum Writing {
    /// Threads of their own.
    Pool,
    /// The shard: `store-io-pool-size` is 0.
    Here(Box<Writer>),
}

/// A shard.
pub(crate) struct Shard {
    /// How many shards the node has.
    of: usize,
    /// In the order of their places. Of a broken node some may be missing, and no others are looked for.
    peers: Vec<Peer>,
    out: Out,
    writing: Writing,
    transport: Arc<dyn RaftTransport>,
    gc: Sender<ToGc>,
    on_leader_change: Arc<dyn Fn(RegionStatus) + Send + Sync>,
    /// Which of the peers something came for in this round, and whether it did for each.
    touched: Vec<usize>,
    is_touched: Vec<bool>,
    handed_over: bool,
}

impl Shard {
    /// One of so many, with the replicas whose places make them its own.
    pub(crate) fn new(supplies: &Supplies, of: usize, peers: Vec<Peer>, writing: Writing) -> Self {
        Self {
            of,
            is_touched: vec![false; peers.len()],
            peers,
            out: Out {
                node: Arc::clone(&supplies.node),
                mail: Mail::default(),
                tasks: Vec::new(),
                apply: Vec::new(),
                snapshots: supplies.snapshots.clone(),
                changed: Vec::new(),
            },
            writing,
            transport: Arc::clone(&supplies.transport),
            gc: supplies.gc.clone(),
            on_leader_change: Arc::clone(&supplies.on_leader_change),
            touched: Vec::new(),
            handed_over: false,
        }
    }

    /// Something came for the replica of a place.
    fn with(&mut self, place: usize, act: impl FnOnce(&mut Peer, &mut Out)) {
        let slot = place / self.of;
        let (Some(peer), Some(touched)) = (self.peers.get_mut(slot), self.is_touched.get_mut(slot)) else { return };
        act(peer, &mut self.out);
        if !std::mem::replace(touched, true) {
            self.touched.push(slot);
        }
    }

    fn hear(&mut self, told: ToShard) {
        if let Some(refusal) = self.out.node.broken_refusal() {
            match told {
                ToShard::Write { answer, .. } => answer.give(Err(refusal)),
                ToShard::Read { answer, .. } => answer.give(Err(refusal)),
                _ => {}
            }
            return;
        }
        match told {
            ToShard::Write { place, command, answer, at } => {
                self.with(place, |peer, _| peer.write(command, answer, at));
            }
            ToShard::Read { place, anywhere, answer, at } => {
                self.with(place, |peer, _| peer.read(anywhere, answer, at));
            }
            ToShard::Step(messages) => {
                for (place, message) in messages {
                    self.with(place, |peer, out| peer.step(message, out));
                }
            }
            ToShard::Persisted(written) => {
                for (place, number) in written {
                    self.with(place, |peer, out| peer.persisted(number, out));
                }
            }
            ToShard::Applied(outcomes) => {
                for outcome in outcomes {
                    self.applied(outcome);
                }
            }
            ToShard::Transfer(place, to) => self.with(place, |peer, _| peer.transfer(&to)),
            ToShard::SnapshotSent { place, to, arrived } => {
                self.with(place, |peer, _| peer.snapshot_sent(to, arrived));
            }
            ToShard::Urge(place) => self.with(place, |peer, _| peer.urge()),
            ToShard::Broken | ToShard::Stop => {}
        }
    }

    fn applied(&mut self, outcome: Outcome) {
        let (place, truncated) = (outcome.place, outcome.truncated);
        let mut until = None;
        self.with(place, |peer, _| {
            peer.applied(outcome);
            until = truncated.then(|| ToGc::Until(peer.replica.region.id, peer.progress().truncated.index));
        });
        if let Some(until) = until {
            let _ = self.gc.send(until);
        }
    }

    fn tick(&mut self) {
        for peer in &mut self.peers {
            peer.tick(&mut self.out);
        }
        self.touched = (0..self.peers.len()).collect();
        self.is_touched.fill(true);
    }

    /// One shard counts for all.
    fn count(&self) {
        if self.peers.first().is_none_or(|peer| peer.replica.place != 0) {
            return;
        }
        let replicas = &self.out.node.replicas;
        let leads = replicas.values().filter(|replica| replica.leads.load(Ordering::Relaxed)).count();
        let missing = replicas.values().filter(|replica| replica.leader.load(Ordering::Relaxed) == 0).count();
        metrics::REGION_COUNT.with_label_values(&["region"]).set(replicas.len() as i64);
        metrics::REGION_COUNT.with_label_values(&["leader"]).set(leads as i64);
        metrics::LEADER_MISSING.set(missing as i64);
    }

    fn compact(&mut self) {
        for peer in &mut self.peers {
            peer.compact(&self.out);
        }
    }

    fn finish_round(&mut self) {
        for slot in self.touched.drain(..) {
            self.is_touched[slot] = false;
            self.peers[slot].finish_round(&mut self.out);
        }
        // Followers get entries before this node's disk does: both are at it at once.
        self.out.mail.send(&*self.transport);
        self.write();
        self.out.flush_apply();
        for replica in self.out.changed.drain(..) {
            (self.on_leader_change)(replica.status());
        }
    }

    fn write(&mut self) {
        if self.out.tasks.is_empty() {
            return;
        }
        match &mut self.writing {
            // A region's writes have to stay in order, whatever the pools' sizes: its place says who writes them.
            Writing::Pool => {
                let tasks = std::mem::take(&mut self.out.tasks);
                self.out.node.writers.deal(tasks, |task| task.place, ToWriter::Tasks);
            }
            Writing::Here(writer) => {
                // What is persisted makes more to write.
                while !self.out.tasks.is_empty() {
                    for (place, number) in writer.write(&mut self.out.tasks) {
                        let Some(peer) = self.peers.get_mut(place / self.of) else { continue };
                        peer.persisted(number, &mut self.out);
                        peer.finish_round(&mut self.out);
                    }
                    self.out.mail.send(&*self.transport);
                }
            }
        }
    }

    /// Once the node is broken: nothing is led, written or acknowledged here any more.
    fn hand_over(&mut self) {
        if self.handed_over {
            return;
        }
        self.handed_over = true;
        self.touched.clear();
        self.out.tasks.clear();
        self.out.mail = Mail::default();
        self.out.apply.clear();
        for peer in &mut self.peers {
            peer.hand_over(&mut self.out);
            self.out.changed.push(Arc::clone(&peer.replica));
        }
        self.out.mail.send(&*self.transport);
        for replica in self.out.changed.drain(..) {
            (self.on_leader_change)(replica.status());
        }
    }
}

impl Hand for Shard {
    type Told = ToShard;
    /// Its replicas.
    type Kept = Vec<Peer>;
    const POOL: &'static str = "raftstore";

    fn run(mut self, work: &Receiver<ToShard>) -> Vec<Peer> {
        let tick = self.out.node.settings.tick;
        let mut next_tick = Instant::now() + tick;
        let mut next_compaction = Instant::now() + self.out.node.online.read().gc_interval;
        loop {
            let first = match work.recv_deadline(next_tick) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return self.peers,
            };
            let begun = clock::now();
            let more = std::iter::from_fn(|| work.try_recv().ok()).take(ROUND);
            let mut stop = false;
            for told in first.into_iter().chain(more) {
                stop |= matches!(told, ToShard::Stop);
                self.hear(told);
            }
            if self.out.node.broken.is() {
                self.hand_over();
                next_tick = Instant::now() + tick;
            } else {
                let now = Instant::now();
                if now >= next_tick {
                    // Missed ticks are not made up for: leases count on a tick's least length.
                    next_tick = now + tick;
                    self.tick();
                    self.count();
                    if now >= next_compaction {
                        next_compaction = now + self.out.node.online.read().gc_interval;
                        self.compact();
                    }
                }
                self.finish_round();
                metrics::STORE_LOOP.observe(clock::seconds_since(begun));
            }
            if stop {
                return self.peers;
            }
        }
    }

    fn stop() -> ToShard {
        ToShard::Stop
    }

    fn lanes(node: &Node) -> &Lanes<ToShard> {
        &node.shards
    }
}
