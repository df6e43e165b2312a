//! Why a cluster cannot be had, or not be told something.

use mount::MountError;
use private_dir::FolderError;

/// Why a cluster cannot be started, changed or asked.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The deployment or an option cannot be had: people mend their input.
    #[error("{0}")]
    Input(String),
    /// A running part said no: a key that cannot be changed online.
    #[error("{0}")]
    Refused(String),
    /// The machine lacks something, a program ended, or a call to the system failed.
    #[error("{0}")]
    Environment(String),
    /// A program did not become ready; the end of what it said is told with it.
    #[error("{name} {what}{}", told(.said))]
    Program {
        /// Which: `pd`, `n1`.
        name: String,
        /// What happened to it.
        what: String,
        /// The last lines of its log.
        said: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The disks.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// The scratch folder, which others could read or tamper with.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl ClusterError {
    /// The exit code of a program that ends with this error: 1 for a no, 2 for input, 3 for the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(_) => 1,
            Self::Input(_) => 2,
            Self::Environment(_) | Self::Program { .. } | Self::Folder(_) => 3,
            // What a shell tells of a program that Ctrl-C ended.
            Self::Interrupted => 130,
            Self::Mount(error) => error.exit_code(),
        }
    }

    /// A call to the system that failed.
    pub(crate) fn system(what: impl std::fmt::Display, source: impl std::fmt::Display) -> Self {
        Self::Environment(format!("{what}: {source}"))
    }
}

fn told(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(":\n{said}") }
}
