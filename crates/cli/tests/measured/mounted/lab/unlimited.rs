//! A disk without limits beside a plain loop device on the same file: what diskwright itself costs.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use probe::fio::FioJob;
use units::Bytes;

use super::figure::{Figure, Target};
use super::load::{self, Load, micros};
use super::machine::Processors;
use super::rig::{Rig, text};
use super::{Found, Length, limits_of, measured};

const DISK: &str = "unlimited:10GiB";
const SPAN: Bytes = Bytes::mib(512);
/// Without any limit nothing is asked of the timer: CPU is measured at the fastest limit too.
const FASTEST: &str = "io2:200GiB,64000iops";

/// What fio saw of a device.
#[derive(Debug, Clone, Copy)]
struct Speed {
    /// 4 KiB random reads a second at depth 64.
    rate: f64,
    /// Median at depth 1, in microseconds.
    idle: f64,
}

impl Speed {
    fn of(file: &Path, length: Length) -> Result<Self, Box<dyn Error>> {
        let deep = load::run(busy(file, length.pick(3, 10)))?;
        let idle = load::run(Load::small(1.0, 1, SPAN).job(file, length.pick(2, 10)))?;
        Ok(Self { rate: load::rate(&deep), idle: micros(load::latency(&idle)?.p50) })
    }
}

/// The better of two measurements in each: other programs only ever slow one down.
fn better(best: Option<Speed>, new: Speed) -> Option<Speed> {
    Some(best.map_or(new, |best| Speed { rate: best.rate.max(new.rate), idle: best.idle.min(new.idle) }))
}

/// What fio saw of a disk that the daemon serves.
fn of_a_mount(rig: &Rig, length: Length) -> Result<Speed, Box<dyn Error>> {
    let mounted = rig.mount(DISK, &[])?;
    let speed = Speed::of(&mounted.file("", SPAN)?, length)?;
    let backing = mounted.backing()?;
    mounted.down()?;
    fs::remove_file(backing)?;
    Ok(speed)
}

/// What fio saw of a plain loop device, and how many times as many reads a disk served that the kernel serves itself, pair by
/// pair: both on one file, each first in every other pair.
fn of_pairs(rig: &Rig, length: Length) -> Result<(Speed, Vec<f64>), Box<dyn Error>> {
    const OPTIONS: &[&str] = &["--passthrough"];
    let mounted = rig.mount(DISK, OPTIONS)?;
    mounted.file("", SPAN)?;
    let (backing, dir) = (mounted.backing()?, mounted.dir.clone());
    mounted.down()?;
    let rate = |file: &Path| -> Result<f64, Box<dyn Error>> { Ok(load::rate(&load::run(busy(file, 3))?)) };
    let kernels = || -> Result<f64, Box<dyn Error>> {
        let mounted = rig.mount_again(&dir, DISK, OPTIONS)?;
        let rate = rate(&mounted.dir.join("data"))?;
        mounted.down()?;
        Ok(rate)
    };
    let place = rig.path("plain");
    let plain = || -> Result<f64, Box<dyn Error>> { rate(&Plain::mount(&backing, &place)?.dir.join("data")) };
    let speed = Speed::of(&Plain::mount(&backing, &place)?.dir.join("data"), length)?;
    let mut times = Vec::new();
    for pair in 0..length.pick(1, PAIRS) {
        times.push(if pair % 2 == 0 { kernels()? / plain()? } else { 1.0 / (plain()? / kernels()?) });
    }
    fs::remove_file(backing)?;
    Ok((speed, times))
}

/// Two runs of one loop device differ by a tenth: so many pairs tell a difference of a few percent.
const PAIRS: usize = 20;
/// Student's t with so many pairs less one, 97.5 % below it.
const STUDENT: f64 = 2.093;

