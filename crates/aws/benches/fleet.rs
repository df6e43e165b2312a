//! `each_volume` over 14 days in 5-minute steps: how long it takes, and whether memory stays flat in the number of volumes.
//! AWS is a process beside this one, so that its memory does not count; both share the processors.

#[path = "../tests/local/cloud.rs"]
mod cloud;
#[path = "../tests/local/http.rs"]
mod http;

use std::io::{BufRead as _, BufReader, Read as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use aws::{Options, Range, Session};
use cloud::Cloud;
use jiff::Timestamp;
use units::Nanos;

const DAYS: u64 = 14;
const STEP: u64 = 300;

fn range() -> Range {
    let now: Timestamp = "2026-11-21T12:05:00Z".parse().expect("a time");
    let all = Range::last(Nanos::secs(DAYS * 86_400), now);
    all.and_then(|all| all.in_steps_of(Nanos::secs(STEP))).expect("it is kept")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().position(|one| one == "serve") {
        Some(at) => serve(arguments[at + 1].parse().expect("a number of volumes")),
        None => {
            let most = arguments.iter().find_map(|one| one.parse().ok()).unwrap_or(10_000);
            // The smaller first: the largest size a process ever had does not shrink.
            for volumes in [most / 10, most] {
                read(volumes);
            }
        }
    }
}

/// Answers until standard input ends.
fn serve(volumes: usize) {
    let points = (DAYS * 86_400 / STEP) as usize;
    let cloud = Cloud::new(volumes, points, range().from().as_second(), STEP as i64);
    println!("{}", http::serve(move |request| cloud.answer(request)));
    let _ = std::io::stdin().read(&mut [0]);
}

fn read(volumes: usize) {
    let mut server = Command::new(std::env::current_exe().expect("this program"))
        .args(["serve", &volumes.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts again");
    let mut endpoint = String::new();
    BufReader::new(server.stdout.take().expect("it is piped")).read_line(&mut endpoint).expect("it says where");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aws-config-fleet");
    std::fs::write(&file, "[profile bench]\naws_access_key_id = a\naws_secret_access_key = b\n").expect("a file");
    let session = Session::new(&Options {
        profile: Some("bench".to_owned()),
        config_file: Some(file),
        region: Some("us-west-2".to_owned()),
        endpoint: Some(endpoint.trim().to_owned()),
        role: None,
    })
    .expect("a session");

    let (start, before) = (Instant::now(), processor_seconds());
    let (mut seen, mut points, mut sum) = (0usize, 0usize, 0.0);
    let show = |timeline: timeline::Timeline, _| {
        seen += 1;
        for series in &timeline.series {
            points += series.points().len();
            sum += series.points().iter().map(|point| point.value).sum::<f64>();
        }
        ControlFlow::Continue(())
    };
    session.each_volume(range(), show).expect("it answers");
    let (took, busy) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
    assert_eq!(seen, volumes);
    assert!(sum > 0.0);
    println!(
        "{volumes} volumes, {:.1} M points: {took:.1} s, {busy:.1} s of processor time, at most {} MB of memory",
        points as f64 / 1e6,
        most_memory_kib() / 1024
    );
    drop(server.stdin.take());
    let _ = server.wait();
}

/// In user and kernel mode, of all threads: `utime` and `stime` of proc(5), in hundredths of a second on Linux.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().expect("a number")).sum::<f64>() / 100.0
}

fn most_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}
