//! How far a search has come, for whoever shows it while it lasts.

use std::sync::atomic::{AtomicU64, Ordering};

/// Work of a search, in futures: a search for the cheapest layouts takes as long as a hundred of them.
pub(crate) const SEARCH: u64 = 100;

/// Work that is done and work that is known, counted while a [`Planner`](crate::Planner) searches on other threads.
#[derive(Debug, Default)]
pub struct PlanProgress {
    done: AtomicU64,
    known: AtomicU64,
}

impl PlanProgress {
    /// Adds work that is to be done.
    pub(crate) fn expect(&self, work: u64) {
        self.known.fetch_add(work, Ordering::Relaxed);
    }

    /// Adds work that was done.
    pub(crate) fn done(&self, work: u64) {
        self.done.fetch_add(work, Ordering::Relaxed);
    }

    /// The share that is done, from 0 to 1; 0 before the search begins.
    pub fn share(&self) -> f64 {
        let known = self.known.load(Ordering::Relaxed);
        if known == 0 { 0.0 } else { (self.done.load(Ordering::Relaxed) as f64 / known as f64).min(1.0) }
    }
}
