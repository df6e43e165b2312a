//! One driver thread: starts operations when they are due and books their outcomes.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use units::Nanos;

use super::arrivals::{LOOKS, LOOKS_IN_BEATS, TOGETHER, evenly, rest};
use super::slice::record;
use super::trickle::Trickle;
use super::{LoadCourse, LoopKind, OperationSource, Pace, WindowSlice};
use crate::{Driver, FinishedOperation, OperationFailure, RunClock, SentOperation};

/// An operation in flight, and all that is needed when it is over.
#[derive(Debug, Clone)]
struct Flight {
    kind: usize,
    adds: Range<u64>,
    written: u64,
    intended: Nanos,
    started: Nanos,
}

/// Drives a database from one thread, whatever the number of clients.
#[derive(Debug)]
pub struct LoadWorker<C, D, S> {
    clock: C,
    driver: D,
    source: S,
    pace: Pace,
    /// From when on kinds of operation come how often.
    mixes: VecDeque<(Nanos, Vec<f64>)>,
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
    window: Nanos,
    slice: WindowSlice,
    now: Nanos,
    done: Vec<FinishedOperation>,
    exhausted: bool,
    /// How long the last operations were in the database, in nanoseconds. Their latency would not do: an open loop that came late would
    /// look for answers the more seldom, and come later still.
    mean: f64,
    trickle: Trickle,
}

/// Of the mean that rests go by each operation is so small a part: the mean of some hundreds.
const PART: f64 = 1.0 / 256.0;

impl<C: RunClock, S: OperationSource, D: Driver<S::Operation>> LoadWorker<C, D, S> {
    /// The thread of this number, of so many; windows of length `window` are told from the clock's start on, also those before this
    /// thread was there, since all threads must tell the same. `kinds` kinds of operation are told apart.
    pub fn new(
        (clock, driver, source): (C, D, S),
        (load, course): (LoopKind, &LoadCourse),
        of: (u32, u32),
        seed: u64,
        window: Nanos,
        kinds: usize,
    ) -> Self {
        let now = clock.now();
        let window = window.max(Nanos::millis(1));
        let pace = Pace::new((load.share(of.0, of.1), &course.shares(load, of)), now, seed, of);
        let mixes = course.turns().iter().map(|turn| (turn.at, turn.weights.clone())).collect();
        let slice = WindowSlice::new(0, window, kinds);
        Self {
            clock,
            driver,
            source,
            pace,
            mixes,
            flights: Vec::new(),
            free: Vec::new(),
            window,
            slice,
            now,
            done: Vec::new(),
            exhausted: false,
            mean: 0.0,
            trickle: Trickle::new(),
        }
    }

    /// Starts what is due, waits for outcomes until something else is due or the window ends, and books them. Each
    /// window that is over goes to `out`.
    pub fn turn(&mut self, out: &mut impl FnMut(WindowSlice)) {
        self.start();
        let next = if self.exhausted { None } else { self.pace.next(self.in_flight()) };
        let until = next.map_or(self.slice.until, |next| next.min(self.slice.until));
        let rest = self.rest(next, until - self.now);
        if rest.0 > 0 {
            self.driver.rest(Duration::from_nanos(rest.0));
            // Not every driver rests, and none is sure to wake up in time.
            self.now = self.clock.now();
        }
        let before = self.in_flight();
        self.collect(until - self.now, out);
        if rest.0 == 0 {
            self.trickle.came(before - self.in_flight());
        }
    }

    /// How long of the time that is `left` no answers are looked for: who waits for them alone, or for a beat, need not be woken by
    /// each. Operations that fell due and wait for room are not to wait for a look as well.
    fn rest(&mut self, next: Option<Nanos>, left: Nanos) -> Nanos {
        let mean = Nanos(self.mean as u64);
        let beats = self.pace.is_dense() && next.is_some();
        let rest = match self.in_flight() {
            0 if beats => left,
            some if beats && self.trickle.puts_off(some as f64 / f64::from(LOOKS_IN_BEATS)) => {
                evenly(rest(mean, some, LOOKS_IN_BEATS), left)
            }
            some if next.is_none() && self.pace.is_closed() => rest(mean, some, LOOKS),
            _ => Nanos(0),
        };
        rest.min(left)
    }

    /// Starts nothing more and waits for what is in flight, at most `longest`, and a second once `stop` is set. What is not over
    /// then is forgotten.
    pub fn drain(&mut self, longest: Nanos, stop: &AtomicBool) {
        /// Answers that are on their way come within it.
        const HURRIED: Nanos = Nanos::secs(1);
        /// How often it is looked whether to hurry.
        const GLANCE: Nanos = Nanos::millis(200);
        let mut until = self.now + longest;
        while self.in_flight() > 0 && self.now < until {
            if stop.load(Ordering::Relaxed) {
                until = until.min(self.now + HURRIED);
            }
            self.collect((until - self.now).min(GLANCE), &mut |_| {});
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
        let mut early = 0..TOGETHER;
        while !self.exhausted
            && let Some(intended) = self
                .pace
                .take(self.now, self.in_flight())
                .or_else(|| early.next().and_then(|_| self.pace.take_early(self.now)))
        {
            self.mix(intended);
            let Some(planned) = self.source.draw() else {
                self.exhausted = true;
                break;
            };
            let late = (self.now - intended).0;
            let written = planned.operation.written();
            let flight = Flight { kind: planned.kind, adds: planned.adds, written, intended, started: self.now };
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

    /// An operation is of the mix of the instant at which it was to start, however long it waited.
    fn mix(&mut self, intended: Nanos) {
        while let Some((_, weights)) = self.mixes.front().filter(|(at, _)| *at <= intended) {
            self.source.mix(weights);
            self.mixes.pop_front();
        }
    }

    fn collect(&mut self, wait: Nanos, out: &mut impl FnMut(WindowSlice)) {
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
    fn roll(&mut self, out: &mut impl FnMut(WindowSlice)) {
        while self.now >= self.slice.until {
            if !self.exhausted {
                self.slice.dropped += self.pace.queue(self.slice.until);
                self.slice.backlog = self.pace.backlog();
            }
            self.slice.in_flight = self.in_flight() as u64;
            self.slice.ended = self.exhausted && self.in_flight() == 0;
            let next = WindowSlice::new(self.slice.index + 1, self.window, self.slice.latencies.len());
            out(std::mem::replace(&mut self.slice, next));
        }
    }

    fn book(&mut self, finished: FinishedOperation) {
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
                self.mean += ((self.now - flight.started).0 as f64 - self.mean) * PART;
                slice.added += flight.adds.end - flight.adds.start;
                slice.found += u64::from(answer.found);
                slice.missing += u64::from(answer.missing);
                slice.written += flight.written;
            }
            Err(OperationFailure::Refused(words)) => slice.fail(flight.kind, false, words),
            Err(OperationFailure::Unknown(words)) => slice.fail(flight.kind, true, words),
        }
        if !flight.adds.is_empty() {
            self.source.finished(flight.adds);
        }
        self.pace.answered(self.now, finished.outcome.is_ok());
    }
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
