use disk::Disk;
use timeline::{MergeRule, SeriesPoints, SeriesUnit};
use units::Nanos;

use super::*;
use crate::testing::{Made, deployment, first, kinds, view};

const DATA: [(&str, &str); 2] = [("disk", "data"), ("node", "n1")];
const NODE: [(&str, &str); 1] = [("node", "n1")];

fn on(data: &str, log: Option<&str>) -> KnownFacts {
    KnownFacts::deployment(view(), deployment(data, log))
}

fn named(disk: &str) -> KnownFacts {
    let mut known = KnownFacts { region: Some("us-west-2".to_owned()), ..KnownFacts::nothing(view()) };
    known.disks.insert("*".to_owned(), disk.parse().unwrap());
    known
}

/// A limit that held the data disk up for a share of the time.
fn bound(made: Made, limit: &str, share: f64) -> Made {
    made.rate("bound_time", &[("disk", "data"), ("limit", limit), ("node", "n1")], share)
}

/// A disk that is asked for little.
fn calm() -> Made {
    Made::seconds(120).disk("data", 400.0, 16.0, 0.5, 0.8)
}

#[test]
fn a_volume_held_up_by_its_iops_gets_more_of_them() {
    let made = bound(Made::seconds(120).disk("data", 3000.0, 4.0, 1.0, 12.0), "volume_iops", 0.95);
    let verdict = first(&made, &on("gp3:500GiB", None));
    assert_eq!(verdict.kind, FindingKind::VolumeIops);
    assert_eq!(verdict.subject.to_string(), "n1/data");
    let to: Disk = verdict.remedy.unwrap().to.unwrap().parse().unwrap();
    assert!(to.volume.iops.unwrap().0 >= 3000.0 * 1.3);
    assert!(verdict.monthly.unwrap().0 > 0.0);
    let effect = verdict.predicted.unwrap();
    assert!(effect.after > effect.before && effect.used_after.unwrap() < 1.0, "{effect:?}");
}

#[test]
fn a_limit_that_nothing_counts_is_seen_by_its_use_and_the_wait() {
    let made = Made::seconds(120).disk("data", 3000.0, 4.0, 1.0, 12.0);
    let (counted, estimated) =
        (bound(Made::seconds(120).disk("data", 3000.0, 4.0, 1.0, 12.0), "volume_iops", 1.0), made);
    let known = on("gp3:500GiB", None);
    let (counted, estimated) = (first(&counted, &known), first(&estimated, &known));
    assert_eq!(estimated.kind, FindingKind::VolumeIops);
    assert!(estimated.confidence < counted.confidence);
}

#[test]
fn a_full_limit_at_which_nothing_waits_is_no_trouble() {
    assert_eq!(
        kinds(&Made::seconds(120).disk("data", 3000.0, 4.0, 1.0, 0.5), &on("gp3:500GiB", None)),
        [FindingKind::Healthy]
    );
}

#[test]
fn a_limit_that_is_full_is_named_though_no_queue_stands_before_it_all_the_time() {
    let at = |iops| bound(Made::seconds(120).disk("data", iops, 4.0, 1.0, 1.0), "volume_iops", 0.4);
    assert_eq!(first(&at(2950.0), &on("gp3:500GiB", None)).kind, FindingKind::VolumeIops);
    assert_eq!(first(&at(2000.0), &on("gp3:500GiB", None)).kind, FindingKind::Healthy);
}

#[test]
fn a_volume_held_up_by_its_throughput_is_named_so() {
    let made = Made::seconds(120).disk("data", 1000.0, 128.0, 0.2, 15.0);
    assert_eq!(first(&made, &on("gp3:500GiB", None)).kind, FindingKind::VolumeThroughput);
}

