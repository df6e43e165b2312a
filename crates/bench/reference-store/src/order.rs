//! What is to be run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bench::{BenchReport, LoadProgress, RunPlan, RunProgress};
use cluster::NodeActivity;
use deployment::Deployment;
use workload::Workload;
use workload::operations::{OperationRecipe, WorkloadScale};

use crate::ScheduledAction;

/// What is to be run, on what.
#[derive(Debug, Clone)]
pub struct StoreRunSpec {
    /// What is asked of the database.
    pub workload: Workload,
    /// How the workload is made to fit.
    pub scale: WorkloadScale,
    /// What it is asked of.
    pub database: StoreDatabase,
    /// Loop, length, seed.
    pub plan: RunPlan,
    /// Whether rows are loaded before; without it they must be there.
    pub load: bool,
    /// How the client behaves: its zone, timeout and compression. The deployment's settings win for what both know.
    pub client: rawkv::RawClientOptions,
    /// What is done to the cluster while it runs, by [`following`](Self::following).
    pub deeds: Vec<ScheduledAction>,
    /// Once true, what runs ends soon, and all that was started is taken down.
    pub stop: Arc<AtomicBool>,
}

/// What a workload runs on.
#[derive(Debug, Clone)]
pub enum StoreDatabase {
    /// A reference cluster, started for it.
    Reference {
        /// What it consists of.
        deployment: Box<Deployment>,
        /// Memory, keys, seed.
        options: Box<cluster::ClusterOptions>,
        /// The key space is cut into so many regions, of about as many keys each.
        regions: usize,
        /// Each disk delivers this share of its limits, over 0 and up to 1: how a deployment is made as small as the machine.
        share: f64,
    },
    /// A TiKV that is there: `tikv://host:2379`.
    Existing(String),
}

/// What is being done.
#[derive(Debug)]
pub enum StoreStage<'a> {
    /// The cluster is being started.
    Starting(cluster::StartProgress),
    /// Rows are being loaded.
    Loading(&'a LoadProgress),
    /// The database is given time to flush and compact what was loaded; so many bytes are still to be compacted.
    Settling(f64),
    /// A run warms up or is measured; with what each node does.
    Running {
        /// Which run.
        run: u32,
        /// How far it is.
        progress: &'a RunProgress,
        /// What the nodes did in the last second.
        nodes: &'a [NodeActivity],
    },
}

impl StoreRunSpec {
    /// The longest that a request may take: longer than any stall that a disk of ours has.
    pub const TIMEOUT: Duration = Duration::from_secs(30);

    /// A workload as it is, loaded before it runs; nothing is done to the cluster.
    pub fn new(workload: Workload, database: StoreDatabase, plan: RunPlan) -> Self {
        let client = rawkv::RawClientOptions { timeout: Self::TIMEOUT, ..rawkv::RawClientOptions::default() };
        let (scale, deeds, stop) = (WorkloadScale::default(), Vec::new(), Arc::default());
        Self { workload, scale, database, plan, load: true, client, deeds, stop }
    }

    /// The report of the runs, before the first of them.
    pub fn empty_report(&self, recipe: &OperationRecipe) -> BenchReport {
        let report = self.plan.report(recipe, Vec::new());
        BenchReport { data_over_memory: self.data_over_memory(recipe), ..report }
    }

    /// The client's options with what the deployment says.
    pub(crate) fn client(&self) -> rawkv::RawClientOptions {
        let mut client = rawkv::RawClientOptions { retry_unknown: true, ..self.client.clone() };
        if let StoreDatabase::Reference { deployment, .. } = &self.database {
            let settings = &deployment.settings;
            if settings.follower_read == Some(true) {
                client.replica_read = rawkv::ReplicaRead::Closest;
            }
            if deployment.zones > 1 {
                let round_trip = settings.zone_round_trip.unwrap_or(units::Nanos::millis(1));
                client.zone_round_trip = Duration::from_nanos(round_trip.0);
            }
        }
        client
    }
}
