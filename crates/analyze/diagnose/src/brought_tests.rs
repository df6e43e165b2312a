//! What other people bring: the cloud's own checks, disks and instances that nobody names, space, volumes that load.

use timeline::{MergeRule, SeriesUnit};

use super::*;
use crate::testing::{Made, deployment, first, kinds, view};

const VOLUME: [(&str, &str); 1] = [("VolumeId", "vol-1")];
const INSTANCE: [(&str, &str); 1] = [("InstanceId", "i-1")];
const DATABASE: [(&str, &str); 1] = [("DBInstanceIdentifier", "orders")];

fn nothing() -> KnownFacts {
    KnownFacts { region: Some("us-west-2".to_owned()), ..KnownFacts::nothing(view()) }
}

fn named(disk: &str, instance: Option<&str>) -> KnownFacts {
    let mut known = KnownFacts { instance: instance.map(str::to_owned), ..nothing() };
    known.disks.insert("*".to_owned(), disk.parse().unwrap());
    known
}

/// An hour of a volume as CloudWatch tells it, in steps of five minutes: I/Os a second of some KiB, three of four reads.
fn volume(iops: f64, kib: f64, read_ms: f64, write_ms: f64) -> Made {
    let (reads, writes) = (0.75 * iops, 0.25 * iops);
    Made::intervals(12, 300)
        .rate("VolumeReadOps", &VOLUME, reads)
        .rate("VolumeWriteOps", &VOLUME, writes)
        .rate("VolumeReadBytes", &VOLUME, reads * kib * 1024.0)
        .rate("VolumeWriteBytes", &VOLUME, writes * kib * 1024.0)
        .rate("VolumeTotalReadTime", &VOLUME, reads * read_ms / 1e3)
        .rate("VolumeTotalWriteTime", &VOLUME, writes * write_ms / 1e3)
        .level("VolumeQueueLength", &VOLUME, (reads * read_ms + writes * write_ms) / 1e3)
}

#[test]
fn a_check_of_the_instance_is_a_verdict_though_nobody_names_the_instance() {
    let checks = [
        ("InstanceEBSIOPSExceededCheck", FindingKind::InstanceIops),
        ("InstanceEBSThroughputExceededCheck", FindingKind::InstanceThroughput),
    ];
    for (check, kind) in checks {
        let verdict = first(&volume(800.0, 100.0, 17.0, 17.0).level(check, &INSTANCE, 1.0), &nothing());
        assert_eq!(
            (verdict.kind, verdict.subject.node.as_str()),
            (kind, "i-1"),
            "one volume, one instance: of one node"
        );
    }
}

#[test]
fn a_balance_that_stays_empty_is_a_verdict_though_nobody_names_the_instance() {
    for (balance, of) in [("EBSByteBalance%", 1.0), ("EBSIOBalance%", 0.0)] {
        let alone = Made::intervals(12, 300).level(balance, &INSTANCE, 0.0);
        let alone = alone.rate("EBSReadOps", &INSTANCE, 800.0).rate("EBSReadBytes", &INSTANCE, 8e7);
        assert_eq!(first(&alone, &nothing()).kind, FindingKind::InstanceBurstSpent, "{balance} {of}");
        let waiting = volume(800.0, 100.0, 17.0, 17.0).level(balance, &INSTANCE, 0.0);
        assert_eq!(first(&waiting, &nothing()).kind, FindingKind::InstanceBurstSpent, "{balance}");
        let some = volume(800.0, 100.0, 0.8, 0.8).level(balance, &INSTANCE, 60.0);
        assert!(!kinds(&some, &nothing()).iter().any(|kind| kind.is_wrong()), "{balance}");
    }
}

#[test]
fn a_slow_volume_behind_an_unknown_link_is_not_called_sick() {
    let flat = volume(800.0, 100.0, 17.5, 17.5);
    let verdict = first(&flat, &named("gp2:500GiB", None));
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    for words in ["--instance", "for the link speaks", "m5.large"] {
        assert!(verdict.says.contains(words), "{words} in {}", verdict.says);
    }
    let known = first(&flat, &named("gp2:500GiB", Some("m5.large")));
    assert!(matches!(known.kind, FindingKind::InstanceThroughput | FindingKind::InstanceBurstSpent), "{}", known.kind);
    assert_eq!(first(&flat, &named("gp2:500GiB", Some("m5.4xlarge"))).kind, FindingKind::DiskSlow, "its link has room");
    let cleared = flat.level("InstanceEBSIOPSExceededCheck", &INSTANCE, 0.0);
    let cleared = cleared.level("InstanceEBSThroughputExceededCheck", &INSTANCE, 0.0);
    assert_eq!(first(&cleared, &named("gp2:500GiB", None)).kind, FindingKind::DiskSlow, "its checks are 0");
}

#[test]
fn a_rate_that_varies_while_requests_queue_speaks_for_the_disk() {
    let made = volume(800.0, 100.0, 17.5, 17.5).times(|i| 1.0 - 0.4 * (i % 3) as f64 / 2.0);
    let verdict = first(&made, &named("gp2:500GiB", None));
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    assert!(verdict.says.contains("for the disk speaks"), "{}", verdict.says);
}

