//! Three real nodes on gp3 volumes with a raft disk each: what was acknowledged outlives a crash of its leaders and a power
//! cut, and nothing of the cluster is left. Needs root, and the programs of `make store`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use cluster::{
    ClusterOptions, ClusterPrograms, EngineCounters, RegionLayout, RunningCluster, ServerWatcher, StatusPort, TestBed,
};
use deployment::Deployment;
use mount::MountHome;
use rawkv::{RawClient, RawRequest, RawResponse};
use timeline::SeriesPoints;

const DEPLOYMENT: &str = r#"
engine = "tikv"
region = "us-west-2"
zones = 3
[[nodes]]
role = "storage"
count = 3
instance = "m5.2xlarge"
data = "gp3:100GiB"
log = "gp3:20GiB"
"#;

/// A folder in memory, gone with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        Self(tempfile::Builder::new().prefix("three-nodes-").tempdir_in(parent).unwrap().keep())
    }

    fn lab(&self) -> TestBed {
        let tests = std::env::current_exe().unwrap();
        let daemon = tests.parent().and_then(Path::parent).unwrap().join("examples/cluster_disks");
        assert!(daemon.is_file(), "{} is not built: cargo build --examples", daemon.display());
        let programs = ClusterPrograms::find().unwrap();
        TestBed { home: MountHome::open(self.0.join("run"), daemon).unwrap(), scratch: self.0.join("lab"), programs }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn key(number: u64) -> Bytes {
    // Spread over the regions, which are cut by the first bytes.
    Bytes::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes().to_vec())
}

/// 1 KiB that no log compresses, from the number by xorshift (Marsaglia 2003).
fn value(number: u64) -> Bytes {
    let mut state = number + 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_be_bytes()
    };
    (0..128).flat_map(|_| next()).collect::<Vec<u8>>().into()
}

/// Sends requests, 64 at a time, and gives all answers by number. All must be answered well.
fn ask(
    client: &RawClient,
    numbers: std::ops::Range<u64>,
    request: impl Fn(u64) -> RawRequest,
) -> Vec<(u64, RawResponse)> {
    let mut session = client.session();
    let (mut waiting, mut done, mut answers) = (0, Vec::new(), Vec::new());
    let mut numbers = numbers.peekable();
    let from = Instant::now();
    while waiting > 0 || numbers.peek().is_some() {
        while waiting < 64
            && let Some(number) = numbers.next()
        {
            session.submit(number, request(number));
            waiting += 1;
        }
        session.flush();
        session.poll(Duration::from_millis(100), &mut done);
        waiting -= done.len();
        answers.extend(done.drain(..).map(|(tag, answer)| (tag, answer.unwrap_or_else(|e| panic!("{tag}: {e:?}")))));
        assert!(from.elapsed() < Duration::from_secs(60), "{waiting} requests are not answered");
    }
    answers
}

fn put(client: &RawClient, numbers: std::ops::Range<u64>) {
    for (number, answer) in ask(client, numbers, |number| RawRequest::Put(key(number), value(number))) {
        assert_eq!(answer, RawResponse::Done, "put {number}");
    }
}

fn check(client: &RawClient, numbers: std::ops::Range<u64>) {
    for (number, answer) in ask(client, numbers, |number| RawRequest::Get(key(number))) {
        assert_eq!(answer, RawResponse::Value(Some(value(number))), "get {number}");
    }
}

/// Tells what the nodes said if the test fails.
struct Telling<'a>(&'a RunningCluster);

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("PD sees {:?}", self.0.pd().stores());
            self.0.nodes().iter().for_each(|node| eprintln!("{}", node.said()));
        }
    }
}

fn sum(timeline: &timeline::Timeline, name: &str, disk: Option<&str>) -> f64 {
    let of = |series: &&timeline::Series| {
        series.name == name && disk.is_none_or(|disk| series.labels.get("disk").is_some_and(|label| label == disk))
    };
    let values = |series: &timeline::Series| match &series.points {
        SeriesPoints::Values(_, points) => points.iter().map(|point| point.value).sum(),
        SeriesPoints::Latencies(_) => 0.0,
    };
    timeline.series.iter().filter(of).map(values).sum()
}