#[test]
fn an_instance_that_holds_its_volumes_up_is_replaced_by_a_larger_one() {
    for (limit, kind) in
        [("instance_iops", FindingKind::InstanceIops), ("instance_throughput", FindingKind::InstanceThroughput)]
    {
        let made = bound(Made::seconds(120).disk("data", 12_000.0, 24.0, 1.0, 9.0), limit, 0.9);
        let made = made.level("instance_io_balance", &NODE, 80.0).level("instance_byte_balance", &NODE, 80.0);
        let verdict = first(&made, &on("gp3:500GiB,16000iops,1000MiB/s", None));
        assert_eq!((verdict.kind, verdict.subject.scope), (kind, FindingScope::Instance));
        let effect = verdict.predicted.unwrap();
        assert!(effect.after > effect.before, "{effect:?}");
    }
}

#[test]
fn an_instance_without_burst_left_has_spent_it() {
    for (limit, balance) in [("instance_iops", "instance_io_balance"), ("instance_throughput", "instance_byte_balance")]
    {
        let made =
            bound(Made::seconds(120).disk("data", 9000.0, 24.0, 1.0, 9.0), limit, 0.9).level(balance, &NODE, 0.5);
        let verdict = first(&made, &on("gp3:500GiB,16000iops,1000MiB/s", None));
        assert_eq!(verdict.kind, FindingKind::InstanceBurstSpent);
    }
}

#[test]
fn a_gp2_without_credits_becomes_a_gp3_and_costs_less() {
    let made = Made::intervals(60, 60)
        .each("BurstBalance", &[("VolumeId", "vol-1")], (SeriesUnit::Percent, MergeRule::Mean), |i| {
            Some(if i < 20 { 60.0 } else { 0.0 })
        })
        .rate("VolumeReadOps", &[("VolumeId", "vol-1")], 1200.0)
        .rate("VolumeWriteOps", &[("VolumeId", "vol-1")], 0.0)
        .rate("VolumeReadBytes", &[("VolumeId", "vol-1")], 1200.0 * 16384.0)
        .each("VolumeTotalReadTime", &[("VolumeId", "vol-1")], (SeriesUnit::Seconds, MergeRule::Sum), |i| {
            Some(if i < 20 { 36.0 } else { 2160.0 })
        })
        .level("VolumeQueueLength", &[("VolumeId", "vol-1")], 36.0);
    let verdict = first(&made, &named("gp2:400GiB"));
    assert_eq!(
        (verdict.kind, verdict.from, verdict.to),
        (FindingKind::BurstExhausted, Nanos::secs(1200), Nanos::secs(3600))
    );
    assert!(verdict.remedy.unwrap().to.unwrap().starts_with("gp3:400GiB"));
    assert!(verdict.monthly.unwrap().0 < 0.0);
}

#[test]
fn a_missing_burst_balance_is_not_an_empty_one() {
    let made = Made::intervals(60, 60)
        .rate("VolumeReadOps", &[("VolumeId", "vol-1")], 500.0)
        .rate("VolumeReadBytes", &[("VolumeId", "vol-1")], 500.0 * 16384.0)
        .rate("VolumeTotalReadTime", &[("VolumeId", "vol-1")], 0.15);
    for disk in ["gp2:2000GiB", "gp2:400GiB"] {
        let verdicts = diagnose(&made.timeline, &named(disk));
        assert!(verdicts.iter().all(|verdict| !verdict.kind.is_wrong()), "{verdicts:?}");
    }
}

#[test]
fn credits_that_last_half_an_hour_more_are_told_with_the_time() {
    let made =
        calm().each("io_balance", &DATA, (SeriesUnit::Percent, MergeRule::Min), |i| Some(50.0 - i as f64 / 60.0));
    let verdict = first(&made, &on("gp2:100GiB", None));
    assert_eq!(verdict.kind, FindingKind::BurstEnding);
    // 48 % left at 1 % a minute.
    assert!(verdict.says.ends_with("in 48 min"), "{}", verdict.says);
    let slow =
        calm().each("io_balance", &DATA, (SeriesUnit::Percent, MergeRule::Min), |i| Some(90.0 - i as f64 / 600.0));
    assert!(!kinds(&slow, &on("gp2:100GiB", None)).contains(&FindingKind::BurstEnding));
}

