//! A process that is known by its start as well as by its number.

use std::time::{Duration, Instant};

use crate::system;

/// A process, safe against its number going to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) started: u64,
}

impl Process {
    /// This one.
    pub(crate) fn this() -> Self {
        let pid = std::process::id() as i32;
        Self { pid, started: system::process_started(pid).unwrap_or_default() }
    }

    pub(crate) fn is_alive(self) -> bool {
        system::process_started(self.pid) == Some(self.started)
    }

    /// Waits until it is gone; answers whether it is.
    pub(crate) fn wait(self, patience: Duration) -> bool {
        const PAUSE: Duration = Duration::from_millis(5);
        let begun = Instant::now();
        while self.is_alive() {
            if begun.elapsed() > patience {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        true
    }
}
