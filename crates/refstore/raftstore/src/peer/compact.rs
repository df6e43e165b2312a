//! When a leader lets the log begin later, as TiKV does it: what every replica has goes first, then what is too much.

use raft::ProgressState;

use super::Peer;
use crate::entry;
use crate::out::Out;

impl Peer {
    /// The region's old entries hold up files of the log.
    pub(crate) fn urge(&mut self) {
        self.urged = true;
    }

    /// Proposes that the log begins later, if it is worth it.
    pub(crate) fn compact(&mut self, out: &Out) {
        if !self.leads() {
            self.urged = false;
            return;
        }
        let online = *out.node.online.read();
        let progress = self.progress();
        let (_, bytes) = self.raft.store().size();
        let applied = progress.applied.index;
        let first = progress.truncated.index + 1;
        let mut replicated = applied;
        let mut sending = u64::MAX;
        for (_, peer) in self.raft.raft.prs().iter() {
            match peer.state {
                // What comes after a snapshot on its way is needed when it has arrived.
                ProgressState::Snapshot => sending = sending.min(peer.pending_snapshot),
                _ => replicated = replicated.min(peer.matched),
            }
        }
        let too_much = applied.saturating_sub(first) >= online.gc_count_limit || bytes >= online.gc_size_limit;
        let until = if self.urged {
            applied
        } else if too_much {
            (first + applied.saturating_sub(first) / 2).max(replicated)
        } else if replicated < first || replicated - first < online.gc_threshold {
            return;
        } else {
            replicated
        };
        // The entry itself stays: appends are matched with it.
        let until = until.min(sending).min(applied).saturating_sub(1);
        if until < first {
            return;
        }
        self.urged = false;
        if let Ok(term) = self.raft.raft.raft_log.term(until) {
            // Lost, it is proposed again.
            let _ = self.raft.propose(Vec::new(), entry::compact(until, term));
        }
    }

    /// Which replicas are behind the log, or have not answered since raft last looked whether a quorum does.
    pub(super) fn note_pending(&mut self) {
        if !self.leads() {
            return;
        }
        let me = self.replica.peer.id;
        let lags = |peer: &raft::Progress| peer.state == ProgressState::Snapshot || !peer.recent_active;
        let ids = self.raft.raft.prs().iter().filter(|(id, peer)| **id != me && lags(peer)).map(|(id, _)| *id);
        *self.replica.pending.lock() = ids.filter_map(|id| self.replica.peer(id).cloned()).collect();
    }
}
