//! Fills the database before the runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use units::Nanos;
use workload::operations::{Operation, OperationRecipe, RowLoader};

use crate::{BenchError, Driver, DriverFactory, FinishedOperation};

/// How rows are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLoad {
    /// Driver threads.
    pub threads: u32,
    /// Batches of up to 64 KiB that each thread has in flight.
    pub in_flight: u32,
    /// How often a batch is sent before the load gives up.
    pub tries: u32,
    /// The same seed gives the same values.
    pub seed: u64,
}

impl Default for RowLoad {
    /// One thread, sixteen batches: a megabyte in flight. Eight tries are some twenty seconds, more than an election.
    fn default() -> Self {
        Self { threads: 1, in_flight: 16, tries: 8, seed: 1 }
    }
}

/// How far a load is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadProgress {
    /// Rows that the database has.
    pub rows: u64,
    /// Rows in all.
    pub all: u64,
    /// Bytes of keys and values that the database has taken.
    pub bytes: u64,
    /// Since the start.
    pub passed: Nanos,
    /// Until the end at the rate until now; `None` while there is none.
    pub left: Option<Nanos>,
}

/// Between two tries of a batch: doubled each time.
const PAUSE: Duration = Duration::from_millis(100);

/// Between two calls of `progress`.
const TELL: Duration = Duration::from_millis(200);

/// What the threads of a load share.
struct Shared<'s> {
    rows: AtomicU64,
    bytes: AtomicU64,
    running: AtomicU64,
    over: AtomicBool,
    stop: &'s AtomicBool,
    fault: Mutex<Option<(String, u32)>>,
}

/// Loads all rows of the recipe, each key once. With `stop` it ends early: the result then has fewer rows than all.
///
/// # Errors
/// When no driver can be made, or a batch fails for good.
pub fn load(
    recipe: &Arc<OperationRecipe>,
    how: &RowLoad,
    drivers: &mut DriverFactory<'_>,
    progress: &mut dyn FnMut(&LoadProgress),
    stop: &AtomicBool,
) -> Result<LoadProgress, BenchError> {
    let threads = how.threads.max(1);
    let drivers = (0..threads).map(drivers).collect::<Result<Vec<_>, _>>()?;
    let shared = Shared {
        rows: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        running: AtomicU64::new(u64::from(threads)),
        over: AtomicBool::new(false),
        stop,
        fault: Mutex::new(None),
    };
    let start = Instant::now();
    let now = || {
        let (rows, all) = (shared.rows.load(Ordering::Relaxed), recipe.loaded());
        let passed = Nanos(start.elapsed().as_nanos() as u64);
        let left = |rows| Nanos((u128::from(passed.0) * u128::from(all - rows) / u128::from(rows)) as u64);
        let left = (rows > 0).then_some(rows).map(left);
        LoadProgress { rows, all, bytes: shared.bytes.load(Ordering::Relaxed), passed, left }
    };
    let sound = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..)
            .zip(drivers)
            .map(|(thread, driver)| {
                let loader = recipe.loader(how.seed, thread, threads.into());
                let shared = &shared;
                scope.spawn(move || {
                    // Counted down also when it panics.
                    let _running = Running(shared);
                    Thread { shared, driver, loader, how, flights: Vec::new(), free: Vec::new(), again: Vec::new() }
                        .fill();
                })
            })
            .collect();
        while shared.running.load(Ordering::Relaxed) > 0 {
            std::thread::park_timeout(TELL.min(start.elapsed().max(Duration::from_millis(1))));
            progress(&now());
        }
        handles.into_iter().map(std::thread::ScopedJoinHandle::join).all(|end| end.is_ok())
    });
    let done = now();
    match shared.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((reason, tries)) => Err(BenchError::Load { rows: done.rows, all: done.all, reason, tries }),
        None if !sound => Err(BenchError::Thread),
        None => Ok(done),
    }
}

struct Running<'s>(&'s Shared<'s>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A batch on its way.
struct Batch {
    operation: Operation,
    rows: u64,
    tries: u32,
}

struct Thread<'s, D> {
    shared: &'s Shared<'s>,
    driver: D,
    loader: RowLoader,
    how: &'s RowLoad,
    flights: Vec<Option<Batch>>,
    free: Vec<usize>,
    /// Batches that failed, and when they are sent again.
    again: Vec<(Instant, Batch)>,
}

impl<D: Driver> Thread<'_, D> {
    fn fill(&mut self) {
        let mut done = Vec::new();
        while !self.shared.over.load(Ordering::Relaxed) && !self.shared.stop.load(Ordering::Relaxed) {
            while self.flights.len() - self.free.len() < self.how.in_flight.max(1) as usize
                && let Some(batch) = self.next()
            {
                self.send(batch);
            }
            let waits = self.flights.len() > self.free.len();
            if !waits && self.again.is_empty() {
                return;
            }
            self.driver.flush();
            self.driver.poll(PAUSE / 4, &mut done);
            if !waits {
                // A driver with nothing in flight may return at once.
                std::thread::sleep(PAUSE / 20);
            }
            done.drain(..).for_each(|finished| self.book(finished));
        }
    }

    fn next(&mut self) -> Option<Batch> {
        let now = Instant::now();
        if let Some(due) = self.again.iter().position(|(at, _)| *at <= now) {
            return Some(self.again.swap_remove(due).1);
        }
        let (pairs, rows) = self.loader.batch()?;
        Some(Batch { operation: Operation::InsertMany(pairs), rows, tries: 0 })
    }

    fn send(&mut self, batch: Batch) {
        let operation = batch.operation.clone();
        let tag = self.free.pop().unwrap_or_else(|| {
            self.flights.push(None);
            self.flights.len() - 1
        });
        self.flights[tag] = Some(batch);
        self.driver.submit(tag as u64, operation);
    }

    fn book(&mut self, finished: FinishedOperation) {
        let tag = finished.tag as usize;
        let Some(mut batch) = self.flights.get_mut(tag).and_then(Option::take) else { return };
        self.free.push(tag);
        match finished.outcome {
            Ok(_) => {
                self.shared.rows.fetch_add(batch.rows, Ordering::Relaxed);
                self.shared.bytes.fetch_add(batch.operation.written(), Ordering::Relaxed);
            }
            // Rows are the same each time: whether a try was carried out does not matter.
            Err(failure) => {
                batch.tries += 1;
                if batch.tries >= self.how.tries {
                    let mut fault = self.shared.fault.lock().unwrap_or_else(PoisonError::into_inner);
                    fault.get_or_insert((failure.to_string(), batch.tries));
                    self.shared.over.store(true, Ordering::Relaxed);
                    return;
                }
                let pause = PAUSE * 2u32.saturating_pow((batch.tries - 1).min(8));
                self.again.push((Instant::now() + pause, batch));
            }
        }
    }
}
