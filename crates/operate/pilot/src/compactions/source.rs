//! What the limiter is told of each store: its metrics, its disks, its settings.

use compaction_control::LimiterSignals;
use metrics::MetricsExposition;

use super::disks::DiskSource;
use super::engine::{engine, thresholds};
use crate::{ClockReading, ClusterSnapshot, SnapshotSource, TikvHttp, WorldError};

/// The `/metrics` of stores.
pub trait StoreMetrics {
    /// Its text.
    ///
    /// # Errors
    /// When there is none.
    fn metrics(&self, store: u64) -> Result<String, WorldError>;
}

impl StoreMetrics for TikvHttp {
    fn metrics(&self, store: u64) -> Result<String, WorldError> {
        Self::metrics(self, store)
    }
}

/// A store whose flushes and compactions are limited.
pub struct LimitedStore {
    /// PD's number of it.
    pub store: u64,
    /// Its disks.
    pub disks: Box<dyn DiskSource>,
}

/// Those stores.
pub struct StoreSet<M> {
    metrics: M,
    limited: Vec<LimitedStore>,
}

impl<M: StoreMetrics> StoreSet<M> {
    /// With where their metrics are.
    pub fn new(metrics: M, limited: Vec<LimitedStore>) -> Self {
        Self { metrics, limited }
    }

    fn one(
        &self,
        now: ClockReading,
        limited: &LimitedStore,
        seen: &ClusterSnapshot,
    ) -> Result<LimiterSignals, WorldError> {
        let config = seen.configs.get(&limited.store).ok_or_else(|| WorldError::Unnamed {
            what: format!("the settings of store {}", limited.store),
            hint: "see that PD knows it, and that its status server answers or is named with --tikv-status".to_owned(),
        })?;
        let looked = limited.disks.look(now)?;
        let text = self.metrics.metrics(limited.store)?;
        let peer = || format!("store {}", limited.store);
        let told = MetricsExposition::parse(&text)
            .map_err(|error| WorldError::Refused { peer: peer(), why: format!("/metrics: {error}") })?;
        let missing = || WorldError::Missing { peer: peer(), what: "metrics of flushes and compactions".to_owned() };
        let (engine, backlog) = engine(&told).ok_or_else(missing)?;
        let untold = |key: String| WorldError::Missing { peer: peer(), what: format!("number as its `{key}`") };
        let thresholds = thresholds(config).map_err(untold)?;
        let mut signals = LimiterSignals { engine, backlog, thresholds, ..LimiterSignals::default() };
        looked.tell(&mut signals);
        Ok(signals)
    }
}

impl<M: StoreMetrics> SnapshotSource for StoreSet<M> {
    /// A store that does not answer hides no other; the first that does not is told.
    fn look(&mut self, now: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        let mut first = Ok(());
        for limited in &self.limited {
            match self.one(now, limited, seen) {
                Ok(signals) => drop(seen.signals.insert(limited.store, signals)),
                Err(error) => first = first.and(Err(error)),
            }
        }
        first
    }

    /// Their disks alone: TiKV refreshes what it tells every ten seconds, and tells it in megabytes.
    fn glance(&mut self, now: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        let mut first = Ok(());
        for limited in &self.limited {
            let Some(signals) = seen.signals.get_mut(&limited.store) else { continue };
            match limited.disks.look(now) {
                Ok(looked) => looked.tell(signals),
                Err(error) => {
                    // Counters that stand still would say that the disk is idle.
                    seen.signals.remove(&limited.store);
                    first = first.and(Err(error));
                }
            }
        }
        first
    }
}
