//! Claims measured on the reference store, without and with a change in turn.

use bench::alternate;
use bench::compare::{DifferenceVerdict, RunDifference, RunSample, compare};
use reference_store::{
    ReferenceStore, ReferenceStoreError, SideSettings, StoreCounters, StoreRun, StoreSpec, alternate_online,
};
use timeline::Timeline;
use units::{Bytes, Nanos, Ratio as Share};

use crate::error::ClaimError;
use crate::evaluate::store_recipe::{OnlineKeys, PilotRuns, StoreMetric, StoreRecipe};
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::rung::Rung;
use crate::test_bed::ClaimTestBed;
use crate::value::ClaimValue;

impl Evaluator for StoreRecipe {
    fn rung(&self) -> Rung {
        Rung::Bench
    }

    fn answers_by_pilot(&self) -> bool {
        self.by_pilot.is_some()
    }

    fn check(&self) -> Result<(), RecipeFault> {
        StoreRecipe::check(self)
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let test_bed = context.test_bed()?;
        match (&self.online, &self.by_pilot, context.rung) {
            (Some(online), Some(runs), Rung::Pilot) => by_pilot(test_bed, self, online, runs),
            (Some(online), _, _) => online_ratio(test_bed, self, online),
            (None, _, _) if self.metric == StoreMetric::ThroughputAndP99 => throughput_and_p99(test_bed, self),
            (None, _, _) => ratio(test_bed, self),
        }
    }
}

/// Test bed of the clusters.
fn cluster(test_bed: &ClaimTestBed) -> Result<cluster::TestBed, ClaimError> {
    let programs = cluster::ClusterPrograms::find().map_err(ReferenceStoreError::from)?;
    Ok(cluster::TestBed { home: test_bed.home.clone(), scratch: test_bed.scratch.clone(), programs })
}

/// Runs of all sides, round by round.
fn rounds<const N: usize>(
    test_bed: &ClaimTestBed,
    specs: [&StoreSpec; N],
    rounds: u32,
) -> Result<[Vec<StoreRun>; N], ClaimError> {
    let specs = specs.map(|spec| StoreSpec { stop: test_bed.stop.clone(), ..spec.clone() });
    let (bed, keep) = (cluster(test_bed)?, &mut |_, run: &StoreRun| carried(run));
    alternate::<ReferenceStore, N, _>(Some(&bed), specs.each_ref(), rounds, &mut |_, _, _| (), keep)
}

/// Share of operations that may fail: with more, a run did not serve its offered load, which favours the other side.
const FAILED: Share = Share(0.01);

fn carried(found: &StoreRun) -> Result<(), ClaimError> {
    Ok(found.report.carried(FAILED).map_err(ReferenceStoreError::from)?)
}

/// A number of one side over that of the other: the geometric mean over pairs, and its 95 % interval.
struct SideRatio {
    mean: f64,
    low: f64,
    high: f64,
    pairs: usize,
}

impl SideRatio {
    fn of(number: impl Fn(&StoreRun) -> f64, with: &[StoreRun], without: &[StoreRun]) -> Self {
        let logs: Vec<f64> = without.iter().zip(with).map(|(a, b)| (number(b) / number(a)).ln()).collect();
        let pairs = logs.len();
        let Some(logs) = bench::statistics::mean(&logs) else {
            return Self { mean: f64::NAN, low: f64::NAN, high: f64::NAN, pairs };
        };
        let (low, high) = ((logs.mean - logs.half_width).exp(), (logs.mean + logs.half_width).exp());
        Self { mean: logs.mean.exp(), low, high, pairs }
    }

    /// Answer to a claim that the ratio is less than one.
    fn less(self, remark: &str) -> ClaimAnswer {
        let certain = self.high < 1.0;
        ClaimAnswer { remark: Some(format!("{self}. {remark}")), certain, value: ClaimValue::number(self.mean) }
    }
}

impl std::fmt::Display for SideRatio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pairs, 95 % interval {:.3} to {:.3}", self.pairs, self.low, self.high)
    }
}

