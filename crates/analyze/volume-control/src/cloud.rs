//! A cloud, as far as it modifies volumes.

use disk::Disk;
use units::Nanos;

use crate::ManagedVolume;

/// What is asked of a cloud. Its answers may be lost: whoever asks for a modification looks afterwards.
pub trait VolumeCloud {
    /// The volumes of these names, as they are.
    ///
    /// # Errors
    /// When one of them is not there, or nobody answers.
    fn describe(&mut self, volumes: &[String]) -> Result<Vec<ManagedVolume>, CloudError>;

    /// Begins a modification.
    ///
    /// # Errors
    /// When it is refused, or perhaps not done.
    fn modify(&mut self, volume: &str, to: &Disk) -> Result<(), CloudError>;
}

/// Why a cloud did not do it, by the names that AWS has for it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CloudError {
    /// `IncorrectModificationState`: one is under way.
    #[error("{volume} is still being modified: try again when that is completed")]
    UnderWay {
        /// Which volume.
        volume: String,
    },
    /// `VolumeModificationRateExceeded`: there were too many, or the last one was too recent.
    #[error("{volume} was modified too often: {}", .until.map_or_else(|| "try again in some hours".to_owned(), |at| format!("try again at {at}")))]
    TooOften {
        /// Which volume.
        volume: String,
        /// When it may be modified again, if the cloud tells.
        until: Option<Nanos>,
    },
    /// `InvalidParameterValue`: no such volume is sold.
    #[error("{volume} cannot become that: {why}")]
    Invalid {
        /// Which volume.
        volume: String,
        /// What is beyond what.
        why: String,
    },
    /// `InvalidVolume.NotFound`.
    #[error("there is no volume `{volume}`")]
    NotFound {
        /// Which volume.
        volume: String,
    },
    /// `UnauthorizedOperation`: a permission is missing.
    #[error("the cloud denies {action}: allow it, or let the pilot propose only")]
    Denied {
        /// The permission.
        action: String,
    },
    /// `RequestLimitExceeded`: it was not done.
    #[error("the cloud answers no more requests for now: try again in a minute")]
    Throttled,
    /// No answer, or one of the service's own failures: it may have been done.
    #[error("the cloud did not say whether it was done: {why}")]
    Lost {
        /// What came instead.
        why: String,
    },
}

impl CloudError {
    /// Whether it may have been done all the same.
    pub fn perhaps_done(&self) -> bool {
        matches!(self, Self::Lost { .. })
    }

    /// Whether the same request may be granted later.
    pub fn passes(&self) -> bool {
        matches!(self, Self::UnderWay { .. } | Self::TooOften { .. } | Self::Throttled | Self::Lost { .. })
    }
}
