//! The disk crate over the catalogue that ships with the program.

use catalog::{Catalog, CatalogView, Cloud, VolumeMedium};
use diskwright_disk::{Disk, DiskError, IoDirection, StartCredits, VolumeCalibration, deliverable};
use units::{Bytes, Iops, Usd};

fn view(date: Option<&str>) -> CatalogView {
    Catalog::embedded().at(date.map(|d| d.parse().unwrap()))
}

fn disk(text: &str) -> Disk {
    text.parse().unwrap()
}

#[test]
fn every_ssd_type_can_be_parsed_and_has_limits_at_its_ends() {
    let view = view(None);
    for kind in [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().flat_map(|c| view.volumes(c)) {
        if kind.medium != VolumeMedium::Ssd {
            continue;
        }
        for size in [kind.size.0, kind.size.1] {
            let limits = disk(&format!("{}:{size}", kind.name)).limits(&view, None).unwrap();
            assert!(limits.iops.0 > 0.0 && limits.throughput.0 > 0.0, "{}: {limits:?}", kind.name);
        }
    }
}

#[test]
fn every_calibrated_kind_is_sold() {
    let view = view(None);
    for kind in VolumeCalibration::kinds() {
        assert!(view.volume(kind).is_ok(), "{kind}");
    }
}

#[test]
fn the_day_decides_what_a_disk_is() {
    let fast = disk("gp3:1000GiB,20000iops");
    assert_eq!(fast.limits(&view(None), None).unwrap().iops, Iops(20_000.0));
    assert!(matches!(fast.limits(&view(Some("2021-06-01")), None), Err(DiskError::OutOfRange { .. })));
    assert!(matches!(fast.limits(&view(Some("2020-11-30")), None), Err(DiskError::Catalog(_))));
}

#[test]
fn the_prices_are_those_of_the_parts() {
    let view = view(Some("2020-11-30"));
    let price = |text: &str| disk(text).monthly(&view, "us-west-2").unwrap().0;
    assert!((price("gp2:400GiB") - 40.0).abs() < 1e-9);
    assert!((price("io1:400GiB,5000iops") - 375.0).abs() < 1e-9);
    assert!((price("2x(gp2:1000GiB)") - 200.0).abs() < 1e-9);
    assert_eq!(disk("nvme:200GiB").monthly(&view, "us-west-2").unwrap(), Usd(0.0));
}

#[test]
fn the_volumes_of_the_sources_deliver_what_their_instances_let_through() {
    let view = view(Some("2020-11-30"));
    let small = view.instance("m5.2xlarge").unwrap();
    let spec = disk("io1:1000GiB,6000iops").spec(&view, Some(small)).unwrap();
    let rate = deliverable(spec, small.caps.as_ref(), Bytes::kib(256), IoDirection::Read, 60, StartCredits::Spent);
    assert!((rate.as_mb() / 287.5 - 1.0).abs() < 0.01, "{rate:.1}");
    let gp2 = disk("gp2:334GiB").spec(&view, None).unwrap();
    let rate = deliverable(gp2, None, Bytes::kib(256), IoDirection::Read, 60, StartCredits::Spent);
    assert!((rate.as_mib() / 250.0 - 1.0).abs() < 0.01, "{rate:.1}");
}

#[test]
fn a_cached_disk_needs_flash_on_its_instance() {
    let view = view(None);
    let cached = disk("gp2:1000GiB+cache(nvme:200GiB)");
    let with = view.instance("m5d.2xlarge").unwrap();
    assert!(cached.spec(&view, Some(with)).unwrap().cache.is_some());
    let without = cached.limits(&view, Some(view.instance("m5.2xlarge").unwrap())).unwrap_err();
    assert!(without.to_string().contains("m5.2xlarge has no local flash"), "{without}");
}
