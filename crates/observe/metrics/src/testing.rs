//! Samples for tests.

use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::{CreditGauge, DiskSample, NodeSample, RequestCounters};

/// A disk that has done nothing; its kind is what its text says.
pub(crate) fn disk(name: &str, text: &str) -> DiskSample {
    DiskSample {
        iops_limit: Some(Iops(3000.0)),
        throughput_limit: Some(BytesPerSec::mib(125.0)),
        ..DiskSample::idle(name, &text.parse().unwrap())
    }
}

/// A node of unknown instance type at a second.
pub(crate) fn node(second: u64, disks: Vec<DiskSample>) -> NodeSample {
    NodeSample { at: Nanos::secs(second), instance: None, instance_ios: None, instance_bytes: None, disks }
}

/// So many requests, of that size and latency each.
pub(crate) fn done(count: u64, kib: u64, latency: Nanos) -> RequestCounters {
    RequestCounters { count, bytes: Bytes::kib(kib * count), time: Nanos(latency.0 * count) }
}

/// A gp2's I/O credits: 5.4 million when full.
pub(crate) fn gp2_credit(now: f64, accrual: f64) -> CreditGauge {
    CreditGauge { now, capacity: 5.4e6, accrual }
}
