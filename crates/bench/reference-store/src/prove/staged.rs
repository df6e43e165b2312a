//! A plan made ready to be run on this machine, with what the model expects of the run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bench::{ArrivalSpacing, LoopKind, RunLimits, RunPlan};
use catalog::CatalogView;
use deployment::{Deployment, EngineSettings};
use engine::{EngineCalibration, OperationDemand, target_rate};
use units::{Bytes, Nanos};
use workload::operations::{OperationRecipe, WorkloadScale};
use workload::{Task, Workload};

use crate::prove::constants::constant;
use crate::prove::figures::ProofFigures;
use crate::prove::model::{Asked, DiskShares, Model, Node, written};
use crate::prove::raw::RawKeyWorkload;
use crate::prove::scaling::{FullSizePlan, MachineBudget, OperationCost, PlanScaling};
use crate::prove::simulated::simulated;
use crate::{LaunchedStore, REQUEST_TIMEOUT, ReferenceStoreError, StoreSettings, StoreSpec};

/// A plan made ready to be run on this machine.
#[derive(Debug, Clone)]
pub struct StagedPlan {
    /// How much smaller it is run.
    pub scaling: PlanScaling,
    /// Share of its limits that each disk delivers.
    pub shares: DiskShares,
    /// What the model says of the plan at its target, without growth.
    pub planned: ProofFigures,
    /// What the model says of the run.
    pub predicted: ProofFigures,
    /// What the simulation says of the run; `None` where it refuses it, and a note says why.
    pub simulated: Option<ProofFigures>,
    /// What people should know of what is run, besides the scaling.
    pub notes: Vec<String>,
    /// What is run.
    pub spec: StoreSpec,
}

/// Why followers are not read.
const LEADERS: &str = "Leaders are read, not followers: the one client stands in one zone, and all its reads would go to the \
                       node there.";

/// Operations of an open loop that the database may have at a time.
const IN_FLIGHT: u32 = 4096;

/// Regions that the keys are cut into, as `bench` does.
const REGIONS: usize = 16;

