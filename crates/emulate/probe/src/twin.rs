//! fio's twin: the same jobs against the disk model in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use catalog::InstanceCaps;
use disk::{Device, DeviceSpec, InstanceLink, IoOperation, IoRequest};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::fio::{
    FioEngine, FioError, FioJob, FioReport, JobDirection, JobReport, JobRunner, LatencyDistribution, SyncCall,
};

/// Pause before each run: fio takes about this long to start.
const START: Nanos = Nanos::millis(200);

/// A modelled disk on which jobs run in virtual time. A job must have a runtime; `direct` and the engine's own cost do
/// not matter.
#[derive(Debug)]
pub(crate) struct Twin {
    device: Device,
    host: InstanceLink,
    /// What jobs without a size work on.
    size: Bytes,
    now: Nanos,
}

impl Twin {
    pub(crate) fn new(spec: impl Into<DeviceSpec>, size: Bytes, seed: u64) -> Self {
        Self { device: Device::new(spec, seed), host: InstanceLink::new(None), size, now: Nanos(0) }
    }

    /// Behind an instance with these caps.
    pub(crate) fn behind(self, caps: Option<&InstanceCaps>) -> Self {
        Self { host: InstanceLink::new(caps), ..self }
    }

    /// Without burst credits, its own or the instance's.
    pub(crate) fn spent(mut self) -> Self {
        self.device.exhaust_credits(self.now);
        self.host.exhaust_credits(self.now);
        self
    }
}

/// One thread of a job.
struct Thread<'a> {
    job: usize,
    asked: &'a FioJob,
    rng: Xoshiro256PlusPlus,
    /// Where the next sequential request begins, in blocks.
    next: u64,
    blocks: u64,
    /// When the next read and the next write may be submitted.
    due: [Nanos; 2],
    /// Writes since the last sync.
    written: u32,
}

impl Thread<'_> {
    /// When the next request of a direction may be submitted, at `now` or later.
    fn pace(&mut self, side: usize, now: Nanos) -> Nanos {
        let share = [self.asked.pattern.read_share(), 1.0 - self.asked.pattern.read_share()][side];
        let rate = self.asked.rate_iops.map(|r| r.0).or(self.asked.rate.map(|r| r.0 / self.asked.block.as_f64()));
        let Some(rate) = rate else { return now };
        let rate = rate * share / f64::from(self.asked.numjobs.max(1));
        let intervals = if self.asked.poisson { -(1.0 - self.rng.random::<f64>()).ln() } else { 1.0 };
        let due = self.due[side];
        self.due[side] = due + Nanos::from_secs_f64(intervals / rate);
        due.max(now)
    }

    fn side(&mut self) -> usize {
        usize::from(self.rng.random::<f64>() >= self.asked.pattern.read_share())
    }

    fn offset(&mut self) -> u64 {
        let block = if self.asked.pattern.is_random() {
            self.rng.random_range(0..self.blocks)
        } else {
            let next = self.next;
            self.next = (next + 1) % self.blocks;
            next
        };
        self.asked.offset.0 + block * self.asked.block.0
    }
}

/// What one job has done so far.
#[derive(Default)]
struct Done {
    latencies: [Vec<u64>; 2],
    syncs: Vec<u64>,
    last: Nanos,
}

impl JobRunner for Twin {
    fn run(&mut self, jobs: &[FioJob]) -> Result<FioReport, FioError> {
        let start = self.now + START;
        let mut threads: Vec<_> = jobs
            .iter()
            .enumerate()
            .flat_map(|(job, asked)| (0..asked.numjobs.max(1)).map(move |n| (job, asked, u64::from(n))))
            .map(|(job, asked, n)| Thread {
                job,
                asked,
                rng: Xoshiro256PlusPlus::seed_from_u64(asked.seed ^ (job as u64) << 32 ^ n << 48),
                next: 0,
                blocks: (asked.size.unwrap_or(self.size).0 / asked.block.0.max(1)).max(1),
                due: [start; 2],
                written: 0,
            })
            .collect();
        let mut done: Vec<Done> = jobs.iter().map(|_| Done::default()).collect();
        // A slot is a request in flight: when it may go on, which thread's, and of which direction if that is settled.
        let mut slots = BinaryHeap::new();
        for (index, thread) in threads.iter().enumerate() {
            let depth = if thread.asked.engine == FioEngine::Psync { 1 } else { thread.asked.depth.max(1) };
            slots.extend((0..depth).map(|_| Reverse((start, index, None))));
        }
        while let Some(Reverse((now, index, settled))) = slots.pop() {
            let thread = &mut threads[index];
            let measured = start + thread.asked.ramp;
            if now >= measured + thread.asked.runtime.unwrap_or(Nanos::secs(1)) {
                continue;
            }
            let side = match settled {
                Some(side) => side,
                None => {
                    let side = thread.side();
                    let due = thread.pace(side, now);
                    if due > now {
                        slots.push(Reverse((due, index, Some(side))));
                        continue;
                    }
                    side
                }
            };
            let io = IoRequest {
                op: [IoOperation::Read, IoOperation::Write][side],
                offset: thread.offset(),
                bytes: thread.asked.block.0 as u32,
            };
            let mut at = self.device.submit(&mut self.host, now, io).at;
            let done = &mut done[thread.job];
            if at >= measured {
                done.latencies[side].push((at - now).0);
            }
            thread.written += side as u32;
            if let Some(SyncCall::Fsync(every) | SyncCall::Fdatasync(every)) = thread.asked.sync
                && thread.written >= every
            {
                thread.written = 0;
                let flushed = self
                    .device
                    .submit(&mut self.host, at, IoRequest { op: IoOperation::Flush, offset: 0, bytes: 0 })
                    .at;
                if flushed >= measured {
                    done.syncs.push((flushed - at).0);
                }
                at = flushed;
            }
            done.last = done.last.max(at);
            slots.push(Reverse((at, index, None)));
        }
        self.now = done.iter().map(|d| d.last).max().unwrap_or(start);
        let report = |(job, done): (&FioJob, &Done)| done.report(job, start + job.ramp);
        Ok(FioReport { jobs: jobs.iter().zip(&done).map(report).collect() })
    }
}

impl Done {
    fn report(&self, job: &FioJob, measured: Nanos) -> JobReport {
        let runtime = self.last - measured;
        let side = |latencies: &[u64]| {
            let ios = latencies.len() as u64;
            let rate = ios as f64 / runtime.as_secs_f64().max(1e-9);
            JobDirection {
                ios,
                bytes: ios * job.block.0,
                iops: Iops(rate),
                throughput: BytesPerSec(rate * job.block.as_f64()),
                latency: LatencyDistribution::of_samples(latencies),
            }
        };
        JobReport {
            read: side(&self.latencies[0]),
            write: side(&self.latencies[1]),
            sync: LatencyDistribution::of_samples(&self.syncs),
            runtime,
            cpu: Nanos(0),
        }
    }
}
