//! Why nothing is imported.

use textfile::InputError;

/// Why files make no deployment.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that people mend.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An option that does not fit.
    #[error("{0}")]
    Option(String),
}
