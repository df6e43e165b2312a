//! What the controller decides of a volume.

use disk::Disk;
use units::{Nanos, Usd};

use crate::{RequestMix, VolumePrediction};

/// Which way a change goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeDirection {
    /// More IOPS or throughput, because a limit held requests up.
    Grow,
    /// Less, because it is paid for and was not needed.
    Shrink,
    /// The successor of its type in its place, such as gp3 for gp2.
    Convert,
}

/// A change of a volume, with its reason, its price and what it will do.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChangeProposal {
    /// The volume.
    pub volume: String,
    /// Which way it goes.
    pub direction: ChangeDirection,
    /// What the volume is.
    pub from: Disk,
    /// What it becomes.
    pub to: Disk,
    /// For people: why.
    pub reason: String,
    /// What it adds to a month's price; negative if it saves.
    pub monthly: Usd,
    /// The load that it was decided by; `None` where nothing was asked of the volume.
    pub load: Option<RequestMix>,
    /// What the disk model says of that load on the changed volume.
    pub predicted: Option<VolumePrediction>,
    /// When the new performance is there, by the cloud's own words, which promise nothing.
    pub done: Nanos,
    /// How it is taken back.
    pub undo: ChangeUndo,
}

/// How a change is taken back.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChangeUndo {
    /// What the volume becomes again; the size that it has. gp2 becomes gp3 for good, with what the gp2 had: its credits
    /// would begin anew, and it costs more.
    pub to: Disk,
    /// From when on the cloud allows it. Until then it is queued.
    pub from: Nanos,
}

/// What the controller decides of a volume.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "decision")]
pub enum VolumeDecision {
    /// It stays as it is.
    Keep {
        /// The volume.
        volume: String,
        /// Why.
        #[serde(flatten)]
        keep: KeepReason,
    },
    /// It should be changed now.
    Change {
        /// To what.
        proposal: Box<ChangeProposal>,
    },
    /// It should be changed when its cloud allows it.
    Later {
        /// When that is; `None` where the cloud does not foretell.
        at: Option<Nanos>,
        /// To what, as things are.
        proposal: Box<ChangeProposal>,
    },
}

/// Why a volume stays as it is.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "why", content = "detail")]
pub enum KeepReason {
    /// It is neither held up nor paid for in vain.
    Fits,
    /// Too little is known to make it smaller.
    TooLittleKnown,
    /// It was changed not long ago.
    Rests,
    /// A change is under way.
    UnderWay,
    /// Nothing is known of its use, its limits or its price.
    Unknown(String),
    /// What holds it up is not the volume: said which.
    NotTheVolume(String),
    /// More would cost more than the budget allows.
    OverBudget(String),
    /// No volume of its kind carries more.
    MostOfItsKind,
    /// Only a larger volume carries more: such as this one. Sizes are not changed here.
    AsksForSize(String),
}

impl std::fmt::Display for KeepReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Fits => f.write_str("it fits what it is asked for"),
            Self::TooLittleKnown => f.write_str("too little is known of its use to make it smaller"),
            Self::Rests => f.write_str("it was changed not long ago and stays as it is for a while"),
            Self::UnderWay => f.write_str("it is being modified"),
            Self::Unknown(what) => write!(f, "nothing is known of {what}"),
            Self::NotTheVolume(what) => write!(f, "another volume would not help: {what}"),
            Self::OverBudget(what) => f.write_str(what),
            Self::AsksForSize(larger) => {
                write!(f, "only a larger volume carries more, such as {larger}: make it larger")
            }
            Self::MostOfItsKind => {
                f.write_str("no volume of its kind carries more: stripe volumes, or spread the load")
            }
        }
    }
}

impl VolumeDecision {
    /// The volume that it is about.
    pub fn volume(&self) -> &str {
        match self {
            Self::Keep { volume, .. } => volume,
            Self::Change { proposal } | Self::Later { proposal, .. } => &proposal.volume,
        }
    }

    /// What is to be changed now.
    pub fn change(&self) -> Option<&ChangeProposal> {
        match self {
            Self::Change { proposal } => Some(proposal),
            _ => None,
        }
    }
}
