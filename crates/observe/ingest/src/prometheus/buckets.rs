//! A histogram of Prometheus, whose buckets count what is at most their bound, as latencies.

use timeline::LatencyHistogram;

/// Values that a bucket's count is spread over: Prometheus' quantiles take it for even, too.
const SPREAD: u64 = 8;
/// The longest latency that is told apart, in nanoseconds: some three hours.
const LONGEST: f64 = 1e13;

/// Latencies from bounds in seconds and how many were at most that; bounds in any order. What is above the highest finite
/// bound counts as that bound, as `histogram_quantile` has it. `None` if there were none.
pub(super) fn latencies(buckets: &mut [(f64, f64)]) -> Option<LatencyHistogram> {
    buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut latencies = timeline::latencies();
    let (mut below, mut before, mut recorded) = (0.0, 0.0f64, 0u64);
    for (bound, count) in buckets.iter() {
        let top = if bound.is_finite() { bound.max(0.0) * 1e9 } else { below };
        // Growths of counters are extrapolated one by one: they may lack a little to rise, and are no whole numbers.
        let until = before.max(*count).min(1e15);
        let more = (until.round() as u64).saturating_sub(recorded);
        spread(&mut latencies, (below, top), more);
        recorded += more;
        (below, before) = (top, until);
    }
    (!latencies.is_empty()).then_some(latencies)
}

fn spread(latencies: &mut LatencyHistogram, (below, top): (f64, f64), count: u64) {
    for part in 0..SPREAD {
        let share = count * (part + 1) / SPREAD - count * part / SPREAD;
        if share > 0 {
            let value = below + (top - below) * (part as f64 + 0.5) / SPREAD as f64;
            // It grows to what it has to hold; that fails only past the 64 bits of a count, which 1e15 stays under.
            let _ = latencies.record_n(value.clamp(1.0, LONGEST) as u64, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_lie_within_their_buckets() {
        let latencies = latencies(&mut [(f64::INFINITY, 100.0), (0.001, 50.0), (0.002, 90.0)]).unwrap();
        assert_eq!(latencies.len(), 100);
        assert!(latencies.value_at_quantile(0.5) <= 1_000_000);
        let middle = latencies.value_at_quantile(0.7) as f64;
        assert!((1_000_000.0..=2_002_000.0).contains(&middle), "{middle}");
        // Nobody knows how long the last ten took: they count as the highest bound.
        assert_eq!(latencies.value_at_quantile(1.0), latencies.value_at_quantile(0.95));
    }

    #[test]
    fn nothing_counted_is_nothing() {
        assert!(latencies(&mut [(0.1, 0.0), (f64::INFINITY, 0.2)]).is_none());
        assert!(latencies(&mut []).is_none());
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_buckets(counts in proptest::collection::vec(0u32..10_000, 1..20), at in 0.01..0.99f64) {
            let mut sum = 0.0;
            let bounds = counts.iter().enumerate().map(|(k, count)| {
                sum += f64::from(*count);
                (1e-5 * f64::from(1u32 << k), sum)
            });
            let buckets: Vec<(f64, f64)> = bounds.collect();
            let Some(latencies) = latencies(&mut buckets.clone()) else { return Ok(()) };
            prop_assert_eq!(latencies.len() as f64, sum);
            // The bucket that holds the quantile holds ours.
            let rank = (at * sum).ceil().max(1.0);
            let holds = buckets.iter().position(|(_, count)| *count >= rank).unwrap();
            let low = if holds == 0 { 0.0 } else { buckets[holds - 1].0 };
            let value = latencies.value_at_quantile(at) as f64 / 1e9;
            prop_assert!(value >= low * 0.999 && value <= buckets[holds].0 * 1.002, "{} of {:?}", value, buckets);
        }

        #[test]
        fn any_buckets_are_read(mut buckets in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..20)) {
            let _ = latencies(&mut buckets);
        }
    }
}
