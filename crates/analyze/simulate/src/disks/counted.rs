//! A disk with its counters, in steps of time.

use std::collections::VecDeque;

use compaction_control::CompletedIo as Asked;
use disk::{Device, Disk, DiskLimits, IoCompletion, IoOperation, ModificationState, VolumeModification as Course};
use limits::BindingLimit;
use metrics::{CacheCounters, DiskLatencies, DiskSample, LimitTimes, ModificationStage};
use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::credit;

/// The requests that complete in one step of time.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    done: [(u64, u64, u64); 3],
    counted: f64,
}

/// Time covered by intervals that come in order of their starts.
#[derive(Debug, Clone, Copy, Default)]
struct Covered {
    until: u64,
    total: u64,
}

impl Covered {
    fn add(&mut self, from: u64, until: u64) {
        self.total += until.saturating_sub(from.max(self.until));
        self.until = self.until.max(until);
    }

    /// What of it lies before an instant.
    fn before(&self, at: Nanos) -> Nanos {
        Nanos(self.total - self.until.saturating_sub(at.0).min(self.total))
    }
}

/// A disk with its counters.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    pub(super) device: Device,
    pub(super) sample: DiskSample,
    /// What completes in the step that the clock is in and in those after it.
    steps: VecDeque<Step>,
    counted: f64,
    /// How many were submitted, and of how many bytes: reads, writes and flushes.
    asked: [(u64, u64); 3],
    /// I/Os and bytes a second while credits last; infinite where they do not matter.
    pub(super) burst: [f64; 2],
    /// Whether it hangs on the instance's link.
    pub(super) linked: bool,
    busy: Covered,
    /// By [`Bound`], `Nothing` not among them.
    bound: [Covered; 5],
    pub(super) latencies: DiskLatencies,
    /// Until when a fault lasts.
    pub(super) faulty: Nanos,
    /// The modification under way.
    pub(super) becomes: Option<Becomes>,
}

/// A disk on its way to another.
#[derive(Debug, Clone)]
pub(super) struct Becomes {
    pub(super) course: Course,
    pub(super) disk: Disk,
    pub(super) limits: DiskLimits,
    /// What its limits were.
    pub(super) from: (Option<Iops>, Option<BytesPerSec>),
}

impl Counted {
    pub(super) fn new(name: &str, disk: &Disk, limits: &DiskLimits, device: Device) -> Self {
        let limited = !disk.volume.is_unlimited();
        let sample = DiskSample {
            size: limits.size,
            iops_limit: limited.then_some(limits.iops),
            throughput_limit: limited.then_some(limits.throughput),
            ..DiskSample::idle(name, disk)
        };
        let latencies = DiskLatencies { read: timeline::latencies(), write: timeline::latencies() };
        let steps = VecDeque::from([Step::default()]);
        let (busy, bound) = (Covered::default(), [Covered::default(); 5]);
        let (faulty, becomes) = (Nanos(0), None);
        let (ios, bytes) = limits.bursts(disk.stripe);
        Self {
            device,
            sample,
            steps,
            counted: 0.0,
            asked: [(0, 0); 3],
            burst: [ios, bytes].map(|burst| burst.unwrap_or(f64::INFINITY)),
            linked: limits.shares_instance_caps,
            busy,
            bound,
            latencies,
            faulty,
            becomes,
        }
    }

