//! The door to the replicas of a node.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use proto::kvrpcpb::Context;
use proto::metapb::{Peer, Region};
use proto::raft_serverpb::{DiskUsage, RaftMessage};
use protobuf::Message as _;
use raft::eraftpb::Message;

use crate::answer::Answer;
use crate::messages::{ToPools, ToShard};
use crate::node::Node;
use crate::replica::Replica;
use crate::{
    ApplyResult, OnlineRaftSettings, Refusal, RegionStatus, SnapshotSink, WriteCallback, WriteCommand, clock, refusals,
};

/// Takes requests and messages to the threads of raft; cheap to clone, and no call of it blocks.
#[derive(Clone)]
pub struct RaftRouter {
    node: Arc<Node>,
}

impl RaftRouter {
    pub(crate) fn new(node: Arc<Node>) -> Self {
        Self { node }
    }

    /// The replica that a request is for.
    fn replica(&self, asked: &Context) -> Result<&Arc<Replica>, Refusal> {
        if let Some(refusal) = self.node.broken_refusal() {
            return Err(refusal);
        }
        let store = asked.peer.as_ref().map_or(0, |peer| peer.store_id);
        if store != self.node.store_id {
            return Err(refusals::store_not_match(store, self.node.store_id));
        }
        let replica = self.node.replicas.get(&asked.region_id);
        replica.ok_or_else(|| refusals::region_not_found(asked.region_id))
    }

    /// The replica that a request is for, if it leads.
    fn leader(&self, asked: &Context) -> Result<&Arc<Replica>, Refusal> {
        let replica = self.replica(asked)?;
        if !replica.leads.load(Ordering::Relaxed) {
            return Err(replica.not_leader());
        }
        replica.check(asked)?;
        Ok(replica)
    }

    /// Replicates a command and applies it; `done` is called when it is applied here.
    pub fn write(&self, asked: &Context, command: WriteCommand, done: WriteCallback<ApplyResult>) {
        match self.writable(asked, &command) {
            Err(refusal) => done(Err(refusal)),
            Ok(replica) => {
                let answer = Answer::to_write(done);
                let place = replica.place;
                self.node.shards.send(place, ToShard::Write { place, command, answer, at: clock::now() });
            }
        }
    }

    fn writable(&self, asked: &Context, command: &WriteCommand) -> Result<&Arc<Replica>, Refusal> {
        let replica = self.leader(asked)?;
        let (size, limit) = (command.size() as u64, self.node.online.read().entry_max_size);
        if size > limit {
            return Err(refusals::too_large(asked.region_id, size, limit));
        }
        match self.node.full_refusal(&replica.region) {
            Some(refusal) => Err(refusal),
            None => Ok(replica),
        }
    }

    /// Whether a read may be done now from the local state: this replica leads, and its lease holds. A follower's answer to
    /// `replica_read` is no. Load [`Router::wipes`] first.
    ///
    /// # Errors
    /// When the request should not have come here.
    pub fn read_now(&self, asked: &Context) -> Result<bool, Refusal> {
        let replica = self.readable(asked)?;
        // Again after the lease: a node that breaks hands over first what it then no longer answers for.
        Ok(replica.in_lease() && !self.node.broken.is())
    }

    fn readable(&self, asked: &Context) -> Result<&Arc<Replica>, Refusal> {
        if !asked.replica_read {
            return self.leader(asked);
        }
        let replica = self.replica(asked)?;
        replica.check(asked)?;
        Ok(replica)
    }

    /// Calls `done` when the local state has everything that was acknowledged before this call. Load [`Router::wipes`] first.
    pub fn read_later(&self, asked: &Context, done: WriteCallback<()>) {
        match self.readable(asked) {
            Err(refusal) => done(Err(refusal)),
            Ok(replica) => {
                let answer = Answer::to_read(done);
                let (place, anywhere) = (replica.place, asked.replica_read);
                self.node.shards.send(place, ToShard::Read { place, anywhere, answer, at: clock::now() });
            }
        }
    }

