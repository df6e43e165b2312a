//! What a disk delivers when it is always asked for more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use catalog::InstanceCaps;
use units::{Bytes, BytesPerSec, Nanos};

use super::{BehaviourConstants, Device, DeviceSpec, InstanceLink, IoOperation, IoRequest};
use crate::IoDirection;

/// Burst credits at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartCredits {
    /// All of them.
    Full,
    /// None: what is measured is what the disk sustains.
    Spent,
}

/// Requests in flight: enough to keep the fastest disk busy.
const OUTSTANDING: usize = 512;

/// The throughput of a disk over `seconds`, behind an instance's caps if any, when 512 requests of `io_size` are kept in
/// flight. Found by running the behaviour, after a second in which what limits let through at once has passed.
pub fn deliverable(
    spec: impl Into<DeviceSpec>,
    caps: Option<&InstanceCaps>,
    io_size: Bytes,
    direction: IoDirection,
    seconds: u32,
    start: StartCredits,
) -> BytesPerSec {
    let mut host = InstanceLink::new(caps);
    let mut device = Device::new(spec, 0);
    if start == StartCredits::Spent {
        host.exhaust_credits(Nanos(0));
        device.exhaust_credits(Nanos(0));
    }
    let op = match direction {
        IoDirection::Read => IoOperation::Read,
        IoDirection::Write => IoOperation::Write,
    };
    let bytes = u32::try_from(io_size.0).unwrap_or(u32::MAX);
    // Whole chunks apart: each request begins on another volume of a stripe, and small ones do not merge.
    let chunk = BehaviourConstants::embedded().stripe_chunk.0;
    let step = u64::from(bytes).div_ceil(chunk).max(1) * chunk;
    let (from, until) = (Nanos::secs(1), Nanos::secs(1 + u64::from(seconds)));
    let mut in_flight: BinaryHeap<Reverse<Nanos>> = std::iter::repeat_n(Reverse(Nanos(0)), OUTSTANDING).collect();
    let (mut offset, mut delivered) = (0u64, 0u64);
    while let Some(Reverse(now)) = in_flight.pop().filter(|done| done.0 < until) {
        if now >= from {
            delivered += u64::from(bytes);
        }
        in_flight.push(Reverse(device.submit(&mut host, now, IoRequest { op, offset, bytes }).at));
        offset = offset.wrapping_add(step);
    }
    BytesPerSec(delivered as f64 / f64::from(seconds.max(1)))
}
