//! Counters of a run, as each of the servers behind it keeps them.

use timeline::{SeriesPoints, Timeline};
use units::Nanos;

/// What was used while a run was measured. What a server does not tell is `None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct SqlCounters {
    /// Seconds that were measured.
    pub seconds: f64,
    /// Reads that InnoDB asked for, a second.
    pub innodb_reads_per_s: Option<f64>,
    /// Writes that InnoDB asked for, a second.
    pub innodb_writes_per_s: Option<f64>,
    /// Bytes that InnoDB wrote, a second.
    pub innodb_write_bytes_per_s: Option<f64>,
    /// Times that InnoDB asked for durability, a second.
    pub innodb_fsyncs_per_s: Option<f64>,
    /// Bytes of the redo log, a second.
    pub redo_bytes_per_s: Option<f64>,
    /// Share of pages found in the buffer pool, 0 to 1.
    pub buffer_pool_hit_rate: Option<f64>,
    /// Bytes still to be written back, in the mean.
    pub dirty_bytes: Option<f64>,
    /// What TiDB counts.
    pub tidb: TiDbUse,
    /// What the TiKVs behind it count, added up.
    pub tikv: TiKvUse,
    /// Requests that disks were asked for, a second.
    pub disk_iops: Option<f64>,
    /// Bytes that disks were asked for, a second.
    pub disk_bytes_per_s: Option<f64>,
    /// Requests that the data disk had in flight, in the mean.
    pub queue_depth: Option<f64>,
    /// Burst credits of the data disk at the end, 0 to 100; `None` for one that does not burst.
    pub burst_balance: Option<f64>,
}

/// What TiDBs tell at their status ports, added up.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct TiDbUse {
    /// Statements that were answered, a second.
    pub statements_per_s: Option<f64>,
    /// Mean wait of a statement for a timestamp, in milliseconds.
    pub timestamp_wait_ms: Option<f64>,
    /// Time that statements waited because a TiKV was busy, in seconds a second.
    pub busy_backoff: Option<f64>,
    /// Processors that it kept busy.
    pub processors: Option<f64>,
}

/// What TiKVs tell at their status ports, added up.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct TiKvUse {
    /// Bytes of the Raft log, a second.
    pub raft_log_bytes_per_s: Option<f64>,
    /// Times that the Raft log was synced, a second.
    pub raft_log_syncs_per_s: Option<f64>,
    /// Bytes that flushes wrote, a second.
    pub flush_bytes_per_s: Option<f64>,
    /// Bytes that compactions wrote, a second.
    pub compaction_bytes_per_s: Option<f64>,
    /// Share of blocks found in the block cache, 0 to 1.
    pub block_cache_hit_rate: Option<f64>,
    /// Time that writers were held up, in seconds a second.
    pub stalled: Option<f64>,
}

