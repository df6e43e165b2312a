//! A volume as its cloud tells of it.

use disk::Disk;
use units::Nanos;

/// A volume, with what was done to it. Instants are those of the Timeline's clock.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ManagedVolume {
    /// As its cloud and the Timeline call it: `vol-…`, or the name of a mounted disk.
    pub id: String,
    /// The node that the Timeline has it under; empty for any.
    #[serde(default)]
    pub node: String,
    /// What it is now, one volume; while a modification is under way what it was before.
    pub disk: Disk,
    /// How it was changed, oldest first, as far as its cloud keeps it. One day is enough.
    #[serde(default)]
    pub changes: Vec<VolumeChange>,
    /// What it is to become by an intent that its cloud may not have heard of yet: the budget pays for it already.
    #[serde(default)]
    pub intended: Option<Disk>,
}

/// A modification of a volume.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VolumeChange {
    /// When it was asked for.
    pub started: Nanos,
    /// What the volume becomes.
    pub to: Disk,
    /// How far it is.
    pub progress: ModificationProgress,
    /// When it was over, or is to be; `None` where the cloud does not say.
    pub ends: Option<Nanos>,
}

/// How far a modification is, in AWS's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModificationProgress {
    /// The old performance.
    Modifying,
    /// The new size, and performance between old and new.
    Optimizing,
    /// The new performance.
    Completed,
    /// It came to nothing: the volume is as it was.
    Failed,
}

impl ModificationProgress {
    /// Whether no other modification may begin.
    pub fn under_way(self) -> bool {
        matches!(self, Self::Modifying | Self::Optimizing)
    }
}

impl ManagedVolume {
    /// The modification that is under way.
    pub fn pending(&self) -> Option<&VolumeChange> {
        self.changes.last().filter(|change| change.progress.under_way())
    }

    /// The latest modification that came to something.
    pub fn last_change(&self) -> Option<&VolumeChange> {
        self.changes.iter().rev().find(|change| change.progress != ModificationProgress::Failed)
    }
}
