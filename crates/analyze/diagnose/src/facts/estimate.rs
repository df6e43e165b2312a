//! Whether a limit holds requests up, where nothing counts it: what it lets through is used up, and requests take longer than
//! the disk needs for them.

use super::{DiagnosisSignal, SignalSeries, SubjectFacts};
use crate::rules::thresholds;

/// Whether requests of a disk wait: by latency over the model's, else by the queue. `None` if neither is known. Of a limit that is
/// `used` whole, all that softness does not explain is waiting: few who wait for their answers make a short queue.
pub(super) fn waits(disk: &SubjectFacts, i: usize, used: Option<f64>) -> Option<bool> {
    let t = thresholds();
    let is_whole = used.is_some_and(|used| used >= t.whole);
    match disk.at(DiagnosisSignal::LatencyExcess, i) {
        Some(excess) => Some(excess >= if is_whole { t.soft } else { t.waiting }),
        None => disk.at(DiagnosisSignal::QueueDepth, i).map(|depth| depth >= t.queue),
    }
}

/// 1 where a share of a limit is used up and requests wait, 0 where not, `None` where it cannot be told.
pub(super) fn bound(used: Option<f64>, waits: Option<bool>) -> Option<f64> {
    let full = used? >= thresholds().full;
    // Nothing waits for a limit that is not used up, whatever else it may wait for.
    if full { waits.map(|waits| f64::from(u8::from(waits))) } else { Some(0.0) }
}

/// As the cloud's check tells it, or as estimated: the check asks for most of a minute, and a limit that is reached in the mean of
/// one binds without it.
pub(super) fn or_checked(check: &[Option<f64>], estimated: &[Option<f64>]) -> Vec<Option<f64>> {
    let either =
        |(check, estimated): (&Option<f64>, &Option<f64>)| check.iter().chain(estimated).copied().reduce(f64::max);
    check.iter().zip(estimated).map(either).collect()
}

/// A signal that was estimated from another.
pub(super) fn drawn(of: DiagnosisSignal, values: Vec<Option<f64>>) -> SignalSeries {
    SignalSeries { series: format!("estimated from {} and latency", of.name()), estimated: true, values }
}
