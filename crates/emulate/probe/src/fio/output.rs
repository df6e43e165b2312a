//! fio's JSON (`--output-format=json+`), as of fio 3.x.

use std::collections::BTreeMap;

use serde::Deserialize;
use units::{BytesPerSec, Iops, Nanos};

use super::{FioError, FioReport, JobDirection, JobReport, LatencyDistribution};

#[derive(Deserialize)]
struct Document {
    jobs: Vec<Entry>,
}

/// One thread of a job.
#[derive(Deserialize)]
struct Entry {
    jobname: String,
    error: i32,
    read: Way,
    write: Way,
    sync: SyncWay,
    /// In milliseconds.
    job_runtime: f64,
    /// In percent of `job_runtime`.
    usr_cpu: f64,
    sys_cpu: f64,
}

#[derive(Deserialize)]
struct Way {
    io_bytes: u64,
    bw_bytes: f64,
    /// In milliseconds.
    runtime: f64,
    lat_ns: Lat,
}

#[derive(Deserialize)]
struct SyncWay {
    lat_ns: Lat,
}

#[derive(Deserialize)]
struct Lat {
    min: f64,
    max: f64,
    mean: f64,
    #[serde(default)]
    bins: BTreeMap<u64, u64>,
}

impl Lat {
    fn latency(self) -> Option<LatencyDistribution> {
        LatencyDistribution::of_bins(self.bins, self.mean, self.min as u64, self.max as u64)
    }
}

impl Way {
    /// Requests are counted by their latencies, not by fio's `total_ios` and `iops`: those leave out what was in flight
    /// when the ramp ended, while time and bytes include it. At depth 256 and 3000 I/Os a second that is 3 % of 3 s.
    fn side(self) -> JobDirection {
        let latency = self.lat_ns.latency();
        let ios = latency.as_ref().map_or(0, |l| l.count);
        let seconds = self.runtime / 1e3;
        JobDirection {
            ios,
            bytes: self.io_bytes,
            iops: Iops(if seconds > 0.0 { ios as f64 / seconds } else { 0.0 }),
            throughput: BytesPerSec(self.bw_bytes),
            latency,
        }
    }
}

impl Entry {
    fn report(self) -> JobReport {
        let runtime = self.read.runtime.max(self.write.runtime);
        let cpu = (self.usr_cpu + self.sys_cpu) / 100.0 * self.job_runtime;
        JobReport {
            read: self.read.side(),
            write: self.write.side(),
            // Not fio's `total_ios` of syncs, which asynchronous engines leave at 0 (fio 3.33).
            sync: self.sync.lat_ns.latency(),
            runtime: Nanos::from_secs_f64(runtime / 1e3),
            cpu: Nanos::from_secs_f64(cpu / 1e3),
        }
    }
}

/// Reads what fio printed for a run of `jobs` jobs, which it names by their index.
pub(super) fn parse(text: &str, jobs: usize) -> Result<FioReport, FioError> {
    // fio prints warnings before the document on the same stream.
    let document = text.find('{').map_or(text, |start| &text[start..]);
    let unreadable = |what: String| FioError::Unreadable { what };
    let document: Document = serde_json::from_str(document).map_err(|e| unreadable(e.to_string()))?;
    let mut reports = vec![None; jobs];
    for entry in document.jobs {
        if entry.error != 0 {
            let reason = std::io::Error::from_raw_os_error(entry.error);
            return Err(FioError::Failed { message: format!("job {}: {reason}", entry.jobname) });
        }
        let index = entry.jobname.parse().ok().filter(|i| *i < jobs);
        let index: usize = index.ok_or_else(|| unreadable(format!("it names a job {:?}", entry.jobname)))?;
        let report = entry.report();
        reports[index] = Some(match reports[index].take() {
            Some(other) => report.and(&other),
            None => report,
        });
    }
    let all: Option<Vec<_>> = reports.into_iter().collect();
    all.map(|jobs| FioReport { jobs }).ok_or_else(|| unreadable("it leaves a job out".to_owned()))
}
