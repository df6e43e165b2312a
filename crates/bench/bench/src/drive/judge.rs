//! Says when a run is steady and when it has been measured for long enough.

use std::collections::BTreeMap;

use units::Nanos;

use super::stall::{RunStall, Stalls};
use super::{RunLimits, WindowSlice};
use crate::statistics::{BatchMeans, batch_means, mser5};
use crate::tally::StepTally;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunPhase {
    /// Not steady yet.
    Warming,
    /// What is seen counts.
    Measuring,
    /// Over: the interval is narrow enough.
    Precise,
    /// Over: it took as long as it may.
    OutOfTime,
    /// Over: there were no more operations.
    OutOfOperations,
    /// Over: it was told to stop.
    Interrupted,
}

impl RunPhase {
    /// Whether the run is over.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Warming | Self::Measuring)
    }
}

/// What a live view shows.
#[derive(Debug, Clone, PartialEq)]
pub struct RunProgress {
    /// Where the run is.
    pub phase: RunPhase,
    /// Since its start.
    pub passed: Nanos,
    /// Until its end, as far as one can tell.
    pub left: Nanos,
    /// Of the last five windows: operations that succeeded, a second.
    pub throughput: f64,
    /// Their 99th percentile, of all kinds.
    pub p99: Nanos,
    /// Operations of the last five windows that failed.
    pub failed: u64,
    /// Arrivals that wait.
    pub backlog: u64,
    /// Mean throughput measured until now and half its 95 % interval.
    pub estimate: Option<(f64, f64)>,
}

/// Joins the slices of all threads and decides.
#[derive(Debug)]
pub struct SteadyStateJudge {
    limits: RunLimits,
    threads: u32,
    /// Windows that some threads have not reported yet, and how many have.
    open: BTreeMap<u64, (WindowSlice, u32)>,
    phase: RunPhase,
    /// Of each complete window: operations a second, and the mean latency in nanoseconds.
    throughput: Vec<f64>,
    latency: Vec<f64>,
    /// The first window that counts.
    first: usize,
    steady: bool,
    precise_before: bool,
    recent: Vec<WindowSlice>,
    tally: StepTally,
    stalls: Stalls,
    measured: Option<WindowSlice>,
}

/// Windows between two decisions.
const EVERY: usize = crate::statistics::JOINED;

impl SteadyStateJudge {
    /// Expects every window from each of `threads`.
    pub fn new(limits: RunLimits, threads: u32) -> Self {
        Self {
            limits,
            threads,
            open: BTreeMap::new(),
            phase: RunPhase::Warming,
            throughput: Vec::new(),
            latency: Vec::new(),
            first: 0,
            steady: false,
            precise_before: false,
            recent: Vec::new(),
            tally: StepTally::new(Nanos(limits.window.0 * EVERY as u64)),
            stalls: Stalls::default(),
            measured: None,
        }
    }

    /// Books a slice; when it completes the fifth window since, tells how things stand.
    pub fn take(&mut self, slice: WindowSlice) -> Option<RunProgress> {
        match self.open.get_mut(&slice.index) {
            Some((all, reported)) => {
                all.merge(&slice);
                *reported += 1;
            }
            None => {
                self.open.insert(slice.index, (slice, 1));
            }
        }
        let mut progress = None;
        while !self.phase.is_over()
            && self.open.first_key_value().is_some_and(|(_, (_, reported))| *reported >= self.threads)
            && let Some((_, (window, _))) = self.open.pop_first()
        {
            progress = self.window(window).or(progress);
        }
        progress
    }

    /// The run is told to stop.
    pub fn interrupt(&mut self) {
        if !self.phase.is_over() {
            self.phase = RunPhase::Interrupted;
        }
    }

    /// Where the run is.
    pub fn phase(&self) -> RunPhase {
        self.phase
    }

    /// Whether the warm-up ended because the run was steady.
    pub fn steady(&self) -> bool {
        self.steady
    }

    /// Everything that was measured, as one; `None` if nothing was.
    pub fn measured(&self) -> Option<&WindowSlice> {
        self.measured.as_ref()
    }

    /// The longest stretch, while it was measured, in which nothing succeeded; `None` if none is worth telling.
    pub fn stalled(&self) -> Option<RunStall> {
        self.stalls.longest()
    }

