//! The numbers of a run, measured or predicted.

use std::collections::BTreeMap;

use statrs::statistics::{Data, OrderStatistics};

/// The numbers of a run, measured or predicted. Keys of files stay as they are.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RunFigures {
    /// Operations a second.
    pub throughput: f64,
    /// Median latency in milliseconds; `None` where an open loop was not carried, or nothing was.
    pub p50_ms: Option<f64>,
    /// 99th percentile in milliseconds, likewise.
    pub p99_ms: Option<f64>,
    /// Bytes a second that compactions wrote, of all nodes, values kept apart included.
    pub compaction_bytes: f64,
    /// Bytes a second that flushes wrote, of all nodes.
    pub flush_bytes: f64,
    /// Share of the blocks found in the block cache; `None` if none were asked for. Measured of index and filter blocks too.
    pub cache_hit_rate: Option<f64>,
    /// Seconds that writers were held up, of each second, added up over requests and nodes.
    pub held_up: f64,
    /// Other totals, a second, by name, for whoever looks for a reason: processor time, I/O of disks, syncs.
    pub more: BTreeMap<String, f64>,
}

impl RunFigures {
    /// The median of several runs of one configuration, of each number by itself, so that none hangs on a run in which much came
    /// together; a latency only where all have one.
    pub fn median(runs: &[Self]) -> Self {
        let one = |of: &dyn Fn(&Self) -> f64| median(runs.iter().map(of).collect()).unwrap_or_default();
        let maybe = |of: &dyn Fn(&Self) -> Option<f64>| {
            let all: Option<Vec<f64>> = runs.iter().map(of).collect();
            all.and_then(median)
        };
        let names = runs.iter().flat_map(|run| run.more.keys());
        let more = |name: &String| (name.clone(), one(&|run| run.more.get(name).copied().unwrap_or_default()));
        Self {
            throughput: one(&|run| run.throughput),
            p50_ms: maybe(&|run| run.p50_ms),
            p99_ms: maybe(&|run| run.p99_ms),
            compaction_bytes: one(&|run| run.compaction_bytes),
            flush_bytes: one(&|run| run.flush_bytes),
            cache_hit_rate: maybe(&|run| run.cache_hit_rate),
            held_up: one(&|run| run.held_up),
            more: names.map(more).collect(),
        }
    }
}

/// `None` of none.
pub(crate) fn median(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| Data::new(values).median())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_has_a_latency_only_where_every_run_has_one() {
        let run =
            |throughput, p50_ms| RunFigures { throughput, p50_ms, p99_ms: Some(throughput), ..RunFigures::default() };
        let two = RunFigures::median(&[run(10.0, Some(1.0)), run(30.0, None)]);
        assert_eq!((two.throughput, two.p50_ms, two.p99_ms), (20.0, None, Some(20.0)));
        let three = RunFigures::median(&[run(10.0, Some(1.0)), run(900.0, Some(2.0)), run(30.0, Some(3.0))]);
        assert_eq!((three.throughput, three.p50_ms, three.p99_ms), (30.0, Some(2.0), Some(30.0)));
    }
}
