//! The one driver of runs: the order of their stages, progress, interruption, and what becomes of runs that fail.

use timeline::Timeline;
use units::Nanos;

use crate::{
    BenchRun, DatabaseError, DatabaseUnderTest, ExistingRows, MeasuredRun, RunOf, RunSpec, RunStage, StageListener,
};

/// A database with its rows, ready for runs. Dropped, what was launched for it is taken down.
#[derive(Debug)]
pub struct PreparedDatabase<D: DatabaseUnderTest> {
    database: D,
    spec: RunSpec<D::Settings>,
}

/// Runs of one database, one after the other.
#[derive(Debug)]
pub struct RunSeries<D: DatabaseUnderTest> {
    /// The runs that were made.
    pub runs: Vec<RunOf<D>>,
    /// The number of the run that could not be made, and why, where others were made before.
    pub cut: Option<(u32, D::Error)>,
}

/// Why a run that lost its server is a failed one.
const LOST: &str = "ended by itself, or could not be reached any more, while the run went on";

impl<D: DatabaseUnderTest> PreparedDatabase<D> {
    /// Launches the database or connects to it, and loads the rows. `machine` is needed to launch only.
    ///
    /// # Errors
    /// When the plan is refused, or the database cannot be launched, reached or loaded; then nothing is left of it.
    pub fn prepare(
        machine: Option<&D::Machine>,
        spec: RunSpec<D::Settings>,
        tell: &mut StageListener<'_, D::Activity>,
    ) -> Result<Self, D::Error> {
        spec.plan.check()?;
        let mut database = D::launch(machine, &spec, tell)?;
        if spec.rows != ExistingRows::Keep {
            database.load(&spec, tell)?;
        }
        database.after_load(&spec, tell)?;
        Ok(Self { database, spec })
    }

    /// The database.
    pub fn database(&self) -> &D {
        &self.database
    }

    /// What is run.
    pub fn spec(&self) -> &RunSpec<D::Settings> {
        &self.spec
    }

    /// Runs follow this from now on. The database stays the one that was launched.
    pub fn set_spec(&mut self, spec: RunSpec<D::Settings>) {
        self.spec = spec;
    }

    /// Rows that a load leaves.
    pub fn rows_loaded(&self) -> u64 {
        self.database.rows_loaded()
    }

    /// What people should know of how it was launched.
    pub fn notes(&self) -> &[String] {
        self.database.notes()
    }

    /// Makes one run. Runs are numbered from 1. The database is asked nothing but what the run itself asks: what was measured can
    /// be written down before [`conclude`](Self::conclude) asks for the rest.
    ///
    /// # Errors
    /// When the load cannot be sent or the database cannot be watched.
    pub fn run(&self, number: u32, tell: &mut StageListener<'_, D::Activity>) -> Result<RunOf<D>, D::Error> {
        let watch = self.database.watch(&self.spec, tell)?;
        let run = self.database.drive(&self.spec, number, &watch, &mut |progress| {
            tell(RunStage::Running { run: number, progress, nodes: &D::latest(&watch) });
        });
        // A cluster with a node less explains a failed run better than its driver does.
        self.database.check_alive()?;
        let BenchRun { mut report, timeline } = run?;
        let samples = self.database.finish(watch, &report)?;
        let began = timeline.about.start;
        let mut timeline =
            if samples.timeline.series.is_empty() { timeline } else { timeline.merge(&samples.timeline)? };
        let from = Nanos((report.warm_up_s * 1e9) as u64) + offset(&timeline, began);
        let until = from + Nanos((report.measured_s * 1e9) as u64);
        if samples.ended.is_none() {
            self.spec.check_stop()?;
        }
        // A server whose disk is full was ended for that.
        if samples.servers_lost > 0 && !samples.ended.as_ref().is_some_and(|ended| ended.is_full) {
            report.lose_server(samples.servers_lost.into(), LOST);
            report.note_rejected(&mut timeline.about.notes);
        }
        let (ended, findings) = (samples.ended, samples.findings);
        let measured = MeasuredRun { report, timeline, from, until, used: (), ended, findings };
        let used = self.database.counters(&self.spec, &measured);
        Ok(measured.with_counters(used))
    }

    /// Asks the database what would have disturbed the run before, and notes it in the run.
    ///
    /// # Errors
    /// When the caller asked to stop.
    pub fn conclude(&self, run: &mut RunOf<D>, tell: &mut StageListener<'_, D::Activity>) -> Result<(), D::Error> {
        self.database.conclude(&self.spec, run, tell)
    }

    /// Makes `runs` runs, one after the other. `keep` is given each as it ends, before the database is asked for more. A run that
    /// the database ended before its time, or that lost its server, is the last one; so is one before a run that cannot be made.
    ///
    /// # Errors
    /// When the first run cannot be made, the caller asked to stop, or `keep` fails.
    pub fn measure<E: From<D::Error>>(
        &self,
        runs: u32,
        keep: &mut dyn FnMut(&RunOf<D>) -> Result<(), E>,
        tell: &mut StageListener<'_, D::Activity>,
    ) -> Result<RunSeries<D>, E> {
        let mut series = RunSeries { runs: Vec::new(), cut: None };
        for number in 1..=runs {
            let mut run = match self.run(number, tell) {
                Ok(run) => run,
                Err(error) if !series.runs.is_empty() && !error.is_interrupted() => {
                    series.cut = Some((number, error));
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            keep(&run)?;
            self.conclude(&mut run, tell)?;
            let is_over = run.ended.is_some() || run.report.server_lost > 0;
            series.runs.push(run);
            if is_over {
                break;
            }
        }
        Ok(series)
    }

    /// Takes down what was launched. Returns what did not end well, in words.
    ///
    /// # Errors
    /// When something stays.
    pub fn stop(self) -> Result<Vec<String>, D::Error> {
        self.database.stop()
    }
}

/// How much later than the Timeline's start an instant is.
fn offset(timeline: &Timeline, began: Option<jiff::Timestamp>) -> Nanos {
    match (timeline.about.start, began) {
        (Some(start), Some(began)) => Nanos(u64::try_from(began.as_nanosecond() - start.as_nanosecond()).unwrap_or(0)),
        _ => Nanos(0),
    }
}
