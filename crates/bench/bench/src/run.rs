//! One run: threads that drive, and the judge that ends it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use timeline::{SeriesPoint, Timeline, TimelineInfo};
use units::{Nanos, Ratio, Usd};
use workload::operations::{OperationGenerator, OperationRecipe};

use crate::series::{MEASURED_FROM, MEASURED_UNTIL, RUN, STEADY, timeline};
use crate::{
    AwakeProcessors, BenchError, CpuReading, Driver, LoadCourse, LoopKind, MonotonicClock, RunClock, RunLimits,
    RunPhase, RunProgress, RunReport, SteadyStateJudge, WindowSlice,
};
use crate::{BenchReport, LoadWorker, OperationSource};

/// Makes the driver of each thread.
pub type DriverFactory<'d> = dyn FnMut(u32) -> Result<Box<dyn Driver>, BenchError> + 'd;

/// What is done beside the load: given the run's clock, and a flag that says when the run is over, which it must heed soon.
pub type SideTask<'b> = dyn FnMut(MonotonicClock, &AtomicBool) -> Result<(), BenchError> + Send + 'b;

/// How a workload is run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    /// For people.
    pub title: String,
    /// The workload's name.
    pub workload: String,
    /// What makes operations start.
    pub load: LoopKind,
    /// How that changes while a run lasts.
    pub course: LoadCourse,
    /// Driver threads. One drives any number of clients; more than one only where it is the bottleneck.
    pub threads: u32,
    /// How long it takes.
    pub limits: RunLimits,
    /// The same seed gives the same operations. Run `n` takes `seed + n - 1`.
    pub seed: u64,
    /// What the deployment costs a month.
    pub monthly: Option<Usd>,
    /// How long operations in flight are waited for at the end; longer than any timeout of the client.
    pub drain: Nanos,
    /// The share of operations, 0 to 1, over whose failure a run is a failed one.
    pub may_fail: Ratio,
    /// Anything else worth keeping.
    pub notes: BTreeMap<String, String>,
}

/// What a run found.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchRun {
    /// The numbers.
    pub report: RunReport,
    /// Second by second, from the start of the warm-up.
    pub timeline: Timeline,
}

/// The most driver threads.
const MOST_THREADS: u32 = 256;

impl RunPlan {
    /// Of one thread, with the default limits and seed 1, for a client whose requests take no longer than `timeout`.
    pub fn new(title: impl Into<String>, workload: impl Into<String>, load: LoopKind, timeout: Duration) -> Self {
        Self {
            title: title.into(),
            workload: workload.into(),
            load,
            course: LoadCourse::default(),
            threads: 1,
            limits: RunLimits::default(),
            seed: 1,
            monthly: None,
            drain: Nanos(timeout.as_nanos() as u64) + Nanos::secs(1),
            may_fail: RunReport::MAY_FAIL,
            notes: BTreeMap::new(),
        }
    }

    /// # Errors
    /// When a number cannot be.
    pub fn check(&self) -> Result<(), BenchError> {
        self.load.check()?;
        self.course.turns().iter().try_for_each(|turn| self.load.times(turn.load).check_most())?;
        self.limits.check()?;
        if self.threads == 0 || self.threads > MOST_THREADS {
            let given = format!("{} driver threads", self.threads);
            return Err(BenchError::out_of_range(given, format!("1 to {MOST_THREADS}")));
        }
        Ok(())
    }

    /// Driver threads that there will be: none is left without a client.
    pub fn threads(&self) -> u32 {
        match self.load {
            LoopKind::Closed { clients, .. } => self.threads.min(clients).max(1),
            LoopKind::Open { .. } => self.threads,
        }
    }

    /// The report of these runs.
    pub fn report(&self, recipe: &OperationRecipe, runs: Vec<RunReport>) -> BenchReport {
        self.report_of(recipe.loaded(), runs)
    }

