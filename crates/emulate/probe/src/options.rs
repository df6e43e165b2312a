//! How a disk is measured.

use units::{Bytes, Nanos};

/// What may be overwritten on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OverwriteScope {
    /// Nothing: it is only read.
    #[default]
    Nothing,
    /// A device on which nothing is found; refused if it holds anything.
    Blank,
    /// Whatever it holds.
    Anything,
}

/// How a disk is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeOptions {
    /// How long each step is measured; about 20 steps are.
    pub step: Nanos,
    /// How long each step runs before it is measured: what limits let through at once after idling must have passed.
    pub ramp: Nanos,
    /// Fewer steps.
    pub quick: bool,
    /// Runs at full rate at most this long at the end, to see whether burst credits run out.
    pub long: Option<Nanos>,
    /// What may be overwritten on a device; a folder's test file always is.
    pub destroy: OverwriteScope,
    /// How much is worked on; `None`: 1 GiB where it is written (in a folder at most a tenth of the free
    /// space), all of a device that is only read.
    pub size: Option<Bytes>,
    /// Offsets depend on it.
    pub seed: u64,
}

impl Default for ProbeOptions {
    /// About a minute.
    fn default() -> Self {
        Self {
            step: Nanos::millis(2300),
            ramp: Nanos::millis(400),
            quick: false,
            long: None,
            destroy: OverwriteScope::Nothing,
            size: None,
            seed: 1,
        }
    }
}

impl ProbeOptions {
    /// About 15 seconds.
    pub fn quick() -> Self {
        Self { step: Nanos::millis(600), ramp: Nanos::millis(200), quick: true, ..Self::default() }
    }
}
