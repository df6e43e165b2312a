//! Schedules keep their rates.

use super::*;
use proptest::prelude::*;

fn open(rate: f64, arrivals: Arrivals) -> Loop {
    Loop::Open { rate, arrivals, in_flight: 1000, backlog: 10 }
}

/// All arrivals of the first second of all threads, in order.
fn second(all: Loop, threads: u32) -> Vec<u64> {
    let one = |thread| {
        let mut pace = Pace::new(all.share(thread, threads), Nanos(0), 1, thread, threads);
        let now = Nanos(999_999_999);
        std::iter::from_fn(move || pace.take(now, 0)).map(|at| at.0).collect::<Vec<_>>()
    };
    let mut all: Vec<_> = (0..threads).flat_map(one).collect();
    all.sort_unstable();
    all
}

#[test]
fn constant_arrivals_of_several_threads_are_even() {
    for threads in [1, 2, 3] {
        let at = second(open(3000.0, Arrivals::Constant), threads);
        // One more where rounding lets the last arrival fall into the second.
        assert!((3000..=3001).contains(&at.len()), "{}", at.len());
        assert!(at.windows(2).all(|pair| pair[1] - pair[0] >= 333_332 && pair[1] - pair[0] <= 333_335));
    }
}

#[test]
fn poisson_arrivals_have_their_rate_and_exponential_gaps() {
    let at = second(open(10_000.0, Arrivals::Poisson), 2);
    // Four standard errors of a count.
    assert!(at.len().abs_diff(10_000) < 400, "{}", at.len());
    let gaps: Vec<_> = at.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let long = gaps.iter().filter(|gap| **gap > 100_000.0).count() as f64 / gaps.len() as f64;
    assert!((long - (-1f64).exp()).abs() < 0.02, "{long}");
}

#[test]
fn arrivals_that_find_no_place_wait_and_then_are_given_up() {
    let all = Loop::Open { rate: 1000.0, arrivals: Arrivals::Constant, in_flight: 1, backlog: 5 };
    let mut pace = Pace::new(all, Nanos(0), 1, 0, 1);
    assert_eq!(pace.take(Nanos::millis(20), 0), Some(Nanos(0)));
    assert_eq!(pace.take(Nanos::millis(20), 1), None);
    assert_eq!(pace.queue(Nanos::millis(20)), 15);
    assert_eq!(pace.backlog(), 5);
    assert_eq!(pace.take(Nanos::millis(20), 0), Some(Nanos::millis(1)));
}

#[test]
fn a_client_that_was_refused_waits() {
    let mut pace = Pace::new(Loop::Closed { clients: 1, think: Nanos(0) }, Nanos(0), 1, 0, 1);
    assert_eq!(pace.take(Nanos(0), 0), Some(Nanos(0)));
    pace.answered(Nanos(5), false);
    assert_eq!(pace.next(0), Some(Nanos(5) + AFTER_FAILURE));
}

#[test]
fn a_rate_that_cannot_be_is_refused() {
    let error = open(f64::NAN, Arrivals::Constant).check().unwrap_err().to_string();
    assert!(error.starts_with("a rate of NaN operations a second: expected more than 0"), "{error}");
}

proptest! {
    #[test]
    fn shares_sum_to_all_clients(clients in 1..10_000u32, threads in 1..9u32) {
        let all = Loop::Closed { clients, think: Nanos(0) };
        let sum: u32 = (0..threads).map(|thread| match all.share(thread, threads) {
            Loop::Closed { clients, .. } => clients,
            Loop::Open { .. } => 0,
        }).sum();
        prop_assert_eq!(sum, clients);
    }
}
