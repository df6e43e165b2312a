//! Diskwright's pilot in the simulation: it reads at each look what a pilot can read of a node, and sets the node's rate.

use compaction_control::{
    BackgroundWork, CompactionBacklog, CompactionLimiter, Constants, LimiterSignals, RateBounds, StallThresholds,
};
use units::{Bytes, BytesPerSec, Nanos};

use crate::disks::Disks;

/// TiKV's engine counters stand still for so long: `DEFAULT_METRICS_FLUSH_INTERVAL` of its components/server.
const REFRESH: Nanos = Nanos::secs(10);

/// What a pilot can read of a node.
pub(crate) trait PilotView {
    /// Its disks.
    fn disks(&self) -> &Disks;

    /// What TiKV's metrics say of background work and of what waits for it.
    fn metrics(&self) -> (BackgroundWork, CompactionBacklog);
}

/// The pilot of one node.
#[derive(Debug, Clone)]
pub(crate) struct Pilot {
    limiter: CompactionLimiter,
    thresholds: StallThresholds,
    /// What TiKV told last, and when.
    told: Option<(Nanos, BackgroundWork, CompactionBacklog)>,
    /// Rates that were set.
    pub(crate) changes: u64,
}

impl Pilot {
    /// Before the first look, of a node whose `rate-bytes-per-sec` is no less than its rates are ever set to.
    pub(crate) fn new(ceiling: f64, constants: Constants, c: &crate::Constants) -> Self {
        let bounds = RateBounds { ceiling: BytesPerSec(ceiling), ..RateBounds::default() };
        let thresholds = StallThresholds {
            pending: Bytes(c.soft_pending as u64),
            l0_files: c.l0_files_threshold,
            memtables: c.memtables_threshold,
        };
        Self { limiter: CompactionLimiter::new(bounds, constants), thresholds, told: None, changes: 0 }
    }

    /// Looks at a node: the rate to set, if another.
    pub(crate) fn look(&mut self, now: Nanos, node: &impl PilotView) -> Option<f64> {
        let (engine, backlog) = match self.told {
            Some((at, engine, backlog)) if now < at + REFRESH => (engine, backlog),
            _ => {
                let told = node.metrics();
                self.told = Some((now, told.0, told.1));
                told
            }
        };
        let [volume_done, instance_done] = node.disks().done();
        let [volume, instance] = node.disks().allowances(now);
        let signals = LimiterSignals {
            volume_done,
            instance_done,
            volume,
            instance,
            engine,
            backlog,
            thresholds: self.thresholds,
        };
        let rate = self.limiter.tick(now, &signals)?;
        self.changes += 1;
        Some(rate.rate.0)
    }
}
