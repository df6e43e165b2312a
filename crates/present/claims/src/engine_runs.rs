//! Claims that are measured on the reference store: each recipe is run without and with what is claimed of, in turn.

use bench::alternate;
use bench::compare::{DifferenceVerdict, RunSample, compare};
use reference_store::{
    ReferenceStore, ReferenceStoreError, SideSettings, StoreCounters, StoreRun, StoreSpec, alternate_online,
};
use timeline::Timeline;
use units::{Bytes, Nanos, Ratio as Share};

use crate::judge::ClaimValue;
use crate::measured::ClaimTestBed;
use crate::recipe::{Online, Recipe};
use crate::run::{ClaimError, Ours};

/// Measures ours. `tell` hears what is being done.
pub(crate) type Measure = fn(&ClaimTestBed, &str) -> Result<Ours, ClaimError>;

pub(crate) const CLAIMS: &[(&str, Measure)] = &[
    ("A26", steadiness),
    ("B01", compaction),
    ("B02", compaction),
    ("B06", dedicated_log),
    ("B11", client_traffic),
    ("B12", peer_traffic),
];

/// Claims that are measured once more with the pilot doing what is claimed of.
pub(crate) const BY_PILOT: &[(&str, Measure)] = &[("A26", steadiness_by_pilot)];

/// Where clusters are started.
fn cluster(lab: &ClaimTestBed) -> Result<cluster::TestBed, ClaimError> {
    let programs = cluster::ClusterPrograms::find().map_err(ReferenceStoreError::from)?;
    Ok(cluster::TestBed { home: lab.home.clone(), scratch: lab.scratch.clone(), programs })
}

/// The runs of all sides, round by round.
fn rounds<const N: usize>(
    lab: &ClaimTestBed,
    specs: [&StoreSpec; N],
    rounds: u32,
) -> Result<[Vec<StoreRun>; N], ClaimError> {
    let specs = specs.map(|spec| StoreSpec { stop: lab.stop.clone(), ..spec.clone() });
    let (lab, keep) = (cluster(lab)?, &mut |_, run: &StoreRun| carried(run));
    alternate::<ReferenceStore, N, _>(Some(&lab), specs.each_ref(), rounds, &mut |_, _, _| (), keep)
}

/// The share of operations that may fail: where more do, a run did not carry its load, and the other side is favoured.
const FAILED: Share = Share(0.01);

fn carried(found: &StoreRun) -> Result<(), ClaimError> {
    Ok(found.report.carried(FAILED).map_err(ReferenceStoreError::from)?)
}

/// A number of one side over that of the other: the geometric mean over pairs, and its 95 % interval.
struct Ratio {
    mean: f64,
    low: f64,
    high: f64,
    pairs: usize,
}

impl Ratio {
    fn of(number: impl Fn(&StoreRun) -> f64, with: &[StoreRun], without: &[StoreRun]) -> Self {
        let logs: Vec<f64> = without.iter().zip(with).map(|(a, b)| (number(b) / number(a)).ln()).collect();
        let pairs = logs.len();
        let Some(logs) = bench::statistics::mean(&logs) else {
            return Self { mean: f64::NAN, low: f64::NAN, high: f64::NAN, pairs };
        };
        let (low, high) = ((logs.mean - logs.half_width).exp(), (logs.mean + logs.half_width).exp());
        Self { mean: logs.mean.exp(), low, high, pairs }
    }

    /// The answer to a claim that it is less than one.
    fn less(self, remark: &str) -> Ours {
        let certain = self.high < 1.0;
        Ours { remark: Some(format!("{self}. {remark}")), certain, value: ClaimValue::number(self.mean) }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pairs, 95 % interval {:.3} to {:.3}", self.pairs, self.low, self.high)
    }
}

/// Something of all nodes for each byte that clients wrote.
fn per_byte(of: fn(&StoreCounters) -> f64) -> impl Fn(&StoreRun) -> f64 {
    move |found| of(&found.used) / found.used.user_bytes.max(1.0)
}

/// Something of all nodes for each operation.
fn per_operation(of: fn(&StoreCounters) -> f64) -> impl Fn(&StoreRun) -> f64 {
    move |found| of(&found.used) / (found.report.operations as f64).max(1.0)
}

fn compared(lab: &ClaimTestBed, id: &str, number: impl Fn(&StoreRun) -> f64 + Copy) -> Result<Ours, ClaimError> {
    let recipe = Recipe::of(id)?;
    let (without, with, scaled) = (recipe.without()?, recipe.with()?, recipe.scaled.trim());
    let Some(instead) = recipe.instead()? else {
        let [without, with] = rounds(lab, [&without, &with], recipe.pairs)?;
        return Ok(Ratio::of(number, &with, &without).less(scaled));
    };
    let [without, with, instead] = rounds(lab, [&without, &with, &instead], recipe.pairs)?;
    let other = Ratio::of(number, &instead, &without);
    let remark = format!("{scaled} What the source says does nothing: {:.3} ({other}).", other.mean);
    Ok(Ratio::of(number, &with, &without).less(&remark))
}

