//! A load on a file, as fio makes it, and what fio saw second by second.

use std::error::Error;
use std::fs;
use std::path::Path;

use probe::fio::{self, AccessPattern, FioEngine, FioJob, JobDirection, JobReport, LatencyDistribution};
use units::{Bytes, Iops, Nanos};

/// Requests at random offsets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// The share of reads.
    pub(crate) reads: f64,
    pub(crate) block: Bytes,
    pub(crate) depth: u32,
    /// Requests a second at most.
    pub(crate) pace: Option<Iops>,
    /// Of the file.
    pub(crate) span: Bytes,
}

impl Load {
    /// Requests of 4 KiB, as fast as they are answered.
    pub(crate) fn small(reads: f64, depth: u32, span: Bytes) -> Self {
        Self { reads, block: Bytes::kib(4), depth, pace: None, span }
    }

    /// The job for fio: measured for `seconds`, after a second in which what limits let through at once passes.
    pub(crate) fn job(&self, file: &Path, seconds: u64) -> FioJob {
        let pattern = match self.reads {
            1.0 => AccessPattern::RandRead,
            0.0 => AccessPattern::RandWrite,
            share => AccessPattern::RandRw(share),
        };
        FioJob {
            depth: self.depth,
            engine: FioEngine::best(),
            runtime: Some(Nanos::secs(seconds)),
            ramp: Nanos::secs(1),
            size: Some(self.span),
            rate_iops: self.pace,
            ..FioJob::new(file, pattern, self.block)
        }
    }

    /// For people: `70 % reads, depth 64`.
    pub(crate) fn name(&self) -> String {
        let what = match self.reads {
            1.0 => "reads".to_owned(),
            0.0 => "writes".to_owned(),
            share => format!("{:.0} % reads", share * 100.0),
        };
        let pace = self.pace.map_or(String::new(), |pace| format!(" at {:.0}/s", pace.0));
        format!("{} {what}, depth {}{pace}", self.block, self.depth)
    }
}

/// Runs one job.
pub(crate) fn run(job: FioJob) -> Result<JobReport, Box<dyn Error>> {
    Ok(fio::run(&[job])?.total())
}

/// The latencies of reads and writes together.
pub(crate) fn latency(report: &JobReport) -> Result<LatencyDistribution, Box<dyn Error>> {
    let sides = [&report.read, &report.write];
    let both = sides.into_iter().filter_map(|side| side.latency.clone()).reduce(|one, other| one.and(&other));
    both.ok_or_else(|| "fio counted no latencies".into())
}

/// Requests answered a second. fio's own rate leaves out what is in flight at the end, but not the time until it is answered:
/// 64 requests of 12,000 are 0.5 %. The latencies have them all.
pub(crate) fn rate(report: &JobReport) -> f64 {
    let answered = |side: &JobDirection| side.latency.as_ref().map_or(0, |latency| latency.count);
    (answered(&report.read) + answered(&report.write)) as f64 / report.runtime.as_secs_f64()
}

/// Megabytes a second, likewise, of requests of this size.
pub(crate) fn megabytes(report: &JobReport, block: Bytes) -> f64 {
    rate(report) * block.as_f64() / 1e6
}

pub(crate) fn micros(time: Nanos) -> f64 {
    time.0 as f64 / 1e3
}

/// When each request was answered, in seconds since the Unix epoch, to a millisecond, and the nanoseconds it took; in order.
pub(crate) struct Answers(Vec<(f64, f64)>);

/// The answers of a span of time.
pub(crate) struct Window<'a> {
    pub(crate) start: f64,
    answers: &'a [(f64, f64)],
}

impl Window<'_> {
    pub(crate) fn count(&self) -> usize {
        self.answers.len()
    }

    /// Nanoseconds of each answer.
    pub(crate) fn latencies(&self) -> impl Iterator<Item = f64> {
        self.answers.iter().map(|(_, latency)| *latency)
    }
}

impl Answers {
    /// Runs a job that logs every request beside `log`.
    pub(crate) fn of(mut job: FioJob, log: &Path) -> Result<(JobReport, Self), Box<dyn Error>> {
        let log = log.to_str().ok_or("the log's path is not UTF-8")?;
        job.extra.extend([format!("write_lat_log={log}"), "log_unix_epoch=1".to_owned()]);
        let report = run(job)?;
        let file = format!("{log}_lat.1.log");
        let text = fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
        let mut at = Vec::new();
        for line in text.lines() {
            let mut fields = line.split(',').map(str::trim);
            let (Some(millis), Some(nanos)) = (fields.next(), fields.next()) else {
                return Err(format!("{file}: no log of fio's: {line}").into());
            };
            at.push((millis.parse::<f64>()? / 1e3, nanos.parse()?));
        }
        at.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        if at.is_empty() {
            return Err(format!("{file}: nothing was logged").into());
        }
        Ok((report, Self(at)))
    }

    pub(crate) fn first(&self) -> f64 {
        self.0[0].0
    }

    /// How many up to an instant.
    pub(crate) fn until(&self, at: f64) -> usize {
        self.0.partition_point(|(answered, _)| *answered <= at)
    }

    /// Each whole window of so many seconds, from the first answer on.
    pub(crate) fn windows(&self, seconds: f64) -> Vec<Window<'_>> {
        let span = self.0[self.0.len() - 1].0 - self.first();
        let before = |at: f64| self.0.partition_point(|(answered, _)| *answered < at);
        (0..(span / seconds) as u32)
            .map(|i| {
                let start = self.first() + f64::from(i) * seconds;
                Window { start, answers: &self.0[before(start)..before(start + seconds)] }
            })
            .collect()
    }
}
