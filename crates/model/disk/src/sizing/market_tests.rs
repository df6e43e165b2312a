use catalog::{Catalog, IopsRule, ThroughputRule, VolumeType};

use super::*;
use crate::Volume;

fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

fn market(view: &CatalogView) -> DiskMarket<'_> {
    DiskMarket { view, region: None, instance: None, consistency: None }
}

/// All types of network volumes, with a volume of the smallest size, one of the largest, and some between.
fn volumes(view: &CatalogView) -> Vec<(&VolumeType, Disk)> {
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
    let kinds = clouds.into_iter().flat_map(|cloud| view.volumes(cloud));
    let networked = kinds.filter(|kind| kind.medium != VolumeMedium::LocalNvme);
    let sized = networked.flat_map(|kind| {
        let (least, most) = (kind.size.0.0.div_ceil(1 << 30), kind.size.1.0 >> 30);
        let sizes = [least, (least * 3).min(most), least.midpoint(most), most];
        sizes.map(|gib| {
            let volume = Volume { kind: kind.name.clone(), size: Bytes::gib(gib), iops: None, throughput: None };
            (kind, Disk::from(volume))
        })
    });
    sized.filter(|(_, disk)| disk.limits(view, None).is_ok()).collect()
}

/// The most I/Os a second and MiB a second of a type, at its largest size.
fn most(kind: &VolumeType, view: &CatalogView) -> (f64, f64) {
    let iops = match kind.iops {
        IopsRule::Provisioned { max, .. } | IopsRule::BySize { max, .. } => max.0,
        IopsRule::ByInstance => 0.0,
    };
    let volume = |iops, throughput| Volume { kind: kind.name.clone(), size: kind.size.1, iops, throughput };
    let largest = match (&kind.iops, &kind.throughput) {
        (IopsRule::Provisioned { max, .. }, ThroughputRule::Provisioned { max: throughput, .. }) => {
            volume(Some(*max), Some(*throughput))
        }
        (IopsRule::Provisioned { max, .. }, _) => volume(Some(*max), None),
        (_, ThroughputRule::Provisioned { max, .. }) => volume(None, Some(*max)),
        _ => volume(None, None),
    };
    let limits = Disk::from(largest).limits(view, None).unwrap();
    (iops.min(limits.iops.0), limits.throughput.0)
}

#[test]
fn every_type_offers_a_larger_volume_of_its_own_up_to_its_maximum() {
    let view = view();
    let (market, mut raised) = (market(&view), 0);
    // A service sells several types under one name: what comes of a small one is tested with the catalogue.
    for (kind, disk) in volumes(&view).into_iter().filter(|(kind, _)| kind.service.is_none()) {
        let now = disk.limits(&view, None).unwrap();
        let (most_iops, most_throughput) = most(kind, &view);
        for factor in [1.3, 2.0, 4.0] {
            let asks = [
                DiskRates { iops: now.iops * factor, throughput: now.throughput },
                DiskRates { iops: now.iops, throughput: now.throughput * factor },
            ];
            for (rates, could) in
                asks.into_iter().zip([now.iops.0 < most_iops, now.throughput.0 < most_throughput - 1e6])
            {
                let carriers = market.carriers(&disk, rates);
                let of_kind = carriers.iter().find(|one| one.disk.volume.kind == kind.name);
                let within = rates.iops.0 <= most_iops && rates.throughput.0 <= most_throughput - 1e6;
                assert_eq!(of_kind.is_some(), within, "{disk}, {rates:?}: {carriers:?}");
                let best = carriers.into_iter().next().or_else(|| market.nearest(&disk, rates));
                let above = |one: &SuitableDisk| {
                    (rates.iops.0 > now.iops.0 && one.limits.iops.0 > now.iops.0)
                        || (rates.throughput.0 > now.throughput.0 && one.limits.throughput.0 > now.throughput.0)
                };
                if could {
                    let best = best.unwrap_or_else(|| panic!("nothing carries more than {disk}, {rates:?}"));
                    assert!(above(&best), "{disk} to {}, {rates:?}", best.disk);
                    assert!(best.disk.volume.size >= disk.volume.size);
                    raised += 1;
                } else {
                    assert!(best.as_ref().is_none_or(above), "{disk}: {best:?}");
                }
            }
        }
    }
    assert!(raised > 100, "{raised} volumes could be raised");
}

#[test]
fn what_no_volume_carries_ends_at_the_most_of_its_type() {
    let view = view();
    for (text, asked, most) in [
        ("hyperdisk-balanced:500GiB,100000iops", 400_000.0, 160_000.0),
        ("pd-ssd:500GiB", 400_000.0, 100_000.0),
        ("pd-balanced:500GiB", 400_000.0, 80_000.0),
        ("premium-v2:500GiB", 400_000.0, 80_000.0),
    ] {
        let disk: Disk = text.parse().unwrap();
        let throughput = disk.limits(&view, None).unwrap().throughput;
        let rates = DiskRates { iops: Iops(asked), throughput };
        assert!(market(&view).carriers(&disk, rates).is_empty(), "{text}");
        assert_eq!(market(&view).nearest(&disk, rates).unwrap().limits.iops, Iops(most), "{text}");
    }
    let full: Disk = "pd-ssd:65536GiB".parse().unwrap();
    let limits = full.limits(&view, None).unwrap();
    let rates = DiskRates { iops: limits.iops * 2.0, throughput: limits.throughput * 2.0 };
    assert_eq!(market(&view).nearest(&full, rates), None);
}

#[test]
fn the_cheapest_new_volume_is_one_of_the_cloud_that_carries_the_need() {
    let view = view();
    let need = VolumeNeed { size: Bytes::gib(20), iops: Iops(1000.0), throughput: BytesPerSec::mib(50.0) };
    for (region, expected) in [("us-west-2", "gp3:20GiB"), ("eastus", "premium-v2:20GiB")] {
        let market = DiskMarket { region: Some(region), ..market(&view) };
        let found = market.cheapest_ssd(view.region(region).unwrap(), need).unwrap();
        assert_eq!(found.disk.to_string(), expected);
        assert!(found.monthly.unwrap().0 > 0.0 && found.limits.iops.0 >= 1000.0);
    }
}

#[test]
fn a_disk_of_the_same_size_and_rates_is_no_other_disk() {
    let view = view();
    let disk: Disk = "gp3:400GiB,3000iops".parse().unwrap();
    let rates = DiskRates { iops: Iops(100.0), throughput: BytesPerSec(1.0) };
    let carriers = market(&view).carriers(&disk, rates);
    assert!(carriers.iter().all(|one| one.disk.volume.kind != "gp3"), "{carriers:?}");
    let local: Disk = "nvme:100GiB".parse().unwrap();
    assert!(market(&view).carriers(&local, rates).is_empty());
}
