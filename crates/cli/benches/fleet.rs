//! `diagnose cloudwatch --all` over 14 days in 5-minute steps, as a whole command: how long it takes, and whether its memory
//! stays flat in the number of volumes. AWS is a process beside it; both share the processors.

#[path = "../../observe/aws/tests/integration/local/cloud.rs"]
mod cloud;
#[path = "../../observe/aws/tests/integration/local/http.rs"]
mod http;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use cloud::Cloud;
use jiff::Timestamp;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

const DAYS: i64 = 14;
const STEP: i64 = 300;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|one| one == "serve") {
        return serve(arguments[at + 1].parse().expect("a number of volumes"));
    }
    let most = arguments.iter().find_map(|one| one.parse().ok()).unwrap_or(10_000);
    // The smaller first: the largest size that a process before had counts for the next.
    let sizes = [most / 10, most];
    let servers: Vec<Child> = sizes.into_iter().map(served).collect();
    let mut answered = Vec::new();
    for (volumes, mut server) in sizes.into_iter().zip(servers) {
        diagnose(volumes, &endpoint(&mut server));
        // Not waited for before the last one: its memory is not diskwright's.
        drop(server.stdin.take());
        answered.push(server);
    }
    for mut server in answered {
        server.wait().expect("it ends");
    }
}

/// Answers until standard input ends.
fn serve(volumes: usize) {
    let start = (Timestamp::now().as_second() - DAYS * 86_400).div_euclid(STEP) * STEP;
    let cloud = Cloud::new(volumes, (DAYS * 86_400 / STEP) as usize, start, STEP);
    println!("{}", http::serve(move |request| cloud.answer(request)));
    let _ = std::io::stdin().read(&mut [0]);
}

/// This program as AWS.
fn served(volumes: usize) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["serve", &volumes.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts again")
}

fn endpoint(server: &mut Child) -> String {
    let mut endpoint = String::new();
    BufReader::new(server.stdout.take().expect("it is piped")).read_line(&mut endpoint).expect("it says where");
    endpoint.trim().to_owned()
}

fn diagnose(volumes: usize, endpoint: &str) {
    let (start, before) = (Instant::now(), used());
    let run = Command::new(env!("CARGO_BIN_EXE_diskwright"))
        .args(["diagnose", "cloudwatch", "--all", "--json", "--region", "us-west-2"])
        .args(["--since", &format!("{DAYS}d"), "--step", &format!("{STEP}s"), "--endpoint", endpoint])
        .envs([("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")])
        .output()
        .expect("it runs");
    let (took, after) = (start.elapsed().as_secs_f64(), used());
    // 1 says that something is wrong with a volume.
    assert!(matches!(run.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&run.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(answer["volumes"].as_array().map(Vec::len), Some(volumes));
    println!(
        "{volumes} volumes: {took:.1} s, {:.1} s of processor time, at most {} MB of memory",
        processor_seconds(&after) - processor_seconds(&before),
        after.max_rss() / 1024
    );
}

/// By the children that ended.
fn used() -> Usage {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("Linux tells")
}

fn processor_seconds(usage: &Usage) -> f64 {
    (usage.user_time() + usage.system_time()).num_milliseconds() as f64 / 1e3
}
