//! The shape of rate against queue: a rate that stays while requests queue is what something lets through.

use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::rules::thresholds;

/// Intervals before and after one that are compared with it.
const AROUND: usize = 2;

/// Whether the top is flat in each interval: where requests queue in it and in its neighbours, and I/Os or bytes stay the same.
pub(super) fn put(facts: &mut SubjectFacts) {
    let count = facts.grid.count;
    if count <= 2 * AROUND {
        return;
    }
    let queue = thresholds().queue;
    let is_flat = |facts: &SubjectFacts, signal, within: std::ops::Range<usize>| {
        let known: Vec<f64> = within.clone().filter_map(|i| facts.at(signal, i)).collect();
        let most = known.iter().copied().fold(0.0, f64::max);
        let least = known.iter().copied().fold(f64::INFINITY, f64::min);
        known.len() == within.len() && most > 0.0 && (most - least) / most <= thresholds().flat
    };
    facts.derive(DiagnosisSignal::FlatTop, "rates and queue of neighbouring intervals", |facts, i| {
        let from = i.saturating_sub(AROUND).min(count - 2 * AROUND - 1);
        let within = from..from + 2 * AROUND + 1;
        facts.at(DiagnosisSignal::QueueDepth, i)?;
        let mut depths = within.clone().map(|i| facts.at(DiagnosisSignal::QueueDepth, i));
        let queues = depths.all(|depth| depth.is_some_and(|depth| depth >= queue));
        let flat = queues
            && [DiagnosisSignal::Iops, DiagnosisSignal::Throughput]
                .into_iter()
                .any(|signal| is_flat(facts, signal, within.clone()));
        Some(f64::from(u8::from(flat)))
    });
}
