//! How long an operation takes at a given rate.

use disk::{IoDirection, ServiceTime};
use units::{Bytes, Nanos};

use crate::demand::OperationDemand;
use crate::group_commit::waited_syncs;
use crate::predict::{DiskCapacity, NodeCapacity};

/// Latency of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationLatency {
    /// Mean.
    pub mean: Nanos,
    /// Median.
    pub p50: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
}

/// Who sends operations: an open stream, or so many clients that wait for their answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Population {
    Open,
    Closed(f64),
}

/// The 99th percentile of the normal distribution, in standard deviations.
const P99: f64 = 2.326_347_9;

/// Mean and variance of a sum of independent steps, in seconds.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    mean: f64,
    variance: f64,
}

impl Moments {
    /// Adds `count` steps in sequence of a mean and variance each; the fraction of a step is one taken that often.
    fn add(&mut self, count: f64, mean: f64, variance: f64) {
        let sometimes = count.fract();
        self.mean += count * mean;
        self.variance += count * variance + sometimes * (1.0 - sometimes) * mean * mean;
    }

    /// Percentiles of the log-normal with these moments: latencies are positive and skewed, and sums of log-normals are
    /// near to log-normal (Fenton and Wilkinson).
    fn latency(self) -> OperationLatency {
        if self.mean <= 0.0 {
            return OperationLatency { mean: Nanos(0), p50: Nanos(0), p99: Nanos(0) };
        }
        let sigma2 = (1.0 + self.variance / (self.mean * self.mean)).ln();
        let median = self.mean * (-sigma2 / 2.0).exp();
        OperationLatency {
            mean: Nanos::from_secs_f64(self.mean),
            p50: Nanos::from_secs_f64(median),
            p99: Nanos::from_secs_f64(median * (P99 * sigma2.sqrt()).exp()),
        }
    }
}

impl OperationLatency {
    /// The same with `seconds` more of waiting at a full resource, about as long for every operation.
    pub(crate) fn plus_waiting(self, seconds: f64) -> Self {
        let waiting = Nanos::from_secs_f64(seconds);
        Self { mean: self.mean + waiting, p50: self.p50 + waiting, p99: self.p99 + waiting }
    }
}

/// Latency of an operation when the cluster serves `rate` of them a second from an open stream.
///
/// It does not depend on a disk's I/O limit below that limit (a hard ceiling), and grows with the use of its throughput limit
/// (a soft one). At or over a ceiling it has no meaning: ask [`crate::ceiling`] first.
pub fn latency(demand: &OperationDemand, capacity: &NodeCapacity, rate: f64) -> OperationLatency {
    at(demand, capacity, rate, Population::Open)
}

pub(crate) fn at(
    demand: &OperationDemand,
    capacity: &NodeCapacity,
    rate: f64,
    population: Population,
) -> OperationLatency {
    let path = &demand.path;
    let mut moments = Moments::default();
    moments.add(1.0, path.delay, 0.0);

    // Cores: a node's are one queue in front of one server as fast as all of them, behind the part of the work that no second
    // core helps with (Seidmann, Schweitzer and Shalev-Oren 1987). Clients see the queue that the others leave (Schweitzer).
    let busy = (rate * demand.cpu / capacity.cores).min(0.999);
    let seen = match population {
        Population::Open => 1.0,
        Population::Closed(clients) => ((clients - 1.0) / clients).max(0.0),
    };
    let queued = path.cpu / capacity.cores / (1.0 - busy * seen);
    moments.add(1.0, path.cpu * (capacity.cores - 1.0) / capacity.cores, 0.0);
    moments.add(1.0, queued, queued * queued);

    let used = throughput_use(demand, capacity, rate);
    let (mean, variance) = io_time(&capacity.data, IoDirection::Read, path.read_size, used.data);
    let (waited, waited_variance) = wait_for_writes(demand, capacity, rate);
    moments.add(path.reads, mean + waited, variance + waited_variance);

    let (log, log_use) = capacity.log.as_ref().map_or((&capacity.data, used.data), |log| (log, used.log));
    let (mean, variance) = io_time(log, IoDirection::Write, path.sync_size, log_use);
    let flush = log.service.flush.as_secs_f64();
    let waited = waited_syncs(rate * demand.syncs * (mean + flush));
    moments.add(path.syncs, waited * (mean + flush), waited * waited * variance);
    // A long operation takes more of everything than a short one.
    moments.variance += (path.spread * moments.mean).powi(2);
    moments.latency()
}

/// Share of the throughput in use on the way to each disk: of the volume's limit or of the instance's, whichever is nearer.
struct ThroughputUse {
    data: f64,
    log: f64,
}

fn throughput_use(demand: &OperationDemand, capacity: &NodeCapacity, rate: f64) -> ThroughputUse {
    let on_data = demand.data.bytes() + if capacity.log.is_none() { demand.log.bytes() } else { 0.0 };
    let on_log = if capacity.log.is_some() { demand.log.bytes() } else { 0.0 };
    let log_shares = capacity.log.is_some_and(|l| l.shares_instance_caps);
    let through =
        on_data * f64::from(u8::from(capacity.data.shares_instance_caps)) + on_log * f64::from(u8::from(log_shares));
    let instance = capacity.instance.map_or(0.0, |(_, cap)| rate * through / cap.0);
    let of = |disk: &DiskCapacity, bytes: f64| {
        let own = rate * bytes / disk.throughput.0;
        if disk.shares_instance_caps { own.max(instance) } else { own }.min(1.0)
    };
    ThroughputUse { data: of(&capacity.data, on_data), log: capacity.log.as_ref().map_or(0.0, |l| of(l, on_log)) }
}

/// Mean and variance of what a read of the data disk waits for writes, in seconds: for the rest of a page that is
/// programmed, with as great a probability as writes take of what the disk can write. A [`DiskCapacity`] is of the mix, so of
/// flash that writes slower than it reads this is exact for writes alone, and too little the more is read beside them.
fn wait_for_writes(demand: &OperationDemand, capacity: &NodeCapacity, rate: f64) -> (f64, f64) {
    let disk = &capacity.data;
    let written = if capacity.log.is_none() { demand.data.plus(&demand.log) } else { demand.data };
    let ios = written.writes.max(written.write_bytes / disk.io_unit) / disk.iops.0;
    let writing = (rate * ios.max(written.write_bytes / disk.throughput.0)).min(1.0);
    let mean = disk.service.mean_wait_for_writes(writing);
    let program = disk.service.program.as_secs_f64();
    (mean, writing * program * program / 3.0 - mean * mean)
}

/// Mean and variance of one I/O of a disk in use, in seconds.
fn io_time(disk: &DiskCapacity, direction: IoDirection, bytes: f64, used: f64) -> (f64, f64) {
    let service: &ServiceTime = &disk.service;
    let mean = service.mean(service.median(direction, Bytes(bytes as u64), used));
    (mean, mean * mean * ((service.sigma * service.sigma).exp() - 1.0))
}

#[cfg(test)]
#[path = "latency_tests.rs"]
mod tests;
