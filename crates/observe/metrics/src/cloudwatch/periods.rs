//! Cuts samples into periods of the wall clock.

use std::borrow::Cow;

use units::Nanos;

use crate::NodeSample;
use crate::between::between;
use crate::thresholds::THRESHOLDS;

/// A sample that was taken, or one made up for a boundary.
pub(super) type Sample<'a> = Cow<'a, NodeSample>;

/// Shows the samples of each period, the first and last of which lie on its boundaries: a boundary at which none was taken
/// gets one in between. The first and the last period may be cut short, and so may those next to a hole in the samples.
/// `start` is the samples' time zero in nanoseconds of Unix time.
pub(super) fn each_period<'a>(
    samples: &'a [NodeSample],
    start: i128,
    length: Nanos,
    mut visit: impl FnMut(&[Sample<'a>]),
) {
    let Some((mut before, rest)) = samples.split_first() else { return };
    let mut period = vec![Cow::Borrowed(before)];
    for after in rest.iter() {
        if after.at <= before.at {
            continue;
        }
        if (after.at - before.at).as_secs_f64() > THRESHOLDS.gap_seconds {
            flush(&period, &mut visit);
            period = vec![Cow::Borrowed(after)];
            before = after;
            continue;
        }
        let mut from = before.at;
        loop {
            let boundary = next_boundary(from, start, length);
            if boundary > after.at {
                period.push(Cow::Borrowed(after));
                break;
            }
            let last =
                if boundary == after.at { Cow::Borrowed(after) } else { Cow::Owned(between(before, after, boundary)) };
            period.push(last.clone());
            flush(&period, &mut visit);
            period = vec![last];
            from = boundary;
            if boundary == after.at {
                break;
            }
        }
        before = after;
    }
    flush(&period, &mut visit);
}

fn flush<'a>(period: &[Sample<'a>], visit: &mut impl FnMut(&[Sample<'a>])) {
    if period.len() > 1 {
        visit(period);
    }
}

/// The first boundary after an instant.
fn next_boundary(after: Nanos, start: i128, length: Nanos) -> Nanos {
    let length = i128::from(length.0.max(1));
    let wall = start + i128::from(after.0);
    let next = (wall.div_euclid(length) + 1) * length - start;
    u64::try_from(next).map_or(Nanos::MAX, Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    fn cut(seconds: &[u64], start: i128) -> Vec<(f64, f64)> {
        let samples: Vec<NodeSample> = seconds.iter().map(|s| node(*s, Vec::new())).collect();
        let mut periods = Vec::new();
        each_period(&samples, start, Nanos::secs(60), |period| {
            periods.push((period[0].at.as_secs_f64(), period[period.len() - 1].at.as_secs_f64()));
        });
        periods
    }

    #[test]
    fn minutes_are_those_of_the_wall_clock() {
        let half_past = 30_000_000_000;
        assert_eq!(cut(&[0, 10, 25, 35, 95, 100], half_past), [(0.0, 30.0), (30.0, 90.0), (90.0, 100.0)]);
    }

    #[test]
    fn a_sample_on_a_boundary_ends_one_minute_and_starts_the_next() {
        assert_eq!(cut(&[0, 60, 120], 0), [(0.0, 60.0), (60.0, 120.0)]);
    }

    #[test]
    fn samples_an_hour_apart_leave_a_hole() {
        assert_eq!(cut(&[0, 30, 3630, 3640], 0), [(0.0, 30.0), (3630.0, 3640.0)]);
    }

    #[test]
    fn samples_that_go_back_in_time_are_passed_over() {
        assert_eq!(cut(&[10, 20, 15, 30], 0), [(10.0, 30.0)]);
        assert!(cut(&[10], 0).is_empty() && cut(&[], 0).is_empty());
    }
}
