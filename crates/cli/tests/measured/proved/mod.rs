//! A plan run on this machine through the binary: `diskwright plan --prove`. Needs root, and `diskwright-store` and
//! `diskwright-pd` beside the program or named by `DISKWRIGHT_STORE` and `DISKWRIGHT_PD`.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// No test of values: how fast this machine is, and what else it does, is not what is tested. All that must be there is.
#[test]
fn a_small_plan_is_run_told_of_and_cleared_away() {
    let _machine = crate::the_machine();
    let parent = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
    let root = tempfile::Builder::new().prefix("proved-").tempdir_in(parent).unwrap();
    let workload = Path::new("tests/measured/proved/small.toml");
    let output = Command::new(env!("CARGO_BIN_EXE_diskwright"))
        .args(["plan", workload.to_str().unwrap(), "--futures", "0", "--top", "1", "--prove", "1", "--json"])
        .arg("--scratch")
        .arg(root.path().join("scratch"))
        .env("DISKWRIGHT_RUN", root.path().join("run"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    let proof = &answer["prove"][0];
    // The exit code is the verdict on the load, whichever it was.
    assert_eq!(output.status.code(), Some(i32::from(proof["carried"] == false)), "{said}");

    let scaling = &proof["scaling"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is no number: {proof:#}"));
    for share in ["load", "data", "tree", "data_disk"] {
        let share = number(&scaling[share]);
        assert!(share > 0.0 && share <= 1.0, "{scaling:#}");
    }
    for side in ["planned", "predicted", "measured"] {
        let figures = &proof[side];
        for key in ["operations_per_s", "p50_ms", "p99_ms"] {
            assert!(number(&figures[key]) > 0.0, "{side}: {figures:#}");
        }
        let disks = figures["disks"].as_array().unwrap();
        assert_eq!(disks.len(), answer["plans"][0]["deployment"]["nodes"][0].as_object().map_or(0, disks_of), "{side}");
        assert!(disks.iter().all(|disk| number(&disk["written_bytes_per_s"]) > 0.0), "{side}: {figures:#}");
    }
    assert!(number(&proof["predicted"]["operations_per_s"]) <= number(&scaling["operations_per_s"]) * (1.0 + 1e-9));
    assert_eq!(proof["run"]["failures"], 0, "{proof:#}");

    let root = root.path().to_str().unwrap();
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(root), "left mounted:\n{mounts}");
    let scratch = Path::new(root).join("scratch");
    assert_eq!(std::fs::read_dir(&scratch).map_or(0, Iterator::count), 0, "{} is not empty", scratch.display());
}

/// How many disks a group of nodes has.
fn disks_of(group: &serde_json::Map<String, Value>) -> usize {
    ["data", "log"].iter().filter(|disk| group.contains_key(**disk)).count()
}