/// The geometric mean of ratios, and the factor to either end of its 95 % interval; no number for one ratio.
fn mean(times: &[f64]) -> (f64, f64) {
    let n = times.len() as f64;
    let mean = times.iter().map(|time| time.ln()).sum::<f64>() / n;
    let variance = times.iter().map(|time| (time.ln() - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean.exp(), (STUDENT * (variance / n).sqrt()).exp())
}

/// Reads at depth 64, handed over and taken back by the batch, so that fio itself takes little of the processors.
fn busy(file: &Path, seconds: u64) -> FioJob {
    let mut job = Load::small(1.0, 64, SPAN).job(file, seconds);
    let batches = ["iodepth_batch_submit=16", "iodepth_batch_complete_min=1", "iodepth_batch_complete_max=16"];
    job.extra.extend(batches.map(str::to_owned));
    job
}

pub(super) fn as_fast_as_memory(length: Length) -> Found {
    let mut figures = measured(|| {
        let rig = Rig::new()?;
        let mut disk = None;
        for _ in 0..length.pick(1, 5) {
            disk = better(disk, of_a_mount(&rig, length)?);
        }
        let disk = disk.ok_or("nothing was measured")?;
        let (plain, times) = of_pairs(&rig, length)?;
        let of = format!("{DISK}, {}", Load::small(1.0, 64, SPAN).name());
        let alone = format!("{DISK}, {}", Load::small(1.0, 1, SPAN).name());
        let mut figures = vec![
            Figure::new(&of, "rate", "I/Os a second", Target::AtLeast(150_000.0), disk.rate)
                .with_neighbours(length, (120_000.0, 0.0)),
            Figure::new(&of, "rate over a plain loop device's", "times", Target::Nothing, disk.rate / plain.rate),
            Figure::new(&alone, "median over the model's, which is 0", "µs", Target::AtMost(60.0), disk.idle)
                .of_the_clock(length, 0.5),
            Figure::new(
                &alone,
                "median over a plain loop device's",
                "µs",
                Target::AtMost(60.0),
                disk.idle - plain.idle,
            )
            .of_the_clock(length, 0.5),
        ];
        figures.extend(passed(&of, &times, length));
        Ok(figures)
    })?;
    for disk in [DISK, FASTEST] {
        figures.extend(measured(|| processor(disk, length))?);
    }
    Ok(figures)
}

/// As many reads with --passthrough as from a plain loop device: the interval of the pairs' ratio reaches 1, and is narrow enough
/// to miss it where a tenth of the reads were lost. The short form has one pair, and only asks that it is no other thing.
fn passed(of: &str, times: &[f64], length: Length) -> Vec<Figure> {
    const RATE: &str = "rate with --passthrough over a plain loop device's";
    let (mean, end) = mean(times);
    if length == Length::Short {
        let figure = Figure::new(of, RATE, "times", Target::AtLeast(1.0), mean);
        return vec![figure.with_neighbours(length, (0.9, 0.0))];
    }
    vec![
        Figure::new(of, RATE, "times", Target::Nothing, mean),
        Figure::new(of, "the same, upper end of its 95 % interval", "times", Target::AtLeast(1.0), mean * end),
        Figure::new(of, "the same, from its mean to that end", "times", Target::AtMost(1.1), end),
    ]
}

/// The processor time for each I/O: of the whole machine, less fio's own.
fn processor(disk: &str, length: Length) -> Found {
    limits_of(disk, None)?;
    let rig = Rig::new()?;
    let mounted = rig.mount(disk, &[])?;
    let mut job = busy(&mounted.file("", SPAN)?, length.pick(3, 20));
    // All that fio does is measured: a ramp would be in the machine's time, but not in fio's.
    job.ramp = units::Nanos(0);
    let before = Processors::now()?;
    let report = load::run(job)?;
    let spent = Processors::now()?.busy - before.busy - report.cpu.as_secs_f64();
    let each = spent / (load::rate(&report) * report.runtime.as_secs_f64()) * 1e6;
    let of = format!("{disk}, {}", Load::small(1.0, 64, SPAN).name());
    let figure = Figure::new(&of, "processor time for each I/O, without fio's", "µs", Target::AtMost(15.0), each);
    // The time of the whole machine is counted, so that of the neighbours too.
    Ok(vec![figure.with_neighbours(length, (0.0, 60.0))])
}

/// A loop device on a file without diskwright, mounted.
struct Plain {
    device: String,
    dir: PathBuf,
}

impl Plain {
    fn mount(backing: &Path, dir: &Path) -> Result<Self, Box<dyn Error>> {
        let device = tool("losetup", &["--find", "--show", "--direct-io=on", text(backing)?])?.trim().to_owned();
        let plain = Self { device, dir: dir.to_owned() };
        fs::create_dir_all(&plain.dir)?;
        tool("mount", &[&plain.device, text(&plain.dir)?])?;
        Ok(plain)
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // One that was never mounted is not unmounted, and says so: no harm.
        let undone = [tool("umount", &[&self.dir.to_string_lossy()]), tool("losetup", &["--detach", &self.device])];
        undone.into_iter().filter_map(Result::err).for_each(|e| eprintln!("{e}"));
    }
}

/// Runs a tool of the system and gives what it printed.
fn tool(name: &str, args: &[&str]) -> Result<String, Box<dyn Error>> {
    let output = Command::new(name).args(args).output().map_err(|e| format!("{name}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{name} {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
