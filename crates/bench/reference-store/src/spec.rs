//! Settings of runs on the reference store.

use std::time::Duration;

use bench::{DatabaseSource, RunPlan, RunSpec};
use deployment::Deployment;
use workload::operations::WorkloadScale;
use workload::{Engine, Workload};

use crate::ScheduledAction;

/// A run on the reference store, or on a TiKV that is there.
pub type StoreSpec = RunSpec<StoreSettings>;

/// What is asked of raw keys, and of which store.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// What is asked of the store.
    pub workload: Workload,
    /// How the workload is made to fit.
    pub scale: WorkloadScale,
    /// A reference cluster that is launched, or a TiKV that is there: `tikv://host:2379`.
    pub source: DatabaseSource<LaunchedStore, String>,
    /// The client's zone, timeout and compression. The deployment's settings win for what both know.
    pub client: rawkv::RawClientOptions,
    /// What is done to the cluster while it runs, by [`with_events`](crate::with_events).
    pub actions: Vec<ScheduledAction>,
}

/// A reference cluster that is launched for its runs.
#[derive(Debug, Clone)]
pub struct LaunchedStore {
    /// What it consists of.
    pub deployment: Deployment,
    /// Memory, keys, seed.
    pub options: cluster::ClusterOptions,
    /// The key space is cut into so many regions, of about as many keys each.
    pub regions: usize,
    /// Share of its limits that each disk delivers, over 0 and up to 1: how a deployment is made as small as the machine.
    pub share: f64,
}

impl LaunchedStore {
    /// The engine of the deployments and workloads that it is launched for.
    pub const ENGINE: Engine = Engine::TiKv;
}

/// The longest time that a request may take: longer than any stall of a mounted disk.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

impl StoreSettings {
    /// A workload as it is; nothing is done to the cluster.
    pub fn new(workload: Workload, source: DatabaseSource<LaunchedStore, String>) -> Self {
        let client = rawkv::RawClientOptions { timeout: REQUEST_TIMEOUT, ..rawkv::RawClientOptions::default() };
        Self { workload, scale: WorkloadScale::default(), source, client, actions: Vec::new() }
    }

    /// A run of a workload on a cluster that is launched for it.
    pub fn launched(workload: Workload, launched: LaunchedStore, plan: RunPlan) -> StoreSpec {
        RunSpec::new(Self::new(workload, DatabaseSource::Launched(Box::new(launched))), plan)
    }

    /// The client's options with what the deployment says.
    pub(crate) fn client(&self) -> rawkv::RawClientOptions {
        let mut client = rawkv::RawClientOptions { retry_unknown: true, ..self.client.clone() };
        if let Some(LaunchedStore { deployment, .. }) = self.source.launched() {
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
