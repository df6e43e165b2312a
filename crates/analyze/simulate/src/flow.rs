//! Flow control of a simulated node: [`FlowLaw`] fed by the flushes and compactions of its trees, in virtual time.

use flow_control::{FlowLaw, FlowThresholds, InitialBacklog, WriteBucket};
use units::Nanos;

use crate::Constants;

/// How far a column family is behind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Behind {
    /// Files on L0.
    pub(crate) l0_files: f64,
    /// Memtables that wait for their flush.
    pub(crate) memtables: f64,
    /// Bytes that compactions have to rewrite.
    pub(crate) pending: f64,
}

/// What happened to a column family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happened {
    /// A flush.
    Flush,
    /// A compaction, from L0 if `true`.
    Compaction(bool),
}

/// The flow control of a node.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    law: FlowLaw,
    bucket: WriteBucket,
    /// Bytes that passed since the last tick.
    passed: f64,
}

impl Flow {
    /// Flow control at rest, for so many column families. A run begins in the middle of a node's life: its backlog counts.
    pub(crate) fn new(families: usize) -> Self {
        let mut law = FlowLaw::new();
        for _ in 0..families {
            law.add_family(InitialBacklog::Counts);
        }
        Self { law, bucket: WriteBucket::unlimited(), passed: 0.0 }
    }

    /// The share of writes to refuse, 0 to 1.
    pub(crate) fn refused(&self) -> f64 {
        self.law.refused()
    }

    /// Whether writes are slowed down or refused.
    pub(crate) fn holds(&self) -> bool {
        self.law.speed().is_finite() || self.law.refused() > 0.0
    }

    /// Lets a write of so many bytes pass. Returns how long it has to wait.
    pub(crate) fn pass(&mut self, now: Nanos, bytes: f64) -> Nanos {
        self.passed += bytes;
        self.bucket.take(bytes, now)
    }

    /// A second has passed.
    pub(crate) fn tick(&mut self, now: Nanos, seconds: f64) {
        if self.passed > 0.0 {
            self.law.record_writes(self.passed / seconds, now);
        }
        self.passed = 0.0;
    }

    /// A flush or compaction of a family is done.
    pub(crate) fn on(&mut self, now: Nanos, happened: Happened, at: usize, behind: Behind, c: &Constants) {
        let thresholds = thresholds(c);
        match happened {
            Happened::Flush => {
                self.law.flushed(now, at, (behind.l0_files, behind.memtables), &thresholds);
            }
            Happened::Compaction(from_l0) => {
                if from_l0 {
                    self.law.l0_compacted(now, at, behind.l0_files, &thresholds);
                }
                self.law.compacted(now, at, behind.pending, &thresholds);
            }
        }
        self.bucket.set_speed(self.law.speed(), now);
    }
}

fn thresholds(c: &Constants) -> FlowThresholds {
    FlowThresholds {
        l0_files: c.l0_files_threshold,
        memtables: c.memtables_threshold,
        soft_pending: c.soft_pending,
        hard_pending: c.hard_pending,
        slowest: c.throttle_slowest,
        fastest: c.throttle_fastest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_files_than_the_threshold_slow_writes_down_and_fewer_set_them_free() {
        let c = Constants::embedded();
        let mut flow = Flow::new(1);
        for second in 1..=30 {
            flow.pass(Nanos::secs(second), 10e6);
            flow.tick(Nanos::secs(second), 1.0);
        }
        let now = Nanos::secs(31);
        let behind = |l0_files| Behind { l0_files, ..Behind::default() };
        flow.on(now, Happened::Flush, 0, behind(21.0), c);
        assert!(flow.holds());
        assert_eq!(flow.pass(now, 10e6), Nanos::secs(1));
        flow.on(now, Happened::Flush, 0, behind(22.0), c);
        assert!((flow.law.speed() / 8e6 - 1.0).abs() < 1e-9);
        flow.on(now, Happened::Compaction(true), 0, behind(4.0), c);
        assert!(!flow.holds());
        assert_eq!(flow.pass(now, 10e6), Nanos(0));
    }

    #[test]
    fn writes_are_refused_between_the_soft_and_the_hard_limit() {
        let c = Constants::embedded();
        let mut flow = Flow::new(1);
        let middle = (c.soft_pending * c.hard_pending).sqrt();
        for second in 0..400 {
            let behind = Behind { pending: middle, ..Behind::default() };
            flow.on(Nanos::secs(second), Happened::Compaction(false), 0, behind, c);
        }
        assert!((flow.refused() - 0.5).abs() < 0.01, "{}", flow.refused());
    }
}