#[test]
fn seconds_without_load_at_the_end_do_not_hide_that_credits_run_out() {
    let balance = |i: u64| 50.0 - i.min(56) as f64 / 60.0 + i.saturating_sub(56) as f64 / 600.0;
    let made = Made::seconds(60).disk("data", 400.0, 16.0, 0.5, 0.8);
    let made = made.each("io_balance", &DATA, (SeriesUnit::Percent, MergeRule::Min), |i| Some(balance(i)));
    assert_eq!(first(&made, &on("gp2:100GiB", None)).kind, FindingKind::BurstEnding);
}

#[test]
fn a_second_that_is_a_little_less_by_the_clock_does_not_hide_that_credits_run_out() {
    let balance = |i: u64| Some(50.0 - i as f64 / 60.0);
    let mut made = calm().each("io_balance", &DATA, (SeriesUnit::Percent, MergeRule::Min), balance);
    let less = |at: Nanos| Nanos(at.0 - at.0 / 100_000);
    for series in &mut made.timeline.series {
        if let SeriesPoints::Values(_, points) = &mut series.points {
            points.iter_mut().for_each(|point| (point.from, point.until) = (less(point.from), less(point.until)));
        }
    }
    assert_eq!(first(&made, &on("gp2:100GiB", None)).kind, FindingKind::BurstEnding);
}

#[test]
fn a_balance_that_is_told_once_lasts_as_long_as_the_rate_that_is_taken_lets_it() {
    let told = |rate: f64| {
        Made::intervals(1, 60)
            .each("BurstBalance", &[("VolumeId", "vol-1")], (SeriesUnit::Percent, MergeRule::Mean), |_| Some(20.0))
            .rate("VolumeReadOps", &[("VolumeId", "vol-1")], rate)
            .rate("VolumeReadBytes", &[("VolumeId", "vol-1")], rate * 4096.0)
            .rate("VolumeTotalReadTime", &[("VolumeId", "vol-1")], rate * 0.0005)
    };
    // A gp2 of 400 GiB has 1,200 I/Os a second and 5.4 million in its bucket.
    let verdict = first(&told(2000.0), &named("gp2:400GiB"));
    assert_eq!(verdict.kind, FindingKind::BurstEnding);
    let minutes = 0.2 * 5.4e6 / (2000.0 - 1200.0) / 60.0;
    assert!(verdict.says.ends_with(&format!("in {minutes:.0} min")), "{}", verdict.says);
    assert!(!kinds(&told(1100.0), &named("gp2:400GiB")).contains(&FindingKind::BurstEnding));
}

#[test]
fn a_disk_that_is_slow_far_below_its_limits_is_sick_and_one_that_answers_nothing_is_stalled() {
    let slow = Made::seconds(120).disk("data", 300.0, 4.0, 1.0, 25.0);
    assert_eq!(first(&slow, &on("gp3:500GiB", None)).kind, FindingKind::DiskSlow);
    let stalled = calm().level("in_flight", &DATA, 30.0);
    let mut stalled = stalled;
    for series in &mut stalled.timeline.series {
        if let timeline::SeriesPoints::Values(_, points) = &mut series.points {
            let goes_on = |name: &str| name == "in_flight" || name == "queue_depth";
            points[40..60].iter_mut().filter(|_| !goes_on(&series.name)).for_each(|point| point.value = 0.0);
        }
    }
    let verdict = first(&stalled, &on("gp3:500GiB", None));
    assert_eq!((verdict.kind, verdict.from, verdict.to), (FindingKind::DiskStalled, Nanos::secs(40), Nanos::secs(60)));
}

#[test]
fn a_disk_whose_bursts_wait_at_its_limit_for_moments_is_not_sick() {
    let slow = || Made::seconds(120).disk("data", 300.0, 128.0, 0.0, 8.0);
    assert_eq!(first(&bound(slow(), "volume_throughput", 0.0), &on("gp3:500GiB", None)).kind, FindingKind::DiskSlow);
    assert_eq!(kinds(&bound(slow(), "volume_throughput", 0.1), &on("gp3:500GiB", None)), [FindingKind::Healthy]);
}

