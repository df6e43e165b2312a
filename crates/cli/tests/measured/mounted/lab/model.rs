//! What fio would see of a disk that keeps to the model exactly: the same load in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use disk::{Device, DeviceSpec, InstanceLink, IoOperation, IoRequest};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use super::load::Load;

/// Run before the measurement, and the measurement: long enough that chance is far below every tolerance.
const RAMP: Nanos = Nanos::secs(1);
const UNTIL: Nanos = Nanos::secs(61);

/// Latencies in nanoseconds, in order of size.
#[derive(Debug, Clone)]
pub(crate) struct Latencies(Vec<u64>);

impl Latencies {
    pub(crate) fn new(mut all: Vec<u64>) -> Self {
        all.sort_unstable();
        Self(all)
    }

    /// In microseconds; `share` is 0.5 for the median.
    pub(crate) fn percentile(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * share).round() as usize).map_or(f64::NAN, |ns| *ns as f64 / 1e3)
    }
}

/// The latencies under a load that picks its offsets at random.
pub(crate) fn latencies(spec: &DeviceSpec, load: &Load) -> Latencies {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut device, mut host) = (Device::new(spec.clone(), 2), InstanceLink::new(None));
    let blocks = load.span.0 / load.block.0;
    let mut all = Vec::new();
    let mut in_flight = BinaryHeap::new();
    let (mut now, mut issued) = (Nanos(0), 0u64);
    while now < UNTIL {
        let due = load.pace.map_or(now, |pace| Nanos::from_secs_f64(issued as f64 / pace.0));
        if due > now {
            // fio waits for all that is in flight before it sleeps (rate_ddir and io_u_quiesce in its io_u.c).
            now = in_flight.drain().map(|Reverse(at)| at).chain([due]).max().unwrap_or(due);
        }
        if in_flight.len() == load.depth as usize {
            now = in_flight.pop().map_or(now, |Reverse(at)| now.max(at));
        }
        let op = if rng.random::<f64>() < load.reads { IoOperation::Read } else { IoOperation::Write };
        let offset = rng.random_range(0..blocks) * load.block.0;
        let done = device.submit(&mut host, now, IoRequest { op, offset, bytes: load.block.0 as u32 });
        if now >= RAMP {
            all.push(done.at.0 - now.0);
        }
        in_flight.push(Reverse(done.at));
        issued += 1;
    }
    Latencies::new(all)
}

/// The latencies of reads of 4 KiB one after another, for each of some traces of blocks on one disk.
pub(crate) fn one_by_one(spec: &DeviceSpec, traces: &[&[u64]]) -> Vec<Latencies> {
    let (mut device, mut host, mut now) = (Device::new(spec.clone(), 2), InstanceLink::new(None), Nanos(0));
    let mut read = |block: &u64| {
        let done =
            device.submit(&mut host, now, IoRequest { op: IoOperation::Read, offset: block * 4096, bytes: 4096 });
        let took = done.at.0 - now.0;
        now = done.at;
        took
    };
    traces.iter().map(|trace| Latencies::new(trace.iter().map(&mut read).collect())).collect()
}
