//! Runs the steps of a probe one by one and tells how far it is.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use units::{Bytes, Nanos};

use crate::ProbeError;
use crate::fio::{AccessPattern, FioJob, FioReport, JobReport, JobRunner};
use crate::options::ProbeOptions;

/// How far a probe is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeProgress<'a> {
    /// The step that runs, from 1.
    pub step: usize,
    /// How many there are. Steps that turn out to be needless are passed over.
    pub of: usize,
    /// What it measures, for people.
    pub what: &'a str,
    /// Since the start.
    pub elapsed: Nanos,
    /// As planned, until the end.
    pub remaining: Nanos,
}

/// One step of a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeMeasurement {
    /// Its name: stable, for programs.
    pub name: &'static str,
    /// What it measures, for people.
    pub what: &'static str,
    /// What ran side by side.
    pub jobs: Vec<FioJob>,
    /// What came of each.
    pub report: FioReport,
}

impl ProbeMeasurement {
    /// What came of all jobs together.
    pub fn total(&self) -> JobReport {
        self.report.total()
    }
}

/// fio's own time to start and end, which the plan allows for each step.
const OVERHEAD: Nanos = Nanos::millis(350);
/// How often progress is told while a step runs.
const TICK: Duration = Duration::from_millis(200);

pub(crate) struct Session<'a> {
    runner: &'a mut dyn JobRunner,
    told: &'a mut dyn FnMut(ProbeProgress<'_>),
    pub(crate) options: &'a ProbeOptions,
    /// A job on the whole range, to be adapted.
    template: FioJob,
    started: Instant,
    step: usize,
    of: usize,
    pub(crate) measurements: Vec<ProbeMeasurement>,
}

impl<'a> Session<'a> {
    /// `template` says where; `steps` how many are planned.
    pub(crate) fn new(
        runner: &'a mut dyn JobRunner,
        options: &'a ProbeOptions,
        template: FioJob,
        steps: usize,
        told: &'a mut dyn FnMut(ProbeProgress<'_>),
    ) -> Self {
        let (started, measurements) = (Instant::now(), Vec::new());
        Self { runner, told, options, template, started, step: 0, of: steps, measurements }
    }

    /// A job of the usual duration.
    pub(crate) fn job(&self, pattern: AccessPattern, block: Bytes, depth: u32) -> FioJob {
        let (runtime, ramp) = (Some(self.options.step), self.options.ramp);
        FioJob { pattern, block, depth, runtime, ramp, ..self.template.clone() }
    }

    /// Passes over planned steps.
    pub(crate) fn skip(&mut self, steps: usize) {
        self.step += steps;
    }

    /// Runs a step and keeps what it measured.
    pub(crate) fn measure(
        &mut self,
        name: &'static str,
        what: &'static str,
        jobs: Vec<FioJob>,
    ) -> Result<JobReport, ProbeError> {
        let report = self.run(what, &jobs)?;
        let total = report.total();
        if total.read.ios + total.write.ios == 0 {
            return Err(ProbeError::Nothing { step: name });
        }
        self.measurements.push(ProbeMeasurement { name, what, jobs, report });
        Ok(total)
    }

    /// Runs a step whose result is not kept.
    pub(crate) fn run(&mut self, what: &'static str, jobs: &[FioJob]) -> Result<FioReport, ProbeError> {
        self.step += 1;
        self.of = self.of.max(self.step);
        let each = self.options.step + self.options.ramp + OVERHEAD;
        let planned = jobs.iter().filter_map(|j| Some(j.runtime? + j.ramp + OVERHEAD)).max().unwrap_or(each);
        let after = Nanos(each.0 * (self.of - self.step) as u64);
        let (step, of, start) = (self.step, self.of, self.started);
        let begun = Instant::now();
        let mut tell = || {
            let spent = Nanos::from_secs_f64(begun.elapsed().as_secs_f64());
            let elapsed = Nanos::from_secs_f64(start.elapsed().as_secs_f64());
            (self.told)(ProbeProgress { step, of, what, elapsed, remaining: after + (planned - spent) });
        };
        tell();
        let runner = &mut *self.runner;
        let report = std::thread::scope(|scope| {
            let (done, wait) = channel();
            scope.spawn(move || _ = done.send(runner.run(jobs)));
            loop {
                match wait.recv_timeout(TICK) {
                    Ok(report) => return Some(report),
                    Err(RecvTimeoutError::Timeout) => tell(),
                    // The runner panicked, and the scope passes that on.
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            }
        });
        Ok(report.unwrap_or(Ok(FioReport { jobs: Vec::new() }))?)
    }
}
