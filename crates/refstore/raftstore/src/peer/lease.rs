//! Until when a leader may read without asking anybody.
//!
//! Followers that confirmed what the leader sent at some moment do not vote for anybody else until an election timeout after
//! it, unless the leader itself asks them to.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::replica::Replica;
use crate::{RaftSettings, clock};

/// The longest lease that is safe, in nanoseconds: a follower's first tick may come at once after a message, so its election
/// timeout is up to one tick short.
pub(super) fn longest(settings: &RaftSettings) -> u64 {
    clock::nanos(settings.tick).saturating_mul(settings.election_ticks.saturating_sub(1) as u64)
}

/// A leader's lease.
pub(super) struct Lease {
    /// Nanoseconds.
    length: u64,
    /// Until when it holds.
    until: u64,
    /// The term of the newest entry in the state: before it is the leader's own, what others acknowledged may be missing.
    applied_term: u64,
    /// In this term leadership was offered to another: nobody knows when it will be taken.
    spent_in: u64,
}

impl Lease {
    /// None yet.
    pub(super) fn new(settings: &RaftSettings, length: Duration, applied_term: u64) -> Self {
        let mut lease = Self { length: 0, until: 0, applied_term, spent_in: 0 };
        lease.limit(settings, length);
        lease
    }

    /// From its next renewal on it is so long, if that is safe.
    pub(super) fn limit(&mut self, settings: &RaftSettings, length: Duration) {
        self.length = clock::nanos(length).min(longest(settings));
    }

    /// Most replicas have confirmed what the leader sent at that moment, or later.
    pub(super) fn renew(&mut self, sent: u64, term: u64, replica: &Replica) {
        self.until = self.until.max(sent + self.length);
        self.publish(term, replica);
    }

    /// Entries of a term are in the state.
    pub(super) fn applied(&mut self, applied_term: u64, term: u64, leads: bool, replica: &Replica) {
        if self.applied_term != applied_term {
            self.applied_term = applied_term;
            if leads {
                self.publish(term, replica);
            }
        }
    }

    /// Whether all that was acknowledged before a leader of this term is in the state.
    pub(super) fn caught_up(&self, term: u64) -> bool {
        self.applied_term == term
    }

    /// It ends, and does not begin again before the next term.
    pub(super) fn spend(&mut self, term: u64, replica: &Replica) {
        self.spent_in = term;
        self.end(replica);
    }

    /// It ends: leader or term are others.
    pub(super) fn end(&mut self, replica: &Replica) {
        self.until = 0;
        replica.lease_until.store(0, Ordering::Release);
    }

    /// Whether it holds now.
    pub(super) fn holds(&self, replica: &Replica) -> bool {
        replica.in_lease()
    }

    fn publish(&self, term: u64, replica: &Replica) {
        if self.caught_up(term) && self.spent_in != term {
            replica.lease_until.store(self.until, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_lease_is_always_shorter_than_an_election_takes() {
        let settings = testing::settings(std::path::Path::new("/nowhere"));
        let mut lease = Lease::new(&settings, settings.tick * 1000, 5);
        assert_eq!(lease.length, 90_000_000, "9 of 10 ticks of 10 ms");
        lease.limit(&settings, settings.tick * 3);
        assert_eq!(lease.length, 30_000_000);
        lease.limit(&settings, settings.tick * 10);
        assert_eq!(lease.length, 90_000_000);
    }
}
