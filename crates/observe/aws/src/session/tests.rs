use timeline::{MergeRule, SeriesUnit};
use units::{Bytes, Nanos};

use super::*;
use crate::InstanceFacts;
use crate::twin::{Twin, modification, range, volume};

fn twin() -> Twin {
    let of = |id: &str| id.to_owned();
    Twin {
        volumes: vec![volume("vol-1", "gp2:100GiB"), volume("vol-2", "gp3:100GiB,3000iops,125MiB/s")],
        points: [
            (("VolumeReadOps", of("vol-1")), vec![(0, 600.0), (120, 60.0)]),
            (("VolumeQueueLength", of("vol-1")), vec![(0, 1.5)]),
            (("VolumeIOPSExceededCheck", of("vol-1")), vec![(0, 1.0)]),
            (("EBSReadOps", of("i-1")), vec![(0, 3000.0)]),
        ]
        .into(),
        ..Twin::default()
    }
}

fn session(twin: Twin) -> AwsSession {
    AwsSession::over(Box::new(twin))
}

#[test]
fn a_volume_comes_with_its_own_series_and_those_of_its_instance() {
    let (timeline, volume) = session(twin()).volume("vol-1", range()).unwrap();
    assert_eq!((volume.disk.volume.size, timeline.about.start), (Bytes(100 << 30), Some(range().from())));
    let named: Vec<String> = timeline.series.iter().map(ToString::to_string).collect();
    let expected = [
        r#"VolumeReadOps{VolumeId="vol-1"}"#,
        r#"VolumeQueueLength{VolumeId="vol-1"}"#,
        r#"VolumeIOPSExceededCheck{InstanceId="i-1",VolumeId="vol-1"}"#,
        r#"EBSReadOps{InstanceId="i-1"}"#,
    ];
    assert_eq!(named, expected);
    let first = |at: usize| {
        let point = timeline.series[at].points()[0];
        (timeline.series[at].unit, point.until - point.from, point.value)
    };
    assert_eq!(first(0), (SeriesUnit::Count, Nanos::secs(60), 600.0));
    assert_eq!(first(3), (SeriesUnit::Count, Nanos::secs(300), 3000.0));
    assert!(matches!(timeline.series[1].points, timeline::SeriesPoints::Values(MergeRule::Mean, _)));
}

#[test]
fn what_was_not_published_is_missing_and_not_zero() {
    let (timeline, _) = session(twin()).volume("vol-1", range()).unwrap();
    assert_eq!(timeline.select("BurstBalance", &[]).count(), 0);
    let reads = timeline.find("VolumeReadOps", &[("VolumeId", "vol-1")]).unwrap().points();
    assert_eq!(reads.iter().map(|point| point.from).collect::<Vec<_>>(), [Nanos(0), Nanos::secs(120)]);
}

#[test]
fn a_volume_without_any_point_is_no_healthy_volume() {
    let error = session(twin()).volume("vol-2", range()).unwrap_err();
    assert!(error.to_string().contains("no point of vol-2 from 2026-11-21T08:00:00Z"), "{error}");
    assert!(matches!(error, AwsError::NoData { .. }));
}

#[test]
fn an_unknown_volume_is_named_with_its_region() {
    let error = session(twin()).volume("vol-3", range()).unwrap_err();
    assert!(error.to_string().starts_with("there is no volume `vol-3` in us-west-2"), "{error}");
}

#[test]
fn instances_have_what_their_type_lets_through_and_types_are_asked_for_once() {
    let caps = catalog::InstanceCaps {
        iops: units::Iops(3600.0),
        throughput: units::BytesPerSec::mb(81.25),
        burst_iops: units::Iops(18_750.0),
        burst_throughput: units::BytesPerSec::mb(593.75),
        burst_time: Nanos::secs(1800),
    };
    let m5 = InstanceFacts {
        instance_type: Some("m5.large".to_owned()),
        nitro: Some(true),
        caps: Some(caps),
        ..InstanceFacts::default()
    };
    let api = std::sync::Arc::new(Twin { types: vec![m5], ..twin() });
    let types = Types::default();
    for _ in 0..2 {
        let mut volumes = api.volumes.clone();
        assemble::complete(api.as_ref(), &types, &mut volumes).unwrap();
        let on = &volumes[0].attachments[0].instance;
        assert_eq!((on.id.as_str(), on.nitro, on.caps), ("i-1", Some(true), Some(caps)));
    }
    assert_eq!(*api.types_asked.lock().unwrap(), ["m5.large"]);
}

#[test]
fn modifications_belong_to_their_volume() {
    let change = modification("vol-1", "gp2:50GiB", "gp2:100GiB");
    let other = modification("vol-2", "gp2:100GiB", "gp3:100GiB,3000iops,125MiB/s");
    let (_, volume) =
        session(Twin { modifications: vec![other, change.clone()], ..twin() }).volume("vol-1", range()).unwrap();
    assert_eq!(volume.modifications, [change]);
}

#[test]
fn a_series_that_came_in_part_is_noted() {
    let twin = twin();
    twin.statuses.lock().unwrap().extend([crate::api::Status::Partial; 4]);
    let (whole, _) = session(twin).volume("vol-1", range()).unwrap();
    assert!(!whole.about.notes.values().any(|note| note.contains("incomplete")), "{:?}", whole.about.notes);
    let partial = Twin { statuses: std::sync::Mutex::new([crate::api::Status::Partial; 99].into()), ..self::twin() };
    let (timeline, _) = session(partial).volume("vol-1", range()).unwrap();
    assert!(timeline.about.notes["vol-1.VolumeReadOps"].contains("incomplete"), "{:?}", timeline.about.notes);
}

#[test]
fn a_database_has_rates_as_means() {
    let facts = DbFacts {
        id: "orders".to_owned(),
        class: "db.m5.large".to_owned(),
        engine: "mysql".to_owned(),
        disk: "gp3:400GiB,12000iops,500MiB/s".parse().ok(),
        zone: None,
        multi_az: false,
        status: "available".to_owned(),
    };
    let points = [(("ReadIOPS", "orders".to_owned()), vec![(0, 123.5)])].into();
    let session = session(Twin { databases: vec![facts.clone()], points, ..Twin::default() });
    let (timeline, seen) = session.db_instance("orders", range()).unwrap();
    assert_eq!(seen, facts);
    let reads = timeline.find("ReadIOPS", &[("DBInstanceIdentifier", "orders")]).unwrap();
    assert_eq!((reads.unit, reads.points()[0].value), (SeriesUnit::CountPerSecond, 123.5));
    assert_eq!(timeline.series.len(), 1);
    let error = session.db_instance("order", range()).unwrap_err();
    assert!(error.to_string().starts_with("there is no database `order`"), "{error}");
}