    /// The report of runs on a database with so many rows.
    pub fn report_of(&self, rows_loaded: u64, runs: Vec<RunReport>) -> BenchReport {
        BenchReport {
            format: BenchReport::FORMAT.to_owned(),
            title: self.title.clone(),
            workload: self.workload.clone(),
            load: self.load,
            threads: self.threads(),
            seed: self.seed,
            rows_loaded,
            data_over_memory: None,
            limits: self.limits,
            notes: self.notes.clone(),
            runs,
        }
    }
}

/// Who drives: one source and one driver a thread.
pub trait DriverCrew {
    /// Where a thread's operations come from.
    type Source: OperationSource;
    /// What sends them.
    type Driver: Driver<<Self::Source as OperationSource>::Operation>;

    /// The kinds of operation; [`workload::operations::Planned::kind`] counts along them.
    fn kinds(&self) -> &[String];
    /// Those of a thread. The same seed gives the same operations.
    ///
    /// # Errors
    /// When no driver can be made.
    fn hire(&mut self, seed: u64, thread: u32) -> Result<(Self::Source, Self::Driver), BenchError>;
}

/// Those who drive raw keys.
struct Raw<'r, 'd>(&'r Arc<OperationRecipe>, &'r mut DriverFactory<'d>);

impl DriverCrew for Raw<'_, '_> {
    type Source = OperationGenerator;
    type Driver = Box<dyn Driver>;

    fn kinds(&self) -> &[String] {
        self.0.kinds()
    }

    fn hire(&mut self, seed: u64, thread: u32) -> Result<(OperationGenerator, Box<dyn Driver>), BenchError> {
        Ok((self.0.generator(seed, thread), (self.1)(thread)?))
    }
}

/// Warms up, measures and drains a workload of raw keys. As [`drive`].
///
/// # Errors
/// As [`drive`].
pub fn run(
    recipe: &Arc<OperationRecipe>,
    plan: &RunPlan,
    number: u32,
    drivers: &mut DriverFactory<'_>,
    beside: &mut SideTask<'_>,
    progress: &mut dyn FnMut(&RunProgress),
    stop: &AtomicBool,
) -> Result<BenchRun, BenchError> {
    drive(&mut Raw(recipe, drivers), plan, number, beside, progress, stop)
}

/// Warms up, measures and drains. `number` counts the runs from 1; `beside` has a thread of its own while it lasts; `stop` ends
/// it early, and what was measured until then counts.
///
/// # Errors
/// When the plan cannot be, no driver can be made, what is done beside it fails, or a thread panics.
pub fn drive<C: DriverCrew>(
    crew: &mut C,
    plan: &RunPlan,
    number: u32,
    beside: &mut SideTask<'_>,
    progress: &mut dyn FnMut(&RunProgress),
    stop: &AtomicBool,
) -> Result<BenchRun, BenchError> {
    plan.check()?;
    let threads = plan.threads();
    let kinds = crew.kinds().to_vec();
    let seed = plan.seed.wrapping_add(u64::from(number.saturating_sub(1)));
    let hired = (0..threads).map(|thread| crew.hire(seed, thread)).collect::<Result<Vec<_>, _>>()?;
    let (sender, slices) = channel();
    let (over, failed) = (AtomicBool::new(false), AtomicBool::new(false));
    let awake = AwakeProcessors::keep();
    let started = jiff::Timestamp::now();
    let clock = MonotonicClock::start();
    let (judge, watch) = std::thread::scope(|scope| {
        let start = |(thread, (source, driver))| {
            let (sender, over) = (sender.clone(), &over);
            let of = (thread, threads);
            let load = (plan.load, &plan.course);
            let mut worker = LoadWorker::new((clock, driver, source), load, of, seed, plan.limits.window, kinds.len());
            let body = move || {
                while !over.load(Ordering::Relaxed) {
                    // The other end is gone only once the run is over.
                    worker.turn(&mut |slice| drop(sender.send(slice)));
                }
                worker.drain(plan.drain, stop);
            };
            std::thread::Builder::new().name(format!("driver-{thread}")).spawn_scoped(scope, body)
        };
        let spawned = (0..).zip(hired).map(start).collect::<Result<Vec<_>, _>>();
        drop(sender);
        let watched = match spawned {
            Ok(handles) => {
                let besides = scope.spawn(|| {
                    let done = beside(clock, &over);
                    // What follows would be another run than the one that was asked for.
                    failed.fetch_or(done.is_err(), Ordering::Relaxed);
                    done
                });
                let alive = || handles.iter().all(|handle| !handle.is_finished()) && !failed.load(Ordering::Relaxed);
                let judge = SteadyStateJudge::new(plan.limits, threads);
                let watched = watch((&slices, &alive), judge, clock, progress, stop);
                over.store(true, Ordering::Relaxed);
                let joined = handles.into_iter().map(std::thread::ScopedJoinHandle::join).all(|end| end.is_ok());
                match besides.join() {
                    Ok(done) => done.and(if joined { Ok(watched) } else { Err(BenchError::Thread) }),
                    Err(_) => Err(BenchError::Thread),
                }
            }
            Err(error) => Err(BenchError::NoThread(error)),
        };
        over.store(true, Ordering::Relaxed);
        watched
    })?;
    let (from, until) = watch.measured;
    let cpu = from.1.until(until.1, until.0 - from.0);
    let mut report =
        RunReport { awake: awake.is_some(), ..RunReport::of(number, &judge, &kinds, &plan.limits, cpu, plan.monthly) };
    report.reject(plan.may_fail);
    let measured = judge.measured().map_or((Nanos(0), Nanos(0)), |all| (all.from, all.until));
    let mut notes = plan.notes.clone();
    let own = [(RUN, u64::from(number)), (MEASURED_FROM, measured.0.0), (MEASURED_UNTIL, measured.1.0), ("seed", seed)];
    notes.extend(own.map(|(key, value)| (key.to_owned(), value.to_string())));
    notes.insert(STEADY.to_owned(), judge.steady().to_string());
    report.note_rejected(&mut notes);
    let about = TimelineInfo { title: plan.title.clone(), start: Some(started), notes };
    let timeline = timeline(about, judge.tally(), &kinds, watch.cpu)?;
    Ok(BenchRun { report, timeline })
}

/// What was seen beside the slices.
struct Watch {
    /// Time and processor at the start and the end of what was measured.
    measured: ((Nanos, CpuReading), (Nanos, CpuReading)),
    cpu: Vec<SeriesPoint>,
}

/// Windows come late where threads are busy; a thread that is silent for so long is waited for all the same, but a stop
/// is heeded.
const LISTEN: Duration = Duration::from_millis(100);

/// Feeds the judge until the run is over.
fn watch(
    (slices, alive): (&Receiver<WindowSlice>, &dyn Fn() -> bool),
    mut judge: SteadyStateJudge,
    clock: MonotonicClock,
    progress: &mut dyn FnMut(&RunProgress),
    stop: &AtomicBool,
) -> (SteadyStateJudge, Watch) {
    let mut last = (Nanos(0), CpuReading::now());
    let mut watch = Watch { measured: (last, last), cpu: Vec::new() };
    while !judge.phase().is_over() {
        let warming = judge.phase() == RunPhase::Warming;
        let told = match slices.recv_timeout(LISTEN) {
            Ok(slice) => judge.take(slice),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        // A driver that ends before it is told to has panicked, or what is done beside it has failed; joining tells which.
        if !alive() {
            break;
        }
        if stop.load(Ordering::Relaxed) {
            judge.interrupt();
        }
        let Some(told) = told else { continue };
        let now = (clock.now(), CpuReading::now());
        let taken = last.1.until(now.1, now.0 - last.0);
        if told.passed > watch.cpu.last().map_or(Nanos(0), |point| point.until) {
            let from = watch.cpu.last().map_or(Nanos(0), |point| point.until);
            watch.cpu.push(SeriesPoint { from, until: told.passed, value: 100.0 * taken.of_machine() });
        }
        last = now;
        if warming {
            watch.measured.0 = now;
        }
        watch.measured.1 = now;
        progress(&told);
    }
    (judge, watch)
}
