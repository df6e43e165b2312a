//! Views of the embedded tables on the days that matter.

use jiff::civil::date;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::*;
use crate::{Catalog, IopsRule, ThroughputRule};

fn on(year: i16, month: i8, day: i8) -> CatalogView {
    Catalog::embedded().at(Some(date(year, month, day)))
}

fn newest() -> CatalogView {
    Catalog::embedded().at(None)
}

fn message<T: std::fmt::Debug>(result: Result<T, CatalogError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn the_sources_cluster_of_november_2020_has_its_limits_and_prices() {
    let view = on(2020, 11, 25);
    let m5 = view.instance("m5.2xlarge").unwrap();
    let caps = m5.caps.unwrap();
    assert_eq!((m5.vcpu, m5.memory), (8, Bytes::gib(32)));
    assert_eq!((caps.throughput, caps.burst_throughput), (BytesPerSec::mb(287.5), BytesPerSec::mb(593.75)));
    assert_eq!((caps.iops, caps.burst_iops), (Iops(12_000.0), Iops(18_750.0)));
    assert_eq!(caps.burst_time, Nanos::secs(1800));
    assert_eq!(view.instance_price("us-west-2", "m5.2xlarge"), Ok(Usd(0.384)));
    let io1 = view.volume_price("us-west-2", "io1").unwrap();
    assert_eq!((io1.per_gib, io1.iops_tiers.as_slice()), (Usd(0.125), [(Iops(0.0), Usd(0.065))].as_slice()));
    assert_eq!(view.volume_price("us-west-2", "gp2").unwrap().per_gib, Usd(0.1));
    assert!(!view.observed_later(&io1.provenance));
}

#[test]
fn limits_are_those_of_the_newest_document_of_the_day() {
    let burst = |view: CatalogView| view.instance("m5.2xlarge").unwrap().caps.unwrap().burst_throughput.as_mb();
    assert_eq!(burst(on(2018, 3, 1)), 265.0);
    assert_eq!(burst(on(2019, 12, 3)), 437.5);
    assert_eq!(burst(on(2019, 12, 4)), 593.75);
    assert_eq!(burst(newest()), 593.75);
}

#[test]
fn what_is_not_yet_there_says_since_when_it_is() {
    let view = on(2020, 11, 30);
    assert!(message(view.volume("gp3")).contains("from 2020-12-01 on"), "{}", message(view.volume("gp3")));
    assert!(message(view.volume_price("us-west-2", "gp3")).contains("from 2020-12-01 on"));
    assert!(message(view.instance("r5b.2xlarge")).contains("from 2020-12-03 on"));
    assert!(on(2020, 12, 1).volume("gp3").is_ok());
}

#[test]
fn a_span_without_facts_is_missing_not_the_nearest_rule() {
    assert_eq!(message(on(2016, 1, 1).volume("gp2")), "the catalogue has no limits for gp2 on 2016-01-01");
}

#[test]
fn a_price_first_seen_after_the_day_is_marked() {
    let view = on(2022, 6, 30);
    let gp3 = view.volume_price("us-west-2", "gp3").unwrap();
    assert_eq!((gp3.per_gib, gp3.included_iops, gp3.per_mib_s), (Usd(0.08), Iops(3000.0), Usd(0.04)));
    assert!(view.observed_later(&gp3.provenance));
    assert!(view.observed_later(view.instance_price_provenance("us-west-2", "r5b.2xlarge").unwrap()));
    assert!(!view.observed_later(view.instance_price_provenance("us-west-2", "m5.2xlarge").unwrap()));
}

#[test]
fn unknown_names_come_with_the_closest_ones() {
    let view = newest();
    assert_eq!(message(view.volume("gp4")), "no disk type is called `gp4`; did you mean `gp2` or `gp3`?");
    assert!(message(view.instance("m5.2xlrage")).ends_with("did you mean `m5.2xlarge`?"));
    assert!(message(view.region("us-west2")).contains("`us-west-2`"));
    assert!(message(view.instance_price("us-west2", "m5.large")).contains("region"));
}

#[test]
fn a_known_name_without_the_fact_is_missing() {
    let view = newest();
    assert_eq!(message(view.volume_price("us-west-2", "io2")), "the catalogue has no price for io2 in us-west-2");
    assert_eq!(view.volume_price("us-east-1", "rds-gp2").unwrap().per_gib, Usd(0.115));
    assert!(message(view.volume_price("us-west-2", "rds-gp2")).contains("no price for rds-gp2"));
    assert!(message(view.volume("premium-v1")).contains("premium-v1-p1"));
    // Contradicted by Tokyo's later price; what it is elsewhere is not known.
    assert!(view.volume_price("us-east-1", "sc1").is_err());
    assert_eq!(view.volume_price("ap-northeast-1", "sc1").unwrap().per_gib, Usd(0.018));
}

#[test]
fn the_rules_of_a_type_change_with_the_day() {
    let gp3 = |view: CatalogView| match view.volume("gp3").unwrap().iops {
        IopsRule::Provisioned { max, .. } => max.0,
        _ => f64::NAN,
    };
    assert_eq!((gp3(on(2024, 1, 1)), gp3(newest())), (16_000.0, 80_000.0));
    let io2 = |view: CatalogView| view.volume("io2").unwrap().clone();
    let (old, new) = (io2(on(2022, 1, 1)), io2(newest()));
    assert!(matches!(old.iops, IopsRule::Provisioned { max: Iops(64_000.0), max_per_gib: Some(500.0), .. }));
    assert!(matches!(new.iops, IopsRule::Provisioned { max: Iops(256_000.0), max_per_gib: Some(1000.0), .. }));
    let ThroughputRule::ByIops(bands) = old.throughput else { panic!("{:?}", old.throughput) };
    assert_eq!(bands.iter().map(|band| band.max.as_mib()).collect::<Vec<_>>(), [500.0, 1000.0]);
}

#[test]
fn every_priced_size_of_the_usual_families_has_limits_in_the_oldest_regions() {
    let view = newest();
    let families = "m4 m5 m5d m6i m6g m7i m7g r4 r5 r5b r5d r6i r6g r7g r7i c5 c5d c6i c6g c7g i3 i3en i4i".split(' ');
    for family in families {
        let sizes: Vec<_> = view.instances(Cloud::Aws).filter(|i| i.family == family).collect();
        assert!(sizes.len() > 4, "{family}");
        for region in ["us-east-1", "us-west-2", "eu-west-1", "ap-northeast-1", "ap-southeast-1"] {
            for size in &sizes {
                assert!(size.caps.is_some(), "{}", size.name);
                assert!(view.instance_price(region, &size.name).is_ok(), "{} in {region}", size.name);
            }
        }
    }
}

#[test]
fn local_flash_is_counted_for_all_devices_together() {
    let view = newest();
    let local = view.instance("m5d.4xlarge").unwrap().local.unwrap();
    assert_eq!((local.count, local.size), (2, Bytes(600_000_000_000)));
    assert_eq!((local.read_iops, local.write_iops), (Some(Iops(234_000.0)), Some(Iops(114_000.0))));
    // ScyllaDB measured 620,878,826 B/s on each of the two.
    assert_eq!(local.read_throughput, Some(BytesPerSec(2.0 * 620_878_826.0)));
    // From the i7 generation on its records are of the whole array: the sizes of a family grow alike.
    let reads = |name: &str| view.instance(name).unwrap().local.unwrap().read_throughput.unwrap();
    assert!(reads("i7ie.24xlarge") / reads("i7ie.3xlarge") < 8.5);
    assert!(view.instance("m5.4xlarge").unwrap().local.is_none());
    assert!(view.volumes(Cloud::Azure).any(|volume| volume.name == "nvme"));
}

#[test]
fn traffic_between_zones_costs_both_sides() {
    let view = newest();
    assert_eq!(view.transfer(Cloud::Aws).unwrap().per_gb, Usd(0.02));
    assert_eq!(view.transfer(Cloud::Azure).unwrap().per_gb, Usd(0.0));
}

#[test]
fn a_class_of_rds_has_its_machines_limits_and_a_price_for_each_engine() {
    let view = newest();
    let class = view.instance("db.r6g.large").unwrap();
    assert_eq!((class.family.as_str(), class.vcpu, class.memory), ("db.r6g", 2, Bytes::gib(16)));
    assert_eq!(class.caps, view.instance("r6g.large").unwrap().caps);
    assert!(class.service.is_some() && view.instances(Cloud::Aws).all(|machine| machine.service.is_none()));
    assert!(view.alternatives(class).all(|other| other.service == class.service));
    let hourly = |engine, term| view.hourly("us-east-1", "db.r6g.large", Some(engine), term).unwrap();
    let on_demand = |engine| hourly(engine, PriceTerm::OnDemand).0;
    let prices = [DatabaseEngine::Mysql, DatabaseEngine::Postgresql, DatabaseEngine::AuroraMysql].map(on_demand);
    assert_eq!(prices, [0.215, 0.225, 0.26]);
    assert_eq!(view.instance_price("us-east-1", "db.r6g.large"), Ok(Usd(0.215)));
    assert_eq!(hourly(DatabaseEngine::Mysql, PriceTerm::Reserved1y), Usd(0.124));
    let spot = view.hourly("us-east-1", "db.r6g.large", None, PriceTerm::Spot);
    assert!(message(spot).contains("no price of that term for db.r6g.large in us-east-1"));
}

#[test]
fn a_service_sells_volumes_under_the_clouds_names_by_its_own_rules() {
    let view = newest();
    let class = view.instance("db.m5.large").ok();
    let on = |name: &str, gib, instance| view.volume_on(name, Bytes::gib(gib), instance).map(|kind| kind.name.as_str());
    assert_eq!(on("gp2", 399, class), Ok("rds-gp2"));
    assert_eq!(on("gp2", 400, class), Ok("rds-gp2-striped"));
    assert_eq!((on("gp2", 400, None), on("rds-gp2", 400, None)), (Ok("gp2"), Ok("rds-gp2-striped")));
    assert!(message(on("st1", 500, class)).contains("RDS has no storage of the type `st1`: it has gp2, gp3, io1, io2"));
    assert!(message(on("gp4", 500, class)).contains("did you mean `gp2` or `gp3`?"));
    let machine = view.instance("m5.large").ok();
    assert!(message(on("rds-gp2", 500, machine)).contains("`rds-gp2` is storage of RDS, and m5.large is none"));
}
