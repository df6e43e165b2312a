//! A thread in virtual time: what starts when, and what is booked.

use super::*;
use crate::drive::{ArrivalSpacing, LoadTurn};
use crate::twin::{DatabaseTwin, ServiceModel, constant};
use crate::{OperationAnswer, VirtualClock};
use workload::operations::{Operation, PlannedOperation};

/// Reads, as many as are left.
struct Reads(u64);

impl OperationSource for Reads {
    type Operation = Operation;

    fn draw(&mut self) -> Option<PlannedOperation> {
        self.0 = self.0.checked_sub(1)?;
        Some(PlannedOperation { kind: 0, adds: 0..0, operation: Operation::Read { key: "k".into() } })
    }

    fn finished(&mut self, _: Range<u64>) {}
}

/// Reads of the kind that has all of the weight; the first if none has.
#[derive(Default)]
struct Kinds(usize);

impl OperationSource for Kinds {
    type Operation = Operation;

    fn draw(&mut self) -> Option<PlannedOperation> {
        Some(PlannedOperation { kind: self.0, adds: 0..0, operation: Operation::Read { key: "k".into() } })
    }

    fn finished(&mut self, _: Range<u64>) {}

    fn mix(&mut self, weights: &[f64]) {
        self.0 = weights.iter().position(|weight| *weight == 1.0).unwrap_or(0);
    }
}

/// The only thread, with windows of a second, and two kinds of operation at most.
fn alone<S: OperationSource<Operation = Operation>>(
    parts: (VirtualClock, DatabaseTwin<VirtualClock>, S),
    load: (LoopKind, &LoadCourse),
) -> LoadWorker<VirtualClock, DatabaseTwin<VirtualClock>, S> {
    LoadWorker::new(parts, load, (0, 1), 1, Nanos::secs(1), 2)
}

/// What is seen in ten seconds of virtual time, window by window of one second.
fn ten_seconds(share: LoopKind, servers: usize, service: ServiceModel) -> Vec<WindowSlice> {
    let clock = VirtualClock::default();
    let twin = match servers {
        0 => DatabaseTwin::unlimited(clock.clone(), service),
        servers => DatabaseTwin::queueing(clock.clone(), servers, service),
    };
    let mut worker = alone((clock, twin, Reads(u64::MAX)), (share, &LoadCourse::default()));
    let mut slices = Vec::new();
    while slices.len() < 10 {
        worker.turn(&mut |slice| slices.push(slice));
    }
    slices
}

#[test]
fn clients_of_a_closed_loop_keep_so_many_operations_in_flight() {
    let slices = ten_seconds(LoopKind::Closed { clients: 8, think: Nanos(0) }, 0, constant(Nanos::millis(2)));
    for slice in &slices[1..] {
        assert_eq!((slice.succeeded(), slice.in_flight), (4000, 8));
        assert!(slice.latencies[0].max().abs_diff(2_000_000) < 2000);
    }
}

/// Each takes between 5 and 15 ms, no two the same.
fn one_by_one() -> ServiceModel {
    Box::new(|number, _, _| (Nanos::micros(5000 + number * 7919 % 10_000), Ok(OperationAnswer::default())))
}

#[test]
fn a_thread_of_many_clients_is_not_woken_by_each_answer_and_latencies_are_a_little_more() {
    let counted = |clients| {
        let clock = VirtualClock::default();
        let twin = DatabaseTwin::unlimited(clock.clone(), one_by_one());
        let mut worker = alone(
            (clock, twin, Reads(u64::MAX)),
            (LoopKind::Closed { clients, think: Nanos(0) }, &LoadCourse::default()),
        );
        let (mut slices, mut turns) = (Vec::new(), 0);
        while slices.len() < 10 {
            worker.turn(&mut |slice: WindowSlice| slices.push(slice));
            turns += 1;
        }
        let answers: u64 = slices.iter().map(WindowSlice::succeeded).sum();
        let mean = slices[1..].iter().map(|slice| slice.sum).sum::<u128>() as f64
            / slices[1..].iter().map(WindowSlice::succeeded).sum::<u64>() as f64;
        (f64::from(turns) / answers as f64, mean)
    };
    let (few, plain) = counted(63);
    let (many, mean) = counted(64);
    assert!(few > 0.9 && many < 0.3, "{few} and {many} turns an answer");
    let more = mean / plain - 1.0;
    assert!((0.025..0.035).contains(&more), "{more}: a 32nd is 0.031");
}

