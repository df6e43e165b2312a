//! IOPS and throughput limits, held with 64 requests outstanding; and that requests wait their turn, not for slices of time.

use std::error::Error;
use std::path::Path;

use probe::fio::FioJob;
use units::{Bytes, BytesPerSec, Nanos};

use super::figure::{Figure, Target};
use super::load::{self, Answers, Load, Window, micros};
use super::machine::SHARED;
use super::rig::{Mounted, Rig};
use super::stalls::{Stalls, Witnesses};
use super::{Found, Length, instance, limits_of, measured};

const DEPTH: u32 = 64;
/// Of the file that is read and written.
const SPAN: Bytes = Bytes::mib(256);
/// Seconds of a window that must neither be empty nor carry twice the rate.
const WINDOW: f64 = 0.05;
/// Windows that must be left to look at, of the 80 of a short run, once those are left out in which the machine stood still.
const ENOUGH: f64 = 10.0;

/// Held rates, and at what share they count as held. The fastest leaves two fast processors little to spare.
const IOPS: &[(&str, f64)] = &[
    ("gp3:100GiB", 0.01),
    ("gp3:100GiB,6000iops", 0.01),
    ("gp3:100GiB,16000iops", 0.01),
    ("io2:200GiB,32000iops", 0.01),
    ("io2:200GiB,64000iops", 0.02),
];

pub(super) fn iops(length: Length) -> Found {
    let rig = Rig::new()?;
    // The tests run wherever they are asked to, and a machine without room to spare shows its own limit, not the disk's.
    let carried = match length {
        Length::Short => carried(&rig)?,
        Length::Long => f64::INFINITY,
    };
    let mut figures = Vec::new();
    for (i, &(disk, tolerance)) in IOPS.iter().enumerate() {
        let all = [1.0, 0.0, 0.7];
        // The short form takes one mix of each disk, each mix at least once.
        let mixes = length.pick(&all[i % 3..=i % 3], &all);
        if length == Length::Short && disk.contains("6000iops") && !disk.contains("16000iops") {
            continue;
        }
        let disk = within(disk, carried)?;
        let mounted = rig.mount(&disk, &[])?;
        let file = mounted.file("", SPAN)?;
        for &reads in mixes {
            figures.extend(measured(|| saturate(&rig, &file, &disk, reads, tolerance, length))?);
        }
    }
    Ok(figures)
}

/// Of what a machine carries without limits, the share that a limit to be measured on it may take.
const ROOM: f64 = 0.6;

/// Writes a second that this machine carries at most: through the same way, to a disk without limits.
fn carried(rig: &Rig) -> Result<f64, Box<dyn Error>> {
    let mounted = rig.mount("unlimited:10GiB", &[])?;
    let job = Load::small(0.0, DEPTH, SPAN).job(&mounted.file("", SPAN)?, 3);
    Ok(load::rate(&load::run(job)?))
}

/// The disk, or one as fast as the machine carries.
fn within(disk: &str, carried: f64) -> Result<String, Box<dyn Error>> {
    let most = (ROOM * carried / 1000.0).floor() * 1000.0;
    if limits_of(disk, None)?.iops.0 <= most {
        return Ok(disk.to_owned());
    }
    let slower = format!("io2:200GiB,{most}iops");
    println!("{slower} in place of {disk}: this machine carries {carried:.0} writes a second without limits");
    Ok(slower)
}

/// Rates at which fio logs every request: at higher ones its log would be a load of its own.
const LOGGED: f64 = 20_000.0;

/// Keeps 64 requests in flight: the rate, the queueing, and that no window of time is left out.
fn saturate(rig: &Rig, file: &Path, disk: &str, reads: f64, tolerance: f64, length: Length) -> Found {
    let limit = limits_of(disk, None)?.iops.0;
    let load = Load::small(reads, DEPTH, SPAN);
    let job = load.job(file, length.pick(4, 30));
    let of = format!("{disk}, {}", load.name());
    let figure = |what, unit, target, measured| Figure::new(&of, what, unit, target, measured);
    let mut figures = Vec::new();
    let (report, spread) = if limit < LOGGED {
        let witnesses = Witnesses::start()?;
        let (report, answers) = Answers::of(job, &rig.path("answers"))?;
        // The benchmark, whose table is published, wants the machine for itself: nothing is left out there.
        let stalls = length.pick(witnesses.stop()?, Stalls::default());
        let windows = answers.windows(WINDOW);
        // What was held up by a stall is answered in the window after it.
        let calm: Vec<&Window<'_>> =
            windows.iter().filter(|window| !stalls.touch(window.start - WINDOW, window.start + WINDOW)).collect();
        let least = calm.iter().map(|window| window.count()).min().unwrap_or(0);
        let most = windows.iter().map(Window::count).max().unwrap_or(0);
        figures.push(figure("windows of 50 ms looked at", "", Target::AtLeast(ENOUGH), calm.len() as f64));
        figures.push(figure("fewest answers in 50 ms", "", Target::AtLeast(1.0), least as f64));
        figures.push(figure("most answers in 50 ms", "", Target::AtMost(2.0 * limit * WINDOW), most as f64));
        (report, spread(calm.iter().flat_map(|window| window.latencies()).collect()))
    } else {
        let report = load::run(job)?;
        let latency = load::latency(&report)?;
        (report, micros(latency.p99) / micros(latency.p50))
    };
    let mean = f64::from(DEPTH) / limit * 1e6;
    figures.extend([
        figure("rate", "I/Os a second", Target::Near(limit, tolerance), load::rate(&report))
            .with_neighbours(length, (SHARED * limit, 0.0)),
        figure("mean latency", "µs", Target::Near(mean, 0.03), micros(load::latency(&report)?.mean))
            .with_neighbours(length, (0.0, SHARED / (1.0 - SHARED) * mean)),
        figure("p99 over p50", "times", Target::AtMost(3.0), spread).with_neighbours(length, (0.0, 7.0)),
    ]);
    Ok(figures)
}

