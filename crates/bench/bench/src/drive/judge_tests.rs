//! Runs whose course is known.

use super::*;
use crate::statistics::testing::{autoregressive, random};

fn limits() -> RunLimits {
    RunLimits { warm_least: Nanos::secs(10), measure_least: Nanos::secs(4), ..RunLimits::default() }
}

/// A window in which so many operations took 1 ms.
fn slice(index: u64, count: f64) -> WindowSlice {
    let mut slice = WindowSlice::new(index, RunLimits::default().window, 1);
    slice.latencies[0].record_n(1_000_000, count as u64).unwrap();
    slice.sum = count as u128 * 1_000_000;
    slice
}

fn judge(counts: impl IntoIterator<Item = f64>) -> (SteadyStateJudge, Vec<RunProgress>) {
    let mut judge = SteadyStateJudge::new(limits(), 1);
    let progress = (0..).zip(counts).filter_map(|(index, count)| judge.take(slice(index, count))).collect();
    (judge, progress)
}

#[test]
fn a_run_warms_up_is_measured_and_ends_when_precise() {
    let mut counts = autoregressive(2000.0, 0.0, 2000, &mut random(1));
    counts.iter_mut().take(100).enumerate().for_each(|(at, count)| *count *= at as f64 / 100.0);
    let (judge, progress) = judge(counts);
    assert_eq!((judge.phase(), judge.steady()), (RunPhase::Precise, true));
    let found = judge.estimate().unwrap().mean;
    assert!((found.mean - 10_000.0).abs() < 5.0 + found.half_width, "{found:?}");
    // The warm-up is twenty seconds; the rule wants about as much again to be sure.
    let measuring = progress.iter().find(|one| one.phase == RunPhase::Measuring).unwrap();
    assert!((Nanos::secs(20)..Nanos::secs(60)).contains(&measuring.passed), "{}", measuring.passed);
    assert_eq!(progress.last().unwrap().left, Nanos(0));
}

#[test]
fn a_run_that_never_settles_is_measured_all_the_same_and_says_so() {
    let (judge, _) = judge((0..2000u32).map(|at| f64::from(at) * 10.0));
    assert_eq!((judge.phase(), judge.steady()), (RunPhase::OutOfTime, false));
    assert_eq!(judge.tally().span(), (Nanos(0), Nanos::secs(240)));
}

#[test]
fn windows_count_once_all_threads_have_told_them() {
    let mut judge = SteadyStateJudge::new(limits(), 2);
    for index in 0..5 {
        assert_eq!(judge.take(slice(index, 100.0)), None);
    }
    let progress: Vec<_> = (0..5).filter_map(|index| judge.take(slice(index, 300.0))).collect();
    assert_eq!(progress.len(), 1);
    assert_eq!((progress[0].throughput, progress[0].passed), (2000.0, Nanos::secs(1)));
    assert!(progress[0].p99.0.abs_diff(1_000_000) < 1000);
}

#[test]
fn the_end_of_operations_ends_the_run() {
    let mut judge = SteadyStateJudge::new(limits(), 1);
    judge.take(WindowSlice { ended: true, ..slice(0, 10.0) });
    assert_eq!(judge.phase(), RunPhase::OutOfOperations);
}

#[test]
fn limits_that_contradict_each_other_are_refused() {
    let wrong = RunLimits { warm_least: Nanos::secs(9), warm_most: Nanos::secs(3), ..RunLimits::default() };
    let error = wrong.check().unwrap_err().to_string();
    assert!(error.starts_with("warming up for at least 9s and at most 3s"), "{error}");
    RunLimits::default().check().unwrap();
}
