//! Why a disk cannot be had.

use catalog::CatalogError;

/// Why a disk cannot be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DiskError {
    /// The catalogue lacks the type, or a fact on it.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A size or rate beyond what the type or the instance allows.
    #[error("{disk}: {what}")]
    OutOfRange {
        /// The disk's text.
        disk: String,
        /// Excess, and the allowed range.
        what: String,
    },
    /// Local flash was asked about without an instance.
    #[error(
        "{disk}: the limits of local flash are the instance's: name an instance type that has some, such as m5d.2xlarge"
    )]
    NeedsInstance {
        /// The disk's text.
        disk: String,
    },
    /// No latency is published for the type.
    #[error(
        "no service time is known for {kind}: its latency is not published; choose a kind that has one, such as gp3"
    )]
    Uncalibrated {
        /// The type.
        kind: String,
    },
}

impl DiskError {
    pub(crate) fn out_of_range(disk: &impl ToString, what: String) -> Self {
        Self::OutOfRange { disk: disk.to_string(), what }
    }

    /// Adds to a refused rate the size from which rates are taken.
    pub(crate) fn with_hint(self, takes_rates_from: Option<units::Bytes>) -> Self {
        match (self, takes_rates_from) {
            (Self::OutOfRange { disk, what }, Some(size)) if what.contains("takes no ") => {
                Self::OutOfRange { disk, what: format!("{what}; from {size} on it takes rates") }
            }
            (error, _) => error,
        }
    }
}
