//! What can be wrong.

use std::fmt;

use limits::BindingLimit;

/// What a verdict says. JSON and tables write it as `volume-iops`, people read [`Display`](fmt::Display).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A disk answers nothing while requests wait.
    DiskStalled,
    /// A disk is slower than its kind while it is asked for less than it sells: sick, not full.
    DiskSlow,
    /// Blocks of a volume that was restored from a snapshot are loaded at their first read.
    VolumeLoading,
    /// A disk is at a limit, and which one it has is not known.
    Saturated,
    /// I/Os a second of a volume.
    VolumeIops,
    /// Bytes a second of a volume.
    VolumeThroughput,
    /// I/Os a second of an instance's link to its volumes.
    InstanceIops,
    /// Bytes a second of it.
    InstanceThroughput,
    /// A volume's burst credits are spent, and its sustained rate is all there is.
    BurstExhausted,
    /// They will be, at the pace they are spent now.
    BurstEnding,
    /// The instance's burst credits are spent.
    InstanceBurstSpent,
    /// The raft log waits behind data on one disk.
    RaftLogContention,
    /// Syncs of a log follow one another: the disk's latency holds them up, none of its limits.
    FlushBound,
    /// A disk moves mostly large writes that nobody waits for, and is near what it can: compaction and flushes write.
    WriteThroughputNear,
    /// Compaction falls behind writes, and the engine holds these back.
    CompactionDebt,
    /// Compaction takes the disk in bursts, and everything else waits.
    CompactionUnthrottled,
    /// Blocks are read from disk that memory could hold.
    BlockCacheSmall,
    /// The block cache leaves too little memory for anything else.
    BlockCacheLarge,
    /// The size of blocks asks more of the limit that binds than it must.
    BlockSize,
    /// A pool of threads is busy while processors are idle.
    ThreadPool,
    /// All processors are busy.
    Cpu,
    /// Timestamps from PD are waited for.
    PdTso,
    /// A filesystem or volume is full soon.
    SpaceEnding,
    /// Paid for, and not used.
    OverProvisioned,
    /// Nothing was found, and everything that tells was there.
    Healthy,
    /// What tells was not there, or cannot be what it was said to be.
    CannotTell,
}

impl FindingKind {
    /// The limit that the finding says binds; `None` where it says something else.
    pub fn limit(self) -> Option<BindingLimit> {
        match self {
            Self::VolumeIops => Some(BindingLimit::VolumeIops),
            Self::VolumeThroughput => Some(BindingLimit::VolumeThroughput),
            Self::InstanceIops => Some(BindingLimit::InstanceIops),
            Self::InstanceThroughput => Some(BindingLimit::InstanceThroughput),
            Self::Cpu => Some(BindingLimit::Cpu),
            _ => None,
        }
    }

    /// All, in the order of this type.
    pub const ALL: [Self; 26] = [
        Self::DiskStalled,
        Self::DiskSlow,
        Self::VolumeLoading,
        Self::Saturated,
        Self::VolumeIops,
        Self::VolumeThroughput,
        Self::InstanceIops,
        Self::InstanceThroughput,
        Self::BurstExhausted,
        Self::BurstEnding,
        Self::InstanceBurstSpent,
        Self::RaftLogContention,
        Self::FlushBound,
        Self::WriteThroughputNear,
        Self::CompactionDebt,
        Self::CompactionUnthrottled,
        Self::BlockCacheSmall,
        Self::BlockCacheLarge,
        Self::BlockSize,
        Self::ThreadPool,
        Self::Cpu,
        Self::PdTso,
        Self::SpaceEnding,
        Self::OverProvisioned,
        Self::Healthy,
        Self::CannotTell,
    ];

    /// As tables and JSON write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::DiskStalled => "disk-stalled",
            Self::DiskSlow => "disk-slow",
            Self::VolumeLoading => "volume-loading",
            Self::Saturated => "saturated",
            Self::VolumeIops => "volume-iops",
            Self::VolumeThroughput => "volume-throughput",
            Self::InstanceIops => "instance-iops",
            Self::InstanceThroughput => "instance-throughput",
            Self::BurstExhausted => "burst-exhausted",
            Self::BurstEnding => "burst-ending",
            Self::InstanceBurstSpent => "instance-burst-spent",
            Self::RaftLogContention => "raft-log-contention",
            Self::FlushBound => "flush-bound",
            Self::WriteThroughputNear => "write-throughput-near",
            Self::CompactionDebt => "compaction-debt",
            Self::CompactionUnthrottled => "compaction-unthrottled",
            Self::BlockCacheSmall => "block-cache-small",
            Self::BlockCacheLarge => "block-cache-large",
            Self::BlockSize => "block-size",
            Self::ThreadPool => "thread-pool",
            Self::Cpu => "cpu",
            Self::PdTso => "pd-tso",
            Self::SpaceEnding => "space-ending",
            Self::OverProvisioned => "over-provisioned",
            Self::Healthy => "healthy",
            Self::CannotTell => "cannot-tell",
        }
    }

    /// Whether something is wrong: neither healthy, nor merely too much paid for, nor unknown.
    pub fn is_wrong(self) -> bool {
        !matches!(self, Self::OverProvisioned | Self::Healthy | Self::CannotTell)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DiskStalled => "disk stalled",
            Self::DiskSlow => "disk slow, not full",
            Self::VolumeLoading => "volume loading from its snapshot",
            Self::Saturated => "saturated disk",
            Self::VolumeIops => "volume IOPS",
            Self::VolumeThroughput => "volume throughput",
            Self::InstanceIops => "instance IOPS",
            Self::InstanceThroughput => "instance throughput",
            Self::BurstExhausted => "burst balance exhausted",
            Self::BurstEnding => "burst balance about to be exhausted",
            Self::InstanceBurstSpent => "instance burst spent",
            Self::RaftLogContention => "raft log contends with data",
            Self::FlushBound => "flush-bound log",
            Self::WriteThroughputNear => "disk near its write throughput",
            Self::CompactionDebt => "compaction debt, writes held back",
            Self::CompactionUnthrottled => "compaction unthrottled",
            Self::BlockCacheSmall => "block cache too small",
            Self::BlockCacheLarge => "block cache too large",
            Self::BlockSize => "block size wrong for the limit that binds",
            Self::ThreadPool => "thread pool starved",
            Self::Cpu => "CPU bound",
            Self::PdTso => "PD timestamps waited for",
            Self::SpaceEnding => "disk full soon",
            Self::OverProvisioned => "over-provisioned",
            Self::Healthy => "healthy",
            Self::CannotTell => "cannot tell",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json() {
        for kind in FindingKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }

    #[test]
    fn a_finding_about_a_limit_is_named_like_it() {
        let limits: Vec<BindingLimit> = FindingKind::ALL.into_iter().filter_map(FindingKind::limit).collect();
        assert_eq!(limits.len(), 5);
        for kind in FindingKind::ALL.into_iter().filter(|kind| kind.limit().is_some()) {
            assert_eq!(kind.limit().map(BindingLimit::name), Some(kind.name()));
        }
    }
}
