//! Claims that are measured with fio on mounted disks: sources 000 and 002 on what a volume delivers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use disk::Disk;
use mount::{MountHome, MountRequest};
use private_dir::FolderPurpose;
use probe::fio::{self, AccessPattern, FioEngine, FioJob, JobReport, SyncCall};
use units::{Bytes, Iops, Nanos};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Ours};

/// What measuring needs of the machine.
#[derive(Debug)]
pub struct ClaimTestBed {
    /// Where mounted disks are kept track of.
    pub home: MountHome,
    /// A folder with room for 4 GiB, in memory: data that lies on a slower disk than the one that is measured slows that
    /// down. All that is made in it is removed.
    pub scratch: PathBuf,
    /// How long each number is measured.
    pub span: Nanos,
    /// Once true, measuring ends with [`ClaimError::Interrupted`], and what was mounted or started is taken down.
    pub stop: Arc<AtomicBool>,
}

impl ClaimTestBed {
    pub(crate) fn go_on(&self) -> Result<(), ClaimError> {
        if self.stop.load(Ordering::Relaxed) { Err(ClaimError::Interrupted) } else { Ok(()) }
    }
}

/// Measures ours; the day is that of the claim's source.
pub(crate) type Measure = fn(&ClaimTestBed, catalog::Date) -> Result<Ours, ClaimError>;

pub(crate) const CLAIMS: &[(&str, Measure)] =
    &[("A22", gp2_by_fio), ("A23", instance_store_by_fio), ("C03", latency_order)];

/// The file that is worked on: more than a merge window or a burst, less than memory.
const FILE: Bytes = Bytes::gib(2);
/// Left out before anything is measured, so that the file's first touch and a bucket full of work are not in it.
const RAMP: Nanos = Nanos::secs(1);

/// A disk that is mounted while it is measured.
struct Bench<'a> {
    lab: &'a ClaimTestBed,
    dir: PathBuf,
    file: PathBuf,
}

impl<'a> Bench<'a> {
    fn up(lab: &'a ClaimTestBed, disk: &str, instance: Option<&str>, day: catalog::Date) -> Result<Self, ClaimError> {
        let dir = lab.scratch.join("disk");
        let disk: Disk = disk.parse()?;
        // What local flash delivers was found out later than the sources were written; it has not changed since.
        let as_of = (!disk.volume.is_local()).then_some(day);
        let request = MountRequest {
            instance: instance.map(str::to_owned),
            as_of,
            backing: lab.scratch.join("backing"),
            seed: 1,
            ..MountRequest::single(&dir, disk)
        };
        mount::up(&lab.home, &request)?;
        let bench = Self { lab, file: dir.join("file"), dir };
        // Blocks that were never written are not read from the disk.
        let fill =
            FioJob { depth: 16, runtime: None, ramp: Nanos(0), ..bench.job(AccessPattern::Write, Bytes::mib(1)) };
        fio::run(&[fill])?;
        Ok(bench)
    }

    fn job(&self, pattern: AccessPattern, block: Bytes) -> FioJob {
        FioJob { size: Some(FILE), runtime: Some(self.lab.span), ramp: RAMP, ..FioJob::new(&self.file, pattern, block) }
    }

    fn measure(&self, job: FioJob) -> Result<JobReport, ClaimError> {
        self.lab.go_on()?;
        Ok(fio::run(&[job])?.total())
    }

    /// MiB/s of large requests.
    fn bandwidth(&self, pattern: AccessPattern) -> Result<f64, ClaimError> {
        let job = FioJob { depth: 32, ..self.job(pattern, Bytes::mib(1)) };
        Ok(self.measure(job)?.throughput().as_mib())
    }

    /// Small requests a second.
    fn iops(&self, pattern: AccessPattern) -> Result<f64, ClaimError> {
        let job = FioJob { depth: 64, ..self.job(pattern, Bytes::kib(4)) };
        Ok(self.measure(job)?.iops().0)
    }

    /// Mean latency of small requests one after the other, in µs, at a third of the rate that the disk sustains: as fast as
    /// they go, a gp2 of 222 µs would be held up by its 3,000 IOPS.
    fn latency(&self, pattern: AccessPattern, sustained: f64) -> Result<f64, ClaimError> {
        Ok(self.latency_at(pattern, 1, Iops(sustained / 3.0))?.0)
    }

    /// Small overwrites, each made durable, a second.
    fn syncs(&self) -> Result<f64, ClaimError> {
        let job = FioJob {
            engine: FioEngine::Psync,
            sync: Some(SyncCall::Fdatasync(1)),
            ..self.job(AccessPattern::RandWrite, Bytes::kib(4))
        };
        Ok(self.measure(FioJob { direct: false, ..job })?.write.iops.0)
    }

