//! What the simulation says of the smaller run: it knows of what queues, and that all nodes share one machine.

use catalog::CatalogView;
use deployment::Deployment;
use simulate::{Constants, SimulateError, SimulationOptions};
use units::Nanos;
use workload::Task;

use crate::prove::figures::{DiskRole, ProofFigures};
use crate::prove::model::{DiskShares, written};
use crate::prove::scaling::{MachineBudget, PlanScaling};
use crate::prove::seen::Seen;

/// Simulated so long, after so long a warm-up.
const SPAN: Nanos = Nanos::secs(72);
const WARM_UP: Nanos = Nanos::secs(12);

/// The numbers of `task` on the scaled deployment. `task` has the run's rate and rows.
///
/// # Errors
/// When the simulation refuses it.
pub(crate) fn simulated(
    task: &Task,
    deployment: &Deployment,
    view: &CatalogView,
    (scaling, shares): (&PlanScaling, &DiskShares),
    (machine, regions): (&MachineBudget, usize),
) -> Result<ProofFigures, SimulateError> {
    let options = SimulationOptions {
        span: SPAN,
        warm_up: WARM_UP,
        load: Some(engine::OfferedLoad::Open(scaling.rate)),
        credits: disk::StartCredits::Spent,
        constants: scaling.constants(Constants::reference_store()),
        machine: Some(simulate::SharedMachine {
            processors: machine.processors,
            memory: scaling.memory,
            shares: [shares.of(DiskRole::Data), shares.of(DiskRole::Log)],
            regions: regions as u32,
        }),
        ..SimulationOptions::default()
    };
    let run = simulate::simulate(deployment, task, view, &options)?;
    let summary = &run.summary;
    let seen = Seen { timeline: &run.timeline, from: summary.from, until: summary.until, log: "log" };
    let nodes = f64::from(scaling.nodes);
    let roles = [DiskRole::Data].into_iter().chain(shares.log.map(|_| DiskRole::Log));
    let operations = summary.operations_per_second * seen.seconds();
    let wrote = written(task) * operations;
    let used = &summary.used;
    Ok(ProofFigures {
        throughput: summary.operations_per_second,
        p50: summary.latency.map(|latency| latency.p50),
        p99: summary.latency.map(|latency| latency.p99),
        disks: roles.map(|role| seen.disk(role, nodes, shares)).collect(),
        write_amplification: (wrote > 0.0).then(|| (used.flush_bytes + used.compaction_write_bytes) / wrote),
        cache_misses: seen.cache_misses(operations),
        cache_hit_rate: used.cache_hit_rate,
    })
}
