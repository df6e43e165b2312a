//! A run as a Timeline.

use std::collections::BTreeMap;

use timeline::{
    LatencyHistogram, LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineError,
    TimelineInfo,
};
use units::Nanos;

use crate::{StepTally, WindowSlice};

/// The notes that say which part of a Timeline counts, in nanoseconds from its start, and which run it is.
pub(crate) const MEASURED_FROM: &str = "measured-from-ns";
/// The end of what counts.
pub(crate) const MEASURED_UNTIL: &str = "measured-until-ns";
/// The number of the run.
pub(crate) const RUN: &str = "run";
/// Whether it was steady when measured: `true` or `false`.
pub(crate) const STEADY: &str = "steady";
/// The series of latencies, one for each kind.
pub(crate) const LATENCY: &str = "latency";
/// The series of throughput, one for each kind.
pub(crate) const OPERATIONS: &str = "operations_per_second";

/// The series of failures, one for each reason.
pub(crate) const FAILURES: &str = "failures_per_second";

/// Everything of the run, step by step, the warm-up included.
pub(crate) fn timeline(
    about: TimelineInfo,
    tally: &StepTally,
    kinds: &[String],
    cpu: Vec<SeriesPoint>,
) -> Result<Timeline, TimelineError> {
    let steps = tally.steps();
    let mut series = Vec::new();
    for (kind, name) in kinds.iter().enumerate() {
        let labels = labels(&[("kind", name)]);
        let rate = |step: &WindowSlice| step.latencies[kind].len() as f64 / seconds(step);
        series.push(values(OPERATIONS, labels.clone(), SeriesUnit::CountPerSecond, MergeRule::Mean, steps, rate));
        series.push(latency(LATENCY, labels, steps, |step| &step.latencies[kind]));
    }
    let mut reasons: Vec<_> = steps.iter().flat_map(|step| step.failures.keys()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons {
        let fate = if reason.unknown { "unknown" } else { "refused" };
        let kind = kinds.get(reason.kind).map_or("", String::as_str);
        let labels = labels(&[("kind", kind), ("fate", fate), ("reason", &reason.words)]);
        let rate = |step: &WindowSlice| step.failures.get(reason).copied().unwrap_or(0) as f64 / seconds(step);
        series.push(values(FAILURES, labels, SeriesUnit::CountPerSecond, MergeRule::Mean, steps, rate));
    }
    type Rate = (&'static str, SeriesUnit, fn(&WindowSlice) -> u64);
    let rates: [Rate; 5] = [
        ("rows_added_per_second", SeriesUnit::CountPerSecond, |step| step.added),
        ("rows_read_per_second", SeriesUnit::CountPerSecond, |step| step.found),
        ("rows_missing_per_second", SeriesUnit::CountPerSecond, |step| step.missing),
        ("written_bytes_per_second", SeriesUnit::BytesPerSecond, |step| step.written),
        ("dropped_per_second", SeriesUnit::CountPerSecond, |step| step.dropped),
    ];
    for (name, unit, count) in rates {
        let rate = |step: &WindowSlice| count(step) as f64 / seconds(step);
        series.push(values(name, BTreeMap::new(), unit, MergeRule::Mean, steps, rate));
    }
    series
        .push(values("backlog", BTreeMap::new(), SeriesUnit::Count, MergeRule::Max, steps, |step| step.backlog as f64));
    series.push(values("in_flight", BTreeMap::new(), SeriesUnit::Count, MergeRule::Mean, steps, |step| {
        step.in_flight as f64
    }));
    series.push(latency("driver_lateness", BTreeMap::new(), steps, |step| &step.lateness));
    let points = SeriesPoints::Values(MergeRule::Mean, cpu);
    series.push(Series { name: "driver_cpu".to_owned(), labels: BTreeMap::new(), unit: SeriesUnit::Percent, points });
    series.retain(|series| !series.points.is_empty());
    let timeline = Timeline { about, series };
    timeline.validate()?;
    Ok(timeline)
}

fn seconds(step: &WindowSlice) -> f64 {
    (step.until - step.from).max(Nanos(1)).as_secs_f64()
}

fn labels(labels: &[(&str, &str)]) -> BTreeMap<String, String> {
    labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn values(
    name: &str,
    labels: BTreeMap<String, String>,
    unit: SeriesUnit,
    merge: MergeRule,
    steps: &[WindowSlice],
    value: impl Fn(&WindowSlice) -> f64,
) -> Series {
    let points =
        steps.iter().map(|step| SeriesPoint { from: step.from, until: step.until, value: value(step) }).collect();
    Series { name: name.to_owned(), labels, unit, points: SeriesPoints::Values(merge, points) }
}

/// Steps in which nothing finished have no latencies.
fn latency(
    name: &str,
    labels: BTreeMap<String, String>,
    steps: &[WindowSlice],
    of: impl Fn(&WindowSlice) -> &LatencyHistogram,
) -> Series {
    let points = steps
        .iter()
        .filter(|step| !of(step).is_empty())
        .map(|step| LatencyPoint { from: step.from, until: step.until, histogram: of(step).clone() })
        .collect();
    Series { name: name.to_owned(), labels, unit: SeriesUnit::None, points: SeriesPoints::Latencies(points) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_there_with_its_rates_and_latencies() {
        let mut tally = StepTally::new(Nanos::secs(1));
        for index in 0..10 {
            let mut window = WindowSlice::new(index, Nanos::millis(500), 1);
            window.latencies[0].record_n(1000 * (index + 1), 100).unwrap();
            window.fail(0, true, "region 5 is gone");
            tally.add(&window);
        }
        let kinds = ["read".to_owned()];
        let timeline = timeline(TimelineInfo::default(), &tally, &kinds, vec![]).unwrap();
        let rate = timeline.find(OPERATIONS, &[("kind", "read")]).unwrap();
        assert_eq!(rate.points().iter().map(|point| point.value).collect::<Vec<_>>(), [200.0; 5]);
        let latency = timeline.find(LATENCY, &[("kind", "read")]).unwrap();
        assert_eq!(latency.latency_points()[4].histogram.len(), 200);
        let labels = [("kind", "read"), ("fate", "unknown"), ("reason", "region # is gone")];
        let failed = timeline.find("failures_per_second", &labels).unwrap();
        assert_eq!(failed.value(Nanos(0), Nanos::secs(5)), Some(2.0));
    }
}
