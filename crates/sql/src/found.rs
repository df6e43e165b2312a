//! What a run on a SQL database showed.

use std::collections::BTreeMap;

use bench::RunReport;
use timeline::{Points, Timeline};
use tpcc::Broken;
use units::Nanos;

/// What a run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The driver's numbers.
    pub report: RunReport,
    /// Second by second: operations, latencies, disks, server.
    pub timeline: Timeline,
    /// Since when it was measured, counted from the Timeline's start.
    pub from: Nanos,
    /// Until when.
    pub until: Nanos,
    /// New orders a minute; `None` for other workloads than TPC-C.
    pub tpmc: Option<f64>,
    /// What was used of the database while it was measured.
    pub used: Use,
    /// How often transactions were tried again, and why, warm-up included.
    pub retries: BTreeMap<&'static str, u64>,
    /// How often the server ended by itself and was started again.
    pub restarts: u32,
    /// Whether the data are consistent; `None` where that was not looked at.
    pub checked: Option<Checked>,
    /// Why the database took nothing more, if so.
    pub full: Option<String>,
}

/// Whether data are consistent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Conditions that were looked at.
    pub conditions: usize,
    /// Those that are not met.
    pub broken: Vec<Broken>,
}

/// What was used while a run was measured. Zero where the database does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Use {
    /// Seconds that were measured.
    pub seconds: f64,
    /// Reads that InnoDB asked for, a second.
    pub innodb_reads_per_s: f64,
    /// Writes that InnoDB asked for, a second.
    pub innodb_writes_per_s: f64,
    /// Bytes that InnoDB wrote, a second.
    pub innodb_write_bytes_per_s: f64,
    /// Times that InnoDB asked for durability, a second.
    pub innodb_fsyncs_per_s: f64,
    /// Bytes of the redo log, a second.
    pub redo_bytes_per_s: f64,
    /// Share of pages found in the buffer pool, 0 to 1.
    pub buffer_pool_hit_rate: Option<f64>,
    /// Bytes still to be written back, in the mean.
    pub dirty_bytes: f64,
    /// Requests that disks were asked for, a second.
    pub disk_iops: f64,
    /// Bytes that disks were asked for, a second.
    pub disk_bytes_per_s: f64,
    /// Requests that the data disk had in flight, in the mean.
    pub queue_depth: Option<f64>,
    /// Burst credits of the data disk at the end, 0 to 100; `None` for one that does not burst.
    pub burst_balance: Option<f64>,
}

impl Use {
    /// Reads it off a Timeline; both instants count from its start.
    pub(crate) fn of(timeline: &Timeline, from: Nanos, until: Nanos) -> Self {
        let seconds = (until - from).as_secs_f64();
        let sum = |name: &str| -> f64 {
            timeline.select(name, &[]).filter_map(|series| series.value(from, until)).fold(0.0, |all, one| all + one)
        };
        let per_s = |name: &str| if seconds > 0.0 { sum(name) / seconds } else { 0.0 };
        let (asked, missed) = (sum("buffer_pool_requests"), sum("buffer_pool_misses"));
        Self {
            seconds,
            innodb_reads_per_s: per_s("innodb_reads"),
            innodb_writes_per_s: per_s("innodb_writes"),
            innodb_write_bytes_per_s: per_s("innodb_write_bytes"),
            innodb_fsyncs_per_s: per_s("innodb_fsyncs"),
            redo_bytes_per_s: per_s("redo_bytes"),
            buffer_pool_hit_rate: (asked > 0.0).then(|| (1.0 - missed / asked).max(0.0)),
            dirty_bytes: sum("dirty_bytes"),
            disk_iops: per_s("read_ops") + per_s("write_ops"),
            disk_bytes_per_s: per_s("read_bytes") + per_s("write_bytes"),
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
        Points::Values(_, points) => points.iter().rev().find(|point| point.from < until).map(|point| point.value),
        Points::Latencies(_) => None,
    })
}

#[cfg(test)]
impl Found {
    /// A run in which nothing happened.
    pub(crate) fn nothing() -> Self {
        let limits = bench::Limits::default();
        let cpu = bench::Cpu::default();
        Self {
            report: RunReport::of(1, &bench::Judge::new(limits, 1), &[], &limits, cpu, None),
            timeline: Timeline::default(),
            from: Nanos(0),
            until: Nanos(0),
            tpmc: None,
            used: Use::default(),
            retries: BTreeMap::new(),
            restarts: 0,
            checked: None,
            full: None,
        }
    }
}
