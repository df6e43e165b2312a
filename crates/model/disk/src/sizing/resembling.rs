//! Disks for sale that have a limit just where rates were seen: what a disk of which nobody knows the name could be.

use catalog::{CatalogView, Cloud, IopsRule, ThroughputRule, VolumeMedium, VolumeType};
use limits::BindingLimit;
use units::{Bytes, BytesPerSec, Iops};

use super::DiskRates;
use crate::{Disk, Volume, VolumeCalibration};

/// A size for disks of which none is known and on whose size nothing hangs.
const ANY: Bytes = Bytes::gib(100);

/// People provision round numbers; what is measured this near to one is meant to be it.
const ROUND: f64 = 0.02;

/// A limit resembles a rate that it differs from by no more than this share; real volumes deliver 1.03 to 1.05 times their
/// limit for good (`published.csv`, T005 to T010).
const NEAR: f64 = 0.06;

/// Rates that a disk gave at its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObservedRates {
    /// I/Os a second, counted as volumes count them.
    pub iops: Iops,
    /// I/Os a second after a burst, where one was seen to end.
    pub sustained: Option<Iops>,
    /// Bytes a second.
    pub throughput: BytesPerSec,
}

/// A disk for sale that has a limit where a rate was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct ResemblingDisk {
    /// The disk.
    pub disk: Disk,
    /// Which limit it is.
    pub limit: BindingLimit,
    /// What the disk sustains.
    pub rates: DiskRates,
    /// Whether the limit is there without being provisioned, and at any size.
    pub is_plain: bool,
    /// How far the limit is from what was seen, as a share of it.
    pub off: f64,
}

/// Network volumes sized and provisioned so that their limits are where rates were seen, one or more of each type that there
/// is; of the `size`, where it is known.
pub fn volumes_like(view: &CatalogView, seen: &ObservedRates, size: Option<Bytes>) -> Vec<Volume> {
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
    let network = clouds
        .into_iter()
        .flat_map(|cloud| view.volumes(cloud))
        .filter(|kind| kind.medium != VolumeMedium::LocalNvme && kind.service.is_none());
    let known = network.filter(|kind| VolumeCalibration::of(&kind.name).is_ok());
    let sized = known.flat_map(|kind| {
        sizes(kind, seen, size).into_iter().map(move |size| Volume {
            kind: kind.name.clone(),
            size,
            iops: provisioned_iops(kind, seen),
            throughput: provisioned_throughput(kind, seen),
        })
    });
    sized.collect()
}

/// Disks for sale in a cloud, or in all, of which one limit is where a rate was seen and the other no lower: one a type, those
/// first that have the limit without being provisioned, then the nearest.
pub fn resembling(view: &CatalogView, cloud: Option<Cloud>, seen: &ObservedRates) -> Vec<ResemblingDisk> {
    let mut all: Vec<ResemblingDisk> = Vec::new();
    for volume in volumes_like(view, seen, None) {
        let Ok(kind) = view.volume(&volume.kind) else { continue };
        if cloud.is_some_and(|cloud| cloud != kind.cloud) {
            continue;
        }
        if !is_round(&volume) {
            continue;
        }
        let is_plain = volume.iops.is_none() && volume.throughput.is_none() && volume.size == ANY;
        let disk = Disk::from(volume);
        let Ok(limits) = disk.limits(view, None) else { continue };
        let rates = DiskRates { iops: limits.iops, throughput: limits.throughput };
        let off = [limits.iops.0 / seen.iops.0 - 1.0, limits.throughput.0 / seen.throughput.0 - 1.0];
        let (by, other) = if off[0].abs() <= off[1].abs() { (0, 1) } else { (1, 0) };
        if off[by].abs() > NEAR || off[other] < -NEAR {
            continue;
        }
        let limit = [BindingLimit::VolumeIops, BindingLimit::VolumeThroughput][by];
        all.push(ResemblingDisk { disk, limit, rates, is_plain, off: off[by].abs() });
    }
    all.sort_by(|a, b| b.is_plain.cmp(&a.is_plain).then(a.off.total_cmp(&b.off)));
    let mut kinds: Vec<String> = Vec::new();
    all.retain(|one| {
        let is_new = !kinds.contains(&one.disk.volume.kind);
        kinds.push(one.disk.volume.kind.clone());
        is_new
    });
    all
}