    /// Counts a request that was submitted, and is done so many steps ahead.
    pub(super) fn count(&mut self, at: Nanos, op: IoOperation, bytes: u32, completion: IoCompletion, ahead: usize) {
        while self.steps.len() <= ahead {
            self.steps.push_back(Step::default());
        }
        let step = &mut self.steps[ahead];
        let took = completion.at - at;
        let kind = op as usize;
        // No branch between reads and writes: nobody could foresee which it is.
        let DiskLatencies { read, write } = &mut self.latencies;
        let latencies = if op == IoOperation::Read { read } else { write };
        if op != IoOperation::Flush {
            latencies.record(took.0.max(1)).expect("the histogram grows");
        }
        let done = &mut step.done[kind];
        *done = (done.0 + 1, done.1 + u64::from(bytes), done.2 + took.0);
        let counted = self.device.counted();
        step.counted += counted - self.counted;
        self.counted = counted;
        let asked = &mut self.asked[kind];
        *asked = (asked.0 + 1, asked.1 + u64::from(bytes));
        self.busy.add(at.0, completion.at.0);
        let Some(bound) = completion.bound_by.and_then(BindingLimit::of_request) else { return };
        self.bound[bound].add(at.0, completion.started.0);
    }

    /// Requests so far, flushes among them.
    pub(super) fn submitted(&self) -> u64 {
        self.asked.iter().map(|(count, _)| count).sum()
    }

    /// Reads and writes so far.
    pub(super) fn asked(&self) -> Asked {
        let [read, write, _] = self.asked.map(|(count, bytes)| (count as f64, bytes as f64));
        Asked { ios: read.0 + write.0, writes: write.0, read: read.1, written: write.1 }
    }

    /// Ends the first step, and tells what was counted until its end.
    pub(super) fn sample(&mut self, at: Nanos) -> DiskSample {
        let step = self.steps.pop_front().unwrap_or_default();
        if self.steps.is_empty() {
            self.steps.push_back(Step::default());
        }
        let submitted = self.submitted();
        let sample = &mut self.sample;
        let kinds = [&mut sample.read, &mut sample.write, &mut sample.flush];
        for (done, (count, bytes, time)) in kinds.into_iter().zip(step.done) {
            done.count += count;
            done.bytes += Bytes(bytes);
            done.time += Nanos(time);
            sample.queued += Nanos(time);
        }
        sample.counted += step.counted;
        sample.in_flight = submitted - sample.answered();
        sample.busy = self.busy.before(at);
        sample.bound = LimitTimes::of_requests(self.bound.map(|covered| covered.before(at)));
        let credits = self.device.credits(at);
        sample.ios = credits.ios.map(credit);
        sample.bytes = credits.bytes.map(credit);
        sample.cache = self.device.cache_stats().map(|stats| CacheCounters {
            hits: stats.hits,
            misses: stats.misses,
            hit_bytes: Bytes(0),
            hit_time: Nanos(0),
        });
        self.modified(at);
        self.sample.clone()
    }

    /// How far a modification is, and what the disk is by then.
    fn modified(&mut self, at: Nanos) {
        let Some(Becomes { course, disk, limits, from }) = &self.becomes else { return };
        let sample = &mut self.sample;
        let state = self.device.modification(at);
        let done = match state {
            ModificationState::Optimizing(done) => done,
            ModificationState::Completed => 1.0,
            _ => 0.0,
        };
        // As the model has it: in proportion to how far it is.
        let between = |old: f64, new: f64| old + (new - old) * done;
        sample.iops_limit = from.0.map(|old| Iops(between(old.0, limits.iops.0)));
        sample.throughput_limit = from.1.map(|old| BytesPerSec(between(old.0, limits.throughput.0)));
        sample.modification = match state {
            ModificationState::None => ModificationStage::None,
            ModificationState::Modifying => ModificationStage::Modifying,
            ModificationState::Optimizing(done) => ModificationStage::Optimizing(done),
            ModificationState::Completed => ModificationStage::Completed,
        };
        if at >= course.optimizing {
            sample.size = limits.size;
        }
        if at >= course.completed {
            (sample.disk, sample.kind) = (disk.to_string(), disk.volume.kind.clone());
            self.becomes = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_intervals_cover_their_union() {
        let mut covered = Covered::default();
        covered.add(0, 10);
        covered.add(5, 12);
        covered.add(20, 30);
        assert_eq!(covered.total, 22);
        assert_eq!(covered.before(Nanos(25)), Nanos(17));
    }
}
