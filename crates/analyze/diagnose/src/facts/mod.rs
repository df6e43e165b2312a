//! One vocabulary for all Timelines: what is known of each disk, each node and the cluster in each interval, whoever told it.

mod cluster;
mod disk;
mod estimate;
mod grid;
mod group;
mod link;
mod node;
mod raw;
mod space;
mod use_of;

use std::collections::{BTreeMap, BTreeSet};

use ::disk::{Disk, DiskLimits};
use catalog::InstanceType;
use timeline::Timeline;
use units::Nanos;
use workload::Engine;

use crate::KnownFacts;

pub(crate) use finding::{DiagnosisSignal, FindingScope, FindingSubject};
pub use grid::IntervalGrid;

/// One number in each interval, and where it was drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalSeries {
    /// The series of the Timeline.
    pub series: String,
    /// Whether it was worked out of limits and latency, because nothing counts it.
    pub estimated: bool,
    /// One for each interval; `None` where it is not known.
    pub values: Vec<Option<f64>>,
}

/// What is known of one subject.
#[derive(Debug, Clone)]
pub struct SubjectFacts {
    /// Of what.
    pub subject: FindingSubject,
    /// The intervals.
    pub grid: IntervalGrid,
    /// The signals that are known.
    pub columns: BTreeMap<DiagnosisSignal, SignalSeries>,
    /// The disk, if it is one and known.
    pub disk: Option<Disk>,
    /// Its limits, if they are known.
    pub limits: Option<DiskLimits>,
    /// The instance type, if it is known.
    pub instance: Option<InstanceType>,
    /// The engine that it serves, if it is known.
    pub engine: Option<Engine>,
    /// Whether it is a disk that, for all that was said of it, hangs on the instance's link.
    pub(crate) on_link: bool,
}

impl SubjectFacts {
    fn new(subject: FindingSubject, grid: IntervalGrid) -> Self {
        Self {
            subject,
            grid,
            columns: BTreeMap::new(),
            disk: None,
            limits: None,
            instance: None,
            engine: None,
            on_link: true,
        }
    }

    /// Of a Timeline that tells nothing.
    pub(crate) fn nothing() -> Self {
        let subject = FindingSubject { scope: FindingScope::Cluster, node: String::new(), disk: String::new() };
        Self::new(subject, IntervalGrid { from: Nanos(0), step: Nanos(1), count: 0 })
    }

    /// A signal's values; nothing where it is not known at all.
    pub fn values(&self, signal: DiagnosisSignal) -> &[Option<f64>] {
        self.columns.get(&signal).map_or(&[], |drawn| &drawn.values)
    }

    /// A signal's value in an interval.
    pub fn at(&self, signal: DiagnosisSignal, i: usize) -> Option<f64> {
        self.values(signal).get(i).copied().flatten()
    }

    /// The mean of a signal over some intervals; `None` where nothing is known.
    pub fn mean(&self, signal: DiagnosisSignal, within: std::ops::Range<usize>) -> Option<f64> {
        let values = self.values(signal);
        let known = || values[within.start.min(values.len())..within.end.min(values.len())].iter().flatten();
        let count = known().count();
        (count > 0).then(|| known().sum::<f64>() / count as f64)
    }

    /// The value that a signal does not exceed in a `share` of the known intervals.
    pub fn quantile(&self, signal: DiagnosisSignal, share: f64) -> Option<f64> {
        let mut known: Vec<f64> = self.values(signal).iter().flatten().copied().collect();
        known.sort_by(f64::total_cmp);
        known.get(((known.len() as f64 - 1.0) * share).round().max(0.0) as usize).copied()
    }

    /// How long it was looked at.
    pub fn span(&self) -> Nanos {
        Nanos(self.grid.step.0 * self.grid.count as u64)
    }

    /// Keeps a signal if any of it is known.
    fn put(&mut self, signal: DiagnosisSignal, series: impl Into<String>, values: Vec<Option<f64>>) {
        self.draw(signal, SignalSeries { series: series.into(), estimated: false, values });
    }

    fn draw(&mut self, signal: DiagnosisSignal, drawn: SignalSeries) {
        if drawn.values.iter().any(Option::is_some) {
            self.columns.insert(signal, drawn);
        }
    }

    /// A signal worked out of others, interval by interval.
    fn derive(&mut self, signal: DiagnosisSignal, series: impl Into<String>, of: impl Fn(&Self, usize) -> Option<f64>) {
        let values = (0..self.grid.count).map(|i| of(self, i).filter(|value| value.is_finite())).collect();
        self.put(signal, series, values);
    }
}

/// Everything that a Timeline tells of its disks, nodes and cluster.
pub fn facts(timeline: &Timeline, known: &KnownFacts) -> Vec<SubjectFacts> {
    facts_without(timeline, known, &BTreeSet::new())
}

/// The same where the limits of some disks, and of some instances' links, are taken to be unknown.
pub(crate) fn facts_without(
    timeline: &Timeline,
    known: &KnownFacts,
    refuted: &BTreeSet<FindingSubject>,
) -> Vec<SubjectFacts> {
    let mut all = Vec::new();
    for (name, series) in group::nodes(timeline, known) {
        let mut disks = Vec::new();
        for (label, series) in &series.disks {
            disks.extend(disk::facts(&name, label, series, known, refuted));
        }
        all.extend(node::facts(&name, &series, &mut disks, known, refuted));
        all.append(&mut disks);
    }
    all.extend(cluster::facts(timeline));
    all
}
