//! What flushes and compactions have to write, from what they wrote and what waits.

use crate::Constants;
use crate::signals::{BackgroundWork, CompactionBacklog};

/// Averages of what was flushed and written.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Demand {
    /// Bytes a second that flushes wrote: in the last window, and over `memory`.
    recent: f64,
    flushed: f64,
    compacted: f64,
    /// Seconds that the averages have behind them.
    seen: f64,
}

impl Demand {
    /// Takes a span of so many seconds.
    pub(crate) fn window(&mut self, seconds: f64, engine: &BackgroundWork, c: &Constants) {
        self.recent = engine.flushed / seconds;
        self.seen += seconds;
        // The mean of all until `memory` has passed, exponential from then on.
        let share = (seconds / self.seen).max(1.0 - (-seconds / c.memory).exp());
        self.flushed += (engine.flushed / seconds - self.flushed) * share;
        self.compacted += (engine.compaction_written / seconds - self.compacted) * share;
    }

    /// Bytes that flushes and compactions write for a byte flushed.
    pub(crate) fn amplification(&self, c: &Constants) -> f64 {
        // The guess weighs against all that was flushed, not only what is remembered: a steady load must outgrow it.
        let (flushed, compacted) = (self.flushed * self.seen, self.compacted * self.seen);
        1.0 + (compacted + (c.prior_amplification - 1.0) * c.prior_flush) / (flushed + c.prior_flush)
    }

    /// Bytes a second that flushes need, over all that is remembered: memtables come one at a time.
    pub(crate) fn flushes(&self, c: &Constants) -> f64 {
        self.flushed * c.margin
    }

    /// Bytes a second that keep up with the writes.
    pub(crate) fn steady(&self, c: &Constants) -> f64 {
        self.recent.max(self.flushed) * self.amplification(c)
    }

    /// Bytes a second that keep up with the writes in the mean of all that is remembered; `None` until that is known.
    pub(crate) fn lasting(&self, c: &Constants) -> Option<f64> {
        (self.seen >= c.settled).then(|| self.flushed * self.amplification(c))
    }

    /// Bytes a second that also work the backlog off.
    pub(crate) fn wanted(&self, backlog: &CompactionBacklog, c: &Constants) -> f64 {
        self.steady(c) * c.margin + backlog.pending.as_f64() / c.horizon
    }
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    #[test]
    fn amplification_is_guessed_until_it_was_seen() {
        let c = Constants::embedded();
        let mut demand = Demand::default();
        assert_eq!(demand.amplification(c), c.prior_amplification);
        let window = BackgroundWork { flushed: 1e9, compaction_read: 4e9, compaction_written: 4e9 };
        for _ in 0..100 {
            demand.window(10.0, &window, c);
        }
        let seen = demand.amplification(c);
        assert!((seen - 5.0).abs() < 0.05, "{seen}");
    }

    #[test]
    fn a_slow_load_outgrows_the_guess() {
        let c = Constants::embedded();
        let mut demand = Demand::default();
        let window = BackgroundWork { flushed: 1e7, compaction_read: 19e7, compaction_written: 19e7 };
        (0..720).for_each(|_| demand.window(10.0, &window, c));
        let seen = demand.amplification(c);
        assert!((seen - 20.0).abs() < 0.02 * 20.0, "{seen}");
    }

    #[test]
    fn a_burst_counts_at_once_and_quiet_only_in_time() {
        let c = Constants::embedded();
        let mut demand = Demand::default();
        let window = |flushed: f64| BackgroundWork { flushed, compaction_read: 0.0, compaction_written: 4.0 * flushed };
        (0..60).for_each(|_| demand.window(10.0, &window(1e8), c));
        let steady = demand.steady(c);
        demand.window(10.0, &window(5e8), c);
        assert!(demand.steady(c) > 4.0 * steady);
        demand.window(10.0, &window(0.0), c);
        assert!(demand.steady(c) > 0.9 * steady, "{} after {steady}", demand.steady(c));
    }

    #[test]
    fn flushes_need_what_they_wrote_and_a_little_more() {
        let c = Constants::embedded();
        let mut demand = Demand::default();
        for at in 0..60 {
            let flushed = if at % 3 == 0 { 9e7 } else { 0.0 };
            demand.window(10.0, &BackgroundWork { flushed, ..BackgroundWork::default() }, c);
        }
        let need = demand.flushes(c) / (3e6 * c.margin);
        assert!((need - 1.0).abs() < 0.05, "{need}");
    }

    #[test]
    fn a_backlog_is_to_be_gone_in_its_horizon() {
        let c = Constants::embedded();
        let backlog = CompactionBacklog { pending: Bytes(12_000_000_000), ..CompactionBacklog::default() };
        assert_eq!(Demand::default().wanted(&backlog, c), 12e9 / c.horizon);
    }
}