    /// How often a range of this node began to be replaced by a snapshot. A read of the local state is good only if this
    /// number is the same after it as before leave was asked for it; else ask again. One atomic load.
    pub fn wipes(&self) -> u64 {
        self.node.wipes.load(Ordering::SeqCst)
    }

    /// Messages of other nodes, in their order.
    pub fn step(&self, messages: Vec<RaftMessage>) {
        if self.node.broken.is() {
            return;
        }
        let accepted = messages.iter().filter_map(|message| self.accept(message));
        let messages = accepted.map(|(replica, message)| (replica.place, message)).collect();
        self.node.shards.deal(messages, |(place, _)| *place, ToShard::Step);
    }

    /// A message for a replica of this node, of another replica of the same region; others are dropped.
    fn accept(&self, message: &RaftMessage) -> Option<(&Arc<Replica>, Message)> {
        let from = message.from_peer.as_ref()?;
        self.node.disks.hear(from.store_id, message.disk_usage);
        let replica = self.node.replicas.get(&message.region_id)?;
        let to = message.to_peer.as_ref()?;
        let raft = Message::parse_from_carllerche_bytes(&message.message).ok()?;
        let fits = to.id == replica.peer.id
            && raft.to == to.id
            && raft.from == from.id
            && from.id != to.id
            && replica.peer(from.id).is_some();
        fits.then_some((replica, raft))
    }

    /// Where the pieces of a snapshot go that the message announces.
    ///
    /// # Errors
    /// When there is no such replica here, or the disk fails.
    pub fn snapshot_sink(&self, message: RaftMessage) -> Result<SnapshotSink, Refusal> {
        if let Some(refusal) = self.node.broken_refusal() {
            return Err(refusal);
        }
        let accepted = self.accept(&message).filter(|(_, message)| !message.get_snapshot().is_empty());
        let (replica, raft) = accepted.ok_or_else(|| refusals::region_not_found(message.region_id))?;
        SnapshotSink::new(Arc::clone(&self.node), Arc::clone(replica), raft)
    }

    /// Hands the leadership of a region over, if this node has it.
    pub fn transfer_leader(&self, region_id: u64, to: Peer) {
        if let Some(replica) = self.node.replicas.get(&region_id) {
            self.node.shards.send(replica.place, ToShard::Transfer(replica.place, to));
        }
    }

    /// A region with a replica on this node.
    pub fn region(&self, id: u64) -> Option<Arc<Region>> {
        self.node.replicas.get(&id).map(|replica| Arc::clone(&replica.region))
    }

    /// Every replica of this node, by region id.
    pub fn statuses(&self) -> Vec<RegionStatus> {
        let mut statuses: Vec<RegionStatus> = self.node.replicas.values().map(|replica| replica.status()).collect();
        statuses.sort_unstable_by_key(|status| status.region.id);
        statuses
    }

    /// How full the node's disks are: when full, writes are refused with the reason. Other nodes hear of it.
    pub fn set_disk_usage(&self, usage: DiskUsage, reason: String) {
        self.node.disks.set(usage, reason);
    }

    /// What can be changed while the node runs is so from now on. Pools get their sizes a moment later, when their threads have
    /// done what they were told; replicas learn of the rest at their next tick.
    ///
    /// # Errors
    /// When it cannot be changed, in TiKV's words; then nothing is.
    pub fn change(&self, online: OnlineRaftSettings) -> Result<(), &'static str> {
        let mut now = self.node.online.write();
        online.follows(&now)?;
        *now = online;
        drop(now);
        // Of a node that stops, nothing is resized.
        let _ = self.node.pools.send(ToPools::Resize);
        Ok(())
    }

    /// Why this node has stepped down for good, if a disk of it failed.
    pub fn broken(&self) -> Option<String> {
        self.node.broken.is().then(|| self.node.broken.why().unwrap_or_default())
    }
}