#[test]
fn an_open_loop_in_beats_is_not_woken_by_each_answer_either() {
    let clock = VirtualClock::default();
    let twin = DatabaseTwin::unlimited(clock.clone(), one_by_one());
    let load = LoopKind::Open { rate: 20_000.0, arrivals: ArrivalSpacing::Poisson, in_flight: 1000, backlog: 1000 };
    let mut worker = alone((clock, twin, Reads(u64::MAX)), (load, &LoadCourse::default()));
    let (mut slices, mut turns) = (Vec::new(), 0);
    while slices.len() < 5 {
        worker.turn(&mut |slice: WindowSlice| slices.push(slice));
        turns += 1;
    }
    let answers: u64 = slices.iter().map(WindowSlice::succeeded).sum();
    let each = f64::from(turns) / answers as f64;
    // 637 beats a second and some 1,600 looks.
    assert!(each < 0.15, "{each} turns an answer");
}

#[test]
fn an_open_loop_in_beats_makes_up_for_what_a_stall_left() {
    let clock = VirtualClock::default();
    // All of the second second; else 500 operations at a time are 50,000 a second.
    let stall: ServiceModel = Box::new(|number, now, _| {
        let wait = if (Nanos::secs(1)..Nanos::secs(2)).contains(&now) { Nanos::secs(2) - now } else { Nanos(0) };
        (wait + Nanos::micros(5000 + number * 7919 % 10_000), Ok(OperationAnswer::default()))
    });
    let twin = DatabaseTwin::unlimited(clock.clone(), stall);
    let load = LoopKind::Open { rate: 20_000.0, arrivals: ArrivalSpacing::Poisson, in_flight: 500, backlog: 100_000 };
    let mut worker = alone((clock, twin, Reads(u64::MAX)), (load, &LoadCourse::default()));
    let mut slices = Vec::new();
    while slices.len() < 6 {
        worker.turn(&mut |slice: WindowSlice| slices.push(slice));
    }
    assert!(slices[1].backlog.abs_diff(20_000) < 1000, "{}", slices[1].backlog);
    assert_eq!(slices[4].backlog, 0, "two seconds are enough for them");
    assert!(slices[5].succeeded().abs_diff(20_000) < 600, "{}", slices[5].succeeded());
}

/// A database whose driver looks for answers all the time.
struct Restless(DatabaseTwin<VirtualClock>);

impl Driver for Restless {
    fn submit(&mut self, tag: u64, operation: Operation) {
        self.0.submit(tag, operation);
    }

    fn flush(&mut self) {
        self.0.flush();
    }

    fn poll(&mut self, wait: Duration, done: &mut Vec<FinishedOperation>) {
        self.0.poll(wait, done);
    }
}

#[test]
fn a_driver_that_does_not_rest_waits_all_the_same() {
    let clock = VirtualClock::default();
    let twin = Restless(DatabaseTwin::unlimited(clock.clone(), constant(Nanos::millis(700))));
    let parts = (clock, twin, Reads(u64::MAX));
    let load = (LoopKind::Closed { clients: 64, think: Nanos(0) }, &LoadCourse::default());
    let mut worker = LoadWorker::new(parts, load, (0, 1), 1, Nanos::secs(1), 2);
    let (mut slices, mut turns) = (0, 0);
    while slices < 10 {
        worker.turn(&mut |_| slices += 1);
        turns += 1;
        assert!(turns < 100, "it turns in vain in second {slices}");
    }
}

