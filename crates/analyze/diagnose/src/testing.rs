//! Deployments and Timelines for tests.

use std::collections::BTreeMap;

use catalog::{Catalog, CatalogView};
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};
use units::Nanos;
use workload::Engine;

use crate::{Finding, FindingKind, KnownFacts, diagnose};

pub(crate) fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

/// Three nodes of m5.2xlarge.
pub(crate) fn deployment(data: &str, log: Option<&str>) -> Deployment {
    Deployment {
        name: String::new(),
        engine: Engine::TiKv,
        region: "us-west-2".to_owned(),
        as_of: None,
        zones: 3,
        nodes: vec![NodeGroup {
            role: NodeRole::Storage,
            count: 3,
            instance: "m5.2xlarge".to_owned(),
            data: Some(data.parse().unwrap()),
            log: log.map(|log| log.parse().unwrap()),
        }],
        settings: EngineSettings::default(),
        asks: None,
    }
}

/// A Timeline that grows series by series: second by second unless told otherwise.
pub(crate) struct Made {
    pub(crate) timeline: Timeline,
    pub(crate) step: u64,
    pub(crate) steps: u64,
}

impl Made {
    /// So many seconds.
    pub(crate) fn seconds(steps: u64) -> Self {
        Self { timeline: Timeline::default(), step: 1, steps }
    }

    /// So many intervals of so many seconds.
    pub(crate) fn intervals(steps: u64, step: u64) -> Self {
        Self { timeline: Timeline::default(), step, steps }
    }

    /// A series whose value depends on the interval's number; `None` is a gap.
    pub(crate) fn each(
        mut self,
        name: &str,
        labels: &[(&str, &str)],
        (unit, merge): (SeriesUnit, MergeRule),
        value: impl Fn(u64) -> Option<f64>,
    ) -> Self {
        let at = |i: u64| Nanos::secs(i * self.step);
        let point = |i| value(i).map(|value| SeriesPoint { from: at(i), until: at(i + 1), value });
        let points = SeriesPoints::Values(merge, (0..self.steps).filter_map(point).collect());
        let labels: BTreeMap<_, _> = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        self.timeline.series.push(Series { name: name.to_owned(), labels, unit, points });
        self
    }

    /// A counter that grows by so much a second.
    pub(crate) fn rate(self, name: &str, labels: &[(&str, &str)], per_second: f64) -> Self {
        let step = self.step as f64;
        self.each(name, labels, (SeriesUnit::Count, MergeRule::Sum), |_| Some(per_second * step))
    }

    /// A level that stays.
    pub(crate) fn level(self, name: &str, labels: &[(&str, &str)], value: f64) -> Self {
        self.each(name, labels, (SeriesUnit::None, MergeRule::Mean), |_| Some(value))
    }

    /// All until now, so many times in each interval.
    pub(crate) fn times(mut self, factor: impl Fn(u64) -> f64) -> Self {
        for series in &mut self.timeline.series {
            if let SeriesPoints::Values(_, points) = &mut series.points {
                (0..).zip(points).for_each(|(i, point)| point.value *= factor(i));
            }
        }
        self
    }

    /// The data disk of n1: I/Os a second, their size in KiB, share of reads, latency in ms.
    pub(crate) fn disk(self, label: &str, iops: f64, kib: f64, reads: f64, ms: f64) -> Self {
        let of = [("disk", label), ("node", "n1")];
        let bytes = iops * kib * 1024.0;
        self.rate("read_ops", &of, iops * reads)
            .rate("write_ops", &of, iops * (1.0 - reads))
            .rate("read_bytes", &of, bytes * reads)
            .rate("write_bytes", &of, bytes * (1.0 - reads))
            .rate("read_time", &of, iops * reads * ms / 1e3)
            .rate("write_time", &of, iops * (1.0 - reads) * ms / 1e3)
            .level("queue_depth", &of, iops * ms / 1e3)
    }
}

/// The kinds of all verdicts, the one to act on first.
pub(crate) fn kinds(made: &Made, known: &KnownFacts) -> Vec<FindingKind> {
    diagnose(&made.timeline, known).into_iter().map(|verdict| verdict.kind).collect()
}

/// The verdict to act on.
pub(crate) fn first(made: &Made, known: &KnownFacts) -> Finding {
    diagnose(&made.timeline, known).into_iter().next().unwrap()
}