/// Whole GiB round what was asked for, for a device of some other size is not sold.
fn sizes(kind: &VolumeType, seen: &ObservedRates, size: Option<Bytes>) -> Vec<Bytes> {
    if let Some(size) = size {
        return vec![size.ceil_gib()];
    }
    let gib = |gib: f64| Bytes::gib(gib.ceil().max(1.0) as u64).clamp(kind.size.0, kind.size.1);
    let mut all = Vec::new();
    match kind.iops {
        IopsRule::BySize { base, per_gib, .. } if per_gib > 0.0 => {
            let rates = [Some(seen.iops), seen.sustained];
            all.extend(rates.into_iter().flatten().map(|rate| gib((rate.0 - base) / per_gib)));
        }
        IopsRule::Provisioned { max_per_gib: Some(per_gib), .. } => {
            all.push(gib((seen.iops.0 / per_gib).max(ANY.as_gib())));
        }
        _ => all.push(gib(ANY.as_gib())),
    }
    if let ThroughputRule::BySize(bands) = &kind.throughput {
        let sized = bands.iter().filter(|band| band.per_gib.0 > 0.0);
        all.extend(sized.map(|band| gib((seen.throughput.0 - band.base.0) / band.per_gib.0)));
    }
    all
}

/// The rate to provision; `None` for what comes with the volume.
fn provisioned_iops(kind: &VolumeType, seen: &ObservedRates) -> Option<Iops> {
    let IopsRule::Provisioned { min, max, .. } = kind.iops else { return None };
    let asked = round(seen.iops.0, 100.0).min(max.0);
    (asked > min.0).then_some(Iops(asked))
}

fn provisioned_throughput(kind: &VolumeType, seen: &ObservedRates) -> Option<BytesPerSec> {
    let ThroughputRule::Provisioned { min, max, max_per_iops } = kind.throughput else { return None };
    let most = provisioned_iops(kind, seen).map_or(max, |iops| max.min(BytesPerSec(max_per_iops.as_f64() * iops.0)));
    let asked = round(seen.throughput.as_mib(), 25.0).min(most.as_mib());
    (asked > min.as_mib()).then_some(BytesPerSec::mib(asked))
}

/// Whether what is provisioned are numbers that people choose: any other fits everything that is measured.
fn is_round(volume: &Volume) -> bool {
    let whole = |value: f64, step: f64| (value / step).fract() < 1e-9;
    volume.iops.is_none_or(|iops| whole(iops.0, 100.0))
        && volume.throughput.is_none_or(|throughput| whole(throughput.as_mib(), 25.0))
}

/// To a multiple of `step` that is near, else to a whole number.
fn round(value: f64, step: f64) -> f64 {
    let rounded = (value / step).round() * step;
    if (rounded / value - 1.0).abs() < ROUND { rounded } else { value.round() }
}

#[cfg(test)]
mod tests {
    use catalog::Catalog;

    use super::*;

    fn texts(iops: f64, mib: f64) -> Vec<String> {
        let view = Catalog::embedded().at(None);
        let seen = ObservedRates { iops: Iops(iops), sustained: None, throughput: BytesPerSec::mib(mib) };
        resembling(&view, Some(Cloud::Aws), &seen).into_iter().map(|one| one.disk.to_string()).collect()
    }

    #[test]
    fn three_thousand_ios_a_second_are_a_gp3_as_it_comes_first() {
        let found = texts(3020.0, 47.0);
        assert_eq!(found.first().map(String::as_str), Some("gp3:100GiB"), "{found:?}");
    }

    #[test]
    fn a_rate_that_follows_the_size_names_the_size() {
        let found = texts(498.0, 17.0);
        assert!(found.iter().any(|text| text == "gp2:166GiB"), "{found:?}");
    }

    #[test]
    fn what_could_be_provisioned_to_any_number_is_named_only_for_a_round_one() {
        assert!(texts(276.0, 66.0).iter().all(|text| !text.starts_with("io")));
        assert!(texts(5030.0, 66.0).iter().any(|text| text.contains("5000iops")));
    }

    #[test]
    fn a_disk_whose_other_limit_is_lower_is_none_of_them() {
        assert!(texts(3000.0, 240.0).iter().all(|text| text != "gp3:100GiB"));
    }
}
