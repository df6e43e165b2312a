//! A third database, in memory, through the driver that every database shares.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use textfile::Text;
use timeline::{Timeline, TimelineError};
use units::Nanos;
use workload::Workload;
use workload::operations::{OperationRecipe, WorkloadScale};

use crate::*;

/// A database that keeps nothing, takes a millisecond for each operation, and counts what is asked of it.
#[derive(Debug)]
struct MemoryDatabase {
    recipe: Arc<OperationRecipe>,
    log: Rc<RefCell<Vec<String>>>,
    /// Runs that were begun.
    runs: Cell<u32>,
}

#[derive(Debug, Clone)]
struct MemorySettings {
    log: Rc<RefCell<Vec<String>>>,
    /// The run in which the server goes away, from 1.
    lost_in: Option<u32>,
    /// The run that cannot be made.
    broken_in: Option<u32>,
}

#[derive(Debug, thiserror::Error)]
enum MemoryError {
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    #[error("run {0} is broken")]
    Broken(u32),
}

impl DatabaseError for MemoryError {
    fn is_interrupted(&self) -> bool {
        matches!(self, Self::Bench(BenchError::Interrupted))
    }
}

impl DatabaseUnderTest for MemoryDatabase {
    type Settings = MemorySettings;
    type Machine = ();
    /// Operations that it was sent while it was measured.
    type Counters = u64;
    /// Whether it was asked to conclude.
    type Findings = bool;
    type Activity = &'static str;
    type Watch = u32;
    type Error = MemoryError;

    fn launch(
        _: Option<&()>,
        spec: &RunSpec<MemorySettings>,
        tell: &mut StageListener<'_, &'static str>,
    ) -> Result<Self, MemoryError> {
        tell(RunStage::Starting("memory"));
        let text = "engine = \"tikv\"\nregion = \"us-west-2\"\n[ycsb]\nworkload = \"A\"\nrecords = 1000\n[targets]\nthroughput = 1\n";
        let none = &mut |_: &Path| unreachable!("the text names no file");
        let workload = Workload::from_text(&Text::new("test.toml", text), none).unwrap();
        let recipe = Arc::new(OperationRecipe::new(&workload, WorkloadScale::default()).unwrap());
        spec.settings.log.borrow_mut().push("launch".to_owned());
        Ok(Self { recipe, log: spec.settings.log.clone(), runs: Cell::new(0) })
    }

    fn load(
        &mut self,
        spec: &RunSpec<MemorySettings>,
        tell: &mut StageListener<'_, &'static str>,
    ) -> Result<(), MemoryError> {
        let progress = &mut |loading: &LoadProgress| tell(RunStage::Loading(loading));
        let loaded = load(&self.recipe, &RowLoad::default(), &mut twin, progress, &spec.stop)?;
        self.log.borrow_mut().push(format!("load {}", loaded.rows));
        Ok(())
    }

    fn watch(&self, _: &RunSpec<MemorySettings>, _: &mut StageListener<'_, &'static str>) -> Result<u32, MemoryError> {
        self.runs.set(self.runs.get() + 1);
        Ok(self.runs.get())
    }

    fn latest(_: &u32) -> Vec<&'static str> {
        vec!["memory is busy"]
    }

    fn drive(
        &self,
        spec: &RunSpec<MemorySettings>,
        number: u32,
        _: &u32,
        progress: &mut dyn FnMut(&RunProgress),
    ) -> Result<BenchRun, MemoryError> {
        if spec.settings.broken_in == Some(number) {
            return Err(MemoryError::Broken(number));
        }
        self.log.borrow_mut().push(format!("run {number}"));
        Ok(run(&self.recipe, &spec.plan, number, &mut twin, &mut |_, _| Ok(()), progress, &spec.stop)?)
    }

    fn finish(&self, watch: u32, _: &RunReport) -> Result<RunSamples<bool>, MemoryError> {
        let _ = watch;
        Ok(RunSamples { timeline: Timeline::default(), ended: None, servers_lost: 0, findings: false })
    }

    fn counters(&self, _: &RunSpec<MemorySettings>, measured: &MeasuredRun<(), bool>) -> u64 {
        measured.report.operations
    }

    fn conclude(
        &self,
        spec: &RunSpec<MemorySettings>,
        run: &mut MeasuredRun<u64, bool>,
        _: &mut StageListener<'_, &'static str>,
    ) -> Result<(), MemoryError> {
        run.findings = true;
        if spec.settings.lost_in == Some(run.report.run) {
            run.ended = Some(EarlyEnd { reason: "memory is full".to_owned(), is_full: true });
        }
        self.log.borrow_mut().push(format!("conclude {}", run.report.run));
        Ok(())
    }

    fn rows_loaded(&self) -> u64 {
        self.recipe.loaded()
    }

    fn stop(self) -> Result<Vec<String>, MemoryError> {
        self.log.borrow_mut().push("stop".to_owned());
        Ok(Vec::new())
    }
}

fn twin(_: u32) -> Result<Box<dyn Driver>, BenchError> {
    Ok(Box::new(DatabaseTwin::unlimited(MonotonicClock::start(), constant(Nanos::millis(1)))))
}