/// A counter of all nodes for each byte that clients wrote.
fn per_byte(of: fn(&StoreCounters) -> f64) -> impl Fn(&StoreRun) -> f64 {
    move |found| of(&found.used) / found.used.user_bytes.max(1.0)
}

/// A counter of all nodes for each operation.
fn per_operation(of: fn(&StoreCounters) -> f64) -> impl Fn(&StoreRun) -> f64 {
    move |found| of(&found.used) / (found.report.operations as f64).max(1.0)
}

/// The metric of a run.
fn metric(recipe: &StoreRecipe, found: &StoreRun) -> f64 {
    match recipe.metric {
        StoreMetric::Unsteadiness => unsteadiness(found),
        StoreMetric::CompactionBytes => per_byte(|used| used.compaction_write_bytes)(found),
        StoreMetric::ClientBytesBetweenZones => per_operation(|used| used.cross_zone_client_bytes)(found),
        StoreMetric::PeerBytesBetweenZones => per_operation(|used| used.cross_zone_peer_bytes)(found),
        StoreMetric::ThroughputAndP99 => found.report.operations as f64 / found.report.measured_s,
    }
}

/// The metric with the change over that without.
fn ratio(test_bed: &ClaimTestBed, recipe: &StoreRecipe) -> Result<ClaimAnswer, ClaimError> {
    let number = |found: &StoreRun| metric(recipe, found);
    let (without, with, scaled) = (recipe.without()?, recipe.with()?, recipe.scaled.trim());
    let Some(instead) = recipe.instead()? else {
        let [without, with] = rounds(test_bed, [&without, &with], recipe.pairs)?;
        return Ok(SideRatio::of(number, &with, &without).less(scaled));
    };
    let [without, with, instead] = rounds(test_bed, [&without, &with, &instead], recipe.pairs)?;
    let other = SideRatio::of(number, &instead, &without);
    let remark = format!("{scaled} The change that does nothing by the source: {:.3} ({other}).", other.mean);
    Ok(SideRatio::of(number, &with, &without).less(&remark))
}

/// The same on one cluster whose nodes are changed while they run.
fn online_ratio(test_bed: &ClaimTestBed, recipe: &StoreRecipe, online: &OnlineKeys) -> Result<ClaimAnswer, ClaimError> {
    let sides = [&online.without, &online.with].map(|keys| SideSettings { keys, pilot: None });
    let [without, with] = online_rounds(test_bed, recipe, sides)?;
    Ok(SideRatio::of(|found| metric(recipe, found), &with, &without).less(recipe.scaled.trim()))
}

/// The same with the pilot in place of the change. The remark has what it leaves to be compacted: a limiter that puts compaction off
/// is steady, too.
fn by_pilot(
    test_bed: &ClaimTestBed,
    recipe: &StoreRecipe,
    online: &OnlineKeys,
    runs: &PilotRuns,
) -> Result<ClaimAnswer, ClaimError> {
    let recipe = runs.runs(recipe.clone());
    let without = SideSettings { keys: &online.without, pilot: None };
    let with = SideSettings { keys: &runs.keys, pilot: Some(recipe.share) };
    let [without, with] = online_rounds(test_bed, &recipe, [without, with])?;
    let done = SideRatio::of(|found| found.report.operations as f64 / found.report.measured_s, &with, &without);
    let waited = |runs: &[StoreRun]| {
        let pending = most("pending_compaction_bytes", runs) / Bytes::mib(1).as_f64();
        format!("{pending:.0} MiB and {:.0} files on L0", most("level0_files", runs))
    };
    let remark = format!(
        "By `diskwright pilot run --limit` in place of a limit that stays. With it {:.1} % of the operations ({done}); at most {} \
         waited, without it {}. {}",
        100.0 * done.mean,
        waited(&with),
        waited(&without),
        recipe.scaled.trim()
    );
    Ok(SideRatio::of(|found| metric(&recipe, found), &with, &without).less(&remark))
}

/// Greatest value of a series of any node while runs were measured.
fn most(series: &str, runs: &[StoreRun]) -> f64 {
    let values = runs.iter().flat_map(|found| values(&found.timeline, series, found.from, found.until));
    values.fold(0.0, f64::max)
}