    /// All of the run, the warm-up included.
    pub fn tally(&self) -> &StepTally {
        &self.tally
    }

    /// The mean throughput that was measured, a second; `None` after fewer than ten windows.
    pub fn estimate(&self) -> Option<BatchMeans> {
        batch_means(self.throughput.get(self.first..).filter(|_| self.measured.is_some())?)
    }

    fn window(&mut self, slice: WindowSlice) -> Option<RunProgress> {
        let length = self.limits.window.as_secs_f64();
        let done = slice.succeeded();
        self.throughput.push(done as f64 / length);
        // Nothing came back: it takes a window at least.
        self.latency.push(if done > 0 { slice.sum as f64 / done as f64 } else { length * 1e9 });
        if self.phase == RunPhase::Measuring {
            self.stalls.take(&slice);
            match &mut self.measured {
                Some(all) => all.merge(&slice),
                None => self.measured = Some(slice.clone()),
            }
        }
        self.tally.add(&slice);
        let (ended, passed) = (slice.ended, slice.until);
        self.recent.push(slice);
        if ended {
            self.phase = RunPhase::OutOfOperations;
        } else if !self.throughput.len().is_multiple_of(EVERY) {
            return None;
        } else if self.phase == RunPhase::Warming {
            self.warm(passed);
        } else {
            self.measure();
        }
        Some(self.progress(passed))
    }

    fn warm(&mut self, passed: Nanos) {
        let steady = |series: &[f64]| mser5(series).is_some_and(|found| found.steady);
        self.steady = passed >= self.limits.warm_least && steady(&self.throughput) && steady(&self.latency);
        if self.steady || passed >= self.limits.warm_most {
            self.phase = RunPhase::Measuring;
            self.first = self.throughput.len();
        }
    }

    fn measure(&mut self) {
        let passed = self.measured_for();
        // Asked again and again, chance says yes too early: it must say so twice running.
        let precise = self
            .estimate()
            .is_some_and(|found| found.independent && found.mean.half_width <= self.limits.within * found.mean.mean);
        if precise && self.precise_before && passed >= self.limits.measure_least {
            self.phase = RunPhase::Precise;
        } else if passed >= self.limits.measure_most {
            self.phase = RunPhase::OutOfTime;
        }
        self.precise_before = precise;
    }

    fn measured_for(&self) -> Nanos {
        Nanos((self.throughput.len() - self.first) as u64 * self.limits.window.0)
    }

    fn progress(&mut self, passed: Nanos) -> RunProgress {
        let estimate = self.estimate().map(|found| (found.mean.mean, found.mean.half_width));
        let windows = self.recent.len();
        let mut recent = self.recent.drain(..);
        let mut last = recent.next().unwrap_or_else(|| WindowSlice::new(0, self.limits.window, 0));
        recent.for_each(|slice| last.merge(&slice));
        let mut all = timeline::latencies();
        last.latencies.iter().for_each(|kind| super::slice::add(&mut all, kind));
        let span = self.limits.window.as_secs_f64() * windows.max(1) as f64;
        RunProgress {
            phase: self.phase,
            passed,
            left: self.left(passed, estimate),
            throughput: last.succeeded() as f64 / span,
            p99: Nanos(all.value_at_quantile(0.99)),
            failed: last.failed(),
            backlog: last.backlog,
            estimate,
        }
    }

    /// The interval narrows with the root of the time. A warm-up is taken to last its least, and once that has passed
    /// half as long again.
    fn left(&self, passed: Nanos, estimate: Option<(f64, f64)>) -> Nanos {
        let limits = &self.limits;
        match self.phase {
            RunPhase::Warming => {
                let warm = limits.warm_least.max(Nanos(passed.0 + passed.0 / 2)).min(limits.warm_most);
                warm - passed + limits.measure_least
            }
            RunPhase::Measuring => {
                let measured = self.measured_for();
                let needed = match estimate {
                    Some((mean, half)) if mean > 0.0 && half.is_finite() => {
                        Nanos::from_secs_f64(measured.as_secs_f64() * (half / mean / limits.within).powi(2))
                    }
                    _ => limits.measure_least,
                };
                needed.max(limits.measure_least).min(limits.measure_most) - measured
            }
            _ => Nanos(0),
        }
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
