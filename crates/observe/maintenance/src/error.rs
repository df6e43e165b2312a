//! Why a metadata server cannot be heard.

use crate::MachineCloud;

/// Why a metadata server cannot be heard. None of these means that no maintenance is planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MaintenanceError {
    /// The address or the name of a machine cannot be used: people mend their input.
    #[error("{0}")]
    Input(String),
    /// It did not answer, or said that it cannot now: ask again. GCP answers 503 while the machine is moved.
    #[error("{cloud}'s metadata server {what}; it is asked again")]
    Busy {
        /// Whose.
        cloud: MachineCloud,
        /// What happened.
        what: String,
    },
    /// Something answers that is no metadata server of this cloud.
    #[error("this is no machine of {cloud}: {what}; run this on the machine itself, or name another cloud")]
    Stranger {
        /// Which cloud was expected.
        cloud: MachineCloud,
        /// What was asked, and answered.
        what: String,
    },
    /// An account could not be asked; it is asked again.
    #[error("{0}")]
    Account(String),
    /// An answer that is not in the cloud's format.
    #[error("{cloud}'s metadata server answered what cannot be read: {what}")]
    Answer {
        /// Whose.
        cloud: MachineCloud,
        /// What is wrong with it.
        what: String,
    },
}

impl MaintenanceError {
    /// Whether asking again may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Account(_) | Self::Answer { .. })
    }

    /// A text of a server, fit for a message of one line.
    pub(crate) fn quoted(text: &str) -> String {
        const LONGEST: usize = 80;
        let short: String = text.trim().chars().take(LONGEST).collect();
        format!("`{}`", short.escape_debug())
    }
}
