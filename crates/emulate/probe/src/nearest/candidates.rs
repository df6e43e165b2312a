//! Disks of the catalogue, sized and provisioned like the fitted one.

use catalog::{CatalogView, Cloud, InstanceType, IopsRule, ThroughputRule, VolumeMedium, VolumeType};
use disk::{Disk, DiskLimits, Volume, VolumeCalibration};
use units::{Bytes, BytesPerSec, Iops};

use crate::fit::FittedDisk;

/// A candidate: its text, the instance whose flash it is, its limits.
pub(super) type Candidate = (Disk, Option<String>, DiskLimits);

/// A size for disks of which none is known and on whose size nothing hangs.
const ANY: Bytes = Bytes::gib(100);
/// People provision round numbers; what is measured this near to one is meant to be it.
const ROUND: f64 = 0.02;

/// One candidate or more of each kind that there is.
pub(super) fn all(view: &CatalogView, fitted: &FittedDisk, size: Option<Bytes>) -> Vec<Candidate> {
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
    let network = clouds
        .into_iter()
        .flat_map(|cloud| view.volumes(cloud))
        .filter(|k| k.medium != VolumeMedium::LocalNvme && k.service.is_none());
    let volumes = network.filter(|kind| VolumeCalibration::of(&kind.name).is_ok()).flat_map(|kind| {
        sizes(kind, fitted, size).into_iter().map(move |size| Volume {
            kind: kind.name.clone(),
            size,
            iops: iops(kind, fitted),
            throughput: throughput(kind, fitted),
        })
    });
    let network = volumes.filter_map(|volume| {
        let disk = Disk::from(volume);
        let limits = disk.limits(view, None).ok()?;
        Some((disk, None, limits))
    });
    let local = clouds.into_iter().flat_map(|cloud| view.instances(cloud)).filter_map(|i| flash(view, i, size));
    network.chain(local).collect()
}

/// Whole GiB round what was asked for, for a device of some other size is not sold.
fn sizes(kind: &VolumeType, fitted: &FittedDisk, size: Option<Bytes>) -> Vec<Bytes> {
    if let Some(size) = size {
        return vec![size.ceil_gib()];
    }
    let gib = |gib: f64| Bytes::gib(gib.ceil().max(1.0) as u64).clamp(kind.size.0, kind.size.1);
    let mut all = Vec::new();
    match kind.iops {
        IopsRule::BySize { base, per_gib, .. } if per_gib > 0.0 => {
            let rates = [Some(fitted.iops.value), fitted.burst.map(|b| b.sustained)];
            all.extend(rates.into_iter().flatten().map(|rate| gib((rate.0 - base) / per_gib)));
        }
        IopsRule::Provisioned { max_per_gib: Some(per_gib), .. } => {
            all.push(gib((fitted.iops.value.0 / per_gib).max(ANY.as_gib())));
        }
        _ => all.push(gib(ANY.as_gib())),
    }
    if let ThroughputRule::BySize(bands) = &kind.throughput {
        let sized = bands.iter().filter(|band| band.per_gib.0 > 0.0);
        all.extend(sized.map(|band| gib((fitted.throughput.value.0 - band.base.0) / band.per_gib.0)));
    }
    all
}

/// The rate to provision; `None` for what comes with the volume.
fn iops(kind: &VolumeType, fitted: &FittedDisk) -> Option<Iops> {
    let IopsRule::Provisioned { min, max, .. } = kind.iops else { return None };
    let asked = round(fitted.iops.value.0, 100.0).min(max.0);
    (asked > min.0).then_some(Iops(asked))
}

fn throughput(kind: &VolumeType, fitted: &FittedDisk) -> Option<BytesPerSec> {
    let ThroughputRule::Provisioned { min, max, max_per_iops } = kind.throughput else { return None };
    let most = iops(kind, fitted).map_or(max, |iops| max.min(BytesPerSec(max_per_iops.as_f64() * iops.0)));
    let asked = round(fitted.throughput.value.as_mib(), 25.0).min(most.as_mib());
    (asked > min.as_mib()).then_some(BytesPerSec::mib(asked))
}

/// To a multiple of `step` that is near, else to a whole number.
fn round(value: f64, step: f64) -> f64 {
    let rounded = (value / step).round() * step;
    if (rounded / value - 1.0).abs() < ROUND { rounded } else { value.round() }
}

/// One device of an instance's flash.
fn flash(view: &CatalogView, instance: &InstanceType, size: Option<Bytes>) -> Option<Candidate> {
    let store = instance.local?;
    let device = Bytes::gib((store.size.as_gib() / f64::from(store.count.max(1))) as u64);
    let size = size.map_or(device, |size| size.ceil_gib().min(device));
    let volume = Volume { kind: Volume::LOCAL.to_owned(), size, iops: None, throughput: None };
    let disk = Disk::from(volume);
    let limits = disk.limits(view, Some(instance)).ok()?;
    Some((disk, Some(instance.name.clone()), limits))
}
