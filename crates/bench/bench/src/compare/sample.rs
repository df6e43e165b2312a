//! What of a run is compared.

use std::collections::BTreeMap;

use timeline::{LatencyHistogram, Timeline};
use units::Nanos;

use crate::series::{FAILURES, LATENCY, MEASURED_FROM, MEASURED_UNTIL, OPERATIONS, RUN, STEADY};
use crate::statistics::batch_means;
use crate::{BenchError, RunReport};

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSample {
    /// Its number.
    pub run: u32,
    /// Operations a second.
    pub throughput: f64,
    /// Standard error of the throughput within the run, and its degrees of freedom; `None` where that is not known.
    pub error: Option<(f64, f64)>,
    /// Whether it was steady.
    pub steady: bool,
    /// Why it is a failed run, if it is.
    pub rejected: Option<String>,
    /// Whether operations failed in it.
    pub failed: bool,
    /// Each kind of operation.
    pub kinds: BTreeMap<String, KindSample>,
}

/// Latencies of a kind of operation.
#[derive(Debug, Clone, PartialEq)]
pub struct KindSample {
    /// The 99th percentile in nanoseconds.
    pub p99_ns: f64,
    /// Second by second, if the run was read from a Timeline.
    pub seconds: Vec<LatencyHistogram>,
}

impl RunSample {
    /// From a report.
    pub fn of_report(run: &RunReport) -> Self {
        let error = run.throughput.map(|found| (found.standard_error, found.batches as f64 - 1.0));
        let rate = if run.measured_s > 0.0 { run.operations as f64 / run.measured_s } else { 0.0 };
        let kinds = run.kinds.iter().filter_map(|kind| {
            let p99_ns = kind.latency?.p99_ns as f64;
            Some((kind.kind.clone(), KindSample { p99_ns, seconds: Vec::new() }))
        });
        Self {
            run: run.run,
            throughput: run.throughput.map_or(rate, |found| found.mean),
            error,
            steady: run.steady,
            rejected: (!run.rejected.is_empty()).then(|| run.rejected.join("; ")),
            failed: run.failures > 0,
            kinds: kinds.collect(),
        }
    }

    /// From a Timeline that a run wrote; only what was measured counts.
    ///
    /// # Errors
    /// When it has no throughput.
    pub fn of_timeline(timeline: &Timeline) -> Result<Self, BenchError> {
        let title = &timeline.about.title;
        let note = |key: &str| timeline.about.notes.get(key).and_then(|text| text.parse::<u64>().ok());
        let (start, end) = timeline.span().unwrap_or_default();
        let from = note(MEASURED_FROM).map_or(start, Nanos);
        let until = note(MEASURED_UNTIL).map_or(end, Nanos);
        // Seconds that lie partly in the warm-up are left out; of a run of less than a second they are all there is.
        let inside = |one: Nanos, other: Nanos| one >= from && other <= until;
        let mut throughput: BTreeMap<Nanos, f64> = BTreeMap::new();
        for point in timeline.select(OPERATIONS, &[]).flat_map(|series| series.points()) {
            if inside(point.from, point.until) {
                *throughput.entry(point.from).or_default() += point.value;
            }
        }
        if throughput.is_empty() {
            return Err(BenchError::NotBenchmark { title: title.clone(), series: OPERATIONS });
        }
        let seconds: Vec<f64> = throughput.into_values().collect();
        let kinds = timeline.select(LATENCY, &[]).filter_map(|series| {
            let points = series.latency_points().iter().filter(|point| inside(point.from, point.until));
            let seconds: Vec<_> = points.map(|point| point.histogram.clone()).collect();
            let mut all = timeline::latencies();
            seconds.iter().for_each(|second| crate::drive::add(&mut all, second));
            let kind = series.labels.get("kind")?.clone();
            (!all.is_empty()).then(|| (kind, KindSample { p99_ns: all.value_at_quantile(0.99) as f64, seconds }))
        });
        let mut failures = timeline.select(FAILURES, &[]).flat_map(|series| series.points());
        let failed = failures.any(|point| inside(point.from, point.until) && point.value > 0.0);
        Ok(Self {
            run: note(RUN).and_then(|run| u32::try_from(run).ok()).unwrap_or(1),
            throughput: seconds.iter().sum::<f64>() / seconds.len() as f64,
            error: batch_means(&seconds).map(|found| (found.mean.standard_error(), found.mean.count as f64 - 1.0)),
            steady: timeline.about.notes.get(STEADY).is_none_or(|steady| steady != "false"),
            rejected: timeline.about.notes.get(RunReport::REJECTED).cloned(),
            failed,
            kinds: kinds.collect(),
        })
    }
}