#[test]
fn what_less_than_any_instance_lets_through_is_held_up_by_is_the_disk() {
    assert_eq!(first(&volume(60.0, 4.0, 40.0, 40.0), &named("gp3:500GiB", None)).kind, FindingKind::DiskSlow);
}

#[test]
fn nothing_seen_of_any_disk_is_no_all_clear() {
    let node = [("node", "n1")];
    let calm = Made::seconds(60).rate("cpu_time", &[("node", "n1"), ("pool", "raftstore")], 0.3);
    let calm = calm.rate("tso_wait_time", &node, 0.001).rate("tso_waits", &node, 10.0);
    let known = KnownFacts::deployment(view(), deployment("gp3:500GiB", None));
    let verdict = first(&calm, &known);
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    assert!(verdict.says.contains("node_disk"), "{}", verdict.says);
    let seen = first(&calm.disk("data", 400.0, 16.0, 0.5, 0.8), &known);
    assert_eq!(seen.kind, FindingKind::Healthy);
}

#[test]
fn reads_that_are_slow_beside_fast_writes_are_of_a_volume_that_loads() {
    let known = named("gp3:500GiB,6000iops,500MiB/s", Some("m5.4xlarge"));
    let verdict = first(&volume(330.0, 16.0, 25.0, 0.9), &known);
    assert_eq!(verdict.kind, FindingKind::VolumeLoading);
    assert!(verdict.remedy.unwrap().text.contains("do not replace"));
    assert_eq!(first(&volume(330.0, 16.0, 25.0, 25.0), &known).kind, FindingKind::DiskSlow, "both are slow");
    assert!(!kinds(&volume(330.0, 16.0, 0.9, 0.9), &known).iter().any(|kind| kind.is_wrong()));
}

#[test]
fn a_disk_that_nobody_names_is_saturated_where_requests_queue_and_told_which_it_could_be() {
    let disk = Made::intervals(10, 60).disk("sdb", 3000.0, 8.0, 0.8, 12.0);
    let verdict = first(&disk, &nothing());
    assert_eq!(verdict.kind, FindingKind::Saturated);
    for words in ["3000 I/Os", "gp3", "--disk sdb="] {
        assert!(verdict.says.contains(words), "{words} in {}", verdict.says);
    }
    let calm = Made::intervals(10, 60).disk("sdb", 3000.0, 8.0, 0.8, 0.6);
    assert_eq!(first(&calm, &nothing()).kind, FindingKind::CannotTell);
}

#[test]
fn an_idle_disk_is_not_asked_about_and_the_busiest_comes_first() {
    let made = Made::intervals(5, 60)
        .disk("boot", 5.0, 8.0, 0.0, 40.0)
        .disk("few", 200.0, 8.0, 0.5, 1.0)
        .disk("many", 900.0, 8.0, 0.5, 1.0);
    let disks: Vec<String> =
        diagnose(&made.timeline, &nothing()).into_iter().map(|verdict| verdict.subject.disk).collect();
    assert_eq!(disks, ["many", "few"]);
}

#[test]
fn what_a_volume_counts_itself_is_a_verdict_by_itself() {
    let counters = [
        ("volume_iops_exceeded", FindingKind::VolumeIops),
        ("volume_throughput_exceeded", FindingKind::VolumeThroughput),
        ("instance_iops_exceeded", FindingKind::InstanceIops),
        ("instance_throughput_exceeded", FindingKind::InstanceThroughput),
    ];
    for (series, kind) in counters {
        let of = |share: f64| {
            let disk = [("disk", "nvme1n1")];
            Made::seconds(60).each(series, &disk, (SeriesUnit::Seconds, MergeRule::Sum), |_| Some(share))
        };
        let verdict = first(&of(0.4), &nothing());
        assert_eq!(verdict.kind, kind);
        assert!(verdict.confidence > 0.8, "{}", verdict.confidence);
        assert!(!kinds(&of(0.0), &nothing()).iter().any(|kind| kind.is_wrong()), "{series}");
    }
}

#[test]
fn space_that_ends_within_a_week_is_told_with_a_larger_volume() {
    let free = |days: f64| move |i: u64| Some(40e9 * (1.0 - i as f64 * 3600.0 / (days * 86_400.0)));
    let of = |days: f64| {
        Made::intervals(24, 3600).rate("ReadIOPS", &DATABASE, 50.0 / 3600.0).each(
            "FreeStorageSpace",
            &DATABASE,
            (SeriesUnit::Bytes, MergeRule::Mean),
            free(days),
        )
    };
    let priced = KnownFacts { region: Some("us-east-1".to_owned()), ..named("gp3:100GiB", None) };
    let verdict = first(&of(4.0), &priced);
    assert_eq!(verdict.kind, FindingKind::SpaceEnding);
    assert!(verdict.says.contains("3 days") || verdict.says.contains("4 days"), "{}", verdict.says);
    let effect = verdict.predicted.unwrap();
    assert!(effect.after > effect.before && verdict.monthly.unwrap().0 > 0.0, "{effect:?}");
    assert!(!kinds(&of(40.0), &named("gp3:100GiB", None)).contains(&FindingKind::SpaceEnding));
}

