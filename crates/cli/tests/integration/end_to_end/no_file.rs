//! Inputs that are no files: what has no end is refused at once, and what a shell hands over is read.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::end_to_end::common::{Run, command, read, run};

/// Far more than a refusal takes on a busy machine, and far less than reading what has no end.
const AT_ONCE: Duration = Duration::from_secs(20);

fn fifo(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_fifo_and_a_device_are_refused_at_once_wherever_a_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let fifos: Vec<(String, &str)> = ["in.toml", "in.parquet", "in.json", "in.pem"]
        .map(|name| (fifo(folder.path(), name), "is a FIFO, expected a file"))
        .to_vec();
    let zero = ("/dev/zero".to_owned(), "is a device, expected a file");
    let example = "examples/raft-dedicated.toml";
    for (verb, which) in [
        (vec!["check", "FILE"], 0),
        (vec!["plan", "FILE"], 0),
        (vec!["simulate", example, "FILE"], 0),
        (vec!["simulate", example, "examples/social-inserts.toml", "--events", "FILE"], 0),
        (vec!["render", "FILE", "--out", "/nowhere"], 0),
        (vec!["diagnose", "iostat", "FILE"], 0),
        (vec!["diagnose", "export", "FILE"], 2),
        (vec!["diagnose", "timeline", "FILE"], 1),
        (vec!["bench", "compare", "FILE", "FILE"], 2),
        (vec!["bench", "FILE", "--on", example], 0),
        (vec!["diagnose", "prometheus", "https://127.0.0.1:1", "--since", "1h", "--ca", "FILE"], 3),
    ] {
        for (file, says) in [&fifos[which], &zero] {
            // A Timeline is told by its name.
            if file == "/dev/zero" && verb.iter().any(|word| ["timeline", "compare"].contains(word)) {
                continue;
            }
            let args: Vec<&str> = verb.iter().map(|word| if *word == "FILE" { file.as_str() } else { word }).collect();
            let began = Instant::now();
            let Run { code, stdout, stderr } = run(&args);
            assert!(began.elapsed() < AT_ONCE, "{args:?} took {:?}", began.elapsed());
            assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
            assert!(stderr.contains(says) && stderr.lines().count() == 1, "{args:?}: {stderr}");
        }
    }
}

#[test]
fn the_pipe_of_a_shell_is_read_and_one_without_end_to_a_limit() {
    let bash = |line: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-c", line, env!("CARGO_BIN_EXE_diskwright")]).current_dir("../..");
        read(bash.stdin(Stdio::null()).output().unwrap())
    };
    let Run { code, stderr, .. } = bash("$0 check <(cat examples/undeliverable.toml)");
    assert_eq!(code, 1, "{stderr}");
    let Run { code, stderr, .. } = bash("cat examples/undeliverable.toml | $0 check /dev/stdin");
    assert_eq!(code, 1, "{stderr}");
    let Run { code, stderr, .. } = bash("cat /dev/zero | $0 check -");
    assert!(code == 2 && stderr.contains("is larger, expected at most 1MiB"), "{stderr}");
    let zero = std::fs::File::open("/dev/zero").unwrap();
    let watched = ["diagnose", "iostat", "-", "--interval", "1s", "--watch=1s", "--times", "1"];
    let Run { code, stderr, .. } = read(command(&watched).stdin(zero).output().unwrap());
    assert!(code == 2 && stderr.contains("ended before it said anything"), "{stderr}");
}
