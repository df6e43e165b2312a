//! The trait that a database under test implements.
//!
//! A database is launched (or connected to), loaded, run any number of times and stopped; [`PreparedDatabase`] drives these
//! stages in the same order for every implementation. What an implementation adds is its settings, its counters and its errors.
//!
//! [`PreparedDatabase`]: crate::PreparedDatabase

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use timeline::{Timeline, TimelineError};

use crate::{BenchError, BenchRun, LoadProgress, MeasuredRun, RunPlan, RunProgress, RunReport};

/// What is run: a database, the load on it, and what happens with the rows that are there.
#[derive(Debug, Clone)]
pub struct RunSpec<S> {
    /// Which database, and what of it a workload needs: the database's own type.
    pub settings: S,
    /// Loop, length, seed.
    pub plan: RunPlan,
    /// What happens with rows that are there.
    pub rows: ExistingRows,
    /// Once true, a run ends soon, and everything that was started is taken down.
    pub stop: Arc<AtomicBool>,
}

impl<S> RunSpec<S> {
    /// Rows are loaded before the first run, and nothing stops it.
    pub fn new(settings: S, plan: RunPlan) -> Self {
        Self { settings, plan, rows: ExistingRows::Load, stop: Arc::default() }
    }

    /// # Errors
    /// [`BenchError::Interrupted`] once `stop` is set.
    pub fn check_stop(&self) -> Result<(), BenchError> {
        if self.stop.load(Ordering::Relaxed) { Err(BenchError::Interrupted) } else { Ok(()) }
    }
}

/// What happens with rows that are in the database before a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingRows {
    /// The workload's rows are loaded; tables of another load are left alone and refused.
    Load,
    /// The workload's tables are dropped and loaded anew. The same as `Load` where a load overwrites.
    Drop,
    /// Nothing is loaded: the rows are used as they are.
    Keep,
}

/// Where a database comes from.
#[derive(Debug, Clone)]
pub enum DatabaseSource<L, E> {
    /// Launched for the runs on this machine, and taken down after them.
    Launched(Box<L>),
    /// A server that is there, and stays.
    Existing(E),
}

impl<L, E> DatabaseSource<L, E> {
    /// How it is launched; `None` for a server that is there.
    pub fn launched(&self) -> Option<&L> {
        match self {
            Self::Launched(launched) => Some(launched),
            Self::Existing(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn launched_mut(&mut self) -> Option<&mut L> {
        match self {
            Self::Launched(launched) => Some(launched),
            Self::Existing(_) => None,
        }
    }
}

/// A stage of a run, for a live view. `N` is what the database tells of a node in the last second.
#[derive(Debug)]
pub enum RunStage<'a, N> {
    /// The database is being launched, connected to or checked; in words.
    Starting(&'a str),
    /// Rows are being loaded.
    Loading(&'a LoadProgress),
    /// The database flushes and compacts what was loaded; bytes that are still to be compacted.
    Settling(f64),
    /// A run warms up or is measured.
    Running {
        /// Its number, from 1.
        run: u32,
        /// How far it is.
        progress: &'a RunProgress,
        /// Each node's last second; empty where no node is watched.
        nodes: &'a [N],
    },
}

/// Hears of each stage.
pub type StageListener<'l, N> = dyn FnMut(RunStage<'_, N>) + 'l;

/// The error of a database under test.
pub trait DatabaseError: std::error::Error + From<BenchError> + From<TimelineError> {
    /// Whether the caller asked to stop.
    fn is_interrupted(&self) -> bool;
}

/// Why a database ended a run before its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlyEnd {
    /// What the database said.
    pub reason: String,
    /// Whether a disk is full.
    pub is_full: bool,
}

/// What was sampled while a run lasted.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSamples<F> {
    /// Disks and engine, second by second.
    pub timeline: Timeline,
    /// Why the database ended the run before its time, if it did.
    pub ended: Option<EarlyEnd>,
    /// How often a server ended by itself or could not be reached any more.
    pub servers_lost: u32,
    /// What only this database tells.
    pub findings: F,
}

/// A run of the database `D`.
pub type RunOf<D> = MeasuredRun<<D as DatabaseUnderTest>::Counters, <D as DatabaseUnderTest>::Findings>;

/// The runs of `N` sides, each side's in their order.
pub type SidesOf<D, const N: usize> = [Vec<RunOf<D>>; N];

/// A database under test. Dropped without [`stop`](Self::stop), it takes down what it launched.
pub trait DatabaseUnderTest: Sized {
    /// Which database, and what of it a workload needs.
    type Settings: Clone + std::fmt::Debug;
    /// What it needs of the machine to be launched: folders, programs.
    type Machine;
    /// What was used of the database while a run was measured.
    type Counters: std::fmt::Debug;
    /// What only this database tells of a run: retries, checks of the data.
    type Findings: std::fmt::Debug;
    /// What a live view shows of a node.
    type Activity;
    /// Sampling under way.
    type Watch;
    /// Why it cannot go on.
    type Error: DatabaseError;

