//! Changing a volume while it is in use: how long it takes, how fast it is meanwhile, and how often it may be done.

use catalog::{CatalogView, Cloud, ManagedService};
use units::{Bytes, Nanos};

use crate::{Disk, DiskLimits};

/// Modification rules of a cloud, from `tables/modification.csv`, where each row has its source.
#[derive(Debug, Clone, PartialEq)]
pub struct ModificationRules {
    /// Least time from one modification's start to the next.
    pub cooldown: Nanos,
    /// Most modifications in 24 hours, if limited.
    pub per_day: Option<u32>,
    /// How long the old performance stays.
    pub modifying: Nanos,
    /// How long, for each TiB of the larger size, performance then lies between old and new.
    pub optimizing_per_tib: Nanos,
}

#[derive(serde::Deserialize)]
struct Row {
    cloud: Cloud,
    /// The service whose volumes these are; of machines where there is none.
    service: Option<String>,
    cooldown_h: f64,
    per_day: Option<u32>,
    modifying_s: f64,
    optimizing_s_per_tib: f64,
}

impl ModificationRules {
    /// The rules of a cloud for the volumes of machines; `None` where none are known.
    pub fn of(cloud: Cloud) -> Option<Self> {
        Self::of_service(cloud, None)
    }

    /// The rules of a cloud for the volumes of a service, or of machines; `None` where none are known.
    pub fn of_service(cloud: Cloud, service: Option<&ManagedService>) -> Option<Self> {
        let mut rows = crate::table::rows(include_str!("../../tables/modification.csv"));
        rows.find(|row: &Row| row.cloud == cloud && row.service.as_deref() == service.map(|s| s.0.as_str())).map(
            |row| Self {
                cooldown: Nanos::from_secs_f64(row.cooldown_h * 3600.0),
                per_day: row.per_day,
                modifying: Nanos::from_secs_f64(row.modifying_s),
                optimizing_per_tib: Nanos::from_secs_f64(row.optimizing_s_per_tib),
            },
        )
    }
}

/// Why no cloud makes one disk of another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotBecome {
    /// Another number of volumes, or another cache.
    #[error(
        "only volumes are modified, each like the other: {to} is not {from} with other volumes; the stripe and the \
         cache stay as they are"
    )]
    OtherShape {
        /// Present disk.
        from: String,
        /// Requested disk.
        to: String,
    },
    /// Local flash, or a disk that nobody sells.
    #[error("no cloud modifies {0}: take another disk instead")]
    Fixed(String),
    /// Disks of two clouds.
    #[error("{from} is {cloud}'s and {to} is {other}'s: one cannot become the other")]
    OtherCloud {
        /// Present disk.
        from: String,
        /// Its cloud.
        cloud: Cloud,
        /// Requested disk.
        to: String,
        /// Its cloud.
        other: Cloud,
    },
    /// A disk of a service and one of machines.
    #[error("{from} and {to} are not sold by one service: one cannot become the other")]
    OtherService {
        /// What there is.
        from: String,
        /// What was asked for.
        to: String,
    },
    /// A cloud whose ways are not in the table.
    #[error("how {0} modifies volumes is not known: take another disk instead")]
    Unknown(Cloud),
}

impl Disk {
    /// The rules by which this disk becomes another.
    ///
    /// # Errors
    /// When no cloud does that.
    pub fn modification(&self, to: &Self, view: &CatalogView) -> Result<ModificationRules, CannotBecome> {
        let (from, texts) = (self, || (self.to_string(), to.to_string()));
        if from.stripe != to.stripe || from.cache != to.cache {
            let (from, to) = texts();
            return Err(CannotBecome::OtherShape { from, to });
        }
        let of = |disk: &Self| {
            let sold = !disk.volume.is_local() && !disk.volume.is_unlimited();
            let kind = sold.then(|| view.volume(&disk.volume.kind).ok()).flatten();
            kind.map(|kind| (kind.cloud, kind.service.as_ref())).ok_or_else(|| CannotBecome::Fixed(disk.to_string()))
        };
        let ((cloud, service), (other, its)) = (of(from)?, of(to)?);
        if cloud != other {
            let (from, to) = texts();
            return Err(CannotBecome::OtherCloud { from, cloud, to, other });
        }
        if service != its {
            let (from, to) = texts();
            return Err(CannotBecome::OtherService { from, to });
        }
        ModificationRules::of_service(cloud, service).ok_or(CannotBecome::Unknown(cloud))
    }
}

