//! What a benchmark found, as a file that other tools read. Keys stay as they are; units are in their names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use timeline::LatencyHistogram;
use units::{Nanos, Usd};

use crate::{CpuUsage, LoopKind, RunLimits, RunPhase, RunStall, SteadyStateJudge, WindowSlice, per_million};

/// Runs of one workload on one database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// Always [`Report::FORMAT`].
    pub format: String,
    /// For people.
    pub title: String,
    /// The workload's name.
    pub workload: String,
    /// What made operations start.
    pub load: LoopKind,
    /// Driver threads.
    pub threads: u32,
    /// The seed of the first run; each run after it adds one.
    pub seed: u64,
    /// Rows that were loaded before.
    pub rows_loaded: u64,
    /// How many times larger the rows on a node are than the memory that it may take; `None` where that has no limit.
    #[serde(default)]
    pub data_over_memory: Option<f64>,
    /// How long runs were to take.
    pub limits: RunLimits,
    /// Anything else worth keeping: disks, command, versions.
    pub notes: BTreeMap<String, String>,
    /// The runs, in order.
    pub runs: Vec<RunReport>,
}

impl BenchReport {
    /// How a file says that it is one, and of which make.
    pub const FORMAT: &str = "diskwright bench 1";
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Its number, from 1; runs of two reports with the same number are a pair.
    pub run: u32,
    /// The warm-up, in seconds.
    pub warm_up_s: f64,
    /// Whether it was steady when the measuring began (MSER-5 on throughput and mean latency).
    pub steady: bool,
    /// Measured, in seconds.
    pub measured_s: f64,
    /// Why it ended.
    pub end: RunPhase,
    /// Why it is a failed run, whatever it measured, for people; empty for one that stands.
    #[serde(default)]
    pub rejected: Vec<String>,
    /// The longest stretch in which nothing succeeded, if it is worth telling ([`Stall::LEAST_S`]).
    #[serde(default)]
    pub stalled: Option<RunStall>,
    /// Operations that succeeded, a second; `None` if fewer than ten windows were measured.
    pub throughput: Option<ThroughputEstimate>,
    /// Operations that succeeded.
    pub operations: u64,
    /// Operations that failed, and losses of the server.
    pub failures: u64,
    /// How often the server ended by itself or could not be reached any more: with one, the run failed.
    #[serde(default)]
    pub server_lost: u64,
    /// Rows that were added, a second.
    pub rows_added_per_s: f64,
    /// Rows that were read, a second.
    pub rows_read_per_s: f64,
    /// Rows that were asked for by key and not there, a second.
    pub rows_missing_per_s: f64,
    /// Bytes of keys and values written, a second.
    pub written_bytes_per_s: f64,
    /// Each kind of operation.
    pub kinds: Vec<KindReport>,
    /// Why operations failed.
    pub errors: Vec<ErrorCount>,
    /// Whether the driver and the database kept up.
    pub backlog: DriverBacklog,
    /// What the driver itself took of the machine.
    pub driver_cpu: DriverCpu,
    /// Whether processors were kept awake ([`crate::Awake`]).
    #[serde(default)]
    pub awake: bool,
    /// US dollars for a million operations; `None` without a monthly price.
    pub usd_per_million: Option<f64>,
}

/// A mean with its 95 % interval, by batch means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThroughputEstimate {
    /// Operations a second.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Batches.
    pub batches: usize,
    /// Length of a batch in seconds.
    pub batch_s: f64,
    /// Autocorrelation of neighbouring batches.
    pub lag1: f64,
    /// Whether it is small enough for the interval to be trusted.
    pub independent: bool,
}

/// One kind of operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KindReport {
    /// Its name.
    pub kind: String,
    /// How many succeeded.
    pub operations: u64,
    /// A second.
    pub per_s: f64,
    /// How many failed.
    pub failures: u64,
    /// Of those that succeeded, from their intended start; `None` if none did.
    pub latency: Option<LatencyHistograms>,
}

/// Latencies in nanoseconds, to three significant digits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyHistograms {
    /// The mean.
    pub mean_ns: f64,
    /// The least.
    pub min_ns: u64,
    /// The median.
    pub p50_ns: u64,
    /// 90 of 100 are not longer.
    pub p90_ns: u64,
    /// 95 of 100 are not longer.
    pub p95_ns: u64,
    /// 99 of 100 are not longer.
    pub p99_ns: u64,
    /// 999 of 1000 are not longer.
    pub p999_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Operations that failed alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// Which kind of operation.
    pub kind: String,
    /// What the database said, numbers but codes of errors as `#`.
    pub reason: String,
    /// Whether they may have been done all the same.
    pub unknown: bool,
    /// How many.
    pub count: u64,
}

