//! The reference store, or a TiKV that is there, as a database under test.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bench::{
    BenchError, BenchRun, DatabaseSource, DatabaseUnderTest, Driver, MeasuredRun, RawDriver, RowLoad, RunProgress,
    RunReport, RunSamples, RunStage, StageListener,
};
use cluster::{NodeActivity, NodeSampler, RegionLayout, RunningCluster, ServerWatcher, StatusPort, TestBed};
use disk::DiskFault;
use rawkv::RawClient;
use units::Nanos;
use workload::operations::OperationRecipe;

use crate::action;
use crate::{ClientTraffic, LaunchedStore, ReferenceStoreError, StoreCounters, StoreSettings, StoreSpec};

/// The reference store on a cluster of this machine, or a TiKV that is there.
#[derive(Debug)]
pub struct ReferenceStore {
    recipe: Arc<OperationRecipe>,
    client: RawClient,
    /// After the client, which must not see it go.
    cluster: Option<RunningCluster>,
    /// The stores of a cluster that was there before.
    ports: Vec<StatusPort>,
    notes: Vec<String>,
}

/// Sampling of a run under way.
#[derive(Debug)]
pub struct StoreWatch {
    /// Of a cluster that was launched.
    sampler: Option<NodeSampler>,
    /// Of one that was there.
    watcher: ServerWatcher,
    /// Bytes between the client and other zones when the run began.
    traffic: u64,
}

/// Driver threads that load: one fills what two processors have left.
const LOADERS: u32 = 1;

/// The database is given at most this time to catch up with the load.
const SETTLE: Duration = Duration::from_secs(60);

/// Fewer bytes than this that are still to be compacted delay nothing.
const SETTLED: f64 = 16.0 * 1024.0 * 1024.0;

/// Hears of the stages of a run.
type Tell<'t> = StageListener<'t, NodeActivity>;

impl DatabaseUnderTest for ReferenceStore {
    type Settings = StoreSettings;
    type Machine = TestBed;
    type Counters = StoreCounters;
    type Findings = ClientTraffic;
    type Activity = NodeActivity;
    type Watch = StoreWatch;
    type Error = ReferenceStoreError;

    fn launch(machine: Option<&TestBed>, spec: &StoreSpec, tell: &mut Tell<'_>) -> Result<Self, ReferenceStoreError> {
        let settings = &spec.settings;
        let recipe = Arc::new(OperationRecipe::new(&settings.workload, settings.scale)?);
        let cluster = start(machine, spec, &recipe, tell)?;
        let pd = match (&settings.source, &cluster) {
            (DatabaseSource::Existing(pd), _) => pd.clone(),
            (_, Some(cluster)) => cluster.pd().addr().to_string(),
            (_, None) => return Err(BenchError::NoMachine { what: "a cluster" }.into()),
        };
        let client = RawClient::connect(&pd, settings.client())?;
        let (ports, notes) = match &cluster {
            Some(cluster) => (Vec::new(), cluster.notes().to_vec()),
            None => StatusPort::of_pd(&pd).map_or_else(
                |error| (Vec::new(), vec![format!("no engine is watched: {error}")]),
                StatusPort::that_answer,
            ),
        };
        Ok(Self { recipe, client, cluster, ports, notes })
    }

    fn load(&mut self, spec: &StoreSpec, tell: &mut Tell<'_>) -> Result<(), ReferenceStoreError> {
        let how = RowLoad { threads: LOADERS, seed: spec.plan.seed, ..RowLoad::default() };
        let mut driver = |_| self.driver();
        let progress = &mut |loading: &bench::LoadProgress| tell(RunStage::Loading(loading));
        let loaded = bench::load(&self.recipe, &how, &mut driver, progress, &spec.stop);
        self.check_alive()?;
        loaded?;
        self.settle(spec, tell)
    }

    // Rows come to disks as they are sold, which takes less time: how they came is not seen in what they became.
    fn after_load(&mut self, spec: &StoreSpec, _: &mut Tell<'_>) -> Result<(), ReferenceStoreError> {
        match (&self.cluster, spec.settings.source.launched()) {
            (Some(cluster), Some(launched)) => degrade(cluster, None, launched.share),
            _ => Ok(()),
        }
    }

    fn watch(&self, _: &StoreSpec, _: &mut Tell<'_>) -> Result<StoreWatch, ReferenceStoreError> {
        let sampler = self.cluster.as_ref().map(RunningCluster::sampler).transpose()?;
        let watcher = ServerWatcher::start(&self.ports)?;
        Ok(StoreWatch { sampler, watcher, traffic: self.crossing() })
    }

    fn latest(watch: &StoreWatch) -> Vec<NodeActivity> {
        watch.sampler.as_ref().map_or_else(|| watch.watcher.latest(), |sampler| sampler.latest())
    }

    fn drive(
        &self,
        spec: &StoreSpec,
        number: u32,
        _: &StoreWatch,
        progress: &mut dyn FnMut(&RunProgress),
    ) -> Result<BenchRun, ReferenceStoreError> {
        Ok(bench::run(
            &self.recipe,
            &spec.plan,
            number,
            &mut |_| self.driver(),
            &mut |clock, over| action::apply_all(&spec.settings.actions, self.cluster.as_ref(), clock, over),
            progress,
            &spec.stop,
        )?)
    }

