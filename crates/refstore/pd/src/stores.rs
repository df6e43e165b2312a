//! What is known of the nodes that changes by itself.

use std::time::Duration;

use proto::pdpb::StoreStats;

/// A node that was silent for longer is disconnected (PD 8.5, store.go: storeDisconnectDuration).
pub(crate) const DISCONNECTED: Duration = Duration::from_secs(20);
/// From this score on a node is slow (PD 8.5, evict_slow_store.go: slowStoreEvictThreshold).
const SLOW: u64 = 100;
/// Up to this score it is well again (PD 8.5: slowStoreRecoverThreshold).
const WELL: u64 = 1;
/// How long it must be well before it gets leaders again (PD 8.5, `recovery-duration` of evict-slow-store-scheduler).
const RECOVERY: Duration = Duration::from_secs(600);

/// The last heartbeat of a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Live {
    pub(crate) stats: Option<StoreStats>,
    /// When, since the epoch.
    pub(crate) heard: Option<Duration>,
}

impl Live {
    /// Whether it speaks.
    pub(crate) fn is_connected(&self, now: Duration) -> bool {
        self.heard.is_some_and(|heard| now.saturating_sub(heard) <= DISCONNECTED)
    }

    /// How people name its state.
    pub(crate) fn state_name(&self, now: Duration, down_after: Duration) -> &'static str {
        match self.heard.map(|heard| now.saturating_sub(heard)) {
            Some(silent) if silent <= DISCONNECTED => "Up",
            Some(silent) if silent <= down_after => "Disconnected",
            _ => "Down",
        }
    }

    /// Whether it says that it is slow or busy.
    pub(crate) fn is_slow(&self) -> bool {
        self.stats.as_ref().is_some_and(|stats| stats.is_busy || stats.slow_score >= SLOW)
    }

    fn is_well(&self) -> bool {
        self.stats.as_ref().is_some_and(|stats| !stats.is_busy && stats.slow_score <= WELL)
    }

    fn started(&self) -> u32 {
        self.stats.as_ref().map_or(0, |stats| stats.start_time)
    }
}

/// The one node that leaders are moved away from because it is slow. PD moves them from one at a time: if several are
/// slow, the others would not be better off.
#[derive(Debug, Default)]
pub(crate) struct Slow {
    evicted: Option<(u64, u32)>,
    well_since: Option<Duration>,
}

impl Slow {
    /// Which node it is.
    pub(crate) fn store(&self) -> Option<u64> {
        self.evicted.map(|(store, _)| store)
    }

    /// Looks at all nodes; unless `on`, nobody is or stays evicted.
    pub(crate) fn look<'a>(&mut self, all: impl Iterator<Item = (u64, &'a Live)> + Clone, on: bool, now: Duration) {
        let Some((store, started)) = self.evicted else {
            let mut slow = all.filter(|(_, live)| live.is_slow() && live.is_connected(now));
            if let (true, Some((store, live)), None) = (on, slow.next(), slow.next()) {
                self.evicted = Some((store, live.started()));
            }
            return;
        };
        let well = match all.clone().find(|(id, _)| *id == store) {
            Some((_, live)) if live.is_well() => {
                let since = *self.well_since.get_or_insert(now);
                // A process that was restarted has nothing left of what was wrong with it.
                live.started() != started || now.saturating_sub(since) >= RECOVERY
            }
            Some(_) => {
                self.well_since = None;
                false
            }
            None => true,
        };
        if well || !on {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn said(slow_score: u64, start_time: u32, heard: Duration) -> Live {
        Live { stats: Some(StoreStats { slow_score, start_time, ..Default::default() }), heard: Some(heard) }
    }

    fn look(slow: &mut Slow, scores: [u64; 3], start: u32, now: Duration) -> Option<u64> {
        let all: Vec<_> = (1..).zip(scores.map(|score| said(score, start, now))).collect();
        slow.look(all.iter().map(|(store, live)| (*store, live)), true, now);
        slow.store()
    }

    #[test]
    fn one_slow_node_is_evicted_and_two_are_not() {
        let mut slow = Slow::default();
        assert_eq!(look(&mut slow, [1, 99, 1], 7, SECOND), None);
        assert_eq!(look(&mut slow, [1, 100, 100], 7, SECOND), None);
        assert_eq!(look(&mut slow, [1, 100, 1], 7, SECOND), Some(2));
    }

    #[test]
    fn it_is_taken_back_when_well_for_ten_minutes_without_a_break() {
        let mut slow = Slow::default();
        look(&mut slow, [1, 100, 1], 7, SECOND);
        assert_eq!(look(&mut slow, [1, 1, 1], 7, 2 * SECOND), Some(2));
        assert_eq!(look(&mut slow, [1, 50, 1], 7, 300 * SECOND), Some(2));
        assert_eq!(look(&mut slow, [1, 1, 1], 7, 301 * SECOND), Some(2));
        assert_eq!(look(&mut slow, [1, 1, 1], 7, 900 * SECOND), Some(2));
        assert_eq!(look(&mut slow, [1, 1, 1], 7, 901 * SECOND), None);
    }

    #[test]
    fn a_restart_makes_it_well_at_once() {
        let mut slow = Slow::default();
        look(&mut slow, [1, 100, 1], 7, SECOND);
        assert_eq!(look(&mut slow, [1, 1, 1], 8, 2 * SECOND), None);
    }

    #[test]
    fn silence_has_names() {
        let live = said(1, 7, SECOND);
        let name = |second| live.state_name(second * SECOND, 1800 * SECOND);
        assert_eq!([name(21), name(22), name(1801), name(1802)], ["Up", "Disconnected", "Disconnected", "Down"]);
        assert_eq!(Live::default().state_name(SECOND, SECOND), "Down");
    }
}
