//! A thread that looks at something each second, and once more when it is told to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Between two rounds.
const EVERY: Duration = Duration::from_secs(1);

/// One look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleRound {
    /// Counted from 0.
    pub number: usize,
    /// Whether it is the last: none comes after it.
    pub is_last: bool,
}

/// Rounds under way; when this is dropped, the last one has been made.
#[derive(Debug)]
pub struct SampleRounds {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SampleRounds {
    /// Begins with the first round at once, in a thread of this name.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(name: String, mut look: impl FnMut(SampleRound) + Send + 'static) -> io::Result<Self> {
        let done = Arc::<AtomicBool>::default();
        let ending = Arc::clone(&done);
        let thread = Builder::new().name(name).spawn(move || {
            let mut next = Instant::now();
            for number in 0.. {
                let is_last = ending.load(Ordering::Relaxed);
                look(SampleRound { number, is_last });
                if is_last {
                    return;
                }
                next += EVERY;
                while let Some(wait) = next.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero())
                    && !ending.load(Ordering::Relaxed)
                {
                    std::thread::park_timeout(wait);
                }
                // After a pause of the whole machine there is nothing to catch up on.
                next = next.max(Instant::now() - EVERY);
            }
        })?;
        Ok(Self { done, thread: Some(thread) })
    }

    /// Has the last round made soon, without waiting for it.
    pub fn hurry(&self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Waits until the last round is made.
    pub fn end(&mut self) {
        self.hurry();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for SampleRounds {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_first_round_comes_at_once_and_the_last_when_it_is_told_to_end() {
        let made = Arc::<Mutex<Vec<SampleRound>>>::default();
        let seen = Arc::clone(&made);
        let mut rounds =
            SampleRounds::start("rounds".to_owned(), move |round| seen.lock().unwrap().push(round)).unwrap();
        while made.lock().unwrap().is_empty() {
            std::thread::yield_now();
        }
        rounds.end();
        let made = made.lock().unwrap();
        assert_eq!(made.first().unwrap().number, 0);
        let (last, before) = made.split_last().unwrap();
        assert!(last.is_last && before.iter().all(|round| !round.is_last), "{made:?}");
    }

    #[test]
    fn one_that_is_dropped_has_ended() {
        let lives = Arc::new(());
        let held = Arc::clone(&lives);
        drop(SampleRounds::start("rounds".to_owned(), move |_| drop(Arc::clone(&held))).unwrap());
        assert_eq!(Arc::strong_count(&lives), 1);
    }
}
