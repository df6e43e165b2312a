//! Disks of the catalogue, sized and provisioned like the fitted one.

use catalog::{CatalogView, Cloud, InstanceType};
use disk::{Disk, DiskLimits, ObservedRates, Volume, volumes_like};
use units::Bytes;

use crate::fit::FittedDisk;

/// A candidate: its text, the instance whose flash it is, its limits.
pub(super) type Candidate = (Disk, Option<String>, DiskLimits);

/// One candidate or more of each kind that there is.
pub(super) fn all(view: &CatalogView, fitted: &FittedDisk, size: Option<Bytes>) -> Vec<Candidate> {
    let seen = ObservedRates {
        iops: fitted.iops.value,
        sustained: fitted.burst.map(|burst| burst.sustained),
        throughput: fitted.throughput.value,
    };
    let network = volumes_like(view, &seen, size).into_iter().filter_map(|volume| {
        let disk = Disk::from(volume);
        let limits = disk.limits(view, None).ok()?;
        Some((disk, None, limits))
    });
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
    let local = clouds.into_iter().flat_map(|cloud| view.instances(cloud)).filter_map(|i| flash(view, i, size));
    network.chain(local).collect()
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
