//! How busy the threads are that speak gRPC: clients make larger batches when they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Clients decide by it for the seconds to come; less would be noise, for a thread works in pieces of milliseconds.
const INTERVAL: Duration = Duration::from_secs(1);

/// Processor time of some threads.
#[derive(Debug, Default)]
pub(crate) struct Load {
    threads: Mutex<Vec<i32>>,
    percent: AtomicU64,
}

impl Load {
    /// The thread that calls this counts from now on.
    pub(super) fn join(&self) {
        self.threads.lock().push(rustix::thread::gettid().as_raw_pid());
    }

    /// Percent of a processor over the last second, all threads together: 150 is one and a half processors.
    pub(crate) fn percent(&self) -> u64 {
        self.percent.load(Ordering::Relaxed)
    }

    /// Measures each second, until the runtime ends.
    pub(super) async fn watch(self: Arc<Self>) {
        let mut before = (Instant::now(), self.spent());
        loop {
            tokio::time::sleep(INTERVAL).await;
            let now = (Instant::now(), self.spent());
            let share = now.1.saturating_sub(before.1).as_secs_f64() / (now.0 - before.0).as_secs_f64();
            self.percent.store((share * 100.0) as u64, Ordering::Relaxed);
            before = now;
        }
    }

    /// linux/Documentation/scheduler/sched-stats.rst: the first number of `schedstat` is nanoseconds on a processor.
    fn spent(&self) -> Duration {
        let threads = self.threads.lock();
        let nanos = threads.iter().filter_map(|thread| {
            let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanos.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_is_a_load() {
        let load = Load::default();
        assert_eq!(load.spent(), Duration::ZERO);
        load.join();
        let before = load.spent();
        let began = Instant::now();
        // Until it has had a fiftieth of a second of a processor, however many others want one.
        while load.spent() < before + Duration::from_millis(20) {
            assert!(began.elapsed() < Duration::from_secs(20), "a thread that runs spends time");
        }
    }
}
