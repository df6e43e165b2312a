//! One driver thread: starts operations when they are due and books their outcomes.

use std::ops::Range;
use std::time::Duration;

use units::Nanos;

use super::slice::record;
use super::{Loop, Pace, Slice, Source};
use crate::{Clock, Driver, Failure, Finished, Written};

/// An operation in flight, and all that is needed when it is over.
#[derive(Debug, Clone)]
struct Flight {
    kind: usize,
    adds: Range<u64>,
    written: u64,
    intended: Nanos,
}

/// Drives a database from one thread, whatever the number of clients.
#[derive(Debug)]
pub struct Worker<C, D, S> {
    clock: C,
    driver: D,
    source: S,
    pace: Pace,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
    window: Nanos,
    slice: Slice,
    now: Nanos,
    done: Vec<Finished>,
    exhausted: bool,
}

impl<C: Clock, S: Source, D: Driver<S::Operation>> Worker<C, D, S> {
    /// Thread `thread` of `threads`; windows of length `window` are told from the clock's start on, also those before this
    /// thread was there, since all threads must tell the same. `kinds` kinds of operation are told apart.
    pub fn new(
        (clock, driver, source): (C, D, S),
        share: Loop,
        (thread, threads): (u32, u32),
        seed: u64,
        window: Nanos,
        kinds: usize,
    ) -> Self {
        let now = clock.now();
        let window = window.max(Nanos::millis(1));
        let pace = Pace::new(share.share(thread, threads), now, seed, thread, threads);
        let slice = Slice::new(0, window, kinds);
        Self {
            clock,
            driver,
            source,
            pace,
            flights: Vec::new(),
            free: Vec::new(),
            window,
            slice,
            now,
            done: Vec::new(),
            exhausted: false,
        }
    }

    /// Starts what is due, waits for outcomes until something else is due or the window ends, and books them. Each
    /// window that is over goes to `out`.
    pub fn turn(&mut self, out: &mut impl FnMut(Slice)) {
        self.start();
        let next = if self.exhausted { None } else { self.pace.next(self.in_flight()) };
        let until = next.map_or(self.slice.until, |next| next.min(self.slice.until));
        self.collect(until - self.now, out);
    }

    /// Starts nothing more and waits for what is in flight, at most `longest`. What is not over then is forgotten.
    pub fn drain(&mut self, longest: Nanos) {
        let until = self.now + longest;
        while self.in_flight() > 0 && self.now < until {
            self.collect(until - self.now, &mut |_| {});
        }
        for flight in self.flights.drain(..).flatten() {
            self.source.finished(flight.adds);
        }
        self.free.clear();
    }