    /// Launches it, or connects to it. `machine` is needed to launch only.
    ///
    /// # Errors
    /// When it cannot be launched or reached; then nothing is left of what was started.
    fn launch(
        machine: Option<&Self::Machine>,
        spec: &RunSpec<Self::Settings>,
        tell: &mut StageListener<'_, Self::Activity>,
    ) -> Result<Self, Self::Error>;

    /// Loads the rows, and waits until the load delays nothing any more.
    ///
    /// # Errors
    /// When the load fails, or what was loaded is not what it should be.
    fn load(
        &mut self,
        spec: &RunSpec<Self::Settings>,
        tell: &mut StageListener<'_, Self::Activity>,
    ) -> Result<(), Self::Error>;

    /// Gives the database what runs have and the load had not: its disks' limits, its cache's size.
    ///
    /// # Errors
    /// When it refuses.
    fn after_load(
        &mut self,
        _spec: &RunSpec<Self::Settings>,
        _tell: &mut StageListener<'_, Self::Activity>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Begins to sample counters of disks and servers.
    ///
    /// # Errors
    /// When nothing can be sampled.
    fn watch(
        &self,
        spec: &RunSpec<Self::Settings>,
        tell: &mut StageListener<'_, Self::Activity>,
    ) -> Result<Self::Watch, Self::Error>;

    /// What each node did in the last second.
    fn latest(watch: &Self::Watch) -> Vec<Self::Activity>;

    /// Warms up and measures, usually with [`drive`](crate::drive).
    ///
    /// # Errors
    /// When the load cannot be sent.
    fn drive(
        &self,
        spec: &RunSpec<Self::Settings>,
        number: u32,
        watch: &Self::Watch,
        progress: &mut dyn FnMut(&RunProgress),
    ) -> Result<BenchRun, Self::Error>;

    /// # Errors
    /// When a part of the database ended by itself, which explains more than the driver's error does.
    fn check_alive(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Ends the sampling of a run.
    ///
    /// # Errors
    /// When the samples make no Timeline.
    fn finish(&self, watch: Self::Watch, report: &RunReport) -> Result<RunSamples<Self::Findings>, Self::Error>;

    /// Reads the counters off what was measured.
    fn counters(&self, spec: &RunSpec<Self::Settings>, measured: &MeasuredRun<(), Self::Findings>) -> Self::Counters;

    /// Asks the database, after a run has been written down, what would have disturbed it before: whether its data are consistent.
    ///
    /// # Errors
    /// When the caller asked to stop.
    fn conclude(
        &self,
        _spec: &RunSpec<Self::Settings>,
        _run: &mut RunOf<Self>,
        _tell: &mut StageListener<'_, Self::Activity>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }

    /// What people should know of how it was launched.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Rows that a load leaves.
    fn rows_loaded(&self) -> u64;

    /// Takes down what was launched. Returns what did not end well, in words.
    ///
    /// # Errors
    /// When something stays.
    fn stop(self) -> Result<Vec<String>, Self::Error>;
}