#[test]
fn little_holds_with_think_time() {
    let share = LoopKind::Closed { clients: 100, think: Nanos::millis(8) };
    let slices = ten_seconds(share, 0, constant(Nanos::millis(2)));
    let rate = slices[1..].iter().map(WindowSlice::succeeded).sum::<u64>() as f64 / 9.0;
    // 100 clients each 10 ms: 10,000 a second, give or take the chance of 90,000 think times.
    assert!((rate - 10_000.0).abs() < 150.0, "{rate}");
}

#[test]
fn an_open_loop_counts_from_the_intended_start() {
    // The database stalls for all of second five.
    let stall: ServiceModel = Box::new(|_, now, _| {
        let wait = if (Nanos::secs(5)..Nanos::secs(6)).contains(&now) { Nanos::secs(6) - now } else { Nanos(0) };
        (wait + Nanos::millis(1), Ok(OperationAnswer::default()))
    });
    let share = LoopKind::Open { rate: 1000.0, arrivals: ArrivalSpacing::Constant, in_flight: 1, backlog: 10_000 };
    let slices = ten_seconds(share, 0, stall);
    let mut all = timeline::latencies();
    slices.iter().for_each(|slice| super::super::slice::add(&mut all, &slice.latencies[0]));
    // One operation was in the database meanwhile. The thousand that were to start waited half a second in the mean.
    assert!(all.count_between(100_000_000, u64::MAX) > 900, "{}", all.count_between(100_000_000, u64::MAX));
    assert!(slices[5].backlog.abs_diff(1000) < 10, "{}", slices[5].backlog);
}

#[test]
fn an_open_loop_beyond_capacity_gives_up_and_says_so() {
    let share = LoopKind::Open { rate: 2000.0, arrivals: ArrivalSpacing::Poisson, in_flight: 10, backlog: 500 };
    let slices = ten_seconds(share, 1, constant(Nanos::millis(1)));
    assert!(slices[1..].iter().all(|slice| slice.succeeded().abs_diff(1000) <= 1));
    let dropped: u64 = slices.iter().map(|slice| slice.dropped).sum();
    assert!(dropped.abs_diff(10_000 - 510) < 500, "{dropped}");
    assert!(slices[5..].iter().all(|slice| slice.backlog >= 499));
}

#[test]
fn a_thread_that_comes_late_tells_the_windows_that_it_missed() {
    let clock = VirtualClock::default();
    clock.advance(Nanos::millis(3500));
    let twin = DatabaseTwin::unlimited(clock.clone(), constant(Nanos::millis(1)));
    let share = LoopKind::Open { rate: 100.0, arrivals: ArrivalSpacing::Constant, in_flight: 9, backlog: 9 };
    let mut worker = alone((clock, twin, Reads(u64::MAX)), (share, &LoadCourse::default()));
    let mut slices = Vec::new();
    while slices.len() < 5 {
        worker.turn(&mut |slice| slices.push(slice));
    }
    assert_eq!(slices.iter().map(WindowSlice::succeeded).collect::<Vec<_>>(), [0, 0, 0, 50, 100]);
    assert!(slices.iter().all(|slice| slice.dropped == 0));
}

#[test]
fn failures_are_counted_apart_and_do_not_spin() {
    let broken: ServiceModel =
        Box::new(|_, _, _| (Nanos(0), Err(OperationFailure::Refused("server 3 is busy".to_owned()))));
    let slices = ten_seconds(LoopKind::Closed { clients: 1, think: Nanos(0) }, 0, broken);
    assert_eq!((slices[3].succeeded(), slices[3].failed()), (0, 100));
    assert_eq!(slices[3].failures.keys().next().unwrap().words, "server # is busy");
}