    fn in_flight(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    fn start(&mut self) {
        while !self.exhausted
            && let Some(intended) = self.pace.take(self.now, self.in_flight())
        {
            let Some(planned) = self.source.draw() else {
                self.exhausted = true;
                break;
            };
            let late = (self.now - intended).0;
            let written = planned.operation.written();
            let flight = Flight { kind: planned.kind, adds: planned.adds, written, intended };
            let tag = match self.free.pop() {
                Some(tag) => {
                    self.flights[tag] = Some(flight);
                    tag
                }
                None => {
                    self.flights.push(Some(flight));
                    self.flights.len() - 1
                }
            };
            self.driver.submit(tag as u64, planned.operation);
            record(&mut self.slice.lateness, late);
        }
        self.driver.flush();
    }

    fn collect(&mut self, wait: Nanos, out: &mut impl FnMut(Slice)) {
        let mut done = std::mem::take(&mut self.done);
        self.driver.poll(Duration::from_nanos(wait.0), &mut done);
        self.now = self.clock.now();
        self.roll(out);
        for finished in done.drain(..) {
            self.book(finished);
        }
        self.done = done;
    }

    /// Ends the windows that are over.
    fn roll(&mut self, out: &mut impl FnMut(Slice)) {
        while self.now >= self.slice.until {
            if !self.exhausted {
                self.slice.dropped += self.pace.queue(self.slice.until);
                self.slice.backlog = self.pace.backlog();
            }
            self.slice.in_flight = self.in_flight() as u64;
            self.slice.ended = self.exhausted && self.in_flight() == 0;
            let next = Slice::new(self.slice.index + 1, self.window, self.slice.latencies.len());
            out(std::mem::replace(&mut self.slice, next));
        }
    }

    fn book(&mut self, finished: Finished) {
        let tag = finished.tag as usize;
        // A driver that answers twice is not counted twice.
        let Some(flight) = self.flights.get_mut(tag).and_then(Option::take) else { return };
        self.free.push(tag);
        let slice = &mut self.slice;
        match &finished.outcome {
            Ok(answer) => {
                let latency = (self.now - flight.intended).0;
                record(&mut slice.latencies[flight.kind], latency);
                slice.sum += u128::from(latency);
                slice.added += flight.adds.end - flight.adds.start;
                slice.found += u64::from(answer.found);
                slice.missing += u64::from(answer.missing);
                slice.written += flight.written;
            }
            Err(Failure::Refused(words)) => slice.fail(flight.kind, false, words),
            Err(Failure::Unknown(words)) => slice.fail(flight.kind, true, words),
        }
        if !flight.adds.is_empty() {
            self.source.finished(flight.adds);
        }
        self.pace.answered(self.now, finished.outcome.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Arrivals;
    use crate::twin::{Service, Twin, constant};
    use crate::{Answer, VirtualClock};
    use workload::operations::{Operation, Planned};

    /// Reads, as many as are left.
    struct Reads(u64);

    impl Source for Reads {
        type Operation = Operation;

        fn draw(&mut self) -> Option<Planned> {
            self.0 = self.0.checked_sub(1)?;
            Some(Planned { kind: 0, adds: 0..0, operation: Operation::Read { key: "k".into() } })
        }

        fn finished(&mut self, _: Range<u64>) {}
    }

    /// What is seen in ten seconds of virtual time, window by window of one second.
    fn ten_seconds(share: Loop, servers: usize, service: Service) -> Vec<Slice> {
        let clock = VirtualClock::default();
        let twin = match servers {
            0 => Twin::unlimited(clock.clone(), service),
            servers => Twin::queueing(clock.clone(), servers, service),
        };
        let mut worker = Worker::new((clock, twin, Reads(u64::MAX)), share, (0, 1), 1, Nanos::secs(1), 1);
        let mut slices = Vec::new();
        while slices.len() < 10 {
            worker.turn(&mut |slice| slices.push(slice));
        }
        slices
    }

    #[test]
    fn clients_of_a_closed_loop_keep_so_many_operations_in_flight() {
        let slices = ten_seconds(Loop::Closed { clients: 8, think: Nanos(0) }, 0, constant(Nanos::millis(2)));
        for slice in &slices[1..] {
            assert_eq!((slice.succeeded(), slice.in_flight), (4000, 8));
            assert!(slice.latencies[0].max().abs_diff(2_000_000) < 2000);
        }
    }

    #[test]
    fn little_holds_with_think_time() {
        let share = Loop::Closed { clients: 100, think: Nanos::millis(8) };
        let slices = ten_seconds(share, 0, constant(Nanos::millis(2)));
        let rate = slices[1..].iter().map(Slice::succeeded).sum::<u64>() as f64 / 9.0;
        // 100 clients each 10 ms: 10,000 a second, give or take the chance of 90,000 think times.
        assert!((rate - 10_000.0).abs() < 150.0, "{rate}");
    }

    #[test]
    fn an_open_loop_counts_from_the_intended_start() {
        // The database stalls for all of second five.
        let stall: Service = Box::new(|_, now, _| {
            let wait = if (Nanos::secs(5)..Nanos::secs(6)).contains(&now) { Nanos::secs(6) - now } else { Nanos(0) };
            (wait + Nanos::millis(1), Ok(Answer::default()))
        });
        let share = Loop::Open { rate: 1000.0, arrivals: Arrivals::Constant, in_flight: 1, backlog: 10_000 };
        let slices = ten_seconds(share, 0, stall);
        let mut all = timeline::latencies();
        slices.iter().for_each(|slice| super::super::slice::add(&mut all, &slice.latencies[0]));
        // One operation was in the database meanwhile. The thousand that were to start waited half a second in the mean.
        assert!(all.count_between(100_000_000, u64::MAX) > 900, "{}", all.count_between(100_000_000, u64::MAX));
        assert!(slices[5].backlog.abs_diff(1000) < 10, "{}", slices[5].backlog);
    }

    #[test]
    fn an_open_loop_beyond_capacity_gives_up_and_says_so() {
        let share = Loop::Open { rate: 2000.0, arrivals: Arrivals::Poisson, in_flight: 10, backlog: 500 };
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
        let twin = Twin::unlimited(clock.clone(), constant(Nanos::millis(1)));
        let share = Loop::Open { rate: 100.0, arrivals: Arrivals::Constant, in_flight: 9, backlog: 9 };
        let mut worker = Worker::new((clock, twin, Reads(u64::MAX)), share, (0, 1), 1, Nanos::secs(1), 1);
        let mut slices = Vec::new();
        while slices.len() < 5 {
            worker.turn(&mut |slice| slices.push(slice));
        }
        assert_eq!(slices.iter().map(Slice::succeeded).collect::<Vec<_>>(), [0, 0, 0, 50, 100]);
        assert!(slices.iter().all(|slice| slice.dropped == 0));
    }

    #[test]
    fn failures_are_counted_apart_and_do_not_spin() {
        let broken: Service = Box::new(|_, _, _| (Nanos(0), Err(Failure::Refused("server 3 is busy".to_owned()))));
        let slices = ten_seconds(Loop::Closed { clients: 1, think: Nanos(0) }, 0, broken);
        assert_eq!((slices[3].succeeded(), slices[3].failed()), (0, 100));
        assert_eq!(slices[3].failures.keys().next().unwrap().words, "server # is busy");
    }

    #[test]
    fn a_source_that_ends_ends_the_run() {
        let clock = VirtualClock::default();
        let twin = Twin::unlimited(clock.clone(), constant(Nanos::millis(1)));
        let share = Loop::Closed { clients: 2, think: Nanos(0) };
        let mut worker = Worker::new((clock, twin, Reads(10)), share, (0, 1), 1, Nanos::secs(1), 1);
        let mut slices = Vec::new();
        while slices.is_empty() {
            worker.turn(&mut |slice| slices.push(slice));
        }
        assert!(slices[0].ended && slices[0].succeeded() == 10);
    }

    #[test]
    fn what_is_in_flight_at_the_end_is_waited_for() {
        let clock = VirtualClock::default();
        let twin = Twin::unlimited(clock.clone(), constant(Nanos::secs(3)));
        let share = Loop::Closed { clients: 2, think: Nanos(0) };
        let mut worker = Worker::new((clock.clone(), twin, Reads(10)), share, (0, 1), 1, Nanos::secs(1), 1);
        worker.turn(&mut |_| {});
        worker.drain(Nanos::secs(10));
        assert_eq!((clock.now(), worker.in_flight()), (Nanos::secs(3), 0));
    }
}
