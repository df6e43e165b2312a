//! Threads that take tasks from one queue, as many as are wanted.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender};
use parking_lot::Mutex;

use crate::ServerError;

/// What each thread does: it takes tasks until it finds `None`.
type Run<T> = dyn Fn(&Receiver<Option<T>>) + Send + Sync;

/// Threads that take tasks from one queue.
pub(crate) struct Pool<T> {
    name: &'static str,
    /// The queue; `None` ends the thread that takes it.
    tasks: Sender<Option<T>>,
    taken: Receiver<Option<T>>,
    run: Arc<Run<T>>,
    threads: Mutex<Threads>,
}

#[derive(Default)]
struct Threads {
    /// Threads that were not told to end.
    wanted: usize,
    /// Threads that were ever started.
    started: usize,
    handles: Vec<JoinHandle<()>>,
    /// Whether one that is no longer among them had panicked.
    panicked: bool,
}

impl Threads {
    /// Waits for those of which this holds, and lets go of them.
    fn reap(&mut self, ended: impl Fn(&JoinHandle<()>) -> bool) {
        for thread in self.handles.extract_if(.., |thread| ended(thread)) {
            self.panicked |= thread.join().is_err();
        }
    }
}

impl<T: Send + 'static> Pool<T> {
    /// No thread yet; their names are `name` and a number.
    pub(crate) fn new(
        name: &'static str,
        (tasks, taken): (Sender<Option<T>>, Receiver<Option<T>>),
        run: impl Fn(&Receiver<Option<T>>) + Send + Sync + 'static,
    ) -> Self {
        Self { name, tasks, taken, run: Arc::new(run), threads: Mutex::default() }
    }

    /// From now on there are `wanted` threads, one at least. Those that are too many end once what was asked before is done.
    ///
    /// # Errors
    /// When the system gives no thread; there are as many as it gave.
    pub(crate) fn resize(&self, wanted: usize) -> Result<(), ServerError> {
        let mut threads = self.threads.lock();
        let wanted = wanted.max(1);
        while threads.wanted > wanted {
            threads.wanted -= 1;
            // Pools hold an end of their queue themselves.
            let _ = self.tasks.send(None);
        }
        while threads.wanted < wanted {
            let name = format!("{}-{}", self.name, threads.started);
            let (run, taken) = (Arc::clone(&self.run), self.taken.clone());
            let thread = std::thread::Builder::new().name(name.clone()).spawn(move || run(&taken));
            threads.handles.push(thread.map_err(|source| ServerError::Thread { name, source })?);
            threads.started += 1;
            threads.wanted += 1;
        }
        threads.reap(JoinHandle::is_finished);
        Ok(())
    }

    /// Ends all threads once what was asked is done, and waits for them. Whether none had panicked.
    pub(crate) fn end(&self) -> bool {
        let mut threads = self.threads.lock();
        for _ in 0..std::mem::take(&mut threads.wanted) {
            let _ = self.tasks.send(None);
        }
        threads.reap(|_| true);
        !threads.panicked
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::time::{Duration, Instant};

    use super::*;

    /// A pool whose tasks are barriers to wait at.
    fn pool() -> Pool<Arc<Barrier>> {
        Pool::new("test", crossbeam_channel::unbounded(), |tasks: &Receiver<Option<Arc<Barrier>>>| {
            while let Ok(Some(barrier)) = tasks.recv() {
                barrier.wait();
            }
        })
    }

    /// Whether so many tasks run at once.
    fn runs_at_once(pool: &Pool<Arc<Barrier>>, tasks: usize) {
        let barrier = Arc::new(Barrier::new(tasks + 1));
        (0..tasks).for_each(|_| pool.tasks.send(Some(Arc::clone(&barrier))).unwrap());
        barrier.wait();
    }

    fn alive<T>(pool: &Pool<T>) -> usize {
        pool.threads.lock().handles.iter().filter(|thread| !thread.is_finished()).count()
    }

    #[test]
    fn a_pool_grows_and_shrinks_while_it_works() {
        let pool = pool();
        pool.resize(2).unwrap();
        runs_at_once(&pool, 2);
        pool.resize(5).unwrap();
        runs_at_once(&pool, 5);
        pool.resize(1).unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        while alive(&pool) > 1 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(alive(&pool), 1);
        runs_at_once(&pool, 1);
        pool.resize(0).unwrap();
        runs_at_once(&pool, 1);
        assert!(pool.end());
        assert_eq!(alive(&pool), 0);
    }

    #[test]
    fn what_was_asked_before_threads_end_is_done() {
        let pool = pool();
        pool.resize(3).unwrap();
        let barrier = Arc::new(Barrier::new(1));
        (0..100).for_each(|_| pool.tasks.send(Some(Arc::clone(&barrier))).unwrap());
        assert!(pool.end());
        assert!(pool.taken.is_empty());
    }

    #[test]
    fn a_thread_that_panicked_is_told_at_the_end_whenever_it_did() {
        let pool = Pool::new("test", crossbeam_channel::unbounded(), |_: &Receiver<Option<()>>| panic!("as told"));
        pool.resize(1).unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        while alive(&pool) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        pool.resize(1).unwrap();
        assert!(pool.threads.lock().handles.is_empty());
        assert!(!pool.end());
    }
}
