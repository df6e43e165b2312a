//! Waits that can be given up.

use std::fmt;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::signals;

/// How often a wait looks whether it is to be given up.
const LOOK: Duration = Duration::from_millis(100);

/// Tells those who wait for others whether to give up. The default is a signal, see [`catch`](crate::catch).
#[derive(Clone)]
pub struct StopSignal(Arc<dyn Fn() -> bool + Send + Sync>);

/// Why a wait brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// Told to stop.
    Stopped,
    /// The time is over.
    Late,
}

impl StopSignal {
    /// Asks `told` about every tenth of a second.
    pub fn new(told: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    /// Gives nothing up.
    pub fn never() -> Self {
        Self::new(|| false)
    }

    /// Whether waits are to be given up.
    pub fn is_set(&self) -> bool {
        (self.0)()
    }

    /// Sleeps for `span`, or until told. Returns whether to go on.
    pub fn pause(&self, span: Duration) -> bool {
        let until = Instant::now() + span;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.is_set() || left.is_zero() {
                return !self.is_set();
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Does on a thread of its own what may block, for `within` at most. Given up, it goes on unheard until it ends by itself.
    ///
    /// # Errors
    /// [`GivenUp`], within an [`io::Error`] of its own when the system gives no thread.
    pub fn run<T: Send + 'static>(
        &self,
        within: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Result<T, GivenUp>> {
        if self.is_set() {
            return Ok(Err(GivenUp::Stopped));
        }
        let until = Instant::now() + within;
        let (done, result) = sync_channel(1);
        std::thread::Builder::new().name("asks".to_owned()).spawn(move || {
            // Nobody listens to what was given up.
            let _ = done.send(work());
        })?;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match result.recv_timeout(left.min(LOOK)) {
                Ok(result) => return Ok(Ok(result)),
                Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the thread that asked panicked")),
                Err(RecvTimeoutError::Timeout) if self.is_set() => return Ok(Err(GivenUp::Stopped)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(Err(GivenUp::Late)),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Waits for a future for `within` at most, and drops it when that is over or it is told to stop. For a runtime of tokio's with
    /// its time.
    ///
    /// # Errors
    /// [`GivenUp`].
    pub async fn within<F: Future>(&self, within: Duration, future: F) -> Result<F::Output, GivenUp> {
        let until = Instant::now() + within;
        let mut future = pin!(future);
        loop {
            if self.is_set() {
                return Err(GivenUp::Stopped);
            }
            let left = until.saturating_duration_since(Instant::now());
            match tokio::time::timeout(left.min(LOOK), &mut future).await {
                Ok(done) => return Ok(done),
                Err(_) if left.is_zero() => return Err(GivenUp::Late),
                Err(_) => {}
            }
        }
    }

    /// Waits for a future however long it takes, and drops it when told to stop. As [`Stop::within`].
    ///
    /// # Errors
    /// [`GivenUp::Stopped`].
    pub async fn during<F: Future>(&self, future: F) -> Result<F::Output, GivenUp> {
        let mut future = pin!(future);
        loop {
            if self.is_set() {
                return Err(GivenUp::Stopped);
            }
            if let Ok(done) = tokio::time::timeout(LOOK, &mut future).await {
                return Ok(done);
            }
        }
    }
}

impl Default for StopSignal {
    fn default() -> Self {
        Self::new(signals::is_set)
    }
}

impl From<Arc<AtomicBool>> for StopSignal {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self::new(move || flag.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_set()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn soon() -> (StopSignal, Instant) {
        let flag = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&flag);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            set.store(true, Ordering::Relaxed);
        });
        (StopSignal::from(flag), Instant::now())
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
    }

    #[test]
    fn blocking_work_is_given_up_when_told_and_when_its_time_is_over() {
        let (stop, from) = soon();
        let given_up = stop.run(LONG, || std::thread::sleep(LONG)).unwrap();
        assert_eq!(given_up, Err(GivenUp::Stopped));
        assert_eq!(stop.run(LONG, || ()).unwrap(), Err(GivenUp::Stopped), "nothing begins any more");
        let late = StopSignal::never().run(Duration::from_millis(250), || std::thread::sleep(LONG)).unwrap();
        assert_eq!(late, Err(GivenUp::Late));
        assert_eq!(StopSignal::never().run(LONG, || 7).unwrap(), Ok(7));
        assert!(from.elapsed() < LONG / 10);
    }

    #[test]
    fn a_future_is_given_up_when_told_and_when_its_time_is_over() {
        let (stop, from) = soon();
        let runtime = runtime();
        let pending = std::future::pending::<()>;
        assert_eq!(runtime.block_on(stop.during(pending())), Err(GivenUp::Stopped));
        assert_eq!(runtime.block_on(stop.within(LONG, pending())), Err(GivenUp::Stopped));
        let never = StopSignal::never();
        assert_eq!(runtime.block_on(never.within(Duration::from_millis(250), pending())), Err(GivenUp::Late));
        assert_eq!(runtime.block_on(never.within(LONG, async { 7 })), Ok(7));
        assert!(from.elapsed() < LONG / 10);
    }

    #[test]
    fn work_that_panics_is_an_error() {
        assert!(StopSignal::never().run(LONG, || panic!("on purpose")).is_err());
    }

    #[test]
    fn a_pause_ends_when_told() {
        let (stop, from) = soon();
        assert!(stop.pause(Duration::from_millis(1)));
        assert!(!stop.pause(LONG) && from.elapsed() < LONG / 10);
    }
}
