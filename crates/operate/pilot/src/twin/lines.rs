//! A journal and a log in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::ClusterTwin;
use crate::audit::{AuditLog, PilotEvent};
use crate::{JournalSink, PilotError};

/// A journal in memory. It outlives the pilot that writes it.
#[derive(Debug, Clone, Default)]
pub struct MemoryLines {
    text: Arc<Mutex<String>>,
    twin: Option<ClusterTwin>,
}

impl MemoryLines {
    /// One whose pilot can be killed with the twin's faults: then a line is cut off, as a crash may.
    pub fn of(twin: &ClusterTwin) -> Self {
        Self { text: Arc::default(), twin: Some(twin.clone()) }
    }

    /// All of it.
    pub fn text(&self) -> String {
        self.locked().clone()
    }

    /// Cuts off what a crash left of a line.
    pub fn truncate(&self, whole: usize) {
        self.locked().truncate(whole);
    }

    fn locked(&self) -> MutexGuard<'_, String> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalSink for MemoryLines {
    fn append(&mut self, line: &str) -> Result<(), PilotError> {
        if self.twin.as_ref().is_some_and(ClusterTwin::is_dead) {
            return Err(PilotError::Environment("the pilot was killed".to_owned()));
        }
        let cut = self.twin.as_ref().is_some_and(|twin| twin.writes_line());
        let mut text = self.locked();
        if cut {
            *text += &line[..line.len() / 2];
            return Err(PilotError::Environment("the pilot was killed".to_owned()));
        }
        *text += &format!("{line}\n");
        Ok(())
    }
}

/// Sentences in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryAudit(Arc<Mutex<Vec<String>>>);

impl MemoryAudit {
    /// All of them.
    pub fn sentences(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl AuditLog for MemoryAudit {
    fn note(&mut self, _: Timestamp, event: &PilotEvent<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(event.sentence());
    }
}
