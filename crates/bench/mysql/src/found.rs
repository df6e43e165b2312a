//! What a run on a SQL database showed.

use std::collections::BTreeMap;

use bench::RunReport;
use timeline::Timeline;
use tpcc::BrokenCondition;
use units::Nanos;

use crate::SqlResourceUse;

/// What a run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlRunResult {
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
    pub used: SqlResourceUse,
    /// How often transactions were tried again, and why, warm-up included.
    pub retries: BTreeMap<&'static str, u64>,
    /// How often the server ended by itself and was started again.
    pub restarts: u32,
    /// Whether the data are consistent; `None` where that was not looked at ([`crate::Ground::conclude`]).
    pub checked: Option<ConsistencyCheck>,
    /// Why the data could not be checked, if so.
    pub unchecked: Option<String>,
    /// Why the disk took nothing more, if so.
    pub full: Option<String>,
    /// What the database said to end the run, because every transaction after it would have met the same; a full disk included.
    pub ended: Option<String>,
}

/// Whether data are consistent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsistencyCheck {
    /// Conditions that were looked at.
    pub conditions: usize,
    /// Those that are not met.
    pub broken: Vec<BrokenCondition>,
}

#[cfg(test)]
impl SqlRunResult {
    /// A run in which nothing happened.
    pub(crate) fn nothing() -> Self {
        let limits = bench::RunLimits::default();
        let cpu = bench::CpuUsage::default();
        Self {
            report: RunReport::of(1, &bench::SteadyStateJudge::new(limits, 1), &[], &limits, cpu, None),
            timeline: Timeline::default(),
            from: Nanos(0),
            until: Nanos(0),
            tpmc: None,
            used: SqlResourceUse::default(),
            retries: BTreeMap::new(),
            restarts: 0,
            checked: None,
            unchecked: None,
            full: None,
            ended: None,
        }
    }
}
