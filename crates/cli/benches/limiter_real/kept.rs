//! What was measured, in files, so that a run that was ended goes on.

use std::path::{Path, PathBuf};

use validation::MachineLoad;

use crate::Trouble;
use crate::arms::Arm;
use crate::figures::Figures;

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Kept {
    /// What was run: another setup's is not read.
    pub(crate) setup: String,
    pub(crate) figures: Figures,
    /// Operations that failed, and arrivals that were given up.
    pub(crate) failures: u64,
    pub(crate) dropped: u64,
    /// Bytes that flushes and compactions wrote.
    pub(crate) flushed: f64,
    pub(crate) compacted: f64,
    /// What the processors did.
    pub(crate) busy: MachineLoad,
    /// Its processors and its kernel.
    pub(crate) machine: String,
}

/// The file of an arm on a sequence.
pub(crate) fn path(folder: &Path, arm: &Arm, seed: u64, kind: &str) -> PathBuf {
    let name: String = arm.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    folder.join(format!("{seed}.{name}.{kind}"))
}

/// What a folder keeps of an arm on a sequence; `None` if nothing of this setup.
pub(crate) fn read(folder: &Path, setup: &str, arm: &Arm, seed: u64) -> Option<Kept> {
    let text = std::fs::read_to_string(path(folder, arm, seed, "json")).ok()?;
    serde_json::from_str::<Kept>(&text).ok().filter(|kept| kept.setup == setup)
}

/// Keeps it.
pub(crate) fn write(folder: &Path, arm: &Arm, seed: u64, kept: &Kept) -> Result<(), Trouble> {
    std::fs::create_dir_all(folder)?;
    Ok(textfile::write_atomically(path(folder, arm, seed, "json"), serde_json::to_string_pretty(kept)?.as_bytes())?)
}