impl SqlCounters {
    /// Reads the counters off a Timeline; both instants count from its start.
    pub(crate) fn of(timeline: &Timeline, from: Nanos, until: Nanos) -> Self {
        let seconds = (until - from).as_secs_f64();
        let sum = |name: &str| -> Option<f64> {
            let values = timeline.select(name, &[]).filter_map(|series| series.value(from, until));
            values.fold(None, |all, one| Some(all.unwrap_or(0.0) + one))
        };
        let per_s = |name: &str| sum(name).filter(|_| seconds > 0.0).map(|sum| sum / seconds);
        let both = |one: &str, other: &str| match (per_s(one), per_s(other)) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0)),
        };
        let over = |part: Option<f64>, all: Option<f64>| Some(part? / all.filter(|all| *all > 0.0)?);
        let misses = over(sum("buffer_pool_misses"), sum("buffer_pool_requests"));
        let (hits, missed) = (sum("block_cache_hits"), sum("block_cache_misses"));
        Self {
            seconds,
            innodb_reads_per_s: per_s("innodb_reads"),
            innodb_writes_per_s: per_s("innodb_writes"),
            innodb_write_bytes_per_s: per_s("innodb_write_bytes"),
            innodb_fsyncs_per_s: per_s("innodb_fsyncs"),
            redo_bytes_per_s: per_s("redo_bytes"),
            buffer_pool_hit_rate: misses.map(|misses| (1.0 - misses).max(0.0)),
            dirty_bytes: sum("dirty_bytes"),
            tidb: TiDbUse {
                statements_per_s: per_s("statements"),
                timestamp_wait_ms: over(sum("tso_wait_time"), sum("tso_waits")).map(|seconds| 1e3 * seconds),
                busy_backoff: per_s("busy_backoff_time"),
                processors: per_s("tidb_cpu_time"),
            },
            tikv: TiKvUse {
                raft_log_bytes_per_s: per_s("raft_log_bytes"),
                raft_log_syncs_per_s: per_s("raft_log_syncs"),
                flush_bytes_per_s: per_s("flush_bytes"),
                compaction_bytes_per_s: per_s("compaction_write_bytes"),
                block_cache_hit_rate: over(hits, hits.zip(missed).map(|(hits, missed)| hits + missed)),
                stalled: per_s("stall_time"),
            },
            disk_iops: both("read_ops", "write_ops"),
            disk_bytes_per_s: both("read_bytes", "write_bytes"),
            queue_depth: timeline.select("queue_depth", DATA).find_map(|series| series.value(from, until)),
            burst_balance: last(timeline, "io_balance", until),
        }
    }
}

/// The labels of the data disk's series.
pub(crate) const DATA: &[(&str, &str)] = &[("disk", "data")];

/// The last value of the data disk before an instant.
pub(crate) fn last(timeline: &Timeline, name: &str, until: Nanos) -> Option<f64> {
    timeline.select(name, DATA).find_map(|series| match &series.points {
        SeriesPoints::Values(_, points) => {
            points.iter().rev().find(|point| point.from < until).map(|point| point.value)
        }
        SeriesPoints::Latencies(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, Series, SeriesPoint, SeriesUnit};

    use super::*;

    fn timeline(series: &[(&str, f64)]) -> Timeline {
        let one = |(name, value): &(&str, f64)| Series {
            name: (*name).to_owned(),
            labels: BTreeMap::new(),
            unit: SeriesUnit::None,
            points: SeriesPoints::Values(
                MergeRule::Sum,
                vec![SeriesPoint { from: Nanos(0), until: Nanos::secs(10), value: *value }],
            ),
        };
        Timeline { series: series.iter().map(one).collect(), ..Timeline::default() }
    }

    #[test]
    fn a_server_without_innodb_has_no_words_of_innodb() {
        let told = [("statements", 500.0), ("tso_waits", 100.0), ("tso_wait_time", 0.05), ("raft_log_syncs", 20.0)];
        let used = SqlCounters::of(&timeline(&told), Nanos(0), Nanos::secs(10));
        assert_eq!((used.innodb_reads_per_s, used.redo_bytes_per_s, used.dirty_bytes), (None, None, None));
        assert_eq!((used.tidb.statements_per_s, used.tidb.timestamp_wait_ms), (Some(50.0), Some(0.5)));
        assert_eq!((used.tikv.raft_log_syncs_per_s, used.tikv.flush_bytes_per_s), (Some(2.0), None));
        assert_eq!(used.disk_iops, None);
    }

    #[test]
    fn what_innodb_counts_as_none_is_told_as_zero() {
        let told = [("innodb_reads", 0.0), ("buffer_pool_requests", 10.0), ("buffer_pool_misses", 1.0)];
        let used = SqlCounters::of(&timeline(&told), Nanos(0), Nanos::secs(10));
        assert_eq!((used.innodb_reads_per_s, used.buffer_pool_hit_rate), (Some(0.0), Some(0.9)));
        assert_eq!(used.tidb, TiDbUse::default());
    }
}