#[test]
fn a_source_that_ends_ends_the_run() {
    let clock = VirtualClock::default();
    let twin = DatabaseTwin::unlimited(clock.clone(), constant(Nanos::millis(1)));
    let share = LoopKind::Closed { clients: 2, think: Nanos(0) };
    let mut worker = alone((clock, twin, Reads(10)), (share, &LoadCourse::default()));
    let mut slices = Vec::new();
    while slices.is_empty() {
        worker.turn(&mut |slice| slices.push(slice));
    }
    assert!(slices[0].ended && slices[0].succeeded() == 10);
}

#[test]
fn what_is_in_flight_at_the_end_is_waited_for() {
    let clock = VirtualClock::default();
    let twin = DatabaseTwin::unlimited(clock.clone(), constant(Nanos::secs(3)));
    let share = LoopKind::Closed { clients: 2, think: Nanos(0) };
    let mut worker = alone((clock.clone(), twin, Reads(10)), (share, &LoadCourse::default()));
    worker.turn(&mut |_| {});
    worker.drain(Nanos::secs(10), &AtomicBool::new(false));
    assert_eq!((clock.now(), worker.in_flight()), (Nanos::secs(3), 0));
}

#[test]
fn told_to_stop_what_is_in_flight_is_not_waited_for_long() {
    let clock = VirtualClock::default();
    let twin = DatabaseTwin::unlimited(clock.clone(), constant(Nanos::secs(30)));
    let share = LoopKind::Closed { clients: 2, think: Nanos(0) };
    let mut worker = alone((clock.clone(), twin, Reads(10)), (share, &LoadCourse::default()));
    worker.turn(&mut |_| {});
    worker.drain(Nanos::secs(60), &AtomicBool::new(true));
    assert!(clock.now() <= Nanos::secs(2) && worker.in_flight() == 0, "{}", clock.now());
}

#[test]
fn what_waits_over_a_turn_keeps_its_instant_and_its_mix() {
    let (turn, again) = (Nanos::secs(5), Nanos::secs(8));
    let course = LoadCourse::new(vec![
        LoadTurn { at: turn, load: 2.0, weights: vec![0.0, 1.0] },
        LoadTurn { at: again, load: 1.0, weights: Vec::new() },
    ]);
    // The database stalls for a second before the turn and for one after it.
    let stall = turn - Nanos::secs(1)..turn + Nanos::secs(1);
    let (over, takes) = (stall.end, Nanos::millis(1));
    let stalls: ServiceModel = Box::new(move |_, now, _| {
        let wait = if stall.contains(&now) { stall.end - now } else { Nanos(0) };
        (wait + takes, Ok(OperationAnswer::default()))
    });
    let clock = VirtualClock::default();
    let twin = DatabaseTwin::unlimited(clock.clone(), stalls);
    let rate = 100.0;
    let load = LoopKind::Open { rate, arrivals: ArrivalSpacing::Constant, in_flight: 1, backlog: 10_000 };
    let mut worker = alone((clock, twin, Kinds::default()), (load, &course.unwrap()));
    let mut slices = Vec::new();
    while slices.len() < 10 {
        worker.turn(&mut |slice| slices.push(slice));
    }
    let mut all = slices[0].clone();
    slices[1..].iter().for_each(|slice| all.merge(slice));
    let [first, second] = [0, 1].map(|kind| all.latencies[kind].len() as f64);
    let expected = [(turn + Nanos::secs(2)).as_secs_f64() * rate, (again - turn).as_secs_f64() * 2.0 * rate];
    // One more or less at each turn, and those that are under way at the end.
    assert!((first - expected[0]).abs() <= 3.0 && (second - expected[1]).abs() <= 3.0, "{first} {second} {expected:?}");
    // Those that were to start in the stall waited for its end: from two seconds down to none before the turn, and from one.
    let longest = [0, 1].map(|kind| all.latencies[kind].max() as f64 / 1e9);
    assert!((longest[0] - 2.0).abs() < 0.1 && (longest[1] - 1.0).abs() < 0.5, "{longest:?}");
    assert_eq!(slices[(over.as_secs_f64() as usize) - 1].succeeded(), 0, "nothing ends in the stall");
}
