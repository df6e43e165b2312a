//! A database that keeps nothing and takes as long as it is told: for tests and for measuring the loops themselves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use units::Nanos;
use workload::operations::Operation;

use crate::{Driver, FinishedOperation, MonotonicClock, OperationAnswer, OperationFailure, RunClock, VirtualClock};

/// How long the `n`-th operation takes and how it ends, given when it was sent.
pub type ServiceModel =
    Box<dyn FnMut(u64, Nanos, &Operation) -> (Nanos, Result<OperationAnswer, OperationFailure>) + Send>;

/// A clock on which one can wait.
pub trait WaitingClock: RunClock {
    /// Until `until`.
    fn wait(&self, until: Nanos);
}

impl WaitingClock for MonotonicClock {
    fn wait(&self, until: Nanos) {
        std::thread::sleep(Duration::from_nanos((until - self.now()).0));
    }
}

impl WaitingClock for VirtualClock {
    fn wait(&self, until: Nanos) {
        self.advance(until);
    }
}

/// The twin of a database, in real or virtual time.
pub struct DatabaseTwin<C> {
    clock: C,
    service: ServiceModel,
    /// Servers that are busy until then, where operations queue; none for a database without limits.
    servers: BinaryHeap<Reverse<Nanos>>,
    sent: u64,
    submitted: Vec<(u64, Operation)>,
    flights: BinaryHeap<Reverse<(Nanos, u64)>>,
    outcomes: Vec<Option<FinishedOperation>>,
    free: Vec<usize>,
}

impl<C: WaitingClock> DatabaseTwin<C> {
    /// Serves any number at once.
    pub fn unlimited(clock: C, service: ServiceModel) -> Self {
        Self::new(clock, 0, service)
    }

    /// Serves `servers` at once, others wait their turn.
    pub fn queueing(clock: C, servers: usize, service: ServiceModel) -> Self {
        Self::new(clock, servers, service)
    }

    fn new(clock: C, servers: usize, service: ServiceModel) -> Self {
        let servers = std::iter::repeat_n(Reverse(Nanos(0)), servers).collect();
        let (flights, outcomes) = (BinaryHeap::new(), Vec::new());
        Self { clock, service, servers, sent: 0, submitted: Vec::new(), flights, outcomes, free: Vec::new() }
    }
}

/// Every operation takes `time` and succeeds.
pub fn constant(time: Nanos) -> ServiceModel {
    Box::new(move |_, _, _| (time, Ok(OperationAnswer::default())))
}

impl<C: WaitingClock> Driver for DatabaseTwin<C> {
    fn submit(&mut self, tag: u64, operation: Operation) {
        self.submitted.push((tag, operation));
    }

    fn flush(&mut self) {
        let now = self.clock.now();
        for (tag, operation) in self.submitted.drain(..) {
            let (takes, outcome) = (self.service)(self.sent, now, &operation);
            self.sent += 1;
            let done = match self.servers.pop() {
                Some(Reverse(free)) => {
                    let done = free.max(now) + takes;
                    self.servers.push(Reverse(done));
                    done
                }
                None => now + takes,
            };
            let finished = Some(FinishedOperation { tag, outcome });
            let at = match self.free.pop() {
                Some(at) => {
                    self.outcomes[at] = finished;
                    at
                }
                None => {
                    self.outcomes.push(finished);
                    self.outcomes.len() - 1
                }
            };
            self.flights.push(Reverse((done, at as u64)));
        }
    }

    fn rest(&mut self, span: Duration) {
        self.clock.wait(self.clock.now() + Nanos(span.as_nanos() as u64));
    }

    fn poll(&mut self, wait: Duration, done: &mut Vec<FinishedOperation>) {
        let now = self.clock.now();
        let until = now + Nanos(wait.as_nanos() as u64);
        let first = self.flights.peek().map_or(until, |Reverse((at, _))| (*at).min(until));
        if first > now {
            self.clock.wait(first);
        }
        let now = self.clock.now();
        while let Some(Reverse((at, slot))) = self.flights.peek().copied()
            && at <= now
        {
            self.flights.pop();
            done.extend(self.outcomes[slot as usize].take());
            self.free.push(slot as usize);
        }
    }
}