#[test]
fn a_disk_that_holds_requests_up_far_below_its_limit_is_sick() {
    let degraded = |iops: f64| bound(Made::seconds(60).disk("data", iops, 4.0, 1.0, 16.0), "volume_iops", 0.95);
    assert_eq!(first(&degraded(300.0), &on("gp3:100GiB", None)).kind, FindingKind::DiskSlow);
    assert_eq!(first(&degraded(3000.0), &on("gp3:100GiB", None)).kind, FindingKind::VolumeIops);
}

#[test]
fn a_volume_at_its_limit_for_less_than_the_clouds_check_asks_is_at_its_limit_all_the_same() {
    let of = [("VolumeId", "vol-1")];
    let told = |rate: f64| {
        Made::intervals(3, 60)
            .rate("VolumeReadOps", &of, rate)
            .rate("VolumeReadBytes", &of, rate * 4096.0)
            .rate("VolumeTotalReadTime", &of, rate * 0.008)
            .level("VolumeIOPSExceededCheck", &of, 0.0)
    };
    assert_eq!(first(&told(3000.0), &named("gp3:100GiB")).kind, FindingKind::VolumeIops);
    assert_ne!(first(&told(2000.0), &named("gp3:100GiB")).kind, FindingKind::VolumeIops);
}

/// Syncs of the raft log, each taking so many milliseconds, and compaction's share of the disk's bytes.
fn engine(made: Made, sync_ms: f64, compaction: f64) -> Made {
    made.rate("raft_log_syncs", &NODE, 500.0)
        .rate("raft_log_sync_time", &NODE, 500.0 * sync_ms / 1e3)
        .rate("raft_log_bytes", &NODE, 500.0 * 4096.0)
        .rate("compaction_read_bytes", &NODE, compaction / 2.0)
        .rate("compaction_write_bytes", &NODE, compaction / 2.0)
}

#[test]
fn a_log_that_waits_behind_compaction_gets_a_disk_of_its_own() {
    let disk = || bound(Made::seconds(120).disk("data", 800.0, 128.0, 0.3, 2.0), "volume_throughput", 0.3);
    let verdict = first(&engine(disk(), 6.0, 8e7), &on("gp3:500GiB", None));
    assert_eq!((verdict.kind, verdict.remedy.unwrap().what), (FindingKind::RaftLogContention, "log-disk"));
    assert!(verdict.monthly.unwrap().0 < 5.0);
    let apart = kinds(&engine(disk(), 6.0, 8e7), &on("gp3:500GiB", Some("gp3:20GiB")));
    assert!(!apart.contains(&FindingKind::RaftLogContention), "{apart:?}");
}

#[test]
fn compaction_that_takes_the_disk_in_bursts_is_limited() {
    let burst = |i: u64| i % 5 < 2;
    let disk = Made::seconds(120).disk("data", 980.0, 128.0, 0.3, 2.0).times(|i| if burst(i) { 1.0 } else { 0.4 });
    let made = disk.each(
        "bound_time",
        &[("disk", "data"), ("limit", "volume_throughput"), ("node", "n1")],
        (SeriesUnit::Seconds, MergeRule::Sum),
        |i| Some(if burst(i) { 0.9 } else { 0.0 }),
    );
    let verdict = first(&engine(made, 0.9, 7e7), &on("gp3:500GiB", Some("gp3:20GiB")));
    assert_eq!(verdict.kind, FindingKind::CompactionUnthrottled);
    assert!(verdict.remedy.unwrap().to.unwrap().starts_with("rocksdb.rate-bytes-per-sec = "));
}

#[test]
fn writes_that_the_engine_holds_back_are_debt_and_follow_a_full_disk() {
    let held = |made: Made| made.rate("throttle_time", &NODE, 3.0);
    assert_eq!(first(&held(calm()), &on("gp3:500GiB", None)).kind, FindingKind::CompactionDebt);
    let full = bound(Made::seconds(120).disk("data", 1000.0, 128.0, 0.2, 15.0), "volume_throughput", 1.0);
    assert_eq!(
        kinds(&held(full), &on("gp3:500GiB", None)),
        [FindingKind::VolumeThroughput, FindingKind::CompactionDebt]
    );
}

