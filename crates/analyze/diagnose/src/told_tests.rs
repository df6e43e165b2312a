//! What else Timelines and people tell: machines, pools, disks that are made small, what comes again.

use timeline::{MergeRule, SeriesUnit};

use super::*;
use crate::testing::{Made, deployment, first, view};

const DATA: [(&str, &str); 2] = [("disk", "data"), ("node", "n1")];
const NODE: [(&str, &str); 1] = [("node", "n1")];

fn on(data: &str) -> KnownFacts {
    KnownFacts::deployment(view(), deployment(data, None))
}

#[test]
fn what_comes_again_is_told_with_every_time_that_it_came() {
    let full = |second: u64| second % 300 < 40;
    let labels = [("disk", "data"), ("limit", "volume_iops"), ("node", "n1")];
    let disk = Made::seconds(1200).disk("data", 3000.0, 4.0, 1.0, 1.0).times(|i| if full(i) { 1.0 } else { 0.5 });
    let made = disk
        .each("bound_time", &labels, (SeriesUnit::Seconds, MergeRule::Sum), |i| Some(if full(i) { 0.9 } else { 0.0 }));
    let verdict = first(&made, &on("gp3:500GiB"));
    let seconds: Vec<(f64, f64)> =
        verdict.episodes.iter().map(|one| (one.from.as_secs_f64(), one.to.as_secs_f64())).collect();
    assert_eq!(verdict.kind, FindingKind::VolumeIops);
    assert_eq!(seconds, [(0.0, 40.0), (300.0, 340.0), (600.0, 640.0), (900.0, 940.0)]);
    assert!(verdict.episodes.iter().any(|one| (one.from, one.to) == (verdict.from, verdict.to)));
}

#[test]
fn a_disk_that_delivers_a_share_of_its_limits_is_held_against_that_share() {
    let made = Made::seconds(60).disk("data", 600.0, 4.0, 1.0, 20.0).rate("raft_log_syncs", &NODE, 1.0);
    let mut known = on("gp3:500GiB");
    assert_eq!(first(&made, &known).kind, FindingKind::DiskSlow, "far below its limits in full");
    known.scaled.insert("data".to_owned(), 0.2);
    assert_eq!(first(&made, &known).kind, FindingKind::VolumeIops);
    // What a recording notes of the limit is the limit in full.
    let made = made.level("iops_limit", &DATA, 3000.0);
    assert_eq!(first(&made, &known).kind, FindingKind::VolumeIops);
}

#[test]
fn a_busy_machine_is_seen_whoever_keeps_it_busy() {
    let mode = |name| [("mode", name), ("node", "n1")];
    let made = Made::seconds(60)
        .disk("data", 400.0, 16.0, 0.5, 0.8)
        .rate("cpu_time", &[("node", "n1"), ("pool", "raftstore")], 0.5)
        .rate("host_cpu_time", &mode("user"), 5.0)
        .rate("host_cpu_time", &mode("system"), 2.8)
        .rate("host_cpu_time", &mode("idle"), 0.2)
        .level("host_cpus", &NODE, 8.0);
    assert_eq!(first(&made, &on("gp3:500GiB")).kind, FindingKind::Cpu);
}

#[test]
fn a_pool_that_was_made_small_is_held_against_its_size() {
    let pool = [("node", "n1"), ("pool", "unified_read_po")];
    let made = Made::seconds(60).disk("data", 400.0, 16.0, 0.5, 0.8).rate("cpu_time", &pool, 0.97);
    let mut known = on("gp3:500GiB");
    assert_eq!(first(&made, &known).kind, FindingKind::Healthy);
    known.pools.insert("unified_read_po".to_owned(), 1.0);
    assert_eq!(first(&made, &known).kind, FindingKind::ThreadPool);
}

#[test]
fn a_buffer_pool_that_is_too_small_is_named_as_a_block_cache_is() {
    let limit = [("disk", "data"), ("limit", "volume_iops"), ("node", "n1")];
    let made = Made::seconds(60)
        .disk("data", 3000.0, 16.0, 0.8, 10.0)
        .rate("bound_time", &limit, 0.9)
        .rate("buffer_pool_requests", &NODE, 8000.0)
        .rate("buffer_pool_misses", &NODE, 2400.0);
    let mut known = on("gp3:500GiB");
    let memory = view().instance("m5.2xlarge").unwrap().memory;
    let mut with = |share: f64| {
        let settings = &mut known.deployment.as_mut().unwrap().settings;
        settings.block_cache = Some(memory * share);
        first(&made, &known).kind
    };
    assert_eq!([with(0.05), with(0.5)], [FindingKind::BlockCacheSmall, FindingKind::VolumeIops]);
}

#[test]
fn large_writes_that_queue_are_compaction_near_what_the_disk_can_though_no_limit_is_known() {
    // iostat of source 001's sdb: 1,649 reads of 209,031 kB and 1,293 writes of 304,644 kB a second, 5.09 in flight.
    let sdb = [("disk", "sdb")];
    let of = |queue| {
        Made::intervals(1, 1)
            .rate("read_ops", &sdb, 1649.0)
            .rate("write_ops", &sdb, 1293.33)
            .rate("read_bytes", &sdb, 209_030.67 * 1024.0)
            .rate("write_bytes", &sdb, 304_644.0 * 1024.0)
            .level("queue_depth", &sdb, queue)
    };
    let mut known = KnownFacts::nothing(view());
    let verdict = first(&of(5.09), &known);
    assert_eq!(verdict.kind, FindingKind::WriteThroughputNear);
    for words in ["compaction and flushes are the main writers", "298 MiB/s written", "204 MiB/s read"] {
        assert!(verdict.says.contains(words), "{words} in {}", verdict.says);
    }
    assert_eq!(first(&of(0.5), &known).kind, FindingKind::CannotTell, "what does not queue has room");
    for (disk, is_near) in [("gp3:1000GiB,8000iops,600MiB/s", true), ("gp3:1000GiB,16000iops,1000MiB/s", false)] {
        known.disks.insert("sdb".to_owned(), disk.parse().unwrap());
        let kinds: Vec<FindingKind> =
            diagnose(&of(5.09).timeline, &known).into_iter().map(|verdict| verdict.kind).collect();
        assert_eq!(kinds.contains(&FindingKind::WriteThroughputNear), is_near, "{disk}: {kinds:?}");
    }
}

#[test]
fn a_limit_that_is_told_a_hair_lower_is_no_burst_that_is_spent() {
    let limit = [("disk", "data"), ("limit", "volume_iops"), ("node", "n1")];
    let made = Made::seconds(60).disk("data", 3000.0, 4.0, 1.0, 10.0).rate("bound_time", &limit, 0.9).level(
        "iops_limit",
        &DATA,
        2999.999,
    );
    assert_eq!(first(&made, &on("gp3:500GiB")).kind, FindingKind::VolumeIops);
}

#[test]
fn a_gap_in_what_is_counted_is_no_stall() {
    let known = on("gp3:500GiB");
    let with = |before: Option<f64>| {
        let at = move |second: u64| if second < 20 { before } else { Some(400.0) };
        let made = Made::seconds(60).level("in_flight", &DATA, 4.0);
        let made = made.each("read_ops", &DATA, (SeriesUnit::Count, MergeRule::Sum), at);
        diagnose(&made.timeline, &known).iter().any(|verdict| verdict.kind == FindingKind::DiskStalled)
    };
    assert!(with(Some(0.0)) && !with(None));
}
