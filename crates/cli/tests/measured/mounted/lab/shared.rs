//! Limits that disks share or add up: an instance's cap, a stripe, and many disks at once.

use std::path::PathBuf;

use probe::fio;
use units::Bytes;

use super::figure::{Figure, Target};
use super::load::{self, Load};
use super::machine::SHARED;
use super::rig::Rig;
use super::{Found, Length, instance, limits_of, measured};

const SPAN: Bytes = Bytes::mib(256);
const INSTANCE: &str = "m5.4xlarge";
const HALF: &str = "gp3:100GiB,16000iops,1000MiB/s";
const ONE: &str = "gp3:100GiB";
const ONE_OF_MANY: &str = "gp3:10GiB";
const MANY: usize = 12;

pub(super) fn one_instance(length: Length) -> Found {
    let rig = Rig::new()?;
    let caps = instance(INSTANCE)?.caps.ok_or("the instance has no published caps")?;
    let mounted = rig.up(
        &format!(
            "name = \"two disks\"\nengine = \"tikv\"\nregion = \"us-west-2\"\nzones = 3\n\n[[nodes]]\nrole = \"storage\"\n\
             count = 3\ninstance = \"{INSTANCE}\"\ndata = \"{HALF}\"\nlog = \"{HALF}\"\n"
        ),
        &[],
    )?;
    let files = [mounted.file("data", SPAN)?, mounted.file("raft", SPAN)?];
    let of = |load: &Load| format!("2 × {HALF} behind {INSTANCE}, {} each", load.name());
    let small = Load::small(1.0, 64, SPAN);
    let large = Load { block: Bytes::kib(256), depth: 16, ..small };
    let mut figures = measured(|| {
        let found = side_by_side(&files, &small, length.pick(4, 15))?.jobs.iter().map(load::rate).sum();
        Ok(vec![
            Figure::new(&of(&small), "sum", "I/Os a second", Target::Near(caps.iops.0, 0.02), found)
                .with_neighbours(length, (SHARED * caps.iops.0, 0.0)),
        ])
    })?;
    figures.extend(measured(|| {
        let report = side_by_side(&files, &large, length.pick(4, 15))?;
        let found = report.jobs.iter().map(|job| load::megabytes(job, large.block)).sum();
        Ok(vec![
            Figure::new(&of(&large), "sum", "MB/s", Target::Near(caps.throughput.as_mb(), 0.02), found)
                .with_neighbours(length, (SHARED * caps.throughput.as_mb(), 0.0)),
        ])
    })?);
    Ok(figures)
}

/// The same load on each file at the same time.
fn side_by_side(files: &[PathBuf], load: &Load, seconds: u64) -> Result<fio::FioReport, fio::FioError> {
    let jobs: Vec<fio::FioJob> = files.iter().map(|file| load.job(file, seconds)).collect();
    fio::run(&jobs)
}

pub(super) fn stripe(length: Length) -> Found {
    let rig = Rig::new()?;
    let one = limits_of(ONE, None)?;
    let stripe = format!("2x({ONE})");
    let mounted = rig.mount(&stripe, &[])?;
    let file = mounted.file("", SPAN)?;
    // Deep enough that random offsets leave neither volume without work.
    let small = Load::small(1.0, 128, SPAN);
    let large = Load { block: Bytes::kib(256), depth: 64, ..small };
    let of = |load: &Load| format!("{stripe}, {}", load.name());
    let mut figures = measured(|| {
        let found = load::rate(&load::run(small.job(&file, length.pick(4, 15)))?);
        Ok(vec![
            Figure::new(&of(&small), "rate", "I/Os a second", Target::Near(2.0 * one.iops.0, 0.02), found)
                .with_neighbours(length, (SHARED * 2.0 * one.iops.0, 0.0)),
        ])
    })?;
    figures.extend(measured(|| {
        let found = load::megabytes(&load::run(large.job(&file, length.pick(4, 15)))?, large.block);
        let target = Target::Near(2.0 * one.throughput.as_mb(), 0.02);
        Ok(vec![
            Figure::new(&of(&large), "throughput", "MB/s", target, found)
                .with_neighbours(length, (SHARED * 2.0 * one.throughput.as_mb(), 0.0)),
        ])
    })?);
    Ok(figures)
}

pub(super) fn twelve(length: Length) -> Found {
    let rig = Rig::new()?;
    let limit = limits_of(ONE_OF_MANY, None)?.iops.0;
    let load = Load::small(0.7, 16, Bytes::mib(32));
    let all = (0..MANY).map(|_| rig.mount(ONE_OF_MANY, &[])).collect::<Result<Vec<_>, _>>()?;
    let files = all.iter().map(|disk| disk.file("", load.span)).collect::<Result<Vec<_>, _>>()?;
    measured(|| {
        let report = side_by_side(&files, &load, length.pick(5, 15))?;
        let rates: Vec<f64> = report.jobs.iter().map(load::rate).collect();
        let of = format!("{MANY} × {ONE_OF_MANY}, {} each", load.name());
        let target = Target::Near(limit, 0.02);
        // All twelve at their limit take most of two processors that nobody else wants.
        let slack = (0.8 * limit, 0.0);
        let figure =
            |what, measured| Figure::new(&of, what, "I/Os a second", target, measured).with_neighbours(length, slack);
        let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let fastest = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Ok(vec![figure("slowest", slowest), figure("fastest", fastest)])
    })
}
