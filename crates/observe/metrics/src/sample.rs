//! The counters of a node's disks at an instant. All counts are since the disks were attached and never fall.

use units::{Bytes, BytesPerSec, Iops, Nanos};

/// What was counted of all disks of one node.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NodeSample {
    /// When, since the disks were attached.
    pub at: Nanos,
    /// The instance type whose caps the disks share, if any.
    pub instance: Option<String>,
    /// The instance's burst credits on I/Os, where it bursts.
    pub instance_ios: Option<CreditGauge>,
    /// The instance's burst credits on bytes, where it bursts.
    pub instance_bytes: Option<CreditGauge>,
    /// Its disks.
    pub disks: Vec<DiskSample>,
}

/// What was counted of one disk.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DiskSample {
    /// Its name on the node: `data`, `raft`.
    pub name: String,
    /// As people write it: `gp3:1000GiB,6000iops`.
    pub disk: String,
    /// The type of its volumes in the catalogue.
    pub kind: String,
    /// The block device under it, `loop3`, once there is one.
    pub device: Option<String>,
    /// Its size.
    pub size: Bytes,
    /// Sustained I/Os a second, all volumes of a stripe together; `None` without limit.
    pub iops_limit: Option<Iops>,
    /// Sustained bytes a second; `None` without limit.
    pub throughput_limit: Option<BytesPerSec>,
    /// Reads that completed.
    pub read: RequestCounters,
    /// Writes that completed.
    pub write: RequestCounters,
    /// Flushes that completed; they carry no bytes.
    pub flush: RequestCounters,
    /// I/Os as the volumes' limits count them: large requests by their parts, adjacent small ones merged, all volumes of a
    /// stripe together; what a cache answered is not among them.
    pub counted: f64,
    /// Requests that ended with an error.
    pub errors: u64,
    /// Requests that wait for their answer now.
    pub in_flight: u64,
    /// Time with at least one request in flight.
    pub busy: Nanos,
    /// The number in flight, integrated over time: its growth over the time that passed is the mean queue depth.
    pub queued: Nanos,
    /// How long requests were held up, by what.
    pub bound: LimitTimes,
    /// I/O credits; `None` where the disk does not burst so. Of a stripe, those of the volume that has least.
    pub ios: Option<CreditGauge>,
    /// Byte credits; `None` where the disk does not burst so. Of a stripe, those of the volume that has least.
    pub bytes: Option<CreditGauge>,
    /// Its read cache's hits and misses.
    pub cache: Option<CacheCounters>,
    /// How far its last modification is.
    pub modification: ModificationStage,
    /// How late answers left, beyond when the model wanted them: sum over all requests.
    pub late: Nanos,
}

/// Requests of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct RequestCounters {
    /// How many.
    pub count: u64,
    /// What they moved.
    pub bytes: Bytes,
    /// Their latencies, added up.
    pub time: Nanos,
}

/// Wall time in which at least one request was held up by a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct LimitTimes {
    /// I/Os a second of the volume.
    pub volume_iops: Nanos,
    /// Bytes a second of the volume.
    pub volume_throughput: Nanos,
    /// I/Os a second of the instance.
    pub instance_iops: Nanos,
    /// Bytes a second of the instance.
    pub instance_throughput: Nanos,
    /// A stall.
    pub fault: Nanos,
}

/// Burst credits.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreditGauge {
    /// What is left, in I/Os or bytes.
    pub now: f64,
    /// What a full bucket holds.
    pub capacity: f64,
    /// What is earned a second.
    pub accrual: f64,
}

/// Reads that a cache was asked for: hits and misses together are the reads that completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct CacheCounters {
    /// Found there.
    pub hits: u64,
    /// Fetched from the volume.
    pub misses: u64,
    /// What the hits moved; the volume never saw it.
    pub hit_bytes: Bytes,
    /// The latencies of the hits, added up.
    pub hit_time: Nanos,
}

/// How far a modification of a volume is, in AWS's words.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModificationStage {
    /// None was made.
    #[default]
    None,
    /// Old performance.
    Modifying,
    /// Performance this share (0 to 1) of the way from old to new.
    Optimizing(f64),
    /// New performance.
    Completed,
}

impl NodeSample {
    /// The disk of that name.
    pub fn disk(&self, name: &str) -> Option<&DiskSample> {
        self.disks.iter().find(|disk| disk.name == name)
    }
}

impl DiskSample {
    /// One that has done nothing yet and has no limits.
    pub fn idle(name: &str, disk: &disk::Disk) -> Self {
        Self {
            name: name.to_owned(),
            disk: disk.to_string(),
            kind: disk.volume.kind.clone(),
            device: None,
            size: disk.volume.size,
            iops_limit: None,
            throughput_limit: None,
            read: RequestCounters::default(),
            write: RequestCounters::default(),
            flush: RequestCounters::default(),
            counted: 0.0,
            errors: 0,
            in_flight: 0,
            busy: Nanos(0),
            queued: Nanos(0),
            bound: LimitTimes::default(),
            ios: None,
            bytes: None,
            cache: None,
            modification: ModificationStage::None,
            late: Nanos(0),
        }
    }

    /// The reads that reached the volumes: all but the cache's hits.
    pub fn volume_read(&self) -> RequestCounters {
        let Some(cache) = self.cache else { return self.read };
        RequestCounters {
            count: self.read.count.saturating_sub(cache.hits),
            bytes: self.read.bytes - cache.hit_bytes,
            time: self.read.time - cache.hit_time,
        }
    }

    /// Requests that were answered, with errors or without.
    pub fn answered(&self) -> u64 {
        [self.write.count, self.flush.count, self.errors].into_iter().fold(self.read.count, u64::saturating_add)
    }

    /// How many equal volumes it is striped over; 1 for a plain one.
    pub fn members(&self) -> u32 {
        self.disk.parse::<disk::Disk>().map_or(1, |disk| disk.stripe.max(1))
    }
}

impl CreditGauge {
    /// What is left, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.capacity > 0.0 { (self.now / self.capacity).clamp(0.0, 1.0) } else { 0.0 }
    }
}