/// The values of a series between two instants.
fn values(timeline: &Timeline, series: &str, from: Nanos, until: Nanos) -> Vec<f64> {
    let measured = timeline.window(from, until);
    let wanted = measured.series.iter().filter(|one| one.name == series);
    wanted.flat_map(|one| one.points()).map(|point| point.value).collect()
}

fn online_rounds<const N: usize>(
    test_bed: &ClaimTestBed,
    recipe: &StoreRecipe,
    sides: [SideSettings<'_>; N],
) -> Result<[Vec<StoreRun>; N], ClaimError> {
    let spec = StoreSpec { stop: test_bed.stop.clone(), ..recipe.without()? };
    let keep = &mut |_, run: &StoreRun| carried(run);
    alternate_online(Some(&cluster(test_bed)?), &spec, sides, recipe.pairs, &mut |_, _, _| (), keep)
}

fn unsteadiness(found: &StoreRun) -> f64 {
    variation(&found.timeline, found.from, found.until)
}

/// Standard deviation over mean of the operations of each second between two instants.
fn variation(timeline: &Timeline, from: Nanos, until: Nanos) -> f64 {
    let rates = values(timeline, "operations_per_second", from, until);
    bench::statistics::mean(&rates).map_or(f64::NAN, |mean| mean.deviation / mean.mean)
}

/// Percent of throughput gained and of the 99th percentile saved by the change.
fn throughput_and_p99(test_bed: &ClaimTestBed, recipe: &StoreRecipe) -> Result<ClaimAnswer, ClaimError> {
    let found = rounds(test_bed, [&recipe.without()?, &recipe.with()?], recipe.pairs)?;
    let samples =
        found.each_ref().map(|side| side.iter().map(|found| RunSample::of_report(&found.report)).collect::<Vec<_>>());
    let comparison = compare(("without", &samples[0]), ("with", &samples[1]), 1).map_err(ReferenceStoreError::from)?;
    let p99 = comparison.p99_ns.values().next().ok_or(ClaimError::NoOperation)?;
    let certain = matches!(comparison.throughput.verdict, DifferenceVerdict::Higher)
        && matches!(p99.verdict, DifferenceVerdict::Lower);
    let interval = |difference: &RunDifference| match (difference.ratio_low, difference.ratio_high) {
        (Some(low), Some(high)) => format!("{:+.1} to {:+.1} %", 100.0 * (low - 1.0), 100.0 * (high - 1.0)),
        _ => "unknown".to_owned(),
    };
    let remark = format!(
        "{} pairs, 95 % intervals: throughput {}, p99 {}. {}",
        comparison.pairs,
        interval(&comparison.throughput),
        interval(p99),
        recipe.scaled.trim()
    );
    let value = ClaimValue::Numbers(vec![100.0 * (comparison.throughput.ratio - 1.0), 100.0 * (1.0 - p99.ratio)]);
    Ok(ClaimAnswer { remark: Some(remark), certain, value })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};

    use super::*;

    #[test]
    fn unsteadiness_is_that_of_measured_seconds() {
        let second = |at: u64, value| SeriesPoint { from: Nanos::secs(at), until: Nanos::secs(at + 1), value };
        // Loading and warming up, an hour into the Timeline; then 90 and 110.
        let points = vec![second(3600, 1000.0), second(3601, 90.0), second(3602, 110.0), second(3603, 5.0)];
        let series = Series {
            name: "operations_per_second".to_owned(),
            labels: BTreeMap::new(),
            unit: SeriesUnit::CountPerSecond,
            points: SeriesPoints::Values(MergeRule::Mean, points),
        };
        let timeline = Timeline { series: vec![series], ..Timeline::default() };
        let found = variation(&timeline, Nanos::secs(3601), Nanos::secs(3603));
        // The sample deviation of two numbers that differ by 20 is 20 / √2.
        assert!((found - 20.0 / 2_f64.sqrt() / 100.0).abs() < 1e-9, "{found}");
    }
}