/// The 99th percentile over the median; no number without latencies.
fn spread(mut latencies: Vec<f64>) -> f64 {
    latencies.sort_by(f64::total_cmp);
    let at = |share: f64| latencies.get((latencies.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    at(0.99) / at(0.5)
}

/// What limits the bytes: the volume or the instance. Burst credits of an instance are taken away first.
struct Bytewise {
    disk: &'static str,
    instance: Option<&'static str>,
    in_short: bool,
}

const THROUGHPUT: &[Bytewise] = &[
    Bytewise { disk: "gp3:100GiB", instance: None, in_short: true },
    Bytewise { disk: "gp3:100GiB,16000iops,250MiB/s", instance: None, in_short: false },
    Bytewise { disk: "gp3:100GiB,16000iops,1000MiB/s", instance: None, in_short: true },
    Bytewise { disk: "gp3:100GiB,16000iops,1000MiB/s", instance: Some("m5.2xlarge"), in_short: true },
    Bytewise { disk: "gp3:100GiB,16000iops,1000MiB/s", instance: Some("m5.4xlarge"), in_short: true },
];

pub(super) fn throughput(length: Length) -> Found {
    let rig = Rig::new()?;
    let mut figures = Vec::new();
    for (i, case) in THROUGHPUT.iter().enumerate().filter(|(_, case)| length == Length::Long || case.in_short) {
        let mut options = Vec::new();
        let mut limit = limits_of(case.disk, None)?.throughput;
        let mut bursts = false;
        if let Some(name) = case.instance {
            options.extend(["--instance", name, "--credits", "0%"]);
            let caps = instance(name)?.caps.ok_or("the instance has no published caps")?;
            limit = BytesPerSec(limit.0.min(caps.throughput.0));
            bursts = caps.burst_throughput > caps.throughput;
        }
        let mounted = rig.mount(case.disk, &options)?;
        let file = mounted.file("", SPAN)?;
        let both = [1.0, 0.0];
        for &reads in length.pick(&both[i % 2..=i % 2], &both) {
            let load = Load { block: Bytes::kib(256), ..Load::small(reads, 32, SPAN) };
            let of = format!("{}{}, {}", case.disk, behind(case.instance), load.name());
            figures.extend(measured(|| {
                let mut job = load.job(&file, length.pick(3, 15));
                if bursts {
                    drain(&mounted, &job)?;
                    job.ramp = Nanos::secs(2);
                }
                let found = load::megabytes(&load::run(job)?, load.block);
                let target = Target::Near(limit.as_mb(), 0.02);
                let figure = Figure::new(&of, "throughput", "MB/s", target, found);
                Ok(vec![figure.with_neighbours(length, (SHARED * limit.as_mb(), 0.0))])
            })?);
        }
    }
    Ok(figures)
}

/// Spends what the instance has earned while nothing was asked of it, but for a third of a second's worth.
fn drain(mounted: &Mounted<'_>, job: &FioJob) -> Result<(), Box<dyn Error>> {
    for _ in 0..60 {
        let load = FioJob { runtime: Some(Nanos::secs(2)), ramp: Nanos(0), ..job.clone() };
        let rate = load::run(load)?.throughput().0;
        if mounted.metric("diskwright_instance_credits{", "unit=\"bytes\"")? < rate / 3.0 {
            return Ok(());
        }
    }
    Err("the instance's credits do not run out".into())
}

fn behind(instance: Option<&str>) -> String {
    instance.map_or(String::new(), |name| format!(" behind {name}"))
}