#[test]
fn files_that_pile_up_on_level_0_are_a_debt_before_anything_is_held_back() {
    let l0 = |files: f64| calm().level("level0_files", &NODE, files);
    assert_eq!(first(&l0(14.0), &on("gp3:500GiB", None)).kind, FindingKind::CompactionDebt);
    assert!(!kinds(&l0(5.0), &on("gp3:500GiB", None)).contains(&FindingKind::CompactionDebt));
}

#[test]
fn a_block_cache_is_held_against_the_memory() {
    let reads = || {
        bound(Made::seconds(120).disk("data", 3000.0, 16.0, 1.0, 12.0), "volume_iops", 0.9)
            .rate("block_cache_hits", &NODE, 5000.0)
            .rate("block_cache_misses", &NODE, 4000.0)
    };
    let with = |gib: u64| {
        let mut known = on("gp3:500GiB", None);
        known.deployment.as_mut().unwrap().settings.block_cache = Some(units::Bytes::gib(gib));
        known
    };
    assert_eq!(first(&reads(), &with(1)).kind, FindingKind::BlockCacheSmall);
    assert_eq!(first(&reads(), &with(14)).kind, FindingKind::VolumeIops);
    assert_eq!(first(&reads(), &with(28)).kind, FindingKind::BlockCacheLarge);
}

#[test]
fn the_size_of_blocks_is_wrong_only_for_the_limit_that_binds() {
    let with = |kib: u64| {
        let mut known = on("gp3:500GiB", None);
        known.deployment.as_mut().unwrap().settings.block_size = Some(units::Bytes::kib(kib));
        known
    };
    let bytes = || bound(Made::seconds(120).disk("data", 2000.0, 64.0, 1.0, 12.0), "volume_throughput", 0.9);
    assert_eq!(first(&bytes(), &with(128)).kind, FindingKind::BlockSize);
    assert_eq!(first(&bytes(), &with(16)).kind, FindingKind::VolumeThroughput);
    let ios = || bound(Made::seconds(120).disk("data", 3000.0, 4.0, 1.0, 12.0), "volume_iops", 0.9);
    assert_eq!(first(&ios(), &with(4)).kind, FindingKind::BlockSize);
    assert_eq!(first(&ios(), &with(128)).kind, FindingKind::VolumeIops);
}

#[test]
fn busy_processors_are_told_from_a_busy_pool() {
    let pool = |made: Made, pool: &str, seconds: f64| made.rate("cpu_time", &[("node", "n1"), ("pool", pool)], seconds);
    let known = on("gp3:500GiB", None);
    // 8 vCPU: two raftstore threads, six of the read pool.
    assert_eq!(first(&pool(calm(), "raftstore", 1.95), &known).kind, FindingKind::ThreadPool);
    assert_eq!(kinds(&pool(calm(), "raftstore", 1.5), &known), [FindingKind::Healthy]);
    let all_busy = pool(pool(calm(), "raftstore", 1.9), "unified_read_po", 5.9);
    assert_eq!(first(&all_busy, &known).kind, FindingKind::Cpu);
}

/// Nearly five threads of gRPC are busy on 16 vCPU: all of those before TiKV 8.5.4, five of eight since.
#[test]
fn a_pool_is_judged_by_the_size_that_it_has_in_the_release() {
    let busy = || {
        let labels = [("node", "n1"), ("pool", "grpc_server")];
        calm().rate("cpu_time", &labels, 4.9)
    };
    let mut known = on("gp3:500GiB", None);
    known.instance = Some("m5.4xlarge".to_owned());
    known.release = Some("8.5.4".parse().unwrap());
    assert_eq!(kinds(&busy(), &known), [FindingKind::Healthy]);
    known.release = Some("8.5.3".parse().unwrap());
    let starved = first(&busy(), &known);
    assert_eq!(starved.kind, FindingKind::ThreadPool);
    assert!(starved.says.ends_with("grpc_server, whose size is the default of TiKV 8.5.3"), "{}", starved.says);
    known.release = None;
    assert_eq!(kinds(&busy(), &known), [FindingKind::Healthy], "the newest is assumed");
}

