//! The disk of the catalogue that is most like the fitted one.

mod candidates;

use catalog::{BurstBucket, CatalogView};
use disk::{Disk, DiskLimits};
use units::Bytes;

use crate::fit::{FittedDisk, MeasuredLimit};

/// A disk that one can buy.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestDisk {
    /// Its text.
    pub disk: Disk,
    /// The instance type whose flash it is, if it is local.
    pub instance: Option<String>,
    /// How far its limits and latencies are from those found: the root of the mean squared logarithm of their ratios,
    /// so 0.05 is about 5 %.
    pub distance: f64,
    /// Kinds of disk that are as near.
    pub alike: Vec<String>,
}

/// Farther than this is another disk: about 15 %.
const FARTHEST: f64 = 0.15;
/// Distances closer than this are the same.
const ALIKE: f64 = 0.01;

/// The nearest disk; `size` is the disk's, where it is known.
pub(crate) fn nearest(view: &CatalogView, fitted: &FittedDisk, size: Option<Bytes>) -> Option<NearestDisk> {
    let mut all: Vec<NearestDisk> = candidates::all(view, fitted, size)
        .into_iter()
        .map(|(disk, instance, limits)| {
            let distance = distance(fitted, &limits);
            NearestDisk { disk, instance, distance, alike: Vec::new() }
        })
        .filter(|candidate| candidate.distance < FARTHEST)
        .collect();
    // Stable: among equals, the order of clouds and names.
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut rest = all.into_iter();
    let mut best = rest.next()?;
    for other in rest.take_while(|other| other.distance < best.distance + ALIKE) {
        let kind = other.disk.volume.kind;
        if kind != best.disk.volume.kind && !best.alike.contains(&kind) {
            best.alike.push(kind);
        }
    }
    Some(best)
}

/// See [`Nearest::distance`].
fn distance(fitted: &FittedDisk, limits: &DiskLimits) -> f64 {
    let (burst_iops, burst_bytes) = match limits.burst {
        Some(BurstBucket::IoCredits { iops, .. }) => (iops.max(limits.iops), limits.burst_throughput),
        Some(BurstBucket::Timed { iops, throughput, .. }) => (iops.max(limits.iops), throughput.max(limits.throughput)),
        Some(BurstBucket::ByteCredits { .. }) | None => (limits.iops, limits.burst_throughput),
    };
    let unit = limits.io_unit.as_f64();
    let state = |iops: f64, bytes: f64| {
        let rates = [off(fitted.iops, |x| x.0, iops), off(fitted.throughput, |x| x.0, bytes.min(iops * unit))];
        rates.map(|off| off * off)
    };
    // Whether it bursts now is not known; a long run tells both rates.
    let rates = match fitted.burst {
        Some(found) => {
            let sustained = (limits.iops.0 / found.sustained.0).ln();
            let [iops, bytes] = state(burst_iops.0, burst_bytes.0);
            [iops + sustained * sustained, bytes]
        }
        None => {
            let (burst, dry) = (state(burst_iops.0, burst_bytes.0), state(limits.iops.0, limits.throughput.0));
            if burst[0] + burst[1] <= dry[0] + dry[1] { burst } else { dry }
        }
    };
    let (here, there) = (fitted.service, limits.service);
    let ratio = |a: f64, b: f64| (a / b).ln().powi(2);
    let mut all = rates.to_vec();
    all.push(ratio(here.read.0 as f64, there.read.0 as f64));
    if fitted.written {
        all.push(ratio(here.write.0 as f64, there.write.0 as f64));
        all.push(ratio(fitted.write_iops_cost, limits.write_iops_cost));
        all.push(ratio(fitted.write_bytes_cost, limits.write_bytes_cost));
    }
    (all.iter().sum::<f64>() / all.len() as f64).sqrt()
}

/// The logarithm by which a limit is off; a limit that was not reached may be anything higher.
fn off<T: Copy>(found: MeasuredLimit<T>, value: impl Fn(T) -> f64, limit: f64) -> f64 {
    let off = (limit / value(found.value)).ln();
    if found.reached { off } else { off.min(0.0) }
}
