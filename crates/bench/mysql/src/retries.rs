//! What was tried again, and what ended a run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::ErrorClass;

/// Counts what was tried again, and says when nothing more can be; shared by all connections.
#[derive(Debug, Default)]
pub struct RetryBudget {
    counts: [AtomicU64; ErrorClass::AGAIN.len()],
    /// What the next transaction would meet too.
    ended: Mutex<Option<(ErrorClass, String)>>,
    /// Set with `ended`, and by the caller who wants all to end.
    stop: std::sync::Arc<AtomicBool>,
}

impl RetryBudget {
    /// Nothing yet; `stop` is set when nothing more can be done, and heeded when it is set by others.
    pub fn new(stop: std::sync::Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
    }

    pub(crate) fn count(&self, class: ErrorClass) {
        if let Some(at) = ErrorClass::AGAIN.iter().position(|again| *again == class) {
            self.counts[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends the run.
    pub(crate) fn end(&self, class: ErrorClass, reason: String) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert((class, reason));
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What ended the run, and why, if the database did.
    pub fn ended(&self) -> Option<(ErrorClass, String)> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// How often, by [`Class::name`].
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        ErrorClass::AGAIN.iter().map(|class| class.name()).zip(counts).collect()
    }
}