/// Waits until a node has told of bytes between zones: one that was restarted a moment ago may not have been reached yet.
fn wait_for_traffic(node: &cluster::ClusterNode) {
    let from = Instant::now();
    while !node.engine().unwrap().zones.keys().any(|traffic| traffic.from != traffic.to) {
        assert!(from.elapsed() < Duration::from_secs(20), "no byte between zones in 20 s: {}", node.said());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Elections after a second: TiKV's ten to twenty are long for a test.
fn keys() -> toml::Table {
    "[raftstore]\nraft-base-tick-interval = \"100ms\"\nraft-store-max-leader-lease = \"900ms\"\n".parse().unwrap()
}

#[test]
fn three_nodes_keep_what_they_acknowledged() {
    let scratch = Scratch::new();
    let deployment = Deployment::from_text(&textfile::Text::new("deployment.toml", DEPLOYMENT)).unwrap();
    let options = ClusterOptions {
        memory: Some(units::Bytes::mib(512)),
        regions: RegionLayout::Even(6),
        keys: keys(),
        ..ClusterOptions::default()
    };
    let cluster = RunningCluster::start(&scratch.lab(), &deployment, &options, &mut |_| ()).unwrap();
    let telling = Telling(&cluster);
    let sampler = cluster.sampler().unwrap();
    let options = rawkv::RawClientOptions {
        retry_unknown: true,
        timeout: Duration::from_secs(30),
        ..rawkv::RawClientOptions::default()
    };
    let client = RawClient::connect(&cluster.pd().addr().to_string(), options).unwrap();

    put(&client, 0..2000);
    check(&client, 0..2000);

    let first = cluster.node(0);
    first.kill9();
    put(&client, 2000..2500);
    check(&client, 0..2500);
    first.restart().unwrap();

    let second = cluster.node(1);
    second.power_cut().unwrap();
    check(&client, 0..2500);
    second.restart().unwrap();
    // Killed by somebody else, as the kernel does where memory is short.
    let (third, from) = (cluster.node(2), Instant::now());
    third.holds().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(third.pid().unwrap()), nix::sys::signal::SIGKILL).unwrap();
    while third.holds().is_ok() {
        assert!(from.elapsed() < Duration::from_secs(20), "it is not seen to have ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(third.holds().unwrap_err().to_string().contains("n3 ended by itself with signal: 9"));
    third.restart().unwrap();

    // As the stores of a cluster that somebody else started, of whose placement drivers the first is down.
    let pds = format!("tikv://127.0.0.1:1,{}", cluster.pd().addr());
    let (ports, missing) = StatusPort::that_answer(StatusPort::of_pd(&pds).unwrap());
    assert_eq!((ports.len(), missing), (3, Vec::new()));
    let watcher = ServerWatcher::start(&ports).unwrap();
    put(&client, 2500..3000);
    check(&client, 0..3000);
    let watched = watcher.finish().unwrap();
    for port in &ports {
        // Each has all 500 values; the first look may have come after some of them.
        let series = watched.find("raft_log_bytes", &[("node", &port.address)]).unwrap();
        let grown: f64 = series.points().iter().map(|point| point.value).sum();
        assert!(grown > 500.0 * 1024.0 / 2.0, "{}: {grown}", port.address);
    }

    for node in cluster.nodes() {
        assert!(node.memory().unwrap() <= units::Bytes::mib(512));
        assert_eq!(node.status().unwrap().0, 200, "{}", node.said());
        let engine = node.engine().unwrap();
        let untold = EngineCounters::names().filter(|name| engine.get(name).is_none());
        // A node tells how long it held writers back once it has done so.
        let untold: Vec<_> = untold.filter(|name| *name != "throttle_time").collect();
        assert_eq!(untold, Vec::<&str>::new(), "the node does not tell what is read of it");
        for pool in ["apply", "grpc_server", "raftstore", "sched_worker_pool", "store_writer", "unified_read_po"] {
            assert!(engine.cpu.contains_key(pool), "no {pool} among {:?}", engine.cpu);
        }
        wait_for_traffic(node);
    }
    let seen = sampler.finish().unwrap();
    // Each of 3000 values of 1 KiB is in the logs of three nodes; what a node wrote before it was killed may not have been
    // seen, so that only half of it is asked for.
    let values = 3.0 * 3000.0 * 1024.0;
    assert!(sum(&seen, "raft_log_bytes", None) > values / 2.0, "{}", sum(&seen, "raft_log_bytes", None));
    assert!(sum(&seen, "write_bytes", Some("raft")) > values / 2.0, "{}", sum(&seen, "write_bytes", Some("raft")));
    drop((client, telling));
    assert_eq!(cluster.stop().unwrap(), Vec::<String>::new());
    assert!(!std::fs::read_to_string("/proc/self/mounts").unwrap().contains(scratch.0.to_str().unwrap()));
}
