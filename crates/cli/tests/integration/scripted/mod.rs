//! A run whose load, disks and settings change while it lasts, through the binary: `diskwright bench --events`. Needs root, and
//! `diskwright-store` and `diskwright-pd` beside the program or named by `DISKWRIGHT_STORE` and `DISKWRIGHT_PD`.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

const DEPLOYMENT: &str = r#"
engine = "tikv"
region = "us-west-2"
zones = 1
[[nodes]]
role = "storage"
count = 1
instance = "m5.2xlarge"
data = "gp3:20GiB"
[settings]
replicas = 1
rate-limit = "50MiB/s"
"#;

const WORKLOAD: &str = r#"
name = "gets and puts"
engine = "tikv"
region = "us-west-2"
[mix]
rows = 2000
row = "1KiB"
transactional = false
[[mix.operations]]
name = "get"
weight = 1
reads = 1
[[mix.operations]]
name = "put"
weight = 1
updates = 1
[targets]
throughput = 100
"#;

/// Operations a second at the start, half of them gets; from the turn on only puts, and twice as many operations.
const RATE: f64 = 100.0;
const WARM_UP: f64 = 2.0;
const TURN: f64 = 4.0;
const END: f64 = 8.0;

/// No test of how fast this machine is: of what was sent when, and of what is left.
#[test]
fn the_load_turns_while_it_runs_and_disks_and_settings_change_beside_it() {
    let parent = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
    let root = tempfile::Builder::new().prefix("scripted-").tempdir_in(parent).unwrap();
    let file = |name: &str, content: &str| {
        let path = root.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let events = format!(
        "[[events]]\nat = \"{TURN}s\"\nload = 2\n[[events]]\nat = \"{TURN}s\"\nmix = \"reads 0x, writes 2x\"\n\
         [[events]]\nat = \"5s\"\nfault = \"n1/data delay 5ms for 1s\"\n\
         [[events]]\nat = \"5s\"\nsetting = \"rocksdb.rate-bytes-per-sec = 10MiB\"\n\
         [[events]]\nat = \"6s\"\nnode-down = \"n1 for 500ms\"\n"
    );
    let (scratch, timeline) = (root.path().join("scratch"), root.path().join("run.parquet"));
    let output = Command::new(env!("CARGO_BIN_EXE_diskwright"))
        .args(["bench", &file("w.toml", WORKLOAD), "--on", &file("d.toml", DEPLOYMENT)])
        .args(["--events", &file("e.toml", &events), "--rate", &RATE.to_string(), "--even", "--json"])
        .args(["--warm-up", &format!("{WARM_UP}s"), "--most", &format!("{}s", END - WARM_UP)])
        .args(["--scratch".as_ref(), scratch.as_os_str(), "--out".as_ref(), timeline.as_os_str()])
        .env("DISKWRIGHT_RUN", root.path().join("run"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(output.status.code(), Some(0), "{said}");

    let run = &answer["report"]["runs"][0];
    assert_eq!((&run["failures"], &run["backlog"]["dropped"]), (&0.into(), &0.into()), "{run:#}");
    assert_eq!((run["warm_up_s"].as_f64(), run["measured_s"].as_f64()), (Some(WARM_UP), Some(END - WARM_UP)));
    let of = |kind: &str| {
        let kinds = run["kinds"].as_array().unwrap();
        kinds.iter().find(|found| found["kind"] == kind).and_then(|found| found["operations"].as_f64()).unwrap()
    };
    let before = (TURN - WARM_UP) * RATE / 2.0;
    let after = (END - TURN) * 2.0 * RATE;
    // What is in flight as the measuring begins and ends: a busy machine may be late by half a second.
    let late = RATE;
    assert!((of("get") - before).abs() < late, "{} gets, {before} were to be", of("get"));
    assert!((of("put") - before - after).abs() < late, "{} puts, {} were to be", of("put"), before + after);

    let timeline = timeline::Timeline::read(&timeline).unwrap();
    assert_eq!(timeline.about.notes["events"], events);
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(root.path().to_str().unwrap()), "left mounted:\n{mounts}");
}
