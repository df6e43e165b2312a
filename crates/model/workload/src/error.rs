//! Why a workload makes no sense.

/// A number that cannot be, named by its key in the TOML (`tpcc.warehouses`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` {message}")]
pub struct WorkloadError {
    /// The key, with dots.
    pub key: String,
    /// Fault at the key, expectation and advice.
    pub message: String,
}

impl WorkloadError {
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }
}
