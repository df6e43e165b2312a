//! The disk crate over the catalogue that ships with the program.

use catalog::{Catalog, CatalogView, Cloud, VolumeMedium};
use diskwright_disk::{
    Disk, DiskError, DiskMarket, DiskRates, IoDirection, StartCredits, VolumeCalibration, deliverable,
};
use units::{Bytes, BytesPerSec, Iops, Nanos, Usd};

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

#[test]
fn rds_stripes_storage_from_400_gib_on_and_refuses_what_it_does_not_sell() {
    let view = view(None);
    let class = view.instance("db.m5.4xlarge").unwrap();
    let limits = |text: &str| disk(text).limits(&view, Some(class));
    let gp2 = limits("gp2:1500GiB").unwrap();
    assert_eq!((gp2.iops, gp2.bursts(1).0, gp2.throughput.as_mib()), (Iops(4500.0), Some(12_000.0), 1000.0));
    let small = limits("gp2:399GiB").unwrap();
    assert_eq!((small.iops, small.bursts(1).0), (Iops(1197.0), Some(3000.0)));
    let gp3 = limits("gp3:400GiB").unwrap();
    assert_eq!((gp3.iops, gp3.throughput.as_mib()), (Iops(12_000.0), 500.0));
    assert_eq!(limits("gp3:399GiB").unwrap().iops, Iops(3000.0));
    let refused = |text: &str| limits(text).unwrap_err().to_string();
    assert!(refused("gp3:399GiB,5000iops").contains("from 400GiB on it takes rates"));
    assert!(refused("gp3:399GiB,250MiB/s").contains("from 400GiB on it takes rates"));
    assert!(refused("gp3:400GiB,11999iops").contains("starts at 12000iops"));
    assert!(refused("gp3:400GiB,400MiB/s").contains("starts at 500MiB/s"));
    assert!(refused("io1:90GiB").contains("sold from 100GiB"));
    assert!(refused("io2:100GiB,100001iops").contains("1000 a GiB"));
    assert!(refused("2x(gp2:500GiB)").contains("stripes it itself"));
    // What nobody calls RDS's stays EBS's.
    assert_eq!(disk("gp2:1500GiB").limits(&view, None).unwrap().bursts(1).0, Some(3000.0));
}

#[test]
fn a_class_pays_for_its_services_storage() {
    let view = view(None);
    let class = view.instance("db.m5.4xlarge").ok();
    let price = |text: &str| disk(text).monthly_on(&view, "us-east-1", class).unwrap().0;
    assert!((price("gp3:1000GiB") - 115.0).abs() < 1e-9);
    assert!((price("gp3:1000GiB,16000iops,600MiB/s") - (115.0 + 80.0 + 8.0)).abs() < 1e-9);
    assert!((price("io1:1000GiB,12000iops") - 1325.0).abs() < 1e-9);
    assert!((disk("rds-gp2:500GiB").monthly(&view, "us-east-1").unwrap().0 - 57.5).abs() < 1e-9);
}

#[test]
fn a_small_disk_of_rds_grows_into_a_stripe_for_rates_that_it_does_not_sell() {
    let view = view(None);
    let rates = DiskRates { iops: Iops(9000.0), throughput: BytesPerSec::mib(100.0) };
    let market = |instance| DiskMarket { view: &view, region: Some("us-east-1"), instance, consistency: None };
    let carriers = |text: &str, class: Option<&str>| {
        let found = market(class.map(|class| view.instance(class).unwrap())).carriers(&disk(text), rates);
        found[0].disk.to_string()
    };
    assert_eq!(carriers("gp2:100GiB", Some("db.m5.4xlarge")), "gp3:400GiB");
    assert_eq!(carriers("rds-gp2:100GiB", None), "rds-gp3:400GiB");
    assert_eq!(carriers("gp2:100GiB", None), "gp3:100GiB,9000iops");
}

#[test]
fn a_disk_of_rds_is_modified_by_the_rules_of_rds() {
    let view = view(None);
    let rules = |from: &str, to: &str| disk(from).modification(&disk(to), &view);
    assert_eq!(rules("rds-gp2:100GiB", "rds-gp3:100GiB").unwrap().cooldown, Nanos::secs(6 * 3600));
    assert_eq!(rules("gp2:100GiB", "gp3:100GiB").unwrap().cooldown, Nanos(0));
    assert!(rules("rds-gp2:100GiB", "gp3:100GiB").unwrap_err().to_string().contains("not sold by one service"));
}
