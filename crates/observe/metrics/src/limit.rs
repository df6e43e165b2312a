//! What can hold up a request, and for which share of the time it did.

use std::fmt;

use units::Nanos;

use crate::LimitTimes;
use crate::rates::share;
use crate::thresholds::THRESHOLDS;

/// What can hold up a request, in the order of [`Bounds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoldUpLimit {
    /// I/Os a second of the volume.
    VolumeIops,
    /// Bytes a second of the volume.
    VolumeThroughput,
    /// I/Os a second of the instance.
    InstanceIops,
    /// Bytes a second of the instance.
    InstanceThroughput,
    /// A stall.
    Fault,
}

/// Shares of time, 0 to 1, by limit. They may add up to more than 1: several limits may hold up requests at once.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct LimitShares {
    /// I/Os a second of the volume.
    pub volume_iops: f64,
    /// Bytes a second of the volume.
    pub volume_throughput: f64,
    /// I/Os a second of the instance.
    pub instance_iops: f64,
    /// Bytes a second of the instance.
    pub instance_throughput: f64,
    /// A stall.
    pub fault: f64,
}

impl LimitShares {
    pub(crate) fn of(before: &LimitTimes, after: &LimitTimes, span: Nanos) -> Self {
        // Two counters read an instant apart may make a hair more than the time.
        let share = |before, after| share(before, after, span).min(1.0);
        Self {
            volume_iops: share(before.volume_iops, after.volume_iops),
            volume_throughput: share(before.volume_throughput, after.volume_throughput),
            instance_iops: share(before.instance_iops, after.instance_iops),
            instance_throughput: share(before.instance_throughput, after.instance_throughput),
            fault: share(before.fault, after.fault),
        }
    }

    /// The share of a limit.
    pub fn get(&self, limit: HoldUpLimit) -> f64 {
        match limit {
            HoldUpLimit::VolumeIops => self.volume_iops,
            HoldUpLimit::VolumeThroughput => self.volume_throughput,
            HoldUpLimit::InstanceIops => self.instance_iops,
            HoldUpLimit::InstanceThroughput => self.instance_throughput,
            HoldUpLimit::Fault => self.fault,
        }
    }

    pub(crate) fn binds(&self) -> Option<HoldUpLimit> {
        let largest = HoldUpLimit::ALL.into_iter().max_by(|a, b| self.get(*a).total_cmp(&self.get(*b)))?;
        (self.get(largest) >= THRESHOLDS.binds_share).then_some(largest)
    }
}

impl LimitTimes {
    /// The time of a limit.
    pub fn get(&self, limit: HoldUpLimit) -> Nanos {
        match limit {
            HoldUpLimit::VolumeIops => self.volume_iops,
            HoldUpLimit::VolumeThroughput => self.volume_throughput,
            HoldUpLimit::InstanceIops => self.instance_iops,
            HoldUpLimit::InstanceThroughput => self.instance_throughput,
            HoldUpLimit::Fault => self.fault,
        }
    }
}

impl HoldUpLimit {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::VolumeIops, Self::VolumeThroughput, Self::InstanceIops, Self::InstanceThroughput, Self::Fault];

    /// As labels write it: `volume_iops`.
    pub fn name(self) -> &'static str {
        match self {
            Self::VolumeIops => "volume_iops",
            Self::VolumeThroughput => "volume_throughput",
            Self::InstanceIops => "instance_iops",
            Self::InstanceThroughput => "instance_throughput",
            Self::Fault => "fault",
        }
    }
}

impl fmt::Display for HoldUpLimit {
    /// For people: `volume IOPS`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::VolumeIops => "volume IOPS",
            Self::VolumeThroughput => "volume throughput",
            Self::InstanceIops => "instance IOPS",
            Self::InstanceThroughput => "instance throughput",
            Self::Fault => "stall",
        })
    }
}
