//! How many log syncs a stream of commits needs when those that arrive during a sync share the next one.

/// Syncs a second for `arrivals` commits a second when a sync takes `sync` seconds and `writers` run side by side.
///
/// While a writer syncs, commits gather; it then takes all of them. A lone commit starts a sync at once, so the cycle is the
/// sync plus the wait for the next commit: 1 / (sync + 1/arrivals) a second for each writer.
pub(crate) fn syncs_per_second(arrivals: f64, sync: f64, writers: f64) -> f64 {
    if arrivals <= 0.0 {
        return 0.0;
    }
    let each = arrivals / writers;
    writers / (sync + 1.0 / each)
}

/// The mean time from a commit's arrival to the end of the sync that holds it, in syncs: its own, and what is left of the one
/// under way, which is there for the share of time that the writer is busy.
pub(crate) fn waited_syncs(busy: f64) -> f64 {
    1.0 + busy.clamp(0.0, 1.0) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_commits_have_a_sync_each_and_frequent_ones_share() {
        assert!((syncs_per_second(1.0, 0.001, 1.0) - 1.0).abs() < 0.01);
        assert!(syncs_per_second(1e6, 0.001, 1.0) < 1000.0);
        assert!(syncs_per_second(1e6, 0.001, 2.0) > 1900.0);
        assert_eq!(syncs_per_second(0.0, 0.001, 1.0), 0.0);
    }
}