/// Whether the driver and the database kept up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DriverBacklog {
    /// Arrivals that waited at the end.
    pub at_end: u64,
    /// Arrivals that were given up.
    pub dropped: u64,
    /// How much later than intended half of the operations were sent, in nanoseconds.
    pub late_p50_ns: u64,
    /// How much later than intended one in a hundred was sent, in nanoseconds.
    pub late_p99_ns: u64,
}

/// Processor time of this process, all its threads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DriverCpu {
    /// In seconds.
    pub seconds: f64,
    /// Share of all processors, 0 to 1.
    pub of_machine: f64,
    /// Share of what ran on them at all, 0 to 1; `None` where that is not known.
    pub of_busy: Option<f64>,
    /// Of one operation, in microseconds.
    pub us_per_operation: f64,
}

impl ErrorCount {
    /// The kind of what failed where that was the server as a whole.
    pub const SERVER: &str = "server";
}

impl LatencyHistograms {
    /// `None` for none.
    pub fn of(latency: &LatencyHistogram) -> Option<Self> {
        let at = |share: f64| latency.value_at_quantile(share);
        (!latency.is_empty()).then(|| Self {
            mean_ns: latency.mean(),
            min_ns: latency.min(),
            p50_ns: at(0.5),
            p90_ns: at(0.9),
            p95_ns: at(0.95),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
            max_ns: latency.max(),
        })
    }
}

impl ThroughputEstimate {
    pub(crate) fn of(judge: &SteadyStateJudge, window_s: f64) -> Option<Self> {
        judge.estimate().map(|found| Self {
            mean: found.mean.mean,
            low: found.mean.mean - found.mean.half_width,
            high: found.mean.mean + found.mean.half_width,
            standard_error: found.mean.standard_error(),
            batches: found.mean.count,
            batch_s: found.size as f64 * window_s,
            lag1: found.lag1,
            independent: found.independent,
        })
    }
}

impl RunReport {
    /// Notes that the server was lost so often while the run went on: it is a failed run, whatever else it measured.
    pub fn lose_server(&mut self, times: u64, reason: &str) {
        if times > 0 {
            self.server_lost += times;
            self.failures += times;
            let (kind, reason) = (ErrorCount::SERVER.to_owned(), reason.to_owned());
            self.rejected.push(format!("it lost its server: {reason}"));
            self.errors.push(ErrorCount { kind, reason, unknown: true, count: times });
        }
    }

    /// What the judge of a run that is over has to say; `cpu` was taken while it was measured.
    pub fn of(
        run: u32,
        judge: &SteadyStateJudge,
        kinds: &[String],
        limits: &RunLimits,
        cpu: CpuUsage,
        monthly: Option<Usd>,
    ) -> Self {
        let none = WindowSlice::new(0, Nanos(0), kinds.len());
        let all = judge.measured().unwrap_or(&none);
        let seconds = (all.until - all.from).as_secs_f64();
        let per_s = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let failures =
            |kind: usize| all.failures.iter().filter(|(reason, _)| reason.kind == kind).map(|(_, n)| n).sum();
        let name = |kind: usize| kinds.get(kind).cloned().unwrap_or_default();
        let operations = all.succeeded();
        let throughput = ThroughputEstimate::of(judge, limits.window.as_secs_f64());
        Self {
            run,
            warm_up_s: if judge.measured().is_some() { all.from } else { judge.tally().span().1 }.as_secs_f64(),
            steady: judge.steady(),
            measured_s: seconds,
            end: judge.phase(),
            rejected: Vec::new(),
            stalled: judge.stalled(),
            throughput,
            operations,
            failures: all.failed(),
            server_lost: 0,
            rows_added_per_s: per_s(all.added),
            rows_read_per_s: per_s(all.found),
            rows_missing_per_s: per_s(all.missing),
            written_bytes_per_s: per_s(all.written),
            kinds: all
                .latencies
                .iter()
                .enumerate()
                .map(|(kind, latency)| KindReport {
                    kind: name(kind),
                    operations: latency.len(),
                    per_s: per_s(latency.len()),
                    failures: failures(kind),
                    latency: LatencyHistograms::of(latency),
                })
                .collect(),
            errors: all
                .failures
                .iter()
                .map(|(reason, count)| ErrorCount {
                    kind: name(reason.kind),
                    reason: reason.words.clone(),
                    unknown: reason.unknown,
                    count: *count,
                })
                .collect(),
            backlog: DriverBacklog {
                at_end: all.backlog,
                dropped: all.dropped,
                late_p50_ns: all.lateness.value_at_quantile(0.5),
                late_p99_ns: all.lateness.value_at_quantile(0.99),
            },
            driver_cpu: DriverCpu {
                seconds: cpu.own.as_secs_f64(),
                of_machine: cpu.of_machine(),
                of_busy: cpu.of_busy(),
                us_per_operation: if operations > 0 { cpu.own.0 as f64 / 1e3 / operations as f64 } else { 0.0 },
            },
            awake: false,
            usd_per_million: monthly.and_then(|price| per_million(price, per_s(operations))).map(|usd| usd.0),
        }
    }
}
