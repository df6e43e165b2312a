//! Mounted disks through the verbs that watch and change them. They need root, FUSE, loop devices and fio.

mod node;

use std::io::{Read, Write};

use serde_json::Value;
use timeline::Timeline;
use units::Nanos;

use node::Node;

/// The number at a path of keys.
#[track_caller]
fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} in {value:#}"))
}

/// All that the series of a name add up to.
fn total(timeline: &Timeline, name: &str) -> f64 {
    let (from, until) = timeline.span().unwrap();
    let all = timeline.series.iter().filter(|series| series.name == name);
    all.filter_map(|series| series.value(from, until)).sum()
}

#[test]
fn disks_show_what_is_mounted_and_what_holds_it_up() {
    let node = Node::up("gp3:10GiB", &[]);
    let load = node.spawn_fio("--rw=randread --bs=4k --iodepth=64 --runtime=15 --time_based");
    // How soon fio asks for all it can is the machine's affair.
    let seen = (0..12).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_secs(1));
        let seen = node.json("disks @disk");
        (number(&seen["nodes"][0]["disks"][0], "/now/queue_depth") > 60.0).then_some(seen)
    });
    let text = node.ok("disks");
    load.wait();
    let disk = &seen.expect("64 requests are seen to wait")["nodes"][0]["disks"][0];
    assert_eq!((&disk["disk"], &disk["name"]), (&"gp3:10GiB".into(), &"data".into()), "{disk:#}");
    assert_eq!(disk["now"]["binds"], "volume-iops", "{disk:#}");
    assert!((number(disk, "/now/queue_depth") - 64.0).abs() < 12.8, "{disk:#}");
    assert!(text.contains("volume IOPS") && text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn a_recording_holds_every_byte_and_the_clouds_series() {
    let node = Node::up("gp2:20GiB", &["--credits", "50%"]);
    for format in ["parquet", "csv", "json"] {
        let file = node.path(&format!("run.{format}"));
        let load = "dd if=/dev/zero of=@disk/zeros bs=1M count=64 oflag=direct status=none";
        let said = node.json(&format!("record @disk --out @run.{format} -- {load}"));
        let recorded = Timeline::read(&file).unwrap();
        let sum = |name: &str| total(&recorded, name);
        // The filesystem's own blocks come on top of the 64 MiB.
        let (ours, cloud) = (sum("write_bytes"), sum("VolumeWriteBytes"));
        assert!((67_108_864.0..70_000_000.0).contains(&ours), "{format}: {ours}");
        assert!((ours - cloud).abs() < 1.0, "{format}: {ours} and {cloud}");
        assert!(sum("BurstBalance") > 0.0, "a gp2 that bursts shows its balance");
        assert_eq!(said["exit_code"], 0);
        assert!(number(&said, "/disks/0/write_latency/p50_us") > 0.0);
    }
}

#[test]
fn the_history_is_written_with_the_clouds_series() {
    let node = Node::up("gp3:10GiB", &[]);
    std::thread::sleep(std::time::Duration::from_millis(2500));
    node.ok("disks @disk --history @past.parquet");
    let past = Timeline::read(node.path("past.parquet")).unwrap();
    let sum = |name: &str| total(&past, name);
    assert!(sum("write_bytes") >= 268_435_456.0, "fio's file of 256 MiB is in it: {}", sum("write_bytes"));
    assert!((sum("write_bytes") - sum("VolumeWriteBytes")).abs() < 1.0);
}

#[test]
fn a_recording_of_a_command_that_fails_is_kept_and_exits_with_1() {
    let node = Node::up("gp3:10GiB", &[]);
    let run = node.run("record @disk --out @run.json -- false");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(Timeline::read(node.path("run.json")).is_ok());
    let nothing = node.run("record @disk -- no-such-program");
    assert!(nothing.code == 2 && nothing.stderr.contains("`no-such-program` cannot be run"), "{nothing:?}");
    let name = node.run("record @disk --out @run.xlsx -- true");
    assert!(name.code == 2 && name.stderr.contains(".parquet"), "{name:?}");
}

#[test]
fn a_modification_runs_its_course_and_the_next_one_is_refused_until_it_is_done() {
    let node = Node::up("gp3:10GiB", &[]);
    let course = node.json("modify @disk gp3:20GiB,6000iops --fast-forward 1000x");
    assert!(number(&course, "/optimizing_in_s") < number(&course, "/completed_in_s"), "{course:#}");
    let refused = node.run("modify @disk gp3:20GiB,8000iops");
    assert!(refused.code == 1 && refused.stderr.contains("try again"), "{refused:?}");
    let shrunk = node.run("modify @disk gp3:5GiB --fast-forward 1000x");
    assert_ne!(shrunk.code, 0, "{shrunk:?}");
    let wait = Nanos::from_secs_f64(number(&course, "/completed_in_s") + 1.0);
    std::thread::sleep(std::time::Duration::from_nanos(wait.0));
    let disk = &node.json("disks @disk")["nodes"][0]["disks"][0];
    assert_eq!(disk["now"]["modification"], "completed", "{disk:#}");
    let device = disk["device"].as_str().unwrap().rsplit('/').next().unwrap();
    let sectors: u64 = std::fs::read_to_string(format!("/sys/block/{device}/size")).unwrap().trim().parse().unwrap();
    assert_eq!(sectors * 512, 20 << 30, "the device has grown");
    let holds = 5400.0..6600.0;
    let iops = measured(holds.clone(), || {
        let fio = node.fio("--rw=randread --bs=4k --iodepth=64 --runtime=3 --time_based --ramp_time=1");
        number(&fio, "/jobs/0/read/iops")
    });
    assert!(holds.contains(&iops), "the new limit holds: {iops}");
}

/// What is measured, again and again until it fits: neighbours may take the processors for a while.
fn measured(fits: std::ops::Range<f64>, measure: impl Fn() -> f64) -> f64 {
    const TRIES: usize = 8;
    let mut found = measure();
    for _ in 1..TRIES {
        if fits.contains(&found) {
            break;
        }
        found = measure();
    }
    found
}

#[test]
fn faults_are_felt_and_healed() {
    let node = Node::up("gp3:10GiB", &[]);
    let p50 = |node: &Node| {
        let fio = node.fio("--rw=randread --bs=4k --iodepth=1 --runtime=1 --time_based");
        number(&fio, "/jobs/0/read/clat_ns/percentile/50.000000") / 1e3
    };
    let healthy = measured(0.0..1000.0, || p50(&node));
    node.ok("fault @disk slow 20x");
    let slow = measured(12.0 * healthy..30.0 * healthy, || p50(&node));
    // How exact latencies are is held by the benchmark of mounted disks: here a machine with neighbours is enough.
    assert!((12.0..30.0).contains(&(slow / healthy)), "{healthy} µs, then {slow} µs");
    node.ok("fault @disk heal");
    node.ok("fault @disk stall 2s");
    let stalled = node.fio("--rw=randread --bs=4k --iodepth=1 --number_ios=1");
    let longest = number(&stalled, "/jobs/0/read/clat_ns/max") / 1e9;
    assert!((1.0..2.5).contains(&longest), "{longest} s");
    let well = measured(0.0..4.0 * healthy, || p50(&node));
    assert!(well < 4.0 * healthy, "all is well again: {well} µs");
    node.ok("fault @disk credits 10%");
}

#[test]
fn a_disk_that_was_detached_is_mounted_again_with_all_that_was_written() {
    let node = Node::up("gp3:10GiB", &[]);
    std::fs::write(node.path("disk/kept"), "kept").unwrap();
    std::process::Command::new("sync").arg("-f").arg(node.path("disk/kept")).status().unwrap();
    node.ok("fault @disk detach");
    assert!(
        std::fs::write(node.path("disk/lost"), vec![0; 1 << 20])
            .and_then(|()| { std::fs::File::open(node.path("disk/lost"))?.sync_all() })
            .is_err(),
        "a volume that is away takes nothing"
    );
    node.ok("fault @disk attach");
    assert_eq!(std::fs::read_to_string(node.path("disk/kept")).unwrap(), "kept");
    std::fs::write(node.path("disk/new"), "new").unwrap();
}

#[test]
fn prometheus_reads_the_metrics() {
    let node = Node::up("gp3:10GiB", &[]);
    let address = node.mounted["metrics"].as_str().unwrap().to_owned();
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut connection = std::net::TcpStream::connect(host).unwrap();
    write!(connection, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    connection.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let device = node.mounted["disks"][0]["device"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    for expected in [
        format!("node_disk_reads_completed_total{{device=\"{device}\"}}"),
        "diskwright_disk_bound_seconds_total".to_owned(),
    ] {
        assert!(text.contains(&expected), "{expected} in\n{text}");
    }
}

#[test]
fn a_probe_of_a_mounted_disk_names_it() {
    let node = Node::up("gp3:50GiB,6000iops,250MiB/s", &[]);
    // A neighbour that takes the processor for a second is measured as a slower disk: the machine gets five tries. How exact
    // latencies are is held by the benchmark of mounted disks.
    let mut probes = Vec::new();
    while probes.len() < 5 && !probes.last().is_some_and(Probe::names_it) {
        probes.push(Probe::of(&node));
    }
    assert!(probes.last().is_some_and(Probe::names_it), "{probes:#?}");
}

/// What a probe found, for a disk of 6000 IOPS and 250 MiB/s.
#[derive(Debug)]
struct Probe {
    iops: f64,
    read_us: f64,
    nearest: String,
}

impl Probe {
    fn of(node: &Node) -> Self {
        let probe = node.json("probe @disk --size 512MiB");
        let nearest = probe.pointer("/nearest/disk").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { iops: number(&probe, "/fitted/iops"), read_us: number(&probe, "/fitted/read_us"), nearest }
    }

    fn names_it(&self) -> bool {
        let median = disk::VolumeCalibration::of("gp3").unwrap().service.read.0 as f64 / 1e3;
        (self.iops / 6000.0 - 1.0).abs() < 0.03
            && (self.read_us / median - 1.0).abs() < 0.25
            && self.nearest == "gp3:50GiB,6000iops,250MiB/s"
    }
}
