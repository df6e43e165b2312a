//! What only a SQL database tells of a run.

use std::collections::BTreeMap;

use bench::MeasuredRun;
use tpcc::BrokenCondition;

use crate::SqlCounters;

/// A run on a SQL database.
pub type SqlRun = MeasuredRun<SqlCounters, SqlFindings>;

/// What only a SQL database tells of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SqlFindings {
    /// New orders a minute; `None` for other workloads than TPC-C.
    pub tpmc: Option<f64>,
    /// How often transactions were tried again, and why, warm-up included.
    pub retries: BTreeMap<&'static str, u64>,
    /// How often the server ended by itself and was started again.
    pub restarts: u32,
    /// Whether the data are consistent; `None` until the run is concluded, and for workloads without conditions.
    pub checked: Option<ConsistencyCheck>,
    /// Why the data could not be checked, if so.
    pub unchecked: Option<String>,
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
pub(crate) mod testing {
    use bench::RunReport;
    use timeline::Timeline;
    use units::Nanos;

    use super::*;

    /// A run in which nothing happened.
    pub(crate) fn nothing() -> SqlRun {
        let limits = bench::RunLimits::default();
        let cpu = bench::CpuUsage::default();
        MeasuredRun {
            report: RunReport::of(1, &bench::SteadyStateJudge::new(limits, 1), &[], &limits, cpu, None),
            timeline: Timeline::default(),
            from: Nanos(0),
            until: Nanos(0),
            used: SqlCounters::default(),
            ended: None,
            findings: SqlFindings::default(),
        }
    }
}
