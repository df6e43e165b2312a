//! A database that is ready for runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bench::{BenchError, Driver, RawDriver, RowLoad};
use cluster::{NodeSampler, RegionLayout, RunningCluster, ServerWatcher, StatusPort, TestBed};
use disk::DiskFault;
use events::EventScript;
use rawkv::RawClient;
use units::Nanos;
use workload::operations::OperationRecipe;

use crate::deed;
use crate::{StoreDatabase, StoreResourceUse, StoreRunResult, StoreRunSpec, StoreStage, TrialError};

/// A database with its rows, ready for runs. Dropped, a cluster that was started for it is taken down.
#[derive(Debug)]
pub struct StoreTestBed {
    order: StoreRunSpec,
    recipe: Arc<OperationRecipe>,
    client: RawClient,
    /// After the client, which must not see it go.
    cluster: Option<RunningCluster>,
    /// The stores of a cluster that was there before.
    ports: Vec<StatusPort>,
    notes: Vec<String>,
}

/// Driver threads that load: one fills what two processors have left.
const LOADERS: u32 = 1;

/// Until the database has caught up with the load, so much time at most is given.
const SETTLE: Duration = Duration::from_secs(60);

/// So much that is still to be compacted delays nothing.
const SETTLED: f64 = 16.0 * 1024.0 * 1024.0;

impl StoreTestBed {
    /// Starts the cluster if the order wants one, connects, and loads the rows. `lab` is needed for a cluster only.
    ///
    /// # Errors
    /// When the cluster cannot be started or reached, or the load fails; then nothing is left of it.
    pub fn prepare(
        lab: Option<&TestBed>,
        order: StoreRunSpec,
        tell: &mut dyn FnMut(StoreStage<'_>),
    ) -> Result<Self, TrialError> {
        order.plan.check()?;
        let recipe = Arc::new(OperationRecipe::new(&order.workload, order.scale)?);
        let cluster = start(lab, &order, &recipe, tell)?;
        let pd = match (&order.database, &cluster) {
            (StoreDatabase::Existing(pd), _) => pd.clone(),
            (_, Some(cluster)) => cluster.pd().addr().to_string(),
            (_, None) => return Err(BenchError::Environment("there is no place to start a cluster".to_owned()).into()),
        };
        let client = RawClient::connect(&pd, order.client())?;
        let (ports, notes) = match &cluster {
            Some(cluster) => (Vec::new(), cluster.notes().to_vec()),
            None => StatusPort::of_pd(&pd).map_or_else(
                |error| (Vec::new(), vec![format!("no engine is watched: {error}")]),
                StatusPort::that_answer,
            ),
        };
        let ground = Self { order, recipe, client, cluster, ports, notes };
        if ground.order.load {
            ground.load(tell)?;
        }
        // Rows come to disks as they are sold, which takes less time: how they came is not seen in what they became.
        if let (Some(cluster), StoreDatabase::Reference { share, .. }) = (&ground.cluster, &ground.order.database) {
            degrade(cluster, None, *share)?;
        }
        Ok(ground)
    }

    /// What the workload came to.
    pub fn recipe(&self) -> &OperationRecipe {
        &self.recipe
    }

    /// The cluster that was started for it; `None` where the database was there before.
    pub fn cluster(&self) -> Option<&RunningCluster> {
        self.cluster.as_ref()
    }

    /// What people should know of how it started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn load(&self, tell: &mut dyn FnMut(StoreStage<'_>)) -> Result<(), TrialError> {
        let how = RowLoad { threads: LOADERS, seed: self.order.plan.seed, ..RowLoad::default() };
        let mut driver = |_| self.driver();
        let stop = &self.order.stop;
        let loaded =
            bench::load(&self.recipe, &how, &mut driver, &mut |loading| tell(StoreStage::Loading(loading)), stop);
        self.holds()?;
        loaded?;
        self.settle(tell)
    }

