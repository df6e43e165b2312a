//! A replica, as the one thread has it that runs its raft.

mod batch;
mod commands;
mod compact;
mod lease;
mod reads;
mod ready;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use proto::metapb;
use raft::eraftpb::{Message, MessageType};
use raft::{Config, RawNode, SnapshotStatus, StateRole};

use crate::applied::{Progress, Restart};
use crate::log::LogStore;
use crate::messages::{Apply, Outcome};
use crate::node::Node;
use crate::out::{Out, addressed};
use crate::replica::Replica;
use crate::{OnlineRaftSettings, RaftSettings, RaftstoreError, clock};

use commands::Commands;
use lease::Lease;
use reads::Reads;

/// What raft says of a vote that a leader asked for: the follower need not believe that the leader is alive.
const TRANSFER: &[u8] = b"CampaignTransfer";
/// Bytes of entries that are handed to be applied at once.
const COMMITTED_AT_ONCE: u64 = 16 << 20;

/// A replica.
pub(crate) struct Peer {
    pub(crate) replica: Arc<Replica>,
    raft: RawNode<LogStore>,
    commands: Commands,
    reads: Reads,
    lease: Lease,
    /// What raft keeps to of `raft-max-inflight-msgs`.
    inflight_messages: usize,
    /// Term and vote on the disk, or on their way.
    written: (u64, u64),
    /// Tasks on their way to the disk.
    in_writer: usize,
    /// A snapshot to install once the log says so: the task's number, and the snapshot.
    install: Option<(u64, Restart)>,
    /// Snapshots that are to be installed: until none is, this replica cannot lead.
    installing: usize,
    /// Before this moment, somebody may hold a lease that this replica confirmed before it was restarted.
    votes_from: u64,
    /// Nobody has ever led, and this replica is the one to begin.
    first: bool,
    /// Log files are held up by this region's old entries.
    urged: bool,
}

impl Peer {
    /// A replica as the disk has it.
    pub(crate) fn new(
        node: &Node,
        replica: Arc<Replica>,
        log: LogStore,
        logger: &slog::Logger,
    ) -> Result<Self, RaftstoreError> {
        let (settings, online) = (&node.settings, *node.online.read());
        let config = Config {
            id: replica.peer.id,
            election_tick: settings.election_ticks,
            heartbeat_tick: settings.heartbeat_ticks,
            applied: log.progress().applied.index,
            max_size_per_msg: online.message_max_size,
            max_inflight_msgs: online.inflight_messages,
            check_quorum: true,
            pre_vote: true,
            // As TiKV: followers learn of a commit with the next entries, heartbeat or read.
            skip_bcast_commit: true,
            batch_append: true,
            max_committed_size_per_ready: COMMITTED_AT_ONCE,
            ..Config::default()
        };
        let is_new = log.is_new();
        // Placement spreads the first peers of its regions over the stores, and with them the first leaders.
        let first = is_new && replica.region.peers.first() == Some(&replica.peer);
        let applied = log.progress().applied;
        let raft = RawNode::new(&config, log, logger)
            .map_err(|error| RaftstoreError::Raft { region: replica.region.id, why: error.to_string() })?;
        replica.term.store(raft.raft.term, Ordering::Relaxed);
        replica.applied.store(applied.index, Ordering::Release);
        replica.shown.store(applied.index, Ordering::Release);
        let votes_from = if is_new { 0 } else { clock::now() + lease::longest(settings) };
        Ok(Self {
            written: (raft.raft.term, raft.raft.vote),
            commands: Commands::default(),
            reads: Reads::default(),
            lease: Lease::new(settings, online.lease, applied.term),
            inflight_messages: online.inflight_messages,
            in_writer: 0,
            install: None,
            installing: 0,
            votes_from,
            first,
            urged: false,
            replica,
            raft,
        })
    }

    fn leads(&self) -> bool {
        self.raft.raft.state == StateRole::Leader
    }

    /// A moment of the settings' length has gone by.
    pub(crate) fn tick(&mut self, out: &mut Out) {
        let settings = &out.node.settings;
        self.follow(settings, &out.node.online.read());
        self.reads.give_up(&self.replica, settings);
        if self.first && self.raft.raft.term == crate::applied::BEGIN.term && self.raft.raft.leader_id == 0 {
            // An election would otherwise wait for its timeout; others need not be there yet, so it is tried again.
            let _ = self.raft.campaign();
        } else {
            self.first = false;
        }
        // A campaign looks for changes of members among entries that an unfinished snapshot has replaced.
        if self.installing == 0 {
            self.raft.tick();
        }
        // At its next tick raft counts who has answered, and begins to count anew.
        if self.raft.raft.election_elapsed + 1 >= settings.election_ticks {
            self.note_pending();
        }
    }

    /// Keeps to what is set by now.
    fn follow(&mut self, settings: &RaftSettings, online: &OnlineRaftSettings) {
        self.lease.limit(settings, online.lease);
        let raft = &mut self.raft.raft;
        raft.max_msg_size = online.message_max_size;
        if self.inflight_messages != online.inflight_messages {
            self.inflight_messages = online.inflight_messages;
            let me = self.replica.peer.id;
            for peer in self.replica.region.peers.iter().filter(|peer| peer.id != me) {
                raft.adjust_max_inflight_msgs(peer.id, online.inflight_messages);
            }
        }
    }

