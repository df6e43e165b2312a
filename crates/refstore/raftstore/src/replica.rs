//! What every thread may know of a replica without asking its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use proto::kvrpcpb::Context;
use proto::metapb::{Peer, Region};

use crate::{Refusal, RegionStatus, clock, refusals};

/// A replica on this node.
pub(crate) struct Replica {
    pub(crate) region: Arc<Region>,
    pub(crate) peer: Peer,
    /// Its keys in the state: from, and until.
    pub(crate) range: (Bytes, Bytes),
    /// Its place among the node's, which says what threads are its own.
    pub(crate) place: usize,
    /// The leader's peer id; 0 when nobody is known.
    pub(crate) leader: AtomicU64,
    pub(crate) leads: AtomicBool,
    pub(crate) term: AtomicU64,
    /// Index of the last entry in the state.
    pub(crate) applied: AtomicU64,
    /// Index of the last entry that a read of the state may show: ahead of `applied` while a write of the state is on.
    pub(crate) shown: AtomicU64,
    /// Until when nobody else can lead, in [`clock::now`]'s time; 0 is never. Only while all that was acknowledged under
    /// former leaders is in the state.
    pub(crate) lease_until: AtomicU64,
    pub(crate) pending: Mutex<Vec<Peer>>,
    pub(crate) bytes_written: AtomicU64,
    pub(crate) keys_written: AtomicU64,
}

impl Replica {
    /// Whether the request is for this replica, whoever leads.
    pub(crate) fn check(&self, asked: &Context) -> Result<(), Refusal> {
        let peer = asked.peer.as_ref().map_or(0, |peer| peer.id);
        if peer != self.peer.id {
            return Err(refusals::mismatch_peer(peer, self.peer.id));
        }
        let term = self.term.load(Ordering::Relaxed);
        // As TiKV has it: a term that is one behind is a client that has not heard of an election.
        if asked.term != 0 && term > asked.term + 1 {
            return Err(refusals::stale());
        }
        if asked.region_epoch != self.region.region_epoch {
            return Err(refusals::epoch_not_match(&self.region));
        }
        Ok(())
    }

    /// Refers to whoever leads.
    pub(crate) fn not_leader(&self) -> Refusal {
        let known = self.leader.load(Ordering::Relaxed);
        let other = self.region.peers.iter().find(|peer| peer.id == known && peer.id != self.peer.id);
        refusals::not_leader(self.region.id, other.cloned())
    }

    /// Whether the lease holds.
    pub(crate) fn in_lease(&self) -> bool {
        clock::now() < self.lease_until.load(Ordering::Acquire)
    }

    /// The peer of an id.
    pub(crate) fn peer(&self, id: u64) -> Option<&Peer> {
        self.region.peers.iter().find(|peer| peer.id == id)
    }

    /// For whoever places and counts.
    pub(crate) fn status(&self) -> RegionStatus {
        RegionStatus {
            region: (*self.region).clone(),
            leader: self.peer(self.leader.load(Ordering::Relaxed)).cloned(),
            leads: self.leads.load(Ordering::Relaxed),
            term: self.term.load(Ordering::Relaxed),
            applied: self.applied.load(Ordering::Relaxed),
            pending: self.pending.lock().clone(),
            bytes_written: self.bytes_written.load(Ordering::Relaxed),
            keys_written: self.keys_written.load(Ordering::Relaxed),
        }
    }
}