    /// Mean and 99th percentile of latency, in µs, at a rate spread over threads.
    fn latency_at(&self, pattern: AccessPattern, threads: u32, rate: Iops) -> Result<(f64, f64), ClaimError> {
        let job = FioJob { numjobs: threads, rate_iops: Some(rate), ..self.job(pattern, Bytes::kib(4)) };
        let total = self.measure(job)?;
        let latency = total.read.latency.or(total.write.latency).ok_or_else(nothing)?;
        Ok((latency.mean.as_secs_f64() * 1e6, latency.p99.as_secs_f64() * 1e6))
    }

    /// The source's seven numbers, in its order.
    fn table(&self) -> Result<Vec<f64>, ClaimError> {
        use AccessPattern::{RandRead, RandWrite, Read, Write};
        let bandwidth = [self.bandwidth(Write)?, self.bandwidth(Read)?];
        let iops = [self.iops(RandWrite)?, self.iops(RandRead)?];
        let latency = [self.latency(RandWrite, iops[0])?, self.latency(RandRead, iops[1])?];
        Ok([&bandwidth[..], &iops, &latency, &[self.syncs()?]].concat())
    }
}

impl Drop for Bench<'_> {
    /// Nothing stays, however the measurement went.
    fn drop(&mut self) {
        if let Err(error) = mount::down(&self.lab.home, &self.dir, true) {
            textfile::log_line(format_args!("{} stays mounted: {error}", self.dir.display()));
        }
    }
}

fn nothing() -> ClaimError {
    ClaimError::Other("fio completed nothing".to_owned())
}

fn gp2_by_fio(lab: &ClaimTestBed, day: catalog::Date) -> Result<Ours, ClaimError> {
    let bench = Bench::up(lab, "gp2:1TB", None, day)?;
    Ok(ClaimValue::Numbers(bench.table()?).into())
}

fn instance_store_by_fio(lab: &ClaimTestBed, day: catalog::Date) -> Result<Ours, ClaimError> {
    let bench = Bench::up(lab, "nvme:270GB", Some("m5d.2xlarge"), day)?;
    Ok(ClaimValue::Numbers(bench.table()?).into())
}

/// The disks that the source compares; its local one is an i3's.
const COMPARED: [(&str, &str, Option<&str>); 5] = [
    ("gp2", "gp2:1000GiB", None),
    ("gp3", "gp3:1000GiB", None),
    ("io1", "io1:1000GiB,3000iops", None),
    ("io2", "io2:1000GiB,3000iops", None),
    ("local", "nvme:500GB", Some("i3.2xlarge")),
];

/// The source's two loads: threads, and I/Os a second in all.
const LOADS: [(u32, Iops); 2] = [(1, Iops(1000.0)), (8, Iops(3000.0))];

/// Which disk has the lowest mean and 99th percentile, of reads and writes, under both loads.
fn latency_order(lab: &ClaimTestBed, day: catalog::Date) -> Result<Ours, ClaimError> {
    let mut seen: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for (name, disk, instance) in COMPARED {
        let bench = Bench::up(lab, disk, instance, day)?;
        let mut latencies = Vec::new();
        for (threads, rate) in LOADS {
            for pattern in [AccessPattern::RandRead, AccessPattern::RandWrite] {
                latencies.push(bench.latency_at(pattern, threads, rate)?);
            }
        }
        seen.push((name, latencies));
    }
    let lowest = |of: &dyn Fn(&(f64, f64)) -> f64, i: usize| {
        seen.iter().min_by(|a, b| of(&a.1[i]).total_cmp(&of(&b.1[i]))).map_or("", |(name, _)| name)
    };
    let mut winners: Vec<&str> =
        (0..4).flat_map(|i| [lowest(&|latency| latency.0, i), lowest(&|latency| latency.1, i)]).collect();
    winners.sort_unstable();
    winners.dedup();
    let tell = |(name, latencies): &(&str, Vec<(f64, f64)>)| {
        let numbers: Vec<String> = latencies.iter().map(|(mean, p99)| format!("{mean:.0}/{p99:.0}")).collect();
        format!("{name} {}", numbers.join(" "))
    };
    let remark = format!(
        "mean/p99 in µs of reads and writes with 1 thread, then with 8: {}",
        seen.iter().map(tell).collect::<Vec<_>>().join("; ")
    );
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::words([format!("{} lowest", winners.join(" and "))])) })
}

/// Whether a path can hold what is measured with.
pub(crate) fn ready(scratch: &Path) -> Result<(), ClaimError> {
    private_dir::open(scratch, FolderPurpose::SCRATCH)?;
    Ok(())
}
