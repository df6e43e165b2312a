//! How late a thread is that runs before all others: what a machine that is slow for a while does to everything on it.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};
use units::Nanos;

/// Between two wake-ups: seldom enough to leave the processors idle between them, as a half-used disk does.
const EVERY: Duration = Duration::from_millis(5);

/// Rounds of work after a wake-up, some microseconds, so that a processor that runs slowly is seen as one that is late.
const WORK: u32 = 1_000;

/// Wake-ups of a thread of the highest real-time priority (as cyclictest of the kernel's `rt-tests` has it), until dropped.
#[derive(Debug)]
pub(crate) struct WakeUps {
    seen: Arc<Seen>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Seen {
    count: AtomicU64,
    /// Of all of them.
    nanos: AtomicU64,
    ended: AtomicBool,
}

impl WakeUps {
    pub(crate) fn start() -> std::io::Result<Self> {
        let seen = Arc::<Seen>::default();
        let told = seen.clone();
        let thread = Builder::new().name("wakeups".to_owned()).spawn(move || told.run())?;
        Ok(Self { seen, thread: Some(thread) })
    }

    /// The mean since the last time it was asked; zero without one.
    pub(crate) fn late(&self) -> Nanos {
        let (count, nanos) = (self.seen.count.swap(0, Relaxed), self.seen.nanos.swap(0, Relaxed));
        Nanos(nanos.checked_div(count).unwrap_or(0))
    }
}

impl Seen {
    fn run(&self) {
        let fifo = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
        // Without the right (`CAP_SYS_NICE`) it is late whenever others run, which is what whoever measures has to know too.
        let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Max, fifo);
        let mut least = Duration::MAX;
        while !self.ended.load(Relaxed) {
            let due = Instant::now() + EVERY;
            std::thread::sleep(EVERY);
            (0..WORK).fold(1_u64, |state, round| black_box(state.rotate_left(5) ^ u64::from(round)));
            let took = due.elapsed();
            least = least.min(took);
            self.count.fetch_add(1, Relaxed);
            self.nanos.fetch_add(u64::try_from((took - least).as_nanos()).unwrap_or(u64::MAX), Relaxed);
        }
    }
}

impl Drop for WakeUps {
    fn drop(&mut self) {
        self.seen.ended.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_wakes_up_is_sometimes_a_little_late() {
        let wakeups = WakeUps::start().unwrap();
        std::thread::sleep(40 * EVERY);
        let late = wakeups.late();
        assert!(late > Nanos(0) && late < Nanos::secs(1), "{late}");
    }
}
