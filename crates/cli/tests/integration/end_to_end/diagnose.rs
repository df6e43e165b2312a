//! `diagnose`: what is found in a Timeline, what is written of it, and what is refused.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};
use units::Nanos;

use crate::end_to_end::common::{Run, json, run};

/// A folder with a Timeline of CloudWatch's: a volume of 1,200 I/Os a second, ten minutes, and what is left of its credits.
fn cloudwatch(latency_ms: f64, balance: Option<f64>) -> (tempfile::TempDir, PathBuf) {
    let labels = BTreeMap::from([("VolumeId".to_owned(), "vol-1".to_owned())]);
    let series = |name: &str, unit: SeriesUnit, merge: MergeRule, value: f64| {
        let point =
            |minute: u64| SeriesPoint { from: Nanos::secs(minute * 60), until: Nanos::secs(minute * 60 + 60), value };
        let points = SeriesPoints::Values(merge, (0..20).map(point).collect());
        Series { name: name.to_owned(), labels: labels.clone(), unit, points }
    };
    let ops = 1200.0 * 60.0;
    let mut all = vec![
        series("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, ops),
        series("VolumeReadBytes", SeriesUnit::Bytes, MergeRule::Sum, ops * 16_384.0),
        series("VolumeTotalReadTime", SeriesUnit::Seconds, MergeRule::Sum, ops * latency_ms / 1e3),
    ];
    all.extend(balance.map(|balance| series("BurstBalance", SeriesUnit::Percent, MergeRule::Mean, balance)));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("volume.csv");
    Timeline { series: all, ..Timeline::default() }.write(&file).unwrap();
    (folder, file)
}

fn diagnosed(file: &Path, args: &[&str]) -> (i32, Value) {
    json(&[&["diagnose", "timeline", file.to_str().unwrap()], args].concat())
}

#[test]
fn an_empty_bucket_is_named_with_the_cheapest_change_and_its_price() {
    let (_folder, file) = cloudwatch(30.0, Some(0.0));
    let (code, answer) = diagnosed(&file, &["--disk", "vol-1=gp2:400GiB", "--region", "us-west-2"]);
    let first = &answer["verdicts"][0];
    assert_eq!((code, first["kind"].as_str()), (1, Some("burst-exhausted")), "{answer:#}");
    assert_eq!(first["subject"]["disk"], "vol-1");
    assert!(first["remedy"]["to"].as_str().unwrap().starts_with("gp3:400GiB"));
    assert!(first["monthly_usd_delta"].as_f64().unwrap() < 0.0);
    for key in ["from", "to", "evidence", "confidence"] {
        assert!(!first[key].is_null(), "{key}: {answer:#}");
    }
    let Run { code, stdout, .. } =
        run(&["diagnose", "timeline", file.to_str().unwrap(), "--disk", "gp2:400GiB", "--region", "us-west-2"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("Burst balance exhausted of vol-1"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
}

#[test]
fn who_asks_for_a_promise_is_offered_provisioned_iops_and_one_that_cannot_be_is_refused() {
    let (_folder, file) = cloudwatch(30.0, Some(0.0));
    let args = ["--disk", "vol-1=gp2:400GiB", "--region", "us-west-2", "--consistency"];
    let (_, answer) = diagnosed(&file, &[&args[..], &["99.9%"]].concat());
    assert!(answer["verdicts"][0]["remedy"]["to"].as_str().unwrap().starts_with("io"), "{answer:#}");
    let (code, answer) = diagnosed(&file, &[&args[..], &["150%"]].concat());
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(code == 2 && message.contains("up to 100 %"), "{code}: {answer:#}");
}

#[test]
fn a_volume_that_waits_for_nothing_is_healthy() {
    let (_folder, file) = cloudwatch(0.25, None);
    let (code, answer) = diagnosed(&file, &["--disk", "gp3:400GiB"]);
    assert_eq!((code, answer["verdicts"][0]["kind"].as_str()), (0, Some("healthy")), "{answer:#}");
}

#[test]
fn without_its_limits_nothing_is_guessed_of_a_volume() {
    let (_folder, file) = cloudwatch(30.0, None);
    let (code, answer) = diagnosed(&file, &[]);
    let first = &answer["verdicts"][0];
    assert_eq!((code, first["kind"].as_str()), (0, Some("cannot-tell")), "{answer:#}");
    assert!(first["says"].as_str().unwrap().contains("--disk"));
}

#[test]
fn a_folder_gets_the_verdicts_and_a_page_that_draws_the_evidence() {
    let (folder, file) = cloudwatch(30.0, Some(0.0));
    let out = folder.path().join("report");
    let (code, answer) = diagnosed(&file, &["--disk", "gp2:400GiB", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 1);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(out.join("verdicts.json")).unwrap()).unwrap();
    assert_eq!(written, answer);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Burst balance exhausted of vol-1") && page.contains("Burst credits left"));
    assert!(!page.contains("io-left"), "the rules' own names of signals are not for people");
}

#[test]
fn a_simulated_timeline_knows_its_deployment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.parquet");
    let simulated = run(&[
        "simulate",
        "examples/raft-dedicated.toml",
        "examples/social-inserts.toml",
        "--for",
        "4s",
        "--out",
        file.to_str().unwrap(),
    ]);
    assert_eq!(simulated.code, 0, "{}", simulated.stderr);
    let (_, answer) = diagnosed(&file, &[]);
    let kinds: Vec<&str> = answer["verdicts"].as_array().unwrap().iter().filter_map(|v| v["kind"].as_str()).collect();
    assert!(!kinds.contains(&"cannot-tell"), "{kinds:?}");
}

#[test]
fn what_is_wrong_with_the_arguments_is_said_in_a_line() {
    let (_folder, file) = cloudwatch(0.25, None);
    let file = file.to_str().unwrap();
    for (args, says) in [
        (vec!["diagnose", "timeline", "nowhere.parquet"], "nowhere.parquet"),
        (vec!["diagnose", "timeline", "examples/mix.toml"], "examples/mix.toml"),
        (vec!["diagnose", "timeline", file, "--disk", "data=gp9:1GiB"], "gp9"),
        (vec!["diagnose", "timeline", file, "--disk", "data="], "--disk data="),
        (vec!["diagnose", "timeline", file, "--instance", "m5.2xlrge"], "m5.2xlarge"),
        (vec!["diagnose", "timeline", file, "--region", "us-west-9"], "us-west-9"),
        (vec!["diagnose", "timeline", file, "--on", "nowhere.toml"], "nowhere.toml"),
    ] {
        let Run { code, stdout, stderr } = run(&args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(says) && stderr.lines().count() == 1, "{args:?}: {stderr}");
    }
}

#[test]
fn what_iostat_printed_of_a_raft_disk_is_bound_by_its_flushes() {
    let example = "examples/tikv-node-iostat.txt";
    let (code, answer) = json(&["diagnose", "iostat", example, "--interval", "1s"]);
    let raft = answer["verdicts"].as_array().unwrap().iter().find(|verdict| verdict["kind"] == "flush-bound");
    assert_eq!((code, raft.map(|raft| &raft["subject"]["disk"])), (1, Some(&Value::from("sdd"))), "{answer:#}");
    let kv = answer["verdicts"].as_array().unwrap().iter().find(|verdict| verdict["subject"]["disk"] == "sdb").unwrap();
    let says = kv["says"].as_str().unwrap();
    assert!(says.contains("near its write throughput") && says.contains("compaction"), "{says}");
    assert!(raft.unwrap()["says"].as_str().unwrap().contains("571 flushes (fdatasync) a second"), "{answer:#}");
    // Reports without time stamps do not say how long they are of.
    let Run { code, stderr, .. } = run(&["diagnose", "iostat", example]);
    assert!(code == 2 && stderr.contains("--interval"), "{stderr}");
}

/// What `iostat -xty 1` prints of a disk that reads so many MB in each second, in a file.
fn recorded(mega: &[u32]) -> (tempfile::TempDir, String) {
    let report = |(second, mega): (usize, &u32)| {
        format!(
            "11/21/26 19:40:{second:02}\nDevice r/s rMB/s r_await w/s wMB/s w_await aqu-sz %util\n\
             sdb {} {mega}.00 0.50 0.00 0.00 0.00 0.10 5.00\n\n",
            mega * 4
        )
    };
    let reports: String = mega.iter().enumerate().map(report).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("node.txt");
    std::fs::write(&file, format!("Linux 6.1.0 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n{reports}")).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}

#[test]
fn a_disk_that_does_what_the_one_that_was_said_cannot_is_not_called_healthy() {
    let (_folder, file) = recorded(&[1, 1, 1, 1, 2300, 2300, 1, 1, 1, 1, 1]);
    let Run { code, stdout, .. } = run(&["diagnose", "iostat", &file, "--disk", "gp3:256GiB"]);
    let said = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(code == 0 && said.starts_with("Cannot tell whether a limit holds it up"), "{code}: {stdout}");
    for words in ["throughput-use of sdb is at 1840 % for 2 s, held against gp3:256GiB", "--disk sdb="] {
        assert!(said.contains(words), "{words} in {stdout}");
    }
    assert!(!said.contains("Healthy"), "{stdout}");
}

#[test]
fn a_first_report_that_is_left_out_is_told_with_how_to_have_it_counted() {
    let (_folder, file) = recorded(&[2300, 1, 1, 1, 1]);
    let diagnosed = ["diagnose", "iostat", &file, "--disk", "gp3:256GiB"];
    let (_, answer) = json(&diagnosed);
    assert_eq!(answer["verdicts"][0]["kind"], "healthy", "{answer:#}");
    let left_out = answer["left_out"][0].as_str().unwrap();
    for words in ["11/21/26 19:40:00", "-y", "--first-counts", "sdb moved 2300 MiB/s in it"] {
        assert!(left_out.contains(words), "{words} in {left_out}");
    }
    let Run { stdout, .. } = run(&diagnosed);
    assert!(stdout.contains("\nLeft out: the first report, of 11/21/26 19:40:00"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
    let (_, answer) = json(&[&diagnosed[..], &["--first-counts"]].concat());
    assert_eq!(answer["verdicts"][0]["kind"], "cannot-tell", "{answer:#}");
    assert_eq!(answer["left_out"], serde_json::json!([]));
}

#[test]
fn metrics_that_cloudwatch_exported_are_diagnosed_as_cloudwatchs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vol-1.json");
    let point = |minute: u32, sum: f64| serde_json::json!({ "Timestamp": format!("2026-11-01T10:{minute:02}:00Z"), "Sum": sum, "Unit": "Count" });
    let points: Vec<Value> = (0..30).map(|minute| point(minute, 200_000.0)).collect();
    let answer = serde_json::json!({ "Label": "VolumeReadOps", "Datapoints": points });
    std::fs::write(&file, answer.to_string()).unwrap();
    let args = ["diagnose", "export", file.to_str().unwrap(), "--period", "1m", "--disk", "gp3:400GiB"];
    let (code, answer) = json(&args);
    assert_eq!(answer["verdicts"][0]["subject"]["disk"], "vol-1", "{code} {answer:#}");
}

#[test]
fn a_prometheus_that_is_not_there_is_said_so_and_no_secret_with_it() {
    let Run { code, stderr, .. } = run(&["diagnose", "prometheus", "http://127.0.0.1:9", "--since", "1h"]);
    assert!(code == 3 && stderr.contains("127.0.0.1:9"), "{stderr}");
    let Run { code, stderr, .. } = run(&["diagnose", "prometheus", "http://reader:hush@127.0.0.1:9"]);
    assert!(code == 2 && stderr.contains("holds a name or password") && !stderr.contains("hush"), "{stderr}");
    let Run { code, stderr, .. } = run(&["diagnose", "prometheus", "10.0.0.5:9090"]);
    assert!(code == 2 && stderr.contains("http://"), "{stderr}");
}

/// The tests are built with the SDK, as `make test` says.
#[test]
fn the_policy_that_reading_aws_needs_is_printed_without_an_account() {
    let Run { code, stdout, stderr } = run(&["diagnose", "cloudwatch", "--policy"]);
    assert_eq!(code, 0, "{stderr}");
    let policy: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(policy["Statement"][0]["Effect"], "Allow");
    let Run { code, stderr, .. } = run(&["diagnose", "cloudwatch"]);
    assert!(code == 2 && stderr.contains("--volume"), "{stderr}");
}

#[test]
fn a_source_that_is_watched_is_asked_again_and_tells_what_is_new() {
    let example = "examples/tikv-node-iostat.txt";
    let watched = ["diagnose", "--json", "iostat", example, "--interval", "1s", "--watch=10ms", "--times", "3"];
    let Run { code, stdout, .. } = run(&watched);
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Nothing changes in a file that stays as it is: each is told once.
    let mut kinds: Vec<String> =
        events.iter().map(|event| format!("{} {}", event["event"], event["verdict"]["kind"])).collect();
    kinds.sort();
    assert_eq!((code, kinds), (1, vec![r#""new" "flush-bound""#.into(), r#""new" "write-throughput-near""#.into()]));
}

/// A report of iostat each minute, with rows that are given for each device.
fn iostat(rows: &[(&str, f64, f64)]) -> (tempfile::TempDir, PathBuf) {
    let mut text = String::from("Linux 5.10.0 (h1) \t11/21/2026 \t_x86_64_\t(8 CPU)\n");
    for minute in 0..30 {
        text += &format!(
            "\n11/21/2026 10:{minute:02}:00\nDevice r/s rkB/s r_await rareq-sz w/s wkB/s w_await wareq-sz aqu-sz %util\n"
        );
        for (device, ops, wait) in rows {
            text +=
                &format!("{device} {ops} {} {wait} 16.00 0.00 0.00 0.00 0.00 {} 99.00\n", ops * 16.0, ops * wait / 1e3);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("node.txt");
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

#[test]
fn a_volume_and_all_that_lies_on_it_are_one_finding_about_the_volume() {
    let (_folder, file) =
        iostat(&[("nvme1n1", 3000.0, 9.0), ("nvme1n1p1", 3000.0, 9.0), ("dm-0", 3000.0, 9.0), ("loop0", 0.0, 0.0)]);
    let (_other, alone) = iostat(&[("nvme1n1", 3000.0, 9.0)]);
    let verdicts = |file: &Path, disk: &str| {
        let disk = format!("{disk}gp3:500GiB");
        let args = ["diagnose", file.to_str().unwrap(), "--first-counts", "--instance", "m5.4xlarge", "--disk", &disk];
        let (code, answer) = json(&args);
        (code, answer["verdicts"].clone())
    };
    let expected = verdicts(&alone, "");
    assert_eq!(expected.1[0]["subject"]["disk"], "nvme1n1");
    for disk in ["", "nvme1n1=", "nvme1n1p1=", "dm-0="] {
        assert_eq!(verdicts(&file, disk), expected, "{disk}");
    }
}

#[test]
fn a_stripe_is_one_disk_made_of_what_its_members_are() {
    let members = ["nvme1n1", "nvme2n1", "nvme3n1", "nvme4n1"].map(|name| (name, 3000.0, 9.0));
    let (_folder, file) = iostat(&[&members[..], &[("md127", 12_000.0, 9.0)]].concat());
    for disk in ["md127=4x(gp3:500GiB)", "gp3:500GiB", "4x(gp3:500GiB)", "nvme2n1=gp3:500GiB"] {
        let (code, answer) = json(&[
            "diagnose",
            "iostat",
            file.to_str().unwrap(),
            "--first-counts",
            "--instance",
            "m5.24xlarge",
            "--disk",
            disk,
        ]);
        let first = &answer["verdicts"][0];
        assert_eq!((code, first["kind"].as_str()), (1, Some("volume-iops")), "{disk}: {answer:#}");
        assert_eq!(first["subject"]["disk"], "md127", "{disk}");
    }
    let (_, answer) = json(&["diagnose", file.to_str().unwrap(), "--first-counts", "--only", "nvme9n1"]);
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("--only nvme9n1: there is no such disk"),
        "{answer:#}"
    );
}

#[test]
fn a_word_that_is_neither_a_file_nor_a_source_is_told_with_the_source_that_was_meant() {
    let Run { code, stderr, .. } = run(&["diagnose", "iostats", "x.txt"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("neither a file nor a source `iostats`; did you mean `iostat`?"), "{stderr}");
    let before = ["diagnose", "--disk", "gp3:1GiB", "iostat", "examples/tikv-node-iostat.txt"];
    let Run { code, stderr, .. } = run(&before);
    assert!(code == 2 && stderr.contains("options of a source stand behind it"), "{stderr}");
    let Run { code, stderr, .. } = run(&["diagnose", "iostat", "examples/README.md"]);
    assert_eq!(code, 2, "{stderr}");
    let Run { code, stderr, .. } = run(&["diagnose", "fio", "examples/tikv-node-iostat.txt"]);
    assert!(
        code == 2 && stderr.contains("it seems to be what `iostat -x` printed: read it with `diagnose iostat`"),
        "{stderr}"
    );
}