/// How unsteady foreground writes are.
fn steadiness(lab: &ClaimTestBed, id: &str) -> Result<Ours, ClaimError> {
    let (recipe, online) = changed_online(id)?;
    let sides = [&online.without, &online.with].map(|keys| SideSettings { keys, pilot: None });
    let [without, with] = online_rounds(lab, &recipe, sides)?;
    Ok(Ratio::of(unsteadiness, &with, &without).less(recipe.scaled.trim()))
}

/// The same with the pilot's limiter in place of the limit, and what it leaves to be compacted: who puts that off is steady, too.
fn steadiness_by_pilot(lab: &ClaimTestBed, id: &str) -> Result<Ours, ClaimError> {
    let (recipe, online) = changed_online(id)?;
    let how = recipe.by_pilot.clone().ok_or_else(|| ClaimError::Other(format!("{id} has no runs of the pilot")))?;
    let recipe = how.runs(recipe);
    let without = SideSettings { keys: &online.without, pilot: None };
    let with = SideSettings { keys: &how.keys, pilot: Some(recipe.share) };
    let [without, with] = online_rounds(lab, &recipe, [without, with])?;
    let done = Ratio::of(|found| found.report.operations as f64 / found.report.measured_s, &with, &without);
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
    Ok(Ratio::of(unsteadiness, &with, &without).less(&remark))
}

/// The most that a series of any node was while runs were measured.
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

fn changed_online(id: &str) -> Result<(Recipe, Online), ClaimError> {
    let recipe = Recipe::of(id)?;
    let online = recipe.online.clone();
    Ok((recipe, online.ok_or_else(|| ClaimError::Other(format!("{id} changes nothing online")))?))
}

fn online_rounds<const N: usize>(
    lab: &ClaimTestBed,
    recipe: &Recipe,
    sides: [SideSettings<'_>; N],
) -> Result<[Vec<StoreRun>; N], ClaimError> {
    let spec = StoreSpec { stop: lab.stop.clone(), ..recipe.without()? };
    let keep = &mut |_, run: &StoreRun| carried(run);
    alternate_online(Some(&cluster(lab)?), &spec, sides, recipe.pairs, &mut |_, _, _| (), keep)
}

fn unsteadiness(found: &StoreRun) -> f64 {
    variation(&found.timeline, found.from, found.until)
}

/// Standard deviation over mean of the operations of each second between two instants.
fn variation(timeline: &Timeline, from: Nanos, until: Nanos) -> f64 {
    let rates = values(timeline, "operations_per_second", from, until);
    bench::statistics::mean(&rates).map_or(f64::NAN, |mean| mean.deviation / mean.mean)
}

/// Bytes that compactions wrote.
fn compaction(lab: &ClaimTestBed, id: &str) -> Result<Ours, ClaimError> {
    compared(lab, id, &per_byte(|used| used.compaction_write_bytes))
}

/// Bytes of reads that crossed zones.
fn client_traffic(lab: &ClaimTestBed, id: &str) -> Result<Ours, ClaimError> {
    compared(lab, id, &per_operation(|used| used.cross_zone_client_bytes))
}

/// Bytes between nodes of different zones.
fn peer_traffic(lab: &ClaimTestBed, id: &str) -> Result<Ours, ClaimError> {
    compared(lab, id, &per_operation(|used| used.cross_zone_peer_bytes))
}

/// What a disk of its own for the raft log brings: more operations, a shorter 99th percentile.
fn dedicated_log(lab: &ClaimTestBed, id: &str) -> Result<Ours, ClaimError> {
    let recipe = Recipe::of(id)?;
    let found = rounds(lab, [&recipe.without()?, &recipe.with()?], recipe.pairs)?;
    let samples =
        found.each_ref().map(|side| side.iter().map(|found| RunSample::of_report(&found.report)).collect::<Vec<_>>());
    let comparison =
        compare(("shared", &samples[0]), ("dedicated", &samples[1]), 1).map_err(ReferenceStoreError::from)?;
    let p99 = comparison.p99_ns.values().next();
    let p99 = p99.ok_or_else(|| ClaimError::Other("no operation succeeded".to_owned()))?;
    let certain = matches!(comparison.throughput.verdict, DifferenceVerdict::Higher)
        && matches!(p99.verdict, DifferenceVerdict::Lower);
    let interval = |difference: &bench::compare::RunDifference| match (difference.ratio_low, difference.ratio_high) {
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
    Ok(Ours { remark: Some(remark), certain, value })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};

    use super::*;

    #[test]
    fn unsteadiness_is_of_the_seconds_that_were_measured() {
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
        // Of two numbers that differ by 20 the sample's deviation is 20 / √2.
        assert!((found - 20.0 / 2_f64.sqrt() / 100.0).abs() < 1e-9, "{found}");
    }
}