/// The course of a modification that was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeModification {
    /// When it was asked for.
    pub started: Nanos,
    /// From then on the new size is there, and performance moves from the old to the new.
    pub optimizing: Nanos,
    /// From then on the new performance is there.
    pub completed: Nanos,
}

/// How far a modification is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModificationState {
    /// None was ever made.
    None,
    /// Old performance.
    Modifying,
    /// Performance this share (0 to 1) of the way from old to new.
    Optimizing(f64),
    /// New performance.
    Completed,
}

/// Why a modification is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModifyError {
    /// The one before is not done.
    #[error("the volume is still being modified: try again at {until}")]
    InProgress {
        /// When it will be.
        until: Nanos,
    },
    /// The one before is too recent.
    #[error("the volume was modified less than {cooldown} ago: try again at {until}")]
    TooSoon {
        /// The time that must lie between.
        cooldown: Nanos,
        /// When it is allowed again.
        until: Nanos,
    },
    /// There were too many.
    #[error("the volume was modified {most} times in 24 hours, which is the most: try again at {until}")]
    TooOften {
        /// How many are allowed.
        most: u32,
        /// When it is allowed again.
        until: Nanos,
    },
    /// Volumes only grow.
    #[error("a volume cannot shrink from {from} to {to}: ask for {from} or more, or move the data to a smaller one")]
    Shrink {
        /// The size it has.
        from: Bytes,
        /// The size asked for.
        to: Bytes,
    },
}

/// A modification under way.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) to: DiskLimits,
    pub(crate) optimizing: f64,
    pub(crate) completed: f64,
}

impl Change {
    /// The share of the way from the old performance to the new: linear, for the cloud only says that it lies between.
    pub(crate) fn progress(&self, at: f64) -> f64 {
        if at < self.optimizing { 0.0 } else { (at - self.optimizing) / (self.completed - self.optimizing) }
    }
}

/// The modifications of a device.
#[derive(Debug, Clone, Default)]
pub(crate) struct History(Vec<VolumeModification>);

impl History {
    /// Checks the rules and notes the modification.
    pub(crate) fn start(
        &mut self,
        at: Nanos,
        from: Bytes,
        to: Bytes,
        rules: &ModificationRules,
    ) -> Result<VolumeModification, ModifyError> {
        const DAY: Nanos = Nanos::secs(86_400);
        if to < from {
            return Err(ModifyError::Shrink { from, to });
        }
        if let Some(last) = self.0.last() {
            if at < last.completed {
                return Err(ModifyError::InProgress { until: last.completed });
            }
            let until = last.started + rules.cooldown;
            if at < until {
                return Err(ModifyError::TooSoon { cooldown: rules.cooldown, until });
            }
        }
        if let Some(most) = rules.per_day {
            // The one that must be a day old before another may start.
            let bar = self.0.len().checked_sub(most as usize).and_then(|i| self.0.get(i));
            if let Some(bar) = bar.filter(|m| at < m.started + DAY) {
                return Err(ModifyError::TooOften { most, until: bar.started + DAY });
            }
        }
        let tib = to.as_f64() / Bytes::gib(1024).as_f64();
        let optimizing = at + rules.modifying;
        let completed = optimizing + Nanos::from_secs_f64(rules.optimizing_per_tib.as_secs_f64() * tib);
        let modification = VolumeModification { started: at, optimizing, completed };
        self.0.push(modification);
        Ok(modification)
    }

    pub(crate) fn state(&self, at: Nanos) -> ModificationState {
        match self.0.last() {
            None => ModificationState::None,
            Some(last) if at < last.optimizing => ModificationState::Modifying,
            Some(last) if at < last.completed => {
                let done = (at - last.optimizing).as_secs_f64() / (last.completed - last.optimizing).as_secs_f64();
                ModificationState::Optimizing(done)
            }
            Some(_) => ModificationState::Completed,
        }
    }
}
