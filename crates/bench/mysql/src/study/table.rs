//! The study's table: both sides minute by minute.

use units::Nanos;

use super::phases::Seen;
use crate::SqlRun;

/// A stretch of a pair of runs, as a row of the study's table.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct StudySlot {
    /// Where it begins, in seconds from when the runs were measured.
    pub from_s: f64,
    /// Rows a minute of A and of B.
    pub rows_per_minute: [f64; 2],
    /// Requests a second of their data disks.
    pub iops: [f64; 2],
    /// Requests that these had in flight, in the mean.
    pub queue_depth: [f64; 2],
    /// Burst credits at its end, 0 to 100; `None` for a disk that does not burst.
    pub burst_balance: [Option<f64>; 2],
}

/// A pair of runs in stretches of this length, side by side, as far as both went; a last one that is not whole is left out.
pub fn slots([a, b]: &[SqlRun; 2], length: Nanos) -> Vec<StudySlot> {
    let span = (a.until - a.from).min(b.until - b.from);
    // Half a second may be missing: runs end at the end of a window.
    let count = (span + Nanos::millis(500)).0 / length.0.max(1);
    let windows = (0..count).map(|at| (Nanos(at * length.0), Nanos((at + 1) * length.0).min(span)));
    let slot = |window: (Nanos, Nanos)| {
        let seen = [Seen::of(a, window)?, Seen::of(b, window)?];
        Some(StudySlot {
            from_s: window.0.as_secs_f64(),
            rows_per_minute: seen.map(|seen| seen.rows_per_minute),
            iops: seen.map(|seen| seen.iops),
            queue_depth: seen.map(|seen| seen.queue_depth),
            burst_balance: seen.map(|seen| seen.balance),
        })
    };
    windows.filter_map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::super::phases::tests::run;
    use super::*;

    #[test]
    fn a_row_is_of_the_time_that_it_names() {
        let pair = [run(|at| at as f64, Some(|at| 40.0 - at as f64)), run(|_| 3.0, None)];
        let slots = slots(&pair, Nanos::secs(10));
        assert_eq!(slots.iter().map(|slot| slot.from_s).collect::<Vec<_>>(), [0.0, 10.0, 20.0]);
        // Seconds 20 to 29 of the Timeline.
        let mean = (20..30).sum::<u64>() as f64 / 10.0;
        assert!((slots[1].rows_per_minute[0] - 60.0 * mean).abs() < 1e-9);
        assert_eq!(slots[1].rows_per_minute[1], 180.0);
        assert_eq!(slots[1].burst_balance, [Some(40.0 - 29.0), None]);
    }
}
