//! What was tried again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Class;

/// Counts what was tried again, and says when nothing more can be; shared by all connections.
#[derive(Debug, Default)]
pub struct Retries {
    counts: [AtomicU64; Class::AGAIN.len()],
    /// Why the database takes nothing more.
    full: Mutex<Option<String>>,
    /// Set with `full`, and by the caller who wants all to end.
    stop: std::sync::Arc<AtomicBool>,
}

impl Retries {
    /// Nothing yet; `stop` is set when the database takes nothing more, and heeded when it is set by others.
    pub fn new(stop: std::sync::Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
    }

    pub(crate) fn count(&self, class: Class) {
        if let Some(at) = Class::AGAIN.iter().position(|again| *again == class) {
            self.counts[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn full(&self, reason: String) {
        self.full.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Why the database takes nothing more.
    pub fn why_full(&self) -> Option<String> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// How often, by [`Class::name`].
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        Class::AGAIN.iter().map(|class| class.name()).zip(counts).collect()
    }
}
