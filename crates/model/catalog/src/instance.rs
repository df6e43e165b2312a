//! Instance types: processors, memory, and what they let through to their disks.

use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::{Cloud, ManagedService, Provenance};

/// An instance type as its cloud sold it on a day.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceType {
    /// `m5.4xlarge`.
    pub name: String,
    /// `m5`.
    pub family: String,
    /// Its cloud.
    pub cloud: Cloud,
    /// The service whose class it is (`db.m5.large` of RDS); `None` for a machine that one rents as such.
    pub service: Option<ManagedService>,
    /// Hardware threads.
    pub vcpu: u32,
    /// Main memory.
    pub memory: Bytes,
    /// `x86_64`, `arm64` or `i386`.
    pub arch: String,
    /// What one of its hardware threads does against one of an m5.
    pub speed: ProcessorSpeed,
    /// Whether it runs on Nitro: 64,000-IOPS io1 and 256,000-IOPS io2 need it.
    pub nitro: bool,
    /// Limits of the link to network volumes; `None` where nothing is published.
    pub caps: Option<InstanceCaps>,
    /// How many volumes may be attached, if published.
    pub max_volumes: Option<u32>,
    /// Flash on the host, if any.
    pub local: Option<LocalStore>,
    /// Source and date of the caps.
    pub provenance: Provenance,
}

impl InstanceType {
    /// What one of its hardware threads does against one of an m5.
    pub fn thread_speed(&self) -> f64 {
        self.speed.figure
    }

    /// The sentence that an answer owes to whoever reads it where no benchmark of the processor is known.
    pub fn assumed_speed(&self) -> Option<String> {
        let speed = &self.speed;
        let like = if speed.like.is_empty() { String::new() } else { format!(", as {}", speed.like) };
        (speed.basis == SpeedBasis::Assumed).then(|| {
            format!(
                "the processor of the {} family is taken for {:.2} m5 threads a thread ({:.2} to {:.2}{like}): no benchmark of it \
                 is in the catalogue",
                self.family, speed.figure, speed.low, speed.high
            )
        })
    }
}

/// What a hardware thread does, all threads of the machine busy, against one of an m5: CoreMark where one is published.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessorSpeed {
    /// The median over a family's sizes.
    pub figure: f64,
    /// The slowest size, or what may be assumed.
    pub low: f64,
    /// The fastest size, or what may be assumed.
    pub high: f64,
    /// Hardware threads of a core: 1 where each is a core of its own; `None` where not known.
    pub threads_per_core: Option<u32>,
    /// Where the figure comes from.
    pub basis: SpeedBasis,
    /// The family whose processor it has; empty where none is known.
    pub like: String,
    /// Source and date.
    pub provenance: Provenance,
}

/// How a processor's speed is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SpeedBasis {
    /// A benchmark ran on the family.
    Measured,
    /// A benchmark ran on a family with the same processor.
    Sibling,
    /// By the generation of the processor.
    Assumed,
}

impl ProcessorSpeed {
    /// The speed of the m5 itself.
    pub fn reference(provenance: Provenance) -> Self {
        let like = String::new();
        Self {
            figure: 1.0,
            low: 1.0,
            high: 1.0,
            threads_per_core: Some(2),
            basis: SpeedBasis::Measured,
            like,
            provenance,
        }
    }
}

/// Limits that all network volumes of one instance share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstanceCaps {
    /// I/Os a second, always.
    pub iops: Iops,
    /// Bytes a second, always.
    pub throughput: BytesPerSec,
    /// I/Os a second in burst; equal to `iops` where there is no burst.
    pub burst_iops: Iops,
    /// Bytes a second in burst.
    pub burst_throughput: BytesPerSec,
    /// How long the burst lasts at full rate, at least once in 24 h; zero where there is none.
    pub burst_time: Nanos,
}

/// Flash on the host: fast, and lost when the instance stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalStore {
    /// Number of devices.
    pub count: u32,
    /// All devices together.
    pub size: Bytes,
    /// 4 KiB random reads a second, all devices; `None` where not published.
    pub read_iops: Option<Iops>,
    /// 4 KiB random writes a second, all devices.
    pub write_iops: Option<Iops>,
    /// Sequential read throughput, all devices.
    pub read_throughput: Option<BytesPerSec>,
    /// Sequential write throughput, all devices.
    pub write_throughput: Option<BytesPerSec>,
}
