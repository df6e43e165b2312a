//! Claims that are measured on the reference store: each recipe is run without and with what is claimed of, in turn.

use bench::compare::{Sample, Verdict, compare};
use timeline::Timeline;
use trial::{Found, Order, Stage, Use, alternate, alternate_online};
use units::Nanos;

use crate::judge::Value;
use crate::measured::Lab;
use crate::recipe::Recipe;
use crate::run::{ClaimError, Ours};

/// Measures ours. `tell` hears what is being done.
pub(crate) type Measure = fn(&Lab, &str) -> Result<Ours, ClaimError>;

pub(crate) const CLAIMS: &[(&str, Measure)] = &[
    ("A26", steadiness),
    ("B01", compaction),
    ("B02", compaction),
    ("B06", dedicated_log),
    ("B11", client_traffic),
    ("B12", peer_traffic),
];

/// Where clusters are started.
fn cluster(lab: &Lab) -> Result<cluster::Lab, ClaimError> {
    let programs = cluster::Programs::find().map_err(trial::TrialError::from)?;
    Ok(cluster::Lab { home: lab.home.clone(), scratch: lab.scratch.clone(), programs })
}

/// The runs of two orders, pair by pair.
fn pairs(lab: &Lab, orders: [&Order; 2], pairs: u32) -> Result<[Vec<Found>; 2], ClaimError> {
    Ok(alternate(Some(&cluster(lab)?), orders, pairs, &mut |_, _, _: Stage<'_>| ())?)
}

/// The geometric mean over pairs of with over without, and its 95 % interval for people.
fn ratio([without, with]: &[Vec<Found>; 2], number: impl Fn(&Found) -> f64) -> (f64, String) {
    let logs: Vec<f64> = without.iter().zip(with).map(|(a, b)| (number(b) / number(a)).ln()).collect();
    let mean = bench::statistics::mean(&logs);
    let Some(mean) = mean else { return (f64::NAN, String::new()) };
    let (low, high) = ((mean.mean - mean.half_width).exp(), (mean.mean + mean.half_width).exp());
    (mean.mean.exp(), format!("{} pairs, 95 % interval {low:.3} to {high:.3}", mean.count))
}

/// Something of all nodes for each byte that clients wrote.
fn per_byte(of: fn(&Use) -> f64) -> impl Fn(&Found) -> f64 {
    move |found| of(&found.used) / found.used.user_bytes.max(1.0)
}

/// Something of all nodes for each operation.
fn per_operation(of: fn(&Use) -> f64) -> impl Fn(&Found) -> f64 {
    move |found| of(&found.used) / (found.report.operations as f64).max(1.0)
}

fn compared(lab: &Lab, id: &str, number: impl Fn(&Found) -> f64 + Copy) -> Result<Ours, ClaimError> {
    let recipe = Recipe::of(id)?;
    let without = recipe.without()?;
    let (ours, told) = ratio(&pairs(lab, [&without, &recipe.with()?], recipe.pairs)?, number);
    let mut remark = format!("{told}. {}", recipe.scaled.trim());
    if let Some(instead) = recipe.instead()? {
        let (other, told) = ratio(&pairs(lab, [&without, &instead], recipe.pairs)?, number);
        remark += &format!(" What the source says does nothing: {other:.3} ({told}).");
    }
    Ok(Ours { remark: Some(remark), ..Ours::from(Value::number(ours)) })
}

/// How unsteady foreground writes are.
fn steadiness(lab: &Lab, id: &str) -> Result<Ours, ClaimError> {
    let recipe = Recipe::of(id)?;
    let online = recipe.online.as_ref().ok_or_else(|| ClaimError::Other(format!("{id} changes nothing online")))?;
    let settings = [&online.without, &online.with];
    let tell = &mut |_, _, _: Stage<'_>| ();
    let found = alternate_online(Some(&cluster(lab)?), &recipe.without()?, settings, recipe.pairs, tell)?;
    let (ours, told) = ratio(&found, |found| variation(&found.timeline, found.from, found.until));
    let remark = format!("{told}. {}", recipe.scaled.trim());
    Ok(Ours { remark: Some(remark), ..Ours::from(Value::number(ours)) })
}

/// Standard deviation over mean of the operations of each second between two instants.
fn variation(timeline: &Timeline, from: Nanos, until: Nanos) -> f64 {
    let measured = timeline.window(from, until);
    let rates = measured.series.iter().filter(|series| series.name == "operations_per_second");
    let rates: Vec<f64> = rates.flat_map(|series| series.points()).map(|point| point.value).collect();
    bench::statistics::mean(&rates).map_or(f64::NAN, |mean| mean.deviation / mean.mean)
}

/// Bytes that compactions wrote.
fn compaction(lab: &Lab, id: &str) -> Result<Ours, ClaimError> {
    compared(lab, id, &per_byte(|used| used.compaction_write_bytes))
}

/// Bytes of reads that crossed zones.
fn client_traffic(lab: &Lab, id: &str) -> Result<Ours, ClaimError> {
    compared(lab, id, &per_operation(|used| used.cross_zone_client_bytes))
}

/// Bytes between nodes of different zones.
fn peer_traffic(lab: &Lab, id: &str) -> Result<Ours, ClaimError> {
    compared(lab, id, &per_operation(|used| used.cross_zone_peer_bytes))
}

/// What a disk of its own for the raft log brings: more operations, a shorter 99th percentile.
fn dedicated_log(lab: &Lab, id: &str) -> Result<Ours, ClaimError> {
    let recipe = Recipe::of(id)?;
    let found = pairs(lab, [&recipe.without()?, &recipe.with()?], recipe.pairs)?;
    let samples =
        found.each_ref().map(|side| side.iter().map(|found| Sample::of_report(&found.report)).collect::<Vec<_>>());
    let comparison =
        compare(("shared", &samples[0]), ("dedicated", &samples[1]), 1).map_err(trial::TrialError::from)?;
    let p99 = comparison.p99_ns.values().next();
    let p99 = p99.ok_or_else(|| ClaimError::Other("no operation succeeded".to_owned()))?;
    let certain = matches!(comparison.throughput.verdict, Verdict::Higher) && matches!(p99.verdict, Verdict::Lower);
    let interval = |difference: &bench::compare::Difference| match (difference.ratio_low, difference.ratio_high) {
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
    let value = Value::Numbers(vec![100.0 * (comparison.throughput.ratio - 1.0), 100.0 * (1.0 - p99.ratio)]);
    Ok(Ours { remark: Some(remark), certain, value })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{Merge, Point, Points, Series, Unit};

    use super::*;

    #[test]
    fn unsteadiness_is_of_the_seconds_that_were_measured() {
        let second = |at: u64, value| Point { from: Nanos::secs(at), until: Nanos::secs(at + 1), value };
        // Loading and warming up, an hour into the Timeline; then 90 and 110.
        let points = vec![second(3600, 1000.0), second(3601, 90.0), second(3602, 110.0), second(3603, 5.0)];
        let series = Series {
            name: "operations_per_second".to_owned(),
            labels: BTreeMap::new(),
            unit: Unit::CountPerSecond,
            points: Points::Values(Merge::Mean, points),
        };
        let timeline = Timeline { series: vec![series], ..Timeline::default() };
        let found = variation(&timeline, Nanos::secs(3601), Nanos::secs(3603));
        // Of two numbers that differ by 20 the sample's deviation is 20 / √2.
        assert!((found - 20.0 / 2_f64.sqrt() / 100.0).abs() < 1e-9, "{found}");
    }
}