#[test]
fn clients_that_wait_for_timestamps_point_at_pd() {
    let made = Made::seconds(120).rate("tso_wait_time", &[], 500.0).rate("tso_waits", &[], 100_000.0);
    let verdict = first(&made, &KnownFacts::nothing(view()));
    assert_eq!((verdict.kind, verdict.subject.scope), (FindingKind::PdTso, FindingScope::Cluster));
    let idle = Made::seconds(120)
        .rate("tso_wait_time", &[], 500.0)
        .rate("tso_waits", &[], 100_000.0)
        .rate("pd_cpu_time", &[], 4.0)
        .level("pd_processors", &[], 56.0);
    let doubted = first(&idle, &KnownFacts::nothing(view()));
    assert!(doubted.confidence < verdict.confidence && doubted.evidence.against.len() == 1);
}

#[test]
fn five_thousand_iops_of_which_half_are_used_are_paid_for_in_vain() {
    // Source 004: io1 with 5,000 IOPS, at most 2,500 used.
    let made = Made::intervals(60, 60).disk("data", 2500.0, 16.0, 0.0, 0.8);
    let known = KnownFacts { region: Some("us-west-2".to_owned()), ..on("io1:400GiB,5000iops", None) };
    let verdict = first(&made, &known);
    assert_eq!(verdict.kind, FindingKind::OverProvisioned);
    assert!(verdict.monthly.unwrap().0 < -100.0, "{:?}", verdict.monthly);
    let short = Made::seconds(120).disk("data", 2500.0, 16.0, 0.0, 0.8);
    assert_eq!(kinds(&short, &known), [FindingKind::Healthy], "two minutes tell nothing of the peak");
}

#[test]
fn a_raft_disk_as_in_source_001_is_bound_by_its_syncs() {
    // iostat of sdd: 1,033 reads, 1,141 writes of 31,685 kB, 571 flushes a second, 0.94 in flight.
    let sdd = [("disk", "sdd"), ("node", "n1")];
    let made = Made::intervals(10, 30)
        .rate("read_ops", &sdd, 1033.0)
        .rate("write_ops", &sdd, 1141.33)
        .rate("read_bytes", &sdd, 4132.0 * 1024.0)
        .rate("write_bytes", &sdd, 31_685.33 * 1024.0)
        .rate("flush_ops", &sdd, 571.0)
        .level("queue_depth", &sdd, 0.94);
    let verdict = first(&made, &named("gp3:100GiB"));
    assert_eq!(verdict.kind, FindingKind::FlushBound);
    assert!(verdict.remedy.unwrap().text.starts_with("571 syncs a second"));
}

#[test]
fn a_log_on_a_disk_that_is_sent_no_flushes_is_bound_by_its_writes() {
    // One at a time: as many a second as fit, 0.7 ms each.
    let disk = |busy: f64, reads: f64| Made::seconds(60).disk("data", 1000.0 * busy / 0.7, 4.0, reads, 0.7);
    let verdict = first(&disk(0.95, 0.0), &on("gp3:500GiB", None));
    assert_eq!(verdict.kind, FindingKind::FlushBound);
    assert!(verdict.remedy.unwrap().text.starts_with("1357 requests a second"));
    assert_eq!(kinds(&disk(0.5, 0.0), &on("gp3:500GiB", None)), [FindingKind::Healthy], "it pauses");
    assert_eq!(kinds(&disk(0.95, 0.5), &on("gp3:500GiB", None)), [FindingKind::Healthy], "half of it is reads");
}

#[test]
fn what_cannot_be_told_names_what_would_tell() {
    let verdict = first(&Made::seconds(120).disk("data", 3000.0, 4.0, 1.0, 1.2), &KnownFacts::nothing(view()));
    assert_eq!(verdict.kind, FindingKind::CannotTell);
    assert!(verdict.says.contains("--disk"), "{}", verdict.says);
    assert_eq!(first(&Made::seconds(1), &KnownFacts::nothing(view())).kind, FindingKind::CannotTell);
}

#[test]
fn a_calm_disk_is_healthy() {
    assert_eq!(kinds(&calm(), &on("gp3:500GiB", None)), [FindingKind::Healthy]);
}
