//! What is counted of a disk.

use disk::{IoCompletion, IoOperation, IoStatus};
use limits::BindingLimit;
use metrics::{CacheCounters, LimitTimes, RequestCounters};
use units::{Bytes, Nanos};

/// The counters of a disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    pub(crate) read: RequestCounters,
    pub(crate) write: RequestCounters,
    pub(crate) flush: RequestCounters,
    pub(crate) cache: CacheCounters,
    pub(crate) errors: u64,
    pub(crate) late: Nanos,
    pub(crate) in_flight: u64,
    busy: Nanos,
    queued: Nanos,
    /// Up to when `busy` and `queued` are right.
    settled: Nanos,
    waits: [Wait; 5],
}

/// The union of the spans in which requests waited for something.
#[derive(Debug, Clone, Copy, Default)]
struct Wait {
    sum: Nanos,
    /// The latest end of a span; it may lie in the future, for a request's wait is known on its arrival.
    until: Nanos,
}

impl Wait {
    /// Adds a span; spans come in order of their starts.
    fn add(&mut self, from: Nanos, until: Nanos) {
        self.sum += until - from.max(self.until);
        self.until = self.until.max(until);
    }

    /// What lies before an instant.
    fn before(self, now: Nanos) -> Nanos {
        self.sum - (self.until - now)
    }

    /// Takes back what lies after an instant.
    fn end(&mut self, now: Nanos) {
        *self = Self { sum: self.before(now), until: self.until.min(now) };
    }
}

/// The place of stalls among what can hold up a request.
const STALL: usize = 4;

/// A request that is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answered {
    /// `None` for one that is not counted.
    pub(crate) op: Option<IoOperation>,
    pub(crate) bytes: u64,
    /// Whether it was a read that found its blocks in the read cache; `None` if there is no cache or it was no read.
    pub(crate) hit: Option<bool>,
    pub(crate) failed: bool,
    pub(crate) took: Nanos,
    pub(crate) late: Nanos,
}

impl Meter {
    /// A request arrives.
    pub(crate) fn arrive(&mut self, at: Nanos, fate: &IoCompletion) {
        self.settle(at);
        self.in_flight += 1;
        if let Some(i) = fate.bound_by.and_then(BindingLimit::of_request)
            && matches!(fate.status, IoStatus::Done | IoStatus::Failed)
        {
            self.waits[i].add(at, fate.started);
        }
    }

    /// A request is answered.
    pub(crate) fn leave(&mut self, at: Nanos, request: Answered) {
        self.settle(at);
        self.in_flight = self.in_flight.saturating_sub(1);
        self.late += request.late;
        if request.failed {
            self.errors += 1;
            return;
        }
        let done = match request.op {
            Some(IoOperation::Read) => &mut self.read,
            Some(IoOperation::Write) => &mut self.write,
            Some(IoOperation::Flush) => &mut self.flush,
            None => return,
        };
        done.count += 1;
        done.bytes = Bytes(done.bytes.0 + request.bytes);
        done.time += request.took;
        match request.hit {
            Some(true) => {
                self.cache.hits += 1;
                self.cache.hit_bytes = Bytes(self.cache.hit_bytes.0 + request.bytes);
                self.cache.hit_time += request.took;
            }
            Some(false) => self.cache.misses += 1,
            None => {}
        }
    }

    /// What is in flight is held up by a stall.
    pub(crate) fn stall(&mut self, from: Nanos, until: Nanos) {
        if self.in_flight > 0 {
            self.waits[STALL].add(from, until);
        }
    }

    /// Stalls end.
    pub(crate) fn free(&mut self, at: Nanos) {
        self.waits[STALL].end(at);
    }

    /// Time with a request in flight, and their number integrated over time.
    pub(crate) fn busy_and_queued(&mut self, at: Nanos) -> (Nanos, Nanos) {
        self.settle(at);
        (self.busy, self.queued)
    }

