//! What a region error asks the client to do, and how long to wait before.

use std::time::Duration;

use proto::errorpb;
use proto::metapb::{Peer, Region};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The first wait between tries, and the longest: TiDB's clients begin at 2 ms for a change of leader; half a second bounds
/// how late a healed cluster is noticed.
const WAIT: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(500));

/// What to do about a region error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Remedy {
    /// Ask that peer, which leads; without one, find out who does.
    Leader(Option<Peer>),
    /// The regions are these now; if there are none, ask the driver.
    Regions(Vec<Region>),
    /// Stores have moved: ask the driver for them too.
    Stores,
    /// Come back, not before so long.
    Wait(Duration),
    /// Come back to the same store: no other will fare better.
    Stay,
    /// No other try will fare better.
    Never,
}

/// What to do about a region error, and its reason for people.
pub(crate) fn remedy(error: errorpb::Error) -> (Remedy, String) {
    let message = error.message;
    let says = |what: &str| if message.is_empty() { what.to_owned() } else { format!("{what}: {message}") };
    if let Some(not) = error.not_leader {
        return (
            Remedy::Leader(not.leader.filter(|leader| leader.id != 0)),
            says("the store does not lead the region"),
        );
    }
    if let Some(not) = error.epoch_not_match {
        return (Remedy::Regions(not.current_regions), says("the region has changed"));
    }
    if error.region_not_found.is_some() || error.key_not_in_region.is_some() {
        return (Remedy::Regions(Vec::new()), says("the region is not on the store"));
    }
    if error.store_not_match.is_some() || error.mismatch_peer_id.is_some() {
        return (Remedy::Stores, says("the store is another one"));
    }
    if let Some(busy) = error.server_is_busy {
        let wait = Duration::from_millis(busy.backoff_ms);
        return (Remedy::Wait(wait), says(&format!("the store is busy: {}", busy.reason)));
    }
    if let Some(full) = error.disk_full {
        let stores: Vec<_> = full.store_id.iter().map(u64::to_string).collect();
        return (Remedy::Stay, says(&format!("disk full on store {}: {}", stores.join(", "), full.reason)));
    }
    if let Some(large) = error.raft_entry_too_large {
        let bytes = large.entry_size;
        return (
            Remedy::Never,
            says(&format!("{bytes} bytes are more than the store takes at once; write less at a time")),
        );
    }
    if let Some(not) = error.read_index_not_ready {
        return (Remedy::Wait(Duration::ZERO), says(&format!("the replica cannot read yet: {}", not.reason)));
    }
    if error.stale_command.is_some() {
        return (Remedy::Wait(Duration::ZERO), says("the leader changed"));
    }
    // TiKV knows more errors than the wire format here; all of those pass.
    (Remedy::Regions(Vec::new()), says("the region has an error"))
}

/// Waits between tries.
#[derive(Debug)]
pub(crate) struct Backoff(Xoshiro256PlusPlus);

impl Backoff {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The wait before the next try after `tries` failed, at least `least`: twice as long each time, less up to a half by
    /// chance, so that what failed together does not come back together.
    pub(crate) fn wait(&mut self, tries: u32, least: Duration) -> Duration {
        let whole = WAIT.0.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(WAIT.1);
        whole.mul_f64(self.0.random_range(0.5..=1.0)).max(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound_and_differ() {
        let mut backoff = Backoff::new(1);
        for tries in 1..40 {
            let whole = WAIT.1.min(WAIT.0 * (1 << (tries - 1).min(10)));
            let wait = backoff.wait(tries, Duration::ZERO);
            assert!(wait >= whole / 2 && wait <= whole, "{tries}: {wait:?}");
        }
        assert_ne!(backoff.wait(9, Duration::ZERO), backoff.wait(9, Duration::ZERO));
        assert_eq!(backoff.wait(1, Duration::from_secs(2)), Duration::from_secs(2));
    }

    #[test]
    fn a_full_disk_is_told_with_store_and_reason() {
        let disk_full = Some(errorpb::DiskFull { store_id: vec![4], reason: "12 MiB left".into() });
        let (what, reason) = remedy(errorpb::Error { disk_full, ..Default::default() });
        assert_eq!((what, reason.as_str()), (Remedy::Stay, "disk full on store 4: 12 MiB left"));
    }

    #[test]
    fn a_leader_of_number_zero_is_none() {
        let not_leader = Some(errorpb::NotLeader { region_id: 1, leader: Some(Peer::default()) });
        assert_eq!(remedy(errorpb::Error { not_leader, ..Default::default() }).0, Remedy::Leader(None));
    }

    #[test]
    fn an_error_that_is_not_known_passes() {
        let (what, reason) = remedy(errorpb::Error { message: "flashback".into(), ..Default::default() });
        assert_eq!((what, reason.as_str()), (Remedy::Regions(vec![]), "the region has an error: flashback"));
    }
}
