//! What is chosen beside the deployment.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use units::Bytes;

use crate::ClusterError;

/// What is chosen beside the deployment. The sizes of disks are not among it: a disk's limits may follow from its size, and
/// its backing file is sparse, so that 1000 GiB cost nothing until they are written.
#[derive(Debug, Clone)]
pub struct ClusterOptions {
    /// What each node's process may take, its page cache included; the whole machine's if not given.
    pub memory: Option<Bytes>,
    /// How the key space is cut.
    pub regions: RegionLayout,
    /// TiKV keys that win over those that follow from the deployment.
    pub keys: toml::Table,
    /// All that is random in the disks depends on it.
    pub seed: u64,
    /// The folder for the disks' data; one in the scratch folder if not given.
    pub backing: Option<PathBuf>,
    /// Burst credits at the start, 0 to 1 of the full bucket; full if not given.
    pub credits: Option<f64>,
    /// How long a program may take to become ready.
    pub patience: Duration,
    /// Once true, starting ends with [`ClusterError::Interrupted`] and what was begun is taken down.
    pub interrupted: Arc<AtomicBool>,
}

/// How the key space is cut into regions. It stays so: there are no splits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionLayout {
    /// So many, evenly by the keys' first bytes.
    Even(u32),
    /// At these keys, in order.
    At(Vec<Vec<u8>>),
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            memory: None,
            regions: RegionLayout::Even(16),
            keys: toml::Table::new(),
            seed: 0,
            backing: None,
            credits: None,
            patience: Duration::from_secs(60),
            interrupted: Arc::default(),
        }
    }
}

impl ClusterOptions {
    /// # Errors
    /// When the caller asked to stop.
    pub(crate) fn go_on(&self) -> Result<(), ClusterError> {
        if self.interrupted.load(Ordering::Relaxed) { Err(ClusterError::Interrupted) } else { Ok(()) }
    }
}

/// How far starting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartProgress {
    /// The disks of a node, counted from 1, are being mounted.
    Mounting {
        /// Which.
        node: u32,
        /// Of how many.
        of: u32,
    },
    /// The placement driver is being started.
    Pd,
    /// A node, counted from 1, is being waited for.
    Starting {
        /// Which.
        node: u32,
        /// Of how many.
        of: u32,
    },
    /// All regions are being waited for to have a leader.
    Leaders,
}

impl std::fmt::Display for StartProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mounting { node, of } => write!(f, "mounting the disks of node {node} of {of}"),
            Self::Pd => f.write_str("starting the placement driver"),
            Self::Starting { node, of } => write!(f, "starting node {node} of {of}"),
            Self::Leaders => f.write_str("waiting for leaders"),
        }
    }
}
