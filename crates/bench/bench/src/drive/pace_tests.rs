//! Schedules keep their rates, and turn when they are told to.

use super::*;
use crate::drive::arrivals::{BEAT, DENSE, TOGETHER};
use crate::drive::{LoadCourse, LoadTurn};
use proptest::prelude::*;

fn open(rate: f64, arrivals: ArrivalSpacing) -> LoopKind {
    LoopKind::Open { rate, arrivals, in_flight: 1000, backlog: 10 }
}

/// A schedule that one thread has to itself.
fn alone(all: LoopKind) -> Pace {
    Pace::new((all, &[]), Nanos(0), 1, (0, 1))
}

/// So many times the load from instants on.
fn course(loads: &[(Nanos, f64)]) -> LoadCourse {
    LoadCourse::new(loads.iter().map(|&(at, load)| LoadTurn { at, load, weights: Vec::new() }).collect()).unwrap()
}

/// All arrivals of the first second of all threads, in order.
fn second(all: LoopKind, threads: u32) -> Vec<u64> {
    until(Nanos::secs(1), all, threads, &LoadCourse::default())
}

/// All arrivals before an instant, of all threads, in order.
fn until(end: Nanos, all: LoopKind, threads: u32, course: &LoadCourse) -> Vec<u64> {
    let one = |thread| {
        let turns = course.shares(all, (thread, threads));
        let mut pace = Pace::new((all.share(thread, threads), &turns), Nanos(0), 1, (thread, threads));
        let now = Nanos(end.0 - 1);
        std::iter::from_fn(move || pace.take(now, 0)).map(|at| at.0).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = (0..threads).flat_map(one).collect();
    all.sort_unstable();
    all
}

#[test]
fn constant_arrivals_of_several_threads_are_even() {
    for threads in [1, 2, 3] {
        let at = second(open(3000.0, ArrivalSpacing::Constant), threads);
        // One more where rounding lets the last arrival fall into the second.
        assert!((3000..=3001).contains(&at.len()), "{}", at.len());
        assert!(at.windows(2).all(|pair| pair[1] - pair[0] >= 333_332 && pair[1] - pair[0] <= 333_335));
    }
}

#[test]
fn poisson_arrivals_have_their_rate_and_exponential_gaps() {
    let at = second(open(10_000.0, ArrivalSpacing::Poisson), 2);
    // Four standard errors of a count.
    assert!(at.len().abs_diff(10_000) < 400, "{}", at.len());
    let gaps: Vec<_> = at.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let long = gaps.iter().filter(|gap| **gap > 100_000.0).count() as f64 / gaps.len() as f64;
    assert!((long - (-1f64).exp()).abs() < 0.02, "{long}");
}

#[test]
fn dense_arrivals_start_together_and_keep_their_instants() {
    let mut pace = alone(open(20_000.0, ArrivalSpacing::Constant));
    assert_eq!(pace.take(Nanos(0), 0), Some(Nanos(0)));
    // The next is due after 50 us, and leaves with all those of the beat.
    assert_eq!(pace.next(0), Some(BEAT));
    assert_eq!(pace.take(Nanos(BEAT.0 - 1), 0), None);
    let taken: Vec<_> = std::iter::from_fn(|| pace.take(BEAT, 0)).collect();
    assert_eq!(taken, (1..=BEAT.0 / 50_000).map(|n| Nanos::micros(50 * n)).collect::<Vec<_>>());
}

#[test]
fn arrivals_that_are_not_dense_start_when_they_are_due() {
    let mut pace = alone(open(DENSE, ArrivalSpacing::Constant));
    assert_eq!(pace.take(Nanos(0), 0), Some(Nanos(0)));
    assert_eq!(pace.next(0), Some(Nanos::micros(100)));
}

#[test]
fn arrivals_that_find_no_place_wait_and_then_are_given_up() {
    let all = LoopKind::Open { rate: 1000.0, arrivals: ArrivalSpacing::Constant, in_flight: 1, backlog: 5 };
    let mut pace = alone(all);
    assert_eq!(pace.take(Nanos::millis(20), 0), Some(Nanos(0)));
    assert_eq!(pace.take(Nanos::millis(20), 1), None);
    assert_eq!(pace.queue(Nanos::millis(20)), 15);
    assert_eq!(pace.backlog(), 5);
    assert_eq!(pace.take(Nanos::millis(20), 0), Some(Nanos::millis(1)));
}

#[test]
fn a_client_that_was_refused_waits() {
    let mut pace = alone(LoopKind::Closed { clients: 1, think: Nanos(0) });
    assert_eq!(pace.take(Nanos(0), 0), Some(Nanos(0)));
    pace.answered(Nanos(5), false);
    assert_eq!(pace.next(0), Some(Nanos(5) + AFTER_FAILURE));
}

#[test]
fn clients_that_are_nearly_done_with_thinking_may_start_and_think_as_long_in_the_mean() {
    let (clients, think) = (32, Nanos::millis(8));
    let mut pace = alone(LoopKind::Closed { clients, think });
    let (mut now, mut started, mut wakes) = (Nanos(0), 0u32, 0u32);
    while now < Nanos::secs(100) {
        let mut early = 0..TOGETHER;
        while pace.take(now, 0).or_else(|| early.next().and_then(|_| pace.take_early(now))).is_some() {
            started += 1;
            pace.answered(now, true);
        }
        now = pace.next(0).expect("all think").max(now);
        wakes += 1;
    }
    let expected = f64::from(clients) * 100.0 / think.as_secs_f64();
    let ratio = f64::from(started) / expected;
    assert!((ratio - 1.0).abs() < 0.01, "{ratio} of what clients who think so long start");
    assert!(f64::from(wakes) < 0.5 * f64::from(started), "woken {wakes} times for {started}");
}

#[test]
fn a_rate_that_cannot_be_is_refused() {
    let error = open(f64::NAN, ArrivalSpacing::Constant).check().unwrap_err().to_string();
    assert!(error.starts_with("a rate of NaN operations a second: expected more than 0"), "{error}");
}

#[test]
fn even_arrivals_turn_at_the_instant_and_stay_even() {
    let turns = course(&[(Nanos::millis(500), 2.0), (Nanos::secs(1), 0.0), (Nanos::millis(1500), 0.5)]);
    for threads in [1, 2, 3] {
        let at = until(Nanos::secs(2), open(1000.0, ArrivalSpacing::Constant), threads, &turns);
        let during = |from: u64, until: u64| at.iter().filter(|at| (from..until).contains(&(**at / 1_000_000))).count();
        // What rounding moves to the edge itself comes before it.
        assert_eq!(during(1001, 1500), 0, "silence is silent");
        let expected = [(0, 500, 500), (500, 1000, 1000), (1500, 2000, 250)];
        for (from, until, count) in expected {
            // One more or less of each thread where rounding moves it over the edge.
            let found = during(from, until);
            assert!(found.abs_diff(count) <= threads as usize, "{threads} threads, {from} to {until} ms: {found}");
        }
    }
}

#[test]
fn arrivals_by_chance_have_the_rate_of_each_turn_and_no_memory_of_the_last() {
    let turns = course(&[(Nanos::secs(1), 0.1), (Nanos::secs(2), 1.0)]);
    let at = until(Nanos::secs(3), open(10_000.0, ArrivalSpacing::Poisson), 2, &turns);
    let seconds = [0, 1, 2].map(|second| at.iter().filter(|at| **at / 1_000_000_000 == second).count());
    for (found, expected) in seconds.into_iter().zip([10_000f64, 1000.0, 10_000.0]) {
        // Four standard errors of a count.
        assert!((found as f64 - expected).abs() < 4.0 * expected.sqrt(), "{seconds:?}");
    }
    // The first after the turn comes soon, whatever gap the quiet second had begun.
    let first = at.iter().find(|at| **at >= 2_000_000_000).unwrap();
    assert!(first - 2_000_000_000 < 1_000_000, "{first}");
}

#[test]
fn a_schedule_that_begins_with_silence_is_silent() {
    for arrivals in [ArrivalSpacing::Constant, ArrivalSpacing::Poisson] {
        let at = until(Nanos::secs(1), open(1000.0, arrivals), 1, &course(&[(Nanos(0), 0.0)]));
        assert_eq!(at.len(), 0, "{arrivals:?}");
    }
}

#[test]
fn clients_leave_when_they_are_done_and_others_come() {
    let turns = course(&[(Nanos::secs(1), 0.25), (Nanos::secs(2), 1.5)]);
    let all = LoopKind::Closed { clients: 8, think: Nanos(0) };
    let mut pace = Pace::new((all, &turns.shares(all, (0, 1))), Nanos(0), 1, (0, 1));
    let mut started = Vec::new();
    for tick in 0..30u64 {
        let now = Nanos::millis(tick * 100);
        let taken = std::iter::from_fn(|| pace.take(now, 0)).count();
        // Each is answered before the next tick.
        (0..taken).for_each(|_| pace.answered(now + Nanos::millis(50), true));
        started.push(taken);
    }
    assert!(started[..10].iter().all(|count| *count == 8), "{started:?}");
    assert!(started[11..20].iter().all(|count| *count == 2), "{started:?}");
    assert!(started[21..].iter().all(|count| *count == 12), "{started:?}");
}

#[test]
fn a_load_that_is_none_is_refused() {
    let turn = LoadTurn { at: Nanos::secs(1), load: f64::NAN, weights: Vec::new() };
    let error = LoadCourse::new(vec![turn]).unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().starts_with("NaN times the load at 1s"), "{error}");
}

proptest! {
    #[test]
    fn shares_sum_to_all_clients(clients in 1..10_000u32, threads in 1..9u32) {
        let all = LoopKind::Closed { clients, think: Nanos(0) };
        let sum: u32 = (0..threads).map(|thread| match all.share(thread, threads) {
            LoopKind::Closed { clients, .. } => clients,
            LoopKind::Open { .. } => 0,
        }).sum();
        prop_assert_eq!(sum, clients);
    }
}