    /// A message of another replica.
    pub(crate) fn step(&mut self, mut message: Message, out: &mut Out) {
        match message.get_msg_type() {
            MessageType::MsgRequestVote | MessageType::MsgRequestPreVote
                if message.context != TRANSFER && clock::now() < self.votes_from =>
            {
                return;
            }
            MessageType::MsgTimeoutNow if self.installing > 0 => return,
            // A follower without room takes nothing more; heartbeats keep it in touch.
            MessageType::MsgAppend
                if message.entries.iter().any(|entry| !entry.data.is_empty())
                    && out.node.leaves_entries_to_others(&self.replica.region) =>
            {
                return;
            }
            MessageType::MsgTransferLeader => self.lease.spend(self.raft.raft.term, &self.replica),
            MessageType::MsgReadIndex if self.leads() && self.lease.holds(&self.replica) => {
                self.answer_read_index(message, out);
                return;
            }
            // What others have acknowledged may not be in this state yet; the follower asks again.
            MessageType::MsgReadIndex if self.leads() && !self.lease.caught_up(self.raft.raft.term) => return,
            MessageType::MsgSnapshot => {
                let file = message.get_snapshot().data.clone();
                let _ = self.raft.step(message);
                if self.raft.snap().is_none_or(|taken| taken.data != file) {
                    crate::snapshot::remove(&out.node, &file);
                }
                return;
            }
            _ => {}
        }
        if message.to != self.replica.peer.id {
            message.to = self.replica.peer.id;
        }
        // What raft has no use for, it drops.
        let _ = self.raft.step(message);
    }

    /// The leader may answer a follower's read at once while its lease holds.
    fn answer_read_index(&mut self, mut asked: Message, out: &mut Out) {
        let mut answer = Message::default();
        answer.set_msg_type(MessageType::MsgReadIndexResp);
        answer.from = self.replica.peer.id;
        answer.to = asked.from;
        answer.term = self.raft.raft.term;
        answer.index = self.raft.raft.raft_log.committed;
        answer.set_entries(asked.take_entries());
        self.send(answer, out);
    }

    fn send(&mut self, mut message: Message, out: &mut Out) {
        if !batch::mend(&mut message, &self.raft.raft.raft_log) {
            return;
        }
        if self.leads() && self.hold_back(&mut message) {
            self.reads.hold(message);
            return;
        }
        if let Some((store, message)) = addressed(&out.node, &self.replica, &message) {
            out.mail.push(store, message);
        }
    }

    /// No follower hears of a commit that is not in this state yet: it would show a write that a read here, by the lease,
    /// does not. Nor is a follower to miss a write that a read here has shown: whether its answer waits for that write to be
    /// in the state. All that was acknowledged is in the state, so the reads of followers miss nothing.
    fn hold_back(&self, message: &mut Message) -> bool {
        // As the thread that applies says it before it answers a client, not as it is heard of here.
        let applied = || self.replica.applied.load(Ordering::Acquire);
        match message.get_msg_type() {
            MessageType::MsgAppend | MessageType::MsgHeartbeat => message.commit = message.commit.min(applied()),
            MessageType::MsgReadIndexResp => {
                message.index = message.index.min(self.replica.shown.load(Ordering::Acquire));
                return message.index > applied();
            }
            _ => {}
        }
        false
    }

    /// What was written is on the disk.
    pub(crate) fn persisted(&mut self, number: u64, out: &mut Out) {
        self.in_writer = self.in_writer.saturating_sub(1);
        self.raft.on_persist_ready(number);
        if self.install.as_ref().is_some_and(|(at, _)| *at <= number)
            && let Some((_, restart)) = self.install.take()
        {
            out.apply.push(Apply::install(Arc::clone(&self.replica), restart));
        }
    }

    /// Entries are in the state.
    pub(crate) fn applied(&mut self, outcome: Outcome) {
        let Outcome { progress, installed, .. } = outcome;
        if installed {
            self.installing = self.installing.saturating_sub(1);
        }
        self.raft.advance_apply_to(progress.applied.index.max(self.raft.raft.raft_log.applied));
        self.raft.mut_store().applied(progress);
        let replicated = match self.leads() {
            true => self.raft.raft.prs().iter().map(|(_, peer)| peer.matched).min().unwrap_or(0),
            false => u64::MAX,
        };
        self.raft.mut_store().forget_before(replicated);
        self.lease.applied(progress.applied.term, self.raft.raft.term, self.leads(), &self.replica);
        self.reads.applied(progress.applied.index);
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> Progress {
        self.raft.store().progress()
    }

    /// Asks another replica to lead.
    pub(crate) fn transfer(&mut self, to: &metapb::Peer) {
        if self.leads() && to.id != self.replica.peer.id {
            self.lease.spend(self.raft.raft.term, &self.replica);
            self.raft.transfer_leader(to.id);
        }
    }

    /// A snapshot has arrived at a replica, or not.
    pub(crate) fn snapshot_sent(&mut self, to: u64, arrived: bool) {
        self.raft.report_snapshot(to, if arrived { SnapshotStatus::Finish } else { SnapshotStatus::Failure });
    }

    /// This node's disk failed: whoever has most of the log is asked to lead, which needs no disk here.
    pub(crate) fn hand_over(&mut self, out: &mut Out) {
        let me = self.replica.peer.id;
        self.lease.spend(self.raft.raft.term, &self.replica);
        if self.leads() {
            let others = self.raft.raft.prs().iter().filter(|(id, _)| **id != me);
            if let Some((&to, _)) = others.max_by_key(|(_, peer)| (peer.recent_active, peer.matched)) {
                let mut message = Message::default();
                message.set_msg_type(MessageType::MsgTimeoutNow);
                message.from = me;
                message.to = to;
                message.term = self.raft.raft.term;
                self.send(message, out);
            }
        }
        self.replica.leads.store(false, Ordering::Relaxed);
        self.replica.leader.store(0, Ordering::Relaxed);
        let Some(refusal) = out.node.broken_refusal() else { return };
        self.commands.refuse_all(&refusal);
        self.reads.refuse_all(&refusal);
    }
}
