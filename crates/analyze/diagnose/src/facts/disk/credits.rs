//! Burst credits of one disk: what is left of them, for how long, and what is used of what they allow.

use catalog::BurstBucket;

use super::super::use_of::Ceiling;
use super::Flow;
use crate::facts::raw::{Column, Raw, Told};
use crate::facts::{DiagnosisSignal, SubjectFacts, estimate};

type Tell<'a> = &'a dyn Fn(&SubjectFacts, usize) -> Option<f64>;

/// Credits, and the use of what they allow.
pub(super) fn put(facts: &mut SubjectFacts, told: &Told<'_>, flow: &Flow) {
    let limits = facts.limits.clone();
    let stripe = facts.disk.as_ref().map_or(1, |disk| disk.stripe);
    let counted = |i| flow.counted(limits.as_ref(), i);
    // A limit that the Timeline tells follows modifications; the noun gives what it began with.
    let ceiling = |told: &Option<Column>, of: Option<Ceiling>, i: usize| {
        let told = told.as_ref().and_then(|column| column.values[i]);
        match (told, of) {
            (Some(sustained), Some(of)) if of.bursts() => Some(Ceiling { sustained, burst: of.burst.max(sustained) }),
            (Some(sustained), _) => Some(Ceiling { sustained, burst: sustained }),
            (None, of) => of,
        }
    };
    let iops = |i| ceiling(&flow.iops_limit, limits.as_ref().map(|limits| Ceiling::iops(limits, stripe)), i);
    let throughput =
        |i| ceiling(&flow.throughput_limit, limits.as_ref().map(|limits| Ceiling::throughput(limits, stripe)), i);
    let balances = [told.get(Raw::IoBalance), told.get(Raw::ByteBalance)];
    let name = balances.iter().flatten().map(|column| column.series.clone()).next();
    let name = name.unwrap_or_else(|| "the volume's kind".to_owned());
    facts.derive(DiagnosisSignal::IoLeft, name, |facts, i| {
        let told = balances.iter().flatten().filter_map(|column| column.values[i]).reduce(f64::min);
        let waits = || estimate::waits(facts, i, None);
        told.or_else(|| {
            let (iops, throughput) = (iops(i)?, throughput(i)?);
            if iops.bursts() {
                iops.left(counted(i), waits())
            } else {
                throughput.left(facts.at(DiagnosisSignal::Throughput, i), waits())
            }
        })
    });
    let by_volume = |i: usize| flow.counted.as_ref().and_then(|column| column.values[i]);
    let uses: [(DiagnosisSignal, Tell<'_>); 6] = [
        (DiagnosisSignal::CountedIops, &|_, i| counted(i)),
        (DiagnosisSignal::IopsUse, &|facts, i| Some(counted(i)? / iops(i)?.now(facts.at(DiagnosisSignal::IoLeft, i)))),
        (DiagnosisSignal::CountedUse, &|facts, i| {
            Some(by_volume(i)? / iops(i)?.now(facts.at(DiagnosisSignal::IoLeft, i)))
        }),
        (DiagnosisSignal::ThroughputUse, &|facts, i| {
            Some(facts.at(DiagnosisSignal::Throughput, i)? / throughput(i)?.now(facts.at(DiagnosisSignal::IoLeft, i)))
        }),
        (DiagnosisSignal::IopsPaid, &|_, i| Some(counted(i)? / iops(i)?.sustained)),
        (DiagnosisSignal::ThroughputPaid, &|facts, i| {
            Some(facts.at(DiagnosisSignal::Throughput, i)? / throughput(i)?.sustained)
        }),
    ];
    for (signal, of) in uses {
        let of_bytes = matches!(signal, DiagnosisSignal::ThroughputUse | DiagnosisSignal::ThroughputPaid);
        let names = usize::from(of_bytes);
        facts.derive(signal, &flow.names[names], of);
    }
    match falls(facts) {
        Some(Some((seconds, last))) => {
            return facts
                .derive(DiagnosisSignal::BurstTimeLeft, "burst balance", |_, i| (i == last).then_some(seconds));
        }
        Some(None) => return,
        None => {}
    }
    // Nobody tells how fast it falls: what is left, or a full bucket, at the rate that is taken.
    let Some(BurstBucket::IoCredits { capacity, .. }) = limits.as_ref().and_then(|limits| limits.burst) else { return };
    let last = facts.grid.count.saturating_sub(1);
    let (Some(paid), Some(sustained)) = (facts.mean(DiagnosisSignal::IopsPaid, tail(facts)..last + 1), iops(last))
    else {
        return;
    };
    let spent = (paid - 1.0) * sustained.sustained;
    if spent > 0.0 {
        let left = facts.values(DiagnosisSignal::IoLeft).iter().flatten().next_back().copied().unwrap_or(1.0);
        let seconds = left * capacity * f64::from(stripe) / spent;
        facts.derive(DiagnosisSignal::BurstTimeLeft, "I/Os over the sustained rate", |_, i| {
            (i == last).then_some(seconds)
        });
    }
}

/// Where the last tenth begins, or the last minute if that is longer, but no more than half: a pace of a few seconds is that of
/// chance.
fn tail(facts: &SubjectFacts) -> usize {
    let count = facts.grid.count;
    let minute = (60.0 / facts.grid.step.as_secs_f64()).ceil() as usize;
    count - minute.max(count / 10).min(count / 2).max(2).min(count)
}

/// How long the credits last as they fell lately, and where that was known last: none if they do not fall. `None` where fewer than
/// two balances are told.
fn falls(facts: &SubjectFacts) -> Option<Option<(f64, usize)>> {
    let left = facts.values(DiagnosisSignal::IoLeft);
    let known: Vec<(usize, f64)> = (tail(facts)..left.len()).filter_map(|i| Some((i, left[i]?))).collect();
    let ((first, was), (last, is)) = (*known.first()?, *known.last()?);
    if first == last {
        return None;
    }
    let pace = (was - is) / ((last - first) as f64 * facts.grid.step.as_secs_f64());
    Some((pace > 0.0).then(|| (is / pace, last)))
}
