//! A thread that runs the raft of some of the node's replicas.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use raft::eraftpb::Message;
use wire::metapb;

use crate::answer::Answer;
use crate::apply::Outcome;
use crate::gc::ToGc;
use crate::out::Out;
use crate::peer::Peer;
use crate::writer::{ToWriter, Writer, Written};
use crate::{Applied, Command, RegionStatus, Transport, clock, metrics};

/// What is taken from the channel before what it brought is carried out.
const ROUND: usize = 4096;

/// What a shard is told. A slot is a replica's place in the shard.
pub(crate) enum ToShard {
    /// Replicate a command.
    Write { slot: usize, command: Command, answer: Answer<Applied>, at: u64 },
    /// Say when the state may be read; `anywhere` is a follower's leave too.
    Read { slot: usize, anywhere: bool, answer: Answer<()>, at: u64 },
    /// Messages of other nodes.
    Step(Vec<(usize, Message)>),
    /// What the disk has.
    Persisted(Vec<Written>),
    /// What the state has.
    Applied(Vec<Outcome>),
    /// Hand over the leadership.
    Transfer(usize, metapb::Peer),
    /// A snapshot arrived at a peer, or not.
    SnapshotSent { slot: usize, to: u64, arrived: bool },
    /// Old entries hold up files of the log.
    Urge(usize),
    /// A disk of this node failed.
    Broken,
    /// The end.
    Stop,
}

/// Who writes the log.
pub(crate) enum Writing {
    /// A thread of its own.
    Thread(Sender<ToWriter>),
    /// The shard: `store-io-pool-size` is 0.
    Here(Box<Writer>),
}

/// A shard.
pub(crate) struct Shard {
    pub(crate) peers: Vec<Peer>,
    pub(crate) out: Out,
    pub(crate) writing: Writing,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) gc: Sender<ToGc>,
    pub(crate) on_leader_change: Arc<dyn Fn(RegionStatus) + Send + Sync>,
    /// Slots that something came for in this round, and whether it did by slot.
    pub(crate) touched: Vec<usize>,
    pub(crate) is_touched: Vec<bool>,
    pub(crate) handed_over: bool,
}

impl Shard {
    /// Runs until told to stop.
    pub(crate) fn run(mut self, work: &Receiver<ToShard>) {
        let tick = self.out.node.settings.tick;
        let compaction = self.out.node.settings.gc_interval;
        let mut next_tick = Instant::now() + tick;
        let mut next_compaction = Instant::now() + compaction;
        loop {
            let first = match work.recv_deadline(next_tick) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let begun = clock::now();
            let more = std::iter::from_fn(|| work.try_recv().ok()).take(ROUND);
            for told in first.into_iter().chain(more) {
                if matches!(told, ToShard::Stop) {
                    return;
                }
                self.hear(told);
            }
            if self.out.node.broken.is() {
                self.hand_over();
                next_tick = Instant::now() + tick;
                continue;
            }
            let now = Instant::now();
            if now >= next_tick {
                // Missed ticks are not made up for: leases count on a tick's least length.
                next_tick = now + tick;
                self.tick();
                self.count();
                if now >= next_compaction {
                    next_compaction = now + compaction;
                    self.compact();
                }
            }
            self.finish_round();
            metrics::STORE_LOOP.observe(clock::seconds_since(begun));
        }
    }

    fn touch(&mut self, slot: usize) -> Option<&mut Peer> {
        let touched = self.is_touched.get_mut(slot)?;
        if !*touched {
            *touched = true;
            self.touched.push(slot);
        }
        self.peers.get_mut(slot)
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
            ToShard::Write { slot, command, answer, at } => {
                if let Some(peer) = self.touch(slot) {
                    peer.write(command, answer, at);
                }
            }
            ToShard::Read { slot, anywhere, answer, at } => {
                if let Some(peer) = self.touch(slot) {
                    peer.read(anywhere, answer, at);
                }
            }
            ToShard::Step(messages) => {
                for (slot, message) in messages {
                    if self.touch(slot).is_some() {
                        self.peers[slot].step(message, &mut self.out);
                    }
                }
            }
            ToShard::Persisted(written) => {
                for (slot, number) in written {
                    if self.touch(slot).is_some() {
                        self.peers[slot].persisted(number, &mut self.out);
                    }
                }
            }
            ToShard::Applied(outcomes) => {
                for outcome in outcomes {
                    let truncated = outcome.truncated;
                    if let Some(peer) = self.touch(outcome.slot) {
                        peer.applied(outcome);
                        if truncated {
                            let until = peer.progress().truncated.index;
                            let told = ToGc::Until(peer.replica.region.id, until);
                            let _ = self.gc.send(told);
                        }
                    }
                }
            }
            ToShard::Transfer(slot, to) => {
                if let Some(peer) = self.touch(slot) {
                    peer.transfer(&to);
                }
            }
            ToShard::SnapshotSent { slot, to, arrived } => {
                if let Some(peer) = self.touch(slot) {
                    peer.snapshot_sent(to, arrived);
                }
            }
            ToShard::Urge(slot) => {
                if let Some(peer) = self.touch(slot) {
                    peer.urge();
                }
            }
            ToShard::Broken | ToShard::Stop => {}
        }
    }

    fn tick(&mut self) {
        for slot in 0..self.peers.len() {
            if self.touch(slot).is_some() {
                self.peers[slot].tick(&mut self.out);
            }
        }
    }

    /// One shard counts for all.
    fn count(&self) {
        if self.peers.first().is_none_or(|peer| peer.replica.shard != 0) {
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
            Writing::Thread(writer) => {
                let _ = writer.send(ToWriter::Tasks(std::mem::take(&mut self.out.tasks)));
            }
            Writing::Here(writer) => {
                // What is persisted makes more to write.
                while !self.out.tasks.is_empty() {
                    let mut written: Vec<Written> = Vec::new();
                    writer.write(&mut self.out.tasks, &mut |_, what| written.push(what));
                    for (slot, number) in written {
                        self.peers[slot].persisted(number, &mut self.out);
                        self.peers[slot].finish_round(&mut self.out);
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
        self.out.mail = crate::out::Mail::default();
        for (_, tasks) in &mut self.out.apply {
            tasks.clear();
        }
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