    /// Waits until what the load left to compact is done: it is no part of what is measured.
    fn settle(&self, tell: &mut dyn FnMut(StoreStage<'_>)) -> Result<(), TrialError> {
        let Some(cluster) = &self.cluster else { return self.go_on() };
        let start = Instant::now();
        while start.elapsed() < SETTLE {
            self.go_on()?;
            self.holds()?;
            let counters: Vec<_> = cluster.nodes().iter().filter_map(|node| node.engine().ok()).collect();
            let most = |series| counters.iter().filter_map(|one| one.get(series)).fold(0.0, f64::max);
            let debt = most("pending_compaction_bytes");
            // What is not flushed yet is no debt of compactions.
            if debt <= SETTLED && most("memtables") == 0.0 {
                break;
            }
            tell(StoreStage::Settling(debt));
            std::thread::sleep(Duration::from_millis(250));
        }
        self.let_flow()
    }

    /// Flow control that the load set off forgets it: it looks at the engine only as that flushes or compacts, which may be never in
    /// a run of few writes.
    fn let_flow(&self) -> Result<(), TrialError> {
        let config =
            self.cluster.iter().flat_map(|cluster| cluster.nodes()).next().map(|node| node.config()).transpose()?;
        // All nodes have the same settings.
        if config.and_then(|config| config.pointer("/storage/flow-control/enable")?.as_bool()) != Some(true) {
            return Ok(());
        }
        for enable in [false, true] {
            self.change(&serde_json::Map::from_iter([("storage.flow-control.enable".to_owned(), enable.into())]))?;
            // It looks four times a second.
            std::thread::sleep(Duration::from_millis(500));
        }
        Ok(())
    }

    /// From now on the disks of this name deliver only a share of their limits, over 0 and up to 1.
    ///
    /// # Errors
    /// When a disk's daemon does not answer.
    pub fn degrade(&self, disk: &str, share: f64) -> Result<(), TrialError> {
        self.cluster.as_ref().map_or(Ok(()), |cluster| degrade(cluster, Some(disk), share))
    }

    /// All nodes take these values of TiKV's keys, without a restart.
    ///
    /// # Errors
    /// When a node refuses one.
    pub fn change(&self, keys: &serde_json::Map<String, serde_json::Value>) -> Result<(), TrialError> {
        let mut nodes = self.cluster.iter().flat_map(|cluster| cluster.nodes());
        Ok(nodes.try_for_each(|node| node.change(keys))?)
    }

    /// Runs follow these events from now on, as [`Order::following`] has it; those of another file are forgotten.
    ///
    /// # Errors
    /// When an event cannot be made to happen.
    pub fn follow(&mut self, script: &EventScript) -> Result<(), TrialError> {
        self.order = self.order.clone().following(script)?;
        Ok(())
    }

    /// One run. Runs are numbered from 1.
    ///
    /// # Errors
    /// When the driver or the watching of the nodes fails.
    pub fn run(&self, number: u32, tell: &mut dyn FnMut(StoreStage<'_>)) -> Result<StoreRunResult, TrialError> {
        let sampler = self.cluster.as_ref().map(RunningCluster::sampler).transpose()?;
        let watcher = ServerWatcher::start(&self.ports)?;
        let before = self.client.traffic().crossing();
        let plan = &self.order.plan;
        let run = bench::run(
            &self.recipe,
            plan,
            number,
            &mut |_| self.driver(),
            &mut |clock, over| deed::make(&self.order.deeds, self.cluster.as_ref(), clock, over),
            &mut |progress| {
                let nodes = sampler.as_ref().map_or_else(|| watcher.latest(), |sampler| sampler.latest());
                tell(StoreStage::Running { run: number, progress, nodes: &nodes });
            },
            &self.order.stop,
        );
        // With a node less it is another cluster, and what the driver says is not why.
        self.holds()?;
        let run = run?;
        let after = self.client.traffic().crossing();
        let crossing = (after.sent + after.received).saturating_sub(before.sent + before.received);
        let began = run.timeline.about.start;
        let seen = sampler.map_or_else(|| watcher.finish(), NodeSampler::finish)?;
        let timeline = run.timeline.merge(&seen)?;
        let from = Nanos((run.report.warm_up_s * 1e9) as u64) + offset(timeline.about.start, began);
        let until = from + Nanos((run.report.measured_s * 1e9) as u64);
        // The client's bytes are known of the whole run; of them the measured part is meant.
        let share = run.report.measured_s / (run.report.measured_s + run.report.warm_up_s).max(f64::MIN_POSITIVE);
        let used = StoreResourceUse::of(&timeline, from, until, &run.report, (crossing as f64 * share) as u64);
        let used = used.priced(self.order.transfer_per_gb(), run.report.operations);
        self.go_on()?;
        Ok(StoreRunResult { report: run.report, timeline, from, until, used })
    }

    fn driver(&self) -> Result<Box<dyn Driver>, BenchError> {
        // It works in the driver's thread: a wake-up for each answer under disks with limits, not three.
        let session = self.client.own_session().map_err(|error| BenchError::Environment(error.to_string()))?;
        Ok(Box::new(RawDriver::new(session)))
    }

    /// That no program of the cluster has ended by itself.
    fn holds(&self) -> Result<(), TrialError> {
        Ok(self.cluster.as_ref().map_or(Ok(()), RunningCluster::holds)?)
    }

    fn go_on(&self) -> Result<(), TrialError> {
        if self.order.stop.load(Ordering::Relaxed) { Err(TrialError::Interrupted) } else { Ok(()) }
    }

    /// Takes down what was started. Says what did not end well.
    ///
    /// # Errors
    /// When something stays.
    pub fn end(self) -> Result<Vec<String>, TrialError> {
        drop(self.client);
        Ok(self.cluster.map(RunningCluster::stop).transpose()?.unwrap_or_default())
    }
}

/// The cluster, if one is wanted.
fn start(
    lab: Option<&TestBed>,
    order: &StoreRunSpec,
    recipe: &OperationRecipe,
    tell: &mut dyn FnMut(StoreStage<'_>),
) -> Result<Option<RunningCluster>, TrialError> {
    let (Some(lab), StoreDatabase::Reference { deployment, options, regions, .. }) = (lab, &order.database) else {
        return Ok(None);
    };
    let keys = recipe.split_keys(*regions).into_iter().map(Vec::from).collect();
    let options = cluster::ClusterOptions {
        regions: RegionLayout::At(keys),
        interrupted: order.stop.clone(),
        ..cluster::ClusterOptions::clone(options)
    };
    let cluster =
        RunningCluster::start(lab, deployment, &options, &mut |progress| tell(StoreStage::Starting(progress)))?;
    Ok(Some(cluster))
}

/// Lets the disks of a name, or all, deliver only this share of their limits.
fn degrade(cluster: &RunningCluster, name: Option<&str>, share: f64) -> Result<(), TrialError> {
    if share >= 1.0 {
        return Ok(());
    }
    for node in cluster.nodes() {
        let disks: Vec<String> = node.disk_names().map(str::to_owned).collect();
        for disk in disks.iter().filter(|disk| name.is_none_or(|name| name == *disk)) {
            node.fault(disk, DiskFault::Degrade(share), FOREVER)?;
        }
    }
    Ok(())
}

/// Longer than any trial.
const FOREVER: Nanos = Nanos::secs(30 * 24 * 3600);

/// How much later the second start is.
fn offset(first: Option<jiff::Timestamp>, second: Option<jiff::Timestamp>) -> Nanos {
    let pair = first.zip(second);
    pair.map_or(Nanos(0), |(one, other)| {
        Nanos(u64::try_from(other.as_nanosecond() - one.as_nanosecond()).unwrap_or_default())
    })
}
