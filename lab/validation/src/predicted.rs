//! A row of the grid in the simulation.

use simulate::{Constants, SimulationOptions, SimulationRun};
use units::Nanos;

use crate::{RowSetup, RunFigures, ValidateError};

/// Seeds of a prediction, of which each number is the median.
pub const SEEDS: u64 = 5;

/// Simulates a row on a machine with so many processors, once for each seed: the median of the runs, each as long as
/// the measured one.
///
/// # Errors
/// When the simulation refuses it.
pub fn predict(
    setup: &RowSetup,
    constants: &Constants,
    processors: f64,
    seeds: u64,
) -> Result<RunFigures, ValidateError> {
    let (deployment, view) = (setup.deployment()?, setup.view());
    let task = setup.workload()?.middle()?;
    let common = &setup.common;
    let runs = (0..seeds.max(1)).map(|seed| {
        let options = SimulationOptions {
            seed,
            span: common.warm_up + common.measure,
            warm_up: common.warm_up,
            step: Nanos::secs(1),
            load: Some(
                setup.rate.map_or(engine::OfferedLoad::Closed(f64::from(common.clients)), engine::OfferedLoad::Open),
            ),
            credits: disk::StartCredits::Spent,
            constants: setup.constants(constants),
            machine: Some(setup.machine(processors)),
            ..SimulationOptions::default()
        };
        Ok(figures(&simulate::simulate(&deployment, &task, &view, &options)?))
    });
    Ok(RunFigures::median(&runs.collect::<Result<Vec<_>, ValidateError>>()?))
}

fn figures(run: &SimulationRun) -> RunFigures {
    let (summary, used) = (&run.summary, &run.summary.used);
    let per_second = |amount: f64| amount / used.seconds.max(f64::MIN_POSITIVE);
    let millis =
        |of: fn(&simulate::LatencySummary) -> Nanos| summary.latency.as_ref().map(|all| of(all).as_millis_f64());
    let more = [
        ("node_cpu", used.node_cpu),
        ("raft_log_syncs", used.raft_log_syncs),
        ("raft_log_bytes", used.raft_log_bytes),
        ("compaction_read_bytes", used.compaction_read_bytes),
        ("disk_ios", used.disk_ios),
        ("disk_bytes", used.disk_bytes),
    ];
    RunFigures {
        throughput: summary.operations_per_second,
        p50_ms: millis(|all| all.p50),
        p99_ms: millis(|all| all.p99),
        compaction_bytes: per_second(used.compaction_write_bytes),
        flush_bytes: per_second(used.flush_bytes),
        cache_hit_rate: used.cache_hit_rate,
        held_up: per_second(used.held_up),
        more: more.map(|(name, amount)| (name.to_owned(), per_second(amount))).into(),
    }
}