    fn check_alive(&self) -> Result<(), ReferenceStoreError> {
        Ok(self.cluster.as_ref().map_or(Ok(()), RunningCluster::holds)?)
    }

    fn finish(&self, watch: StoreWatch, _: &RunReport) -> Result<RunSamples<ClientTraffic>, ReferenceStoreError> {
        let findings = ClientTraffic { cross_zone_bytes: self.crossing().saturating_sub(watch.traffic) };
        let timeline = match watch.sampler {
            Some(sampler) => sampler.finish()?,
            None => watch.watcher.finish()?,
        };
        Ok(RunSamples { timeline, ended: None, servers_lost: 0, findings })
    }

    fn counters(&self, spec: &StoreSpec, measured: &MeasuredRun<(), ClientTraffic>) -> StoreCounters {
        let window = (&measured.timeline, measured.from, measured.until);
        StoreCounters::of(window, &measured.report, measured.findings)
            .priced(spec.settings.transfer_per_gb(), measured.report.operations)
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn rows_loaded(&self) -> u64 {
        self.recipe.loaded()
    }

    fn stop(self) -> Result<Vec<String>, ReferenceStoreError> {
        drop(self.client);
        Ok(self.cluster.map(RunningCluster::stop).transpose()?.unwrap_or_default())
    }
}

impl ReferenceStore {
    /// What the workload came to.
    pub fn recipe(&self) -> &OperationRecipe {
        &self.recipe
    }

    /// The cluster that was launched; `None` where the database was there before.
    pub fn cluster(&self) -> Option<&RunningCluster> {
        self.cluster.as_ref()
    }

    /// Waits until what the load left to compact is done: it is no part of what is measured.
    fn settle(&self, spec: &StoreSpec, tell: &mut Tell<'_>) -> Result<(), ReferenceStoreError> {
        let Some(cluster) = &self.cluster else { return Ok(spec.check_stop()?) };
        let start = Instant::now();
        while start.elapsed() < SETTLE {
            spec.check_stop()?;
            self.check_alive()?;
            let counters: Vec<_> = cluster.nodes().iter().filter_map(|node| node.engine().ok()).collect();
            let most = |series| counters.iter().filter_map(|one| one.get(series)).fold(0.0, f64::max);
            let debt = most("pending_compaction_bytes");
            // What is not flushed yet is no debt of compactions.
            if debt <= SETTLED && most("memtables") == 0.0 {
                break;
            }
            tell(RunStage::Settling(debt));
            std::thread::sleep(Duration::from_millis(250));
        }
        self.let_flow()
    }

    /// Flow control that the load set off forgets it: it looks at the engine only as that flushes or compacts, which may be never in
    /// a run of few writes.
    fn let_flow(&self) -> Result<(), ReferenceStoreError> {
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
    pub fn degrade(&self, disk: &str, share: f64) -> Result<(), ReferenceStoreError> {
        self.cluster.as_ref().map_or(Ok(()), |cluster| degrade(cluster, Some(disk), share))
    }

    /// All nodes take these values of TiKV's keys, without a restart.
    ///
    /// # Errors
    /// When a node refuses one.
    pub fn change(&self, keys: &serde_json::Map<String, serde_json::Value>) -> Result<(), ReferenceStoreError> {
        let mut nodes = self.cluster.iter().flat_map(|cluster| cluster.nodes());
        Ok(nodes.try_for_each(|node| node.change(keys))?)
    }

    fn driver(&self) -> Result<Box<dyn Driver>, BenchError> {
        // It works in the driver's thread: a wake-up for each answer under disks with limits, not three.
        let session =
            self.client.own_session().map_err(|error| BenchError::database("a session with the store", error))?;
        Ok(Box::new(RawDriver::new(session)))
    }

    /// Bytes between the client and nodes of other zones until now.
    fn crossing(&self) -> u64 {
        let crossing = self.client.traffic().crossing();
        crossing.sent + crossing.received
    }
}

/// The cluster, if one is wanted.
fn start(
    machine: Option<&TestBed>,
    spec: &StoreSpec,
    recipe: &OperationRecipe,
    tell: &mut Tell<'_>,
) -> Result<Option<RunningCluster>, ReferenceStoreError> {
    let Some((machine, launched)) = machine.zip(spec.settings.source.launched()) else { return Ok(None) };
    let LaunchedStore { deployment, options, regions, .. } = launched;
    let keys = recipe.split_keys(*regions).into_iter().map(Vec::from).collect();
    let options =
        cluster::ClusterOptions { regions: RegionLayout::At(keys), interrupted: spec.stop.clone(), ..options.clone() };
    let mut progress = |progress: cluster::StartProgress| tell(RunStage::Starting(&progress.to_string()));
    Ok(Some(RunningCluster::start(machine, deployment, &options, &mut progress)?))
}

/// Lets the disks of a name, or all, deliver only this share of their limits.
fn degrade(cluster: &RunningCluster, name: Option<&str>, share: f64) -> Result<(), ReferenceStoreError> {
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

/// Longer than any run.
const FOREVER: Nanos = Nanos::secs(30 * 24 * 3600);