fn spec() -> RunSpec<MemorySettings> {
    let settings = MemorySettings { log: Rc::default(), lost_in: None, broken_in: None };
    let limits = RunLimits {
        window: Nanos::millis(20),
        warm_least: Nanos::millis(100),
        warm_most: Nanos::millis(100),
        measure_least: Nanos::millis(200),
        measure_most: Nanos::millis(200),
        within: 0.5,
    };
    let load = LoopKind::Closed { clients: 4, think: Nanos(0) };
    let plan = RunPlan { limits, ..RunPlan::new("memory", "YCSB A", load, Duration::from_secs(1)) };
    RunSpec::new(settings, plan)
}

/// Prepares, makes so many runs, stops; the numbers of the runs that were made, and of the one that was not.
fn series(spec: &RunSpec<MemorySettings>, runs: u32) -> Result<(Vec<u32>, Option<u32>), MemoryError> {
    let prepared = PreparedDatabase::<MemoryDatabase>::prepare(None, spec.clone(), &mut |_| ())?;
    let made = prepared.measure::<MemoryError>(runs, &mut |_| Ok(()), &mut |_| ())?;
    prepared.stop()?;
    Ok((made.runs.iter().map(|run| run.report.run).collect(), made.cut.map(|(number, _)| number)))
}

#[test]
fn stages_come_in_one_order_and_a_live_view_hears_of_each() {
    let spec = spec();
    let mut stages = Vec::new();
    let mut tell = |stage: RunStage<'_, &'static str>| {
        let name = match stage {
            RunStage::Starting(what) => what,
            RunStage::Loading(_) => "loading",
            RunStage::Settling(_) => "settling",
            RunStage::Running { nodes, .. } => nodes[0],
        };
        if stages.last() != Some(&name.to_owned()) {
            stages.push(name.to_owned());
        }
    };
    let prepared = PreparedDatabase::<MemoryDatabase>::prepare(None, spec.clone(), &mut tell).unwrap();
    let mut kept = 0;
    let mut keep = |run: &MeasuredRun<u64, bool>| {
        assert!(!run.findings, "a run is written down before the database is asked for more");
        kept += 1;
        Ok::<_, MemoryError>(())
    };
    let made = prepared.measure(1, &mut keep, &mut tell).unwrap();
    assert!(made.cut.is_none() && kept == 1);
    let run = &made.runs[0];
    assert!(run.findings && run.used == run.report.operations && run.used > 0);
    assert!((run.until - run.from).as_secs_f64() > 0.1 && !run.latencies().is_empty());
    let unit = workload::ThroughputUnit { name: "ops/s", per_operation: 1.0 };
    let result = run.as_run(unit, &spec.plan.load);
    assert!(result.serves_offered_load() && result.failures.unwrap().check(units::Ratio(0.0)).is_ok());
    // The twin takes a millisecond.
    assert!(result.latency.unwrap().p50.0 >= 990_000 && result.throughput.in_unit() == run.throughput());
    assert!(prepared.stop().unwrap().is_empty());
    assert_eq!(*spec.settings.log.borrow(), ["launch", "load 1000", "run 1", "conclude 1", "stop"]);
    assert_eq!(stages, ["memory", "loading", "memory is busy"]);
}

#[test]
fn rows_that_are_there_are_not_loaded_again() {
    let spec = RunSpec { rows: ExistingRows::Keep, ..spec() };
    PreparedDatabase::<MemoryDatabase>::prepare(None, spec.clone(), &mut |_| ()).unwrap();
    assert_eq!(*spec.settings.log.borrow(), ["launch"]);
}

#[test]
fn a_run_that_the_database_ended_is_the_last() {
    let mut spec = spec();
    spec.settings.lost_in = Some(1);
    assert_eq!(series(&spec, 3).unwrap(), (vec![1], None));
}

#[test]
fn a_run_that_cannot_be_made_leaves_those_before_it() {
    let mut spec = spec();
    spec.settings.broken_in = Some(2);
    assert_eq!(series(&spec, 3).unwrap(), (vec![1], Some(2)));
    spec.settings.broken_in = Some(1);
    assert_eq!(series(&spec, 3).unwrap_err().to_string(), "run 1 is broken", "there is nothing else to tell");
}

#[test]
fn an_interruption_ends_the_runs_with_an_error() {
    let spec = spec();
    let prepared = PreparedDatabase::<MemoryDatabase>::prepare(None, spec.clone(), &mut |_| ()).unwrap();
    let mut keep = |_: &MeasuredRun<u64, bool>| {
        spec.stop.store(true, Ordering::Relaxed);
        Ok::<_, MemoryError>(())
    };
    let error = prepared.measure(3, &mut keep, &mut |_| ()).unwrap_err();
    assert!(error.is_interrupted(), "{error}");
}

#[test]
fn sides_take_turns_and_each_run_has_a_database_of_its_own() {
    let sides = [spec(), spec()];
    let mut order = Vec::new();
    let mut keep = |side: usize, run: &MeasuredRun<u64, bool>| {
        order.push((side, run.report.run));
        Ok::<_, MemoryError>(())
    };
    let found = alternate::<MemoryDatabase, 2, _>(None, sides.each_ref(), 2, &mut |_, _, _| (), &mut keep).unwrap();
    assert_eq!(found.map(|runs| runs.len()), [2, 2]);
    assert_eq!(order, [(0, 1), (1, 1), (1, 2), (0, 2)]);
    let log = sides[0].settings.log.borrow();
    assert_eq!(log.iter().filter(|line| *line == "launch").count(), 2);
    assert_eq!(log.iter().filter(|line| *line == "stop").count(), 2);
}