impl StagedPlan {
    /// Makes a planned deployment ready for the machine.
    ///
    /// # Errors
    /// When the workload or the deployment cannot be run on the reference store.
    pub fn new(
        workload: &Workload,
        planned: &Deployment,
        view: &CatalogView,
        machine: &MachineBudget,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, ReferenceStoreError> {
        let raw = RawKeyWorkload::new(workload)?;
        let (before, after) = (today(workload)?, as_raw(today(&raw.workload)?));
        let node = Node::new(planned, view)?;
        let full = FullSizePlan {
            nodes: planned.storage_nodes(),
            replicas: planned.replicas(),
            rate: target_rate(&after),
            rows: rows(&after),
            data: after.profile.data.as_f64(),
            written: written(&after),
            indexes: after.profile.indexes,
            memory: node.memory,
            block_cache: planned.settings.block_cache,
        };
        let calibration = EngineCalibration::embedded();
        let model = Model { calibration, node: &node, zones: planned.zones, settings: &planned.settings };
        let plan_demand = model.planned(&before, full.nodes);
        let scaling = PlanScaling::new(&full, &work(&after, &model.planned(&after, full.nodes), &full), machine);

        let deployment = scaling.deployment(planned)?;
        let settings = EngineSettings {
            zone_round_trip: deployment.settings.zone_round_trip,
            follower_read: deployment.settings.follower_read,
            ..planned.settings
        };
        let mut notes = raw.notes;
        if planned.settings.follower_read == Some(true) {
            notes.push(LEADERS.to_owned());
        }
        let here = Model { settings: &settings, zones: deployment.zones, ..model };
        let mut task = after.clone();
        task.targets.throughput = scaling.rate * task.profile.unit.per_operation;
        let demand = here.run(&task, &scaling);
        let shares = here.shares((&plan_demand, target_rate(&before)), (&demand, scaling.rate), scaling.load);

        let of_plan =
            Asked { task: &before, blocks: &before, rate: target_rate(&before), nodes: full.nodes, full: &full };
        let mut part = task.clone();
        part.profile.data = part.profile.data * scaling.part();
        let mut small = task.clone();
        small.profile.data = part.profile.data * scaling.data;
        // What is measured stands without it.
        let simulated = simulated(&small, &deployment, view, (&scaling, &shares), (machine, REGIONS))
            .inspect_err(|why| notes.push(format!("The run cannot be simulated: {why}.")))
            .ok();
        let of_run = Asked { task: &task, blocks: &part, rate: scaling.rate, nodes: scaling.nodes, full: &full };
        Ok(Self {
            planned: model.figures(&of_plan, &plan_demand, &DiskShares::FULL, true),
            predicted: here.figures(&of_run, &demand, &shares, false),
            simulated,
            spec: spec(raw.workload, deployment, &scaling, stop)?,
            notes,
            scaling,
            shares,
        })
    }

    /// What the run takes of the scratch folder, about.
    ///
    /// # Errors
    /// When the workload cannot be run.
    pub fn room(&self) -> Result<Bytes, ReferenceStoreError> {
        let recipe = OperationRecipe::new(&self.spec.settings.workload, self.spec.settings.scale)?;
        let Some(LaunchedStore { deployment, .. }) = self.spec.settings.source.launched() else { return Ok(Bytes(0)) };
        let logs = constant("least_log") * f64::from(self.scaling.nodes);
        Ok(Bytes((recipe.loaded_bytes() * f64::from(deployment.replicas()) * SPREAD + logs) as u64))
    }
}

/// Room for rows, what is being compacted, and the raft log beside them.
const SPREAD: f64 = 2.0;

/// Every number at its middle, and no growth: what is shown of a plan is what it does today.
fn today(workload: &Workload) -> Result<Task, ReferenceStoreError> {
    let mut task = workload.middle()?;
    task.targets.growth = 0.0;
    Ok(task)
}

/// `[inserts]` are always transactions by their profile; their raw keys are not.
fn as_raw(mut task: Task) -> Task {
    task.profile.transactional = false;
    task
}

fn rows(task: &Task) -> f64 {
    let profile = &task.profile;
    profile.data.as_f64() / (profile.row.as_f64() + profile.indexes * profile.index_entry.as_f64())
}

/// What an operation costs on this machine.
fn work(task: &Task, demand: &OperationDemand, full: &FullSizePlan) -> OperationCost {
    let profile = &task.profile;
    let ios = |io: &engine::IoDemand| io.reads + io.writes;
    OperationCost {
        gets: profile.point_reads,
        scans: profile.scans,
        scanned: profile.scans * profile.rows_per_scan,
        puts: profile.inserts * (1.0 + profile.indexes) + profile.updates,
        ios: (ios(&demand.data) + ios(&demand.log)) * f64::from(full.nodes),
    }
}

fn spec(
    workload: Workload,
    deployment: Deployment,
    scaling: &PlanScaling,
    stop: &Arc<AtomicBool>,
) -> Result<StoreSpec, ReferenceStoreError> {
    let scale = WorkloadScale { rows: Some(scaling.rows), ..WorkloadScale::default() };
    // The workload's own bound on the rows that are added is for its full size.
    let scale = WorkloadScale { adds: Some(ADDS), ..scale };
    OperationRecipe::new(&workload, scale)?;
    let options = cluster::ClusterOptions {
        memory: Some(scaling.memory),
        keys: scaling.keys(),
        seed: SEED,
        // Bursts do not carry a plan.
        credits: Some(0.0),
        ..cluster::ClusterOptions::default()
    };
    let load = LoopKind::Open {
        rate: scaling.rate,
        arrivals: ArrivalSpacing::Poisson,
        in_flight: IN_FLIGHT,
        backlog: 16 * IN_FLIGHT,
    };
    let plan =
        RunPlan { limits: LIMITS, seed: SEED, ..RunPlan::new(&deployment.name, &workload.name, load, REQUEST_TIMEOUT) };
    // Zones are a, b, c …; a client stands in one of them.
    let zone = (deployment.zones > 1).then(|| "a".to_owned());
    // The load need not wait for what is measured: limits are scaled after it.
    let launched = LaunchedStore { deployment, options, regions: REGIONS, share: 1.0 };
    let mut spec = StoreSettings::launched(workload, launched, plan);
    spec.settings.scale = scale;
    spec.settings.client.zone = zone;
    spec.stop = stop.clone();
    Ok(spec)
}

/// The same plan gives the same run.
const SEED: u64 = 1;

/// More rows than any run adds; few enough that readers find the loaded ones.
const ADDS: u64 = 1 << 32;

/// A run is to show several flushes and compactions of a tree that is scaled as the data is.
const LIMITS: RunLimits = RunLimits {
    window: Nanos::millis(200),
    warm_least: Nanos::secs(12),
    warm_most: Nanos::secs(20),
    measure_least: Nanos::secs(30),
    measure_most: Nanos::secs(40),
    within: 0.02,
};
