//! A disk mounted and measured with fio.

use std::path::PathBuf;

use disk::Disk;
use mount::MountRequest;
use probe::fio::{self, AccessPattern, FioEngine, FioJob, JobReport, SyncCall};
use units::{Bytes, Iops, Nanos};

use crate::error::ClaimError;
use crate::test_bed::ClaimTestBed;

/// Size of the file: more than a merge window or a burst, less than memory.
const FILE: Bytes = Bytes::gib(2);
/// Time before a measurement, which excludes the file's first touch and a full bucket.
const RAMP: Nanos = Nanos::secs(1);

/// A disk, mounted until this is dropped.
pub(crate) struct MountedDisk<'a> {
    test_bed: &'a ClaimTestBed,
    dir: PathBuf,
    file: PathBuf,
    disk: String,
}

impl<'a> MountedDisk<'a> {
    /// Mounts a disk, with the facts of a day, and fills its file.
    pub(crate) fn up(
        test_bed: &'a ClaimTestBed,
        disk: &Disk,
        instance: Option<&str>,
        day: catalog::Date,
    ) -> Result<Self, ClaimError> {
        let dir = test_bed.scratch.join("disk");
        // Public figures of local flash are of later days than the sources; the devices have not changed since.
        let as_of = (!disk.volume.is_local()).then_some(day);
        let request = MountRequest {
            instance: instance.map(str::to_owned),
            as_of,
            backing: test_bed.scratch.join("backing"),
            seed: 1,
            ..MountRequest::single(&dir, disk.clone())
        };
        mount::up(&test_bed.home, &request)?;
        let mounted = Self { test_bed, file: dir.join("file"), dir, disk: disk.to_string() };
        // Blocks that were never written are not read from the disk.
        let fill =
            FioJob { depth: 16, runtime: None, ramp: Nanos(0), ..mounted.job(AccessPattern::Write, Bytes::mib(1)) };
        fio::run(&[fill])?;
        Ok(mounted)
    }

    fn job(&self, pattern: AccessPattern, block: Bytes) -> FioJob {
        FioJob {
            size: Some(FILE),
            runtime: Some(self.test_bed.span),
            ramp: RAMP,
            ..FioJob::new(&self.file, pattern, block)
        }
    }

    fn measure(&self, job: FioJob) -> Result<JobReport, ClaimError> {
        self.test_bed.go_on()?;
        Ok(fio::run(&[job])?.total())
    }

    /// MiB/s of large requests.
    pub(crate) fn bandwidth(&self, pattern: AccessPattern) -> Result<f64, ClaimError> {
        let job = FioJob { depth: 32, ..self.job(pattern, Bytes::mib(1)) };
        Ok(self.measure(job)?.throughput().as_mib())
    }

    /// Small requests a second.
    pub(crate) fn iops(&self, pattern: AccessPattern) -> Result<f64, ClaimError> {
        let job = FioJob { depth: 64, ..self.job(pattern, Bytes::kib(4)) };
        Ok(self.measure(job)?.iops().0)
    }

    /// Mean latency of small requests one after the other, in µs, at a third of the rate that the disk sustains: sent without a
    /// pause, requests of 222 µs would meet a gp2's limit of 3,000 IOPS.
    pub(crate) fn latency(&self, pattern: AccessPattern, sustained: f64) -> Result<f64, ClaimError> {
        Ok(self.latency_at(pattern, 1, Iops(sustained / 3.0))?.0)
    }

    /// Small overwrites a second, each made durable.
    pub(crate) fn syncs(&self) -> Result<f64, ClaimError> {
        let job = FioJob {
            engine: FioEngine::Psync,
            sync: Some(SyncCall::Fdatasync(1)),
            ..self.job(AccessPattern::RandWrite, Bytes::kib(4))
        };
        Ok(self.measure(FioJob { direct: false, ..job })?.write.iops.0)
    }

    /// Mean and 99th percentile of latency, in µs, at a rate spread over threads.
    pub(crate) fn latency_at(
        &self,
        pattern: AccessPattern,
        threads: u32,
        rate: Iops,
    ) -> Result<(f64, f64), ClaimError> {
        let job = FioJob { numjobs: threads, rate_iops: Some(rate), ..self.job(pattern, Bytes::kib(4)) };
        let total = self.measure(job)?;
        let latency = total
            .read
            .latency
            .or(total.write.latency)
            .ok_or_else(|| ClaimError::NothingCompleted { disk: self.disk.clone() })?;
        Ok((latency.mean.as_secs_f64() * 1e6, latency.p99.as_secs_f64() * 1e6))
    }
}

impl Drop for MountedDisk<'_> {
    /// Takes the disk down, however the measurement went.
    fn drop(&mut self) {
        if let Err(error) = mount::down(&self.test_bed.home, &self.dir, true) {
            textfile::log_line(format_args!("{} stays mounted: {error}", self.dir.display()));
        }
    }
}
