//! Volumes under the pilot: a disk of this machine, mounted and loaded through the program.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::pilot::kill_with;
use crate::pilot::place::Place;

const SMALL: &str = "gp3:20GiB";
/// A modification of 20 GiB takes seven minutes at AWS: here half a second.
const LOOKS_AFTER: &str = "--fast-forward 1000x --region us-west-2 --every 1s --act";
/// Days as seconds.
const POLICY: &str = r#"
budget = "1000usd"
window = "8s"
recent = "4s"
shrink-after = "6s"
rest = "6s"
per-day = 1000
least-saving = "0.1usd"
"#;

/// A mounted disk, with a file of 64 MiB on it.
struct Disk {
    root: PathBuf,
}

impl Disk {
    fn mount(root: &Path) -> Self {
        let disk = Self { root: root.to_owned() };
        std::fs::write(root.join("policy.toml"), POLICY).unwrap();
        disk.json(&format!("mount {SMALL} {}", disk.at()));
        disk.fio("--rw=write --bs=1M --iodepth=4");
        disk
    }

    fn at(&self) -> String {
        self.root.join("disk").display().to_string()
    }

    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
        command.env("DISKWRIGHT_RUN", self.root.join("mounts")).env("DISKWRIGHT_BACKING", self.root.join("backing"));
        command.args(args.split_whitespace()).stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn json(&self, args: &str) -> Value {
        let ran = self.command(args).arg("--json").output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{args}: {said}{}", String::from_utf8_lossy(&ran.stdout));
        serde_json::from_slice(&ran.stdout).unwrap()
    }

    fn fio_command(&self, options: &str) -> Command {
        let mut fio = Command::new("fio");
        // In one process: who kills it kills all of it.
        fio.args(["--thread", "--name=x", "--size=64M", "--direct=1", "--ioengine=libaio", "--output-format=json"]);
        fio.arg(format!("--filename={}/file", self.at())).args(options.split_whitespace());
        fio
    }

    #[track_caller]
    fn fio(&self, options: &str) -> Value {
        let ran = self.fio_command(options).output().expect("this test needs fio: apt-get install fio");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        serde_json::from_slice(&ran.stdout).unwrap()
    }

    /// What it is, as text.
    fn is(&self) -> String {
        self.json(&format!("disks {}", self.at()))["nodes"][0]["disks"][0]["disk"].as_str().unwrap().to_owned()
    }

    /// Lets a pilot look after it until it is another than it was, then interrupts the pilot.
    #[track_caller]
    fn changes(&self, place: &Place) -> String {
        let was = self.is();
        let policy = self.root.join("policy.toml");
        let args =
            format!("pilot run --mounted {} --policy {} {LOOKS_AFTER} {}", self.at(), policy.display(), place.reach());
        let mut pilot = Ended(self.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let from = Instant::now();
        let is = loop {
            std::thread::sleep(Duration::from_millis(200));
            let is = self.is();
            if is != was || from.elapsed() > Duration::from_secs(60) {
                break is;
            }
        };
        kill_with(Signal::SIGINT, &pilot.0);
        let code = pilot.0.wait().unwrap();
        let log = std::fs::read_to_string(place.journal().join("pilot.log")).unwrap_or_default();
        assert!(is != was, "after a minute it still is {was}:\n{log}");
        assert!(code.success(), "the pilot ends in good order: {code}\n{log}");
        is
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let down = self.command("down --all --delete").output();
        if !down.as_ref().is_ok_and(|down| down.status.success()) {
            eprintln!("{} stays mounted: {down:?}", self.at());
        }
    }
}

/// A program that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn iops(disk: &str) -> f64 {
    let rate = disk.split(',').find_map(|part| part.strip_suffix("iops"));
    rate.map_or(3000.0, |rate| rate.parse().unwrap())
}

#[test]
fn a_disk_that_holds_its_load_up_grows_and_becomes_smaller_when_the_load_is_gone() {
    let place = Place::start();
    let disk = Disk::mount(place.root());
    let load = disk.fio_command("--rw=randread --bs=4k --iodepth=64 --time_based --runtime=600");
    let load = Ended({ load }.stdout(Stdio::null()).spawn().unwrap());
    let grown = disk.changes(&place);
    assert!(iops(&grown) > 3000.0, "{grown}");
    drop(load);
    // A machine with neighbours may not reach the new limit; within some tries it is past the old one.
    let served = || {
        let fio = disk.fio("--rw=randread --bs=4k --iodepth=64 --time_based --runtime=3 --ramp_time=1");
        fio["jobs"][0]["read"]["iops"].as_f64().unwrap()
    };
    assert!((0..8).any(|_| served() > 1.1 * 3000.0), "{grown} serves no more than {SMALL} did");
    let shrunk = disk.changes(&place);
    assert!(iops(&shrunk) < iops(&grown), "{shrunk} after {grown}");

    // What was predicted is kept, and what was done can be taken back.
    let journal = place.journal().display().to_string();
    let status = disk.json(&format!("pilot status --journal {journal}"));
    let runs = status["runs"].as_array().unwrap();
    let (last, first) = (runs.first().unwrap(), runs.last().unwrap());
    assert!(runs.iter().all(|run| run["controller"] == "volumes"), "{status:#}");
    assert!(first["expects"]["monthly_usd_delta"].as_f64().unwrap() > 0.0, "{first:#}");
    assert!(last["expects"]["monthly_usd_delta"].as_f64().unwrap() < 0.0, "{last:#}");
    let book = std::fs::read_to_string(place.journal().join("volumes.jsonl")).unwrap();
    assert!(book.lines().count() >= 2 && book.contains("\"predicted\""), "{book}");
    let back = format!("pilot undo {} --mounted {} --fast-forward 1000x {}", last["run"], disk.at(), place.reach());
    disk.json(&back);
    let from = Instant::now();
    while iops(&disk.is()) != iops(&grown) {
        assert!(from.elapsed() < Duration::from_secs(30), "it is not {grown} again, but {}", disk.is());
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(disk);
    place.end();
}

#[test]
fn what_cannot_be_looked_after_or_asked_is_told_before_anything_begins() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, "budgets = \"1usd\"\n").unwrap();
    let sound = folder.path().join("sound.toml");
    std::fs::write(&sound, "budget = \"1usd\"\n").unwrap();
    for (args, code, word) in [
        (format!("--policy {} --mounted /nowhere", policy.display()), 2, "budgets"),
        ("--mounted /nowhere --region us-west-2".to_owned(), 2, "/nowhere"),
        ("--mounted /nowhere --volume vol-1".to_owned(), 2, "cannot be used with"),
        (format!("--policy {}", sound.display()), 2, "--policy is for volumes"),
        ("--limit 1=/nowhere".to_owned(), 2, "/nowhere"),
        ("--prometheus http://10.0.0.5:9090".to_owned(), 2, "beyond this machine and not encrypted"),
        ("--prometheus https://10.0.0.5:9090 --ca /nowhere.pem".to_owned(), 2, "--ca /nowhere.pem"),
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_diskwright"))
            .args(["pilot", "run", "--pd", "http://127.0.0.1:9", "--journal"])
            .arg(folder.path().join("pilot"))
            .args(args.split_whitespace())
            .env("DISKWRIGHT_RUN", folder.path().join("mounts"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(code) && said.contains(word), "{args}: {:?} {said}", ran.status);
    }
}