    /// Time with a request that waited, by limit.
    pub(crate) fn bounds(&self, now: Nanos) -> LimitTimes {
        LimitTimes::of_requests(self.waits.map(|wait| wait.before(now)))
    }

    fn settle(&mut self, at: Nanos) {
        let passed = at - self.settled;
        if self.in_flight > 0 {
            self.busy += passed;
            self.queued += Nanos(passed.0.saturating_mul(self.in_flight));
        }
        self.settled = self.settled.max(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn waits(started: u64, bound_by: Option<BindingLimit>) -> IoCompletion {
        IoCompletion { started: Nanos(started), at: Nanos(started + 10), bound_by, status: IoStatus::Done }
    }

    fn answered(op: IoOperation) -> Answered {
        Answered { op: Some(op), bytes: 4096, hit: None, failed: false, took: Nanos(5), late: Nanos(1) }
    }

    #[test]
    fn the_queue_is_integrated_over_time() {
        let mut meter = Meter::default();
        meter.arrive(Nanos(100), &waits(100, None));
        meter.arrive(Nanos(200), &waits(200, None));
        meter.leave(Nanos(300), answered(IoOperation::Read));
        meter.leave(Nanos(600), answered(IoOperation::Write));
        assert_eq!(meter.busy_and_queued(Nanos(1000)), (Nanos(500), Nanos(100 + 200 + 300)));
        assert_eq!((meter.read.count, meter.write.count, meter.late, meter.in_flight), (1, 1, Nanos(2), 0));
    }

    #[test]
    fn waiting_together_counts_once_and_only_up_to_now() {
        let mut meter = Meter::default();
        meter.arrive(Nanos(100), &waits(200, Some(BindingLimit::VolumeIops)));
        meter.arrive(Nanos(150), &waits(300, Some(BindingLimit::VolumeIops)));
        meter.arrive(Nanos(160), &waits(170, Some(BindingLimit::InstanceThroughput)));
        assert_eq!(meter.bounds(Nanos(250)).volume_iops, Nanos(150));
        assert_eq!(meter.bounds(Nanos(1000)).volume_iops, Nanos(200));
        assert_eq!(meter.bounds(Nanos(1000)).instance_throughput, Nanos(10));
    }

    proptest! {
        #[test]
        fn waiting_is_the_length_of_the_union_of_its_spans_up_to_now(
            spans in prop::collection::vec((0usize..50, 0usize..200), 1..40),
            beyond in 0usize..100,
        ) {
            let (mut wait, mut clock, mut covered) = (Wait::default(), 0, [false; 3000]);
            for (gap, length) in spans {
                clock += gap;
                wait.add(Nanos(clock as u64), Nanos((clock + length) as u64));
                covered[clock..clock + length].fill(true);
            }
            let now = clock + beyond;
            let expected = covered[..now].iter().filter(|covered| **covered).count();
            prop_assert_eq!(wait.before(Nanos(now as u64)), Nanos(expected as u64));
        }
    }

    #[test]
    fn a_stall_that_ends_early_counts_only_until_then() {
        let mut meter = Meter::default();
        meter.arrive(Nanos(100), &waits(1_000_000, Some(BindingLimit::Fault)));
        meter.free(Nanos(400));
        assert_eq!(meter.bounds(Nanos(5000)).fault, Nanos(300));
        meter.arrive(Nanos(5000), &waits(5100, Some(BindingLimit::Fault)));
        assert_eq!(meter.bounds(Nanos(6000)).fault, Nanos(400));
    }

    #[test]
    fn a_failed_request_is_an_error_and_nothing_else() {
        let mut meter = Meter::default();
        meter.arrive(Nanos(0), &waits(0, None));
        meter.leave(Nanos(9), Answered { failed: true, ..answered(IoOperation::Read) });
        assert_eq!((meter.errors, meter.read), (1, RequestCounters::default()));
    }
}
