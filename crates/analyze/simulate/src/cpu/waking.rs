//! Threads that have woken and wait for a processor, which a thread of the background holds until its slice of time ends.

use units::Nanos;

/// The golden ratio, less one.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Jobs whose threads wait, and until when.
#[derive(Debug, Clone)]
pub(super) struct Waking<J> {
    /// The longest wait, seconds.
    slice: f64,
    jobs: Vec<(Nanos, J)>,
    /// When the first of them runs; the end of time if there is none.
    next: Nanos,
    /// What stands in for chance: steps of the golden ratio, which fill an interval evenly.
    phase: f64,
}

impl<J> Waking<J> {
    /// Nobody waits yet.
    pub(super) fn new(slice: f64) -> Self {
        Self { slice, jobs: Vec::new(), next: Nanos(u64::MAX), phase: 0.0 }
    }

    /// Takes in a job whose thread wakes where a share `held` of the processors, all of them taken, is the background's. Gives it
    /// back if it need not wait: it meets one of the others, or one that is free.
    pub(super) fn add(&mut self, now: Nanos, held: Option<f64>, job: J) -> Option<J> {
        let Some(held) = held.filter(|_| self.slice > 0.0) else { return Some(job) };
        self.phase = (self.phase + GOLDEN).fract();
        if self.phase >= held {
            return Some(job);
        }
        let at = now + Nanos::from_secs_f64(self.slice * self.phase / held);
        self.next = self.next.min(at);
        self.jobs.push((at, job));
        None
    }

    /// When the first of them runs; the end of time if nobody waits.
    pub(super) fn next(&self) -> Nanos {
        self.next
    }

    /// The first of them, if it runs by now.
    pub(super) fn take(&mut self, now: Nanos) -> Option<J> {
        if self.next > now {
            return None;
        }
        let place = self.jobs.iter().position(|(at, _)| *at == self.next)?;
        let (_, job) = self.jobs.swap_remove(place);
        self.next = self.jobs.iter().map(|(at, _)| *at).min().unwrap_or(Nanos(u64::MAX));
        Some(job)
    }
}
