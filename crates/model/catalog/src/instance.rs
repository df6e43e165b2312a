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
    /// Speed of a hardware thread relative to an m5's (clock times instructions a cycle); `None` where not
    /// published.
    pub speed: Option<f64>,
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
    /// Speed of a hardware thread relative to an m5's; 1 where nothing is published.
    pub fn thread_speed(&self) -> f64 {
        self.speed.unwrap_or(1.0)
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
