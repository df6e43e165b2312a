//! What the limiter is told: counters and gauges that a TiKV's `/metrics` and the host's disk counters give, no more.

use units::{Bytes, BytesPerSec, Iops};

/// Requests that completed since some start. Counters; one that falls has started anew.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CompletedIo {
    /// Reads and writes: `node_disk_{reads,writes}_completed_total`.
    pub ios: f64,
    /// Writes among them.
    pub writes: f64,
    /// Bytes read: `node_disk_read_bytes_total`.
    pub read: f64,
    /// Bytes written: `node_disk_written_bytes_total`.
    pub written: f64,
}

impl std::iter::Sum for CompletedIo {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            ios: sum.ios + one.ios,
            writes: sum.writes + one.writes,
            read: sum.read + one.read,
            written: sum.written + one.written,
        })
    }
}

/// Burst credits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CreditState {
    /// I/Os or bytes that are left.
    pub left: f64,
    /// The most a second while they last, in I/Os or bytes.
    pub burst: f64,
}

/// What a volume or an instance lets through.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DiskAllowance {
    /// Sustained I/Os a second; `None` is no limit.
    pub iops: Option<Iops>,
    /// Sustained bytes a second; `None` is no limit.
    pub throughput: Option<BytesPerSec>,
    /// Credits on I/Os, where it bursts.
    pub io_credit: Option<CreditState>,
    /// Credits on bytes, where it bursts.
    pub byte_credit: Option<CreditState>,
}

/// What RocksDB's background threads did since some start. Counters.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BackgroundWork {
    /// Bytes that flushes wrote: `tikv_engine_flow_bytes{type="flush_write_bytes"}`.
    pub flushed: f64,
    /// Bytes that compactions read, from the page cache too: `tikv_engine_compaction_flow_bytes{type="bytes_read"}`.
    pub compaction_read: f64,
    /// Bytes that compactions wrote: `tikv_engine_compaction_flow_bytes{type="bytes_written"}`.
    pub compaction_written: f64,
}

/// How far flushes and compactions are behind, of the column family that is worst. Gauges.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CompactionBacklog {
    /// Bytes that compactions have to rewrite, all families together: `tikv_engine_pending_compaction_bytes`.
    pub pending: Bytes,
    /// Files on L0: `tikv_engine_num_files_at_level{level="0"}`.
    pub l0_files: f64,
    /// Full memtables that wait for their flush: `tikv_engine_num_immutable_mem_table`.
    pub memtables: f64,
}

/// Where flow control begins to hold writes up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StallThresholds {
    /// `storage.flow-control.soft-pending-compaction-bytes-limit`.
    pub pending: Bytes,
    /// `storage.flow-control.l0-files-threshold`.
    pub l0_files: f64,
    /// `storage.flow-control.memtables-threshold`.
    pub memtables: f64,
}

impl Default for StallThresholds {
    /// TiKV's, v8.5: 192 GiB, 20 files, 5 memtables (src/storage/config.rs).
    fn default() -> Self {
        Self { pending: Bytes::gib(192), l0_files: 20.0, memtables: 5.0 }
    }
}

/// All that is told at an instant.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LimiterSignals {
    /// Of the volume that the files are on.
    pub volume_done: CompletedIo,
    /// Of all volumes that hang on the instance's link; the same where there is one.
    pub instance_done: CompletedIo,
    /// What that volume lets through, as it is provisioned and as far as a modification has come.
    pub volume: DiskAllowance,
    /// What the instance lets through to all of them.
    pub instance: DiskAllowance,
    /// Flushes and compactions. TiKV refreshes these every ten seconds: between two refreshes they stand still.
    pub engine: BackgroundWork,
    /// How far they are behind.
    pub backlog: CompactionBacklog,
    /// Where flow control begins.
    pub thresholds: StallThresholds,
}

impl CompactionBacklog {
    /// How near flow control is: 0 up to the first share of the nearest threshold, 1 from the second on; for files and memtables, and
    /// for pending bytes.
    pub(crate) fn urgency(&self, thresholds: &StallThresholds, files: [f64; 2], pending: [f64; 2]) -> f64 {
        let near = |value: f64, threshold: f64, [from, to]: [f64; 2]| {
            let near = if threshold > 0.0 { value / threshold } else { 0.0 };
            ((near - from) / (to - from)).clamp(0.0, 1.0)
        };
        near(self.l0_files, thresholds.l0_files, files)
            .max(near(self.memtables, thresholds.memtables, files))
            .max(near(self.pending.as_f64(), thresholds.pending.as_f64(), pending))
    }
}

/// The growth of a counter; one that fell has started anew.
pub(crate) fn growth(was: f64, now: f64) -> f64 {
    if now >= was { now - was } else { now.max(0.0) }
}

impl CompletedIo {
    /// What was done since.
    pub(crate) fn since(&self, was: &Self) -> Self {
        Self {
            ios: growth(was.ios, self.ios),
            writes: growth(was.writes, self.writes),
            read: growth(was.read, self.read),
            written: growth(was.written, self.written),
        }
    }

    /// Bytes read and written.
    pub(crate) fn bytes(&self) -> f64 {
        self.read + self.written
    }
}

impl BackgroundWork {
    /// What was done since.
    pub(crate) fn since(&self, was: &Self) -> Self {
        Self {
            flushed: growth(was.flushed, self.flushed),
            compaction_read: growth(was.compaction_read, self.compaction_read),
            compaction_written: growth(was.compaction_written, self.compaction_written),
        }
    }

    /// What the rate limiter counts.
    pub(crate) fn written(&self) -> f64 {
        self.flushed + self.compaction_written
    }
}

impl DiskAllowance {
    /// I/Os and bytes a second that may be used: the sustained rate, and credits spread over a time.
    pub(crate) fn rates(&self, horizon: f64) -> [f64; 2] {
        let rate = |sustained: Option<f64>, credit: Option<CreditState>| match (sustained, credit) {
            (None, _) => f64::INFINITY,
            (Some(sustained), None) => sustained,
            (Some(sustained), Some(credit)) => {
                (sustained + credit.left.max(0.0) / horizon).min(credit.burst.max(sustained))
            }
        };
        [
            rate(self.iops.map(|iops| iops.0), self.io_credit),
            rate(self.throughput.map(|throughput| throughput.0), self.byte_credit),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_urgent_before_flow_control_begins_and_pending_bytes_after() {
        let thresholds = StallThresholds::default();
        let urgency = |backlog: CompactionBacklog| backlog.urgency(&thresholds, [0.7, 0.9], [1.0, 2.0]);
        let pending = |share: f64| CompactionBacklog {
            pending: Bytes((share * 192.0) as u64 * (1 << 30)),
            ..CompactionBacklog::default()
        };
        let files = |share: f64| CompactionBacklog { l0_files: 20.0 * share, ..CompactionBacklog::default() };
        assert_eq!([0.9, 1.0, 1.5, 3.0].map(|share| urgency(pending(share))), [0.0, 0.0, 0.5, 1.0]);
        assert!((urgency(files(0.8)) - 0.5).abs() < 1e-9 && urgency(files(0.9)) == 1.0);
    }
}