#[test]
fn metrics_of_one_database_under_labels_of_several_services_are_of_one_database() {
    let made = Made::intervals(12, 300)
        .rate("WriteIOPS", &DATABASE, 100.0 / 300.0)
        .level("BurstBalance", &[("VolumeId", "orders")], 0.0)
        .level("CPUUtilization", &[("InstanceId", "orders")], 12.0);
    let all = facts(&made.timeline, &named("gp2:33GiB", None));
    let nodes: BTreeSet<&str> = all.iter().map(|facts| facts.subject.node.as_str()).collect();
    assert_eq!(nodes, BTreeSet::from(["orders"]));
    assert!(all.iter().any(|facts| facts.columns.contains_key(&DiagnosisSignal::IoLeft)));
}

#[test]
fn a_volume_at_a_rate_that_its_instance_does_not_sustain_is_raised_together_with_it() {
    let made = Made::intervals(1, 600).disk("nvme1n1", 6000.0, 16.0, 0.9, 6.0);
    let verdict = first(&made, &named("gp3:1000GiB,6000iops", Some("r5.large")));
    assert_eq!(verdict.kind, FindingKind::InstanceIops);
    let effect = verdict.predicted.unwrap();
    assert_eq!(effect.before, 3600.0);
    assert!(effect.after >= 6000.0, "{effect:?}");
}

#[test]
fn compactions_that_read_in_small_pieces_are_told_to_read_ahead_before_anything_is_bought() {
    let of = [("disk", "nvme1n1")];
    let made = |kib: f64| {
        Made::intervals(2, 300)
            .rate("read_ops", &of, 2560.0)
            .rate("write_ops", &of, 440.0)
            .rate("read_bytes", &of, 2560.0 * kib * 1024.0)
            .rate("write_bytes", &of, 440.0 * 128.0 * 1024.0)
            .rate("read_time", &of, 2560.0 * 0.0034)
            .rate("write_time", &of, 440.0 * 0.0069)
    };
    let mut known = named("gp3:1000GiB", Some("r5b.2xlarge"));
    let verdict = first(&made(8.0), &known);
    let remedy = verdict.remedy.unwrap();
    assert_eq!((verdict.kind, remedy.what), (FindingKind::VolumeIops, "setting"));
    assert!(remedy.text.contains("modify gp3:1000GiB to"), "the disk stays an answer: {}", remedy.text);
    known.release = Some(catalog::Release::new(8, 5, 7));
    assert_eq!(first(&made(8.0), &known).remedy.unwrap().what, "disk", "this release reads ahead");
    known.release = None;
    assert_eq!(first(&made(22.0), &known).remedy.unwrap().what, "disk", "these are no small pieces");
}

#[test]
fn without_a_region_the_remedy_stays_and_the_price_is_missing() {
    let flat = volume(800.0, 100.0, 17.5, 17.5);
    let known = KnownFacts { region: None, ..named("gp2:500GiB", Some("m5.large")) };
    let verdict = first(&flat, &known);
    assert!(verdict.remedy.unwrap().text.starts_with("replace m5.large by m5."));
    assert!(verdict.monthly.is_none() && verdict.predicted.is_some());
}

#[test]
fn both_limits_that_are_full_at_once_are_raised_at_once() {
    let full = |limit| [("disk", "data"), ("limit", limit), ("node", "n1")];
    let made = Made::seconds(60)
        .disk("data", 2990.0, 42.0, 0.5, 12.0)
        .rate("bound_time", &full("volume_iops"), 0.6)
        .rate("bound_time", &full("volume_throughput"), 0.6);
    let verdict = first(&made, &KnownFacts::deployment(view(), deployment("gp3:500GiB", None)));
    let to: disk::Disk = verdict.remedy.unwrap().to.unwrap().parse().unwrap();
    let limits = to.limits(&view(), None).unwrap();
    assert!(limits.iops.0 > 3000.0 && limits.throughput.as_mib() > 125.0, "{to}");
}

#[test]
fn a_database_of_rds_has_the_disk_that_rds_makes_of_its_type() {
    let made = Made::intervals(12, 300).rate("WriteIOPS", &DATABASE, 100.0 / 300.0);
    let disk = |known: &KnownFacts| {
        let all = facts(&made.timeline, known);
        all.into_iter().find(|facts| facts.disk.is_some()).unwrap()
    };
    let striped = disk(&named("gp2:1500GiB", None));
    assert_eq!(striped.limits.as_ref().unwrap().bursts(1).0, Some(12_000.0), "four volumes from 400 GiB on");
    assert!(striped.disk.unwrap().volume.kind.starts_with("rds-"));
    let of_class = disk(&named("gp2:1500GiB", Some("db.m5.4xlarge")));
    assert_eq!(of_class.limits.unwrap().iops.0, 4500.0, "the class says the same");
}
