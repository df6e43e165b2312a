//! For how long requests have waited without one being answered.

use std::collections::HashMap;

use units::Nanos;

use super::periods::Sample;
use crate::DiskSample;
use crate::thresholds::THRESHOLDS;

/// When each disk answered last while requests waited; a stall may begin in one period and be noticed in the next.
#[derive(Debug, Default)]
pub(super) struct Stalls {
    since: HashMap<String, Nanos>,
    until: Nanos,
}

impl Stalls {
    /// The disks of which a stall had lasted long enough to fail the check some time in a period.
    pub(super) fn during(&mut self, period: &[Sample<'_>]) -> Vec<String> {
        let mut stalled = Vec::new();
        if period.first().is_some_and(|first| first.at != self.until) {
            self.since.clear();
        }
        for pair in period.windows(2) {
            let (before, after) = (&pair[0], &pair[1]);
            for disk in &after.disks {
                if !before.disk(&disk.name).is_some_and(|before| is_stuck(before, disk)) {
                    self.since.remove(&disk.name);
                    continue;
                }
                let since = *self.since.entry(disk.name.clone()).or_insert(before.at);
                let long = (after.at - since).as_secs_f64() >= THRESHOLDS.stalled_seconds;
                if long && !stalled.contains(&disk.name) {
                    stalled.push(disk.name.clone());
                }
            }
            self.until = after.at;
        }
        stalled
    }
}

fn is_stuck(before: &DiskSample, after: &DiskSample) -> bool {
    before.in_flight > 0 && after.in_flight > 0 && after.answered() == before.answered()
}
