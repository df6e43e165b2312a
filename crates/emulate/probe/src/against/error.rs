//! Why a published measurement cannot be compared with.

use std::path::{Path, PathBuf};

/// Why a published measurement cannot be compared with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {what}", path.display(), line.map_or(String::new(), |line| format!(":{line}")))]
pub struct AgainstError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, where one is at fault.
    pub line: Option<u64>,
    /// What is wrong and what was expected.
    pub what: String,
}

impl AgainstError {
    pub(super) fn new(path: &Path, line: Option<u64>, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}
