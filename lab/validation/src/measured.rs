//! A row of the grid on the reference store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bench::{PreparedDatabase, StageListener};
use cluster::{NodeActivity, TestBed};
use reference_store::{ReferenceStore, StoreRun};
use run::{OfferedLoad, RunRung};

use crate::{MachineLoad, MachineState, RowSetup, RunFigures, ValidateError};

/// Measures a row: mounts, loads, lets disks deliver their share, warms up, measures, takes all down. Tells what the machine
/// did besides.
///
/// # Errors
/// When it cannot be started, loaded or measured; then nothing is left of it.
pub fn measure(
    setup: &RowSetup,
    lab: &TestBed,
    stop: &Arc<AtomicBool>,
    tell: &mut StageListener<'_, NodeActivity>,
) -> Result<(RunFigures, MachineLoad), ValidateError> {
    let prepared = PreparedDatabase::<ReferenceStore>::prepare(Some(lab), setup.spec(stop)?, tell)?;
    prepared.database().degrade("data", setup.data.1)?;
    if let Some((_, share)) = &setup.log {
        prepared.database().degrade("raft", *share)?;
    }
    let mut around = MachineState::start(&lab.scratch)?;
    let found = prepared.run(1, tell)?;
    let busy = around.look()?;
    let figures = figures(setup, &found);
    prepared.stop()?;
    Ok((figures, busy))
}

fn figures(setup: &RowSetup, found: &StoreRun) -> RunFigures {
    let (report, used) = (&found.report, &found.used);
    let per_second = |amount: f64| amount / used.seconds.max(f64::MIN_POSITIVE);
    let throughput = found.throughput();
    let latencies = found.latencies();
    // A saturated run has no latency worth comparing.
    let offered = setup.rate.map(|rate| OfferedLoad { operations_per_s: rate });
    let carried = offered.is_none_or(|offered| offered.is_served(RunRung::Measurement, throughput));
    let at = |share: f64| (carried && !latencies.is_empty()).then(|| latencies.value_at_quantile(share) as f64 / 1e6);
    let mut more: BTreeMap<String, f64> = [
        ("node_cpu", used.node_cpu),
        ("driver_cpu", report.driver_cpu.seconds),
        ("raft_log_syncs", used.raft_log_syncs),
        ("raft_log_bytes", used.raft_log_bytes),
        ("compaction_read_bytes", used.compaction_read_bytes),
        ("disk_ios", used.disk_ios),
        ("disk_bytes", used.disk_bytes),
        ("failures", report.failures as f64),
    ]
    .map(|(name, amount)| (name.to_owned(), per_second(amount)))
    .into();
    for role in ["data", "raft"] {
        for name in ["read_ops", "write_ops", "flush_ops", "read_bytes", "write_bytes"] {
            more.insert(format!("{role}_disk_{name}"), per_second(found.disks(name, role)));
        }
    }
    for series in found.timeline.series.iter().filter(|series| series.name == "cpu_time") {
        if let (Some(pool), Some(seconds)) = (series.labels.get("pool"), series.value(found.from, found.until)) {
            *more.entry(format!("cpu_{pool}")).or_default() += per_second(seconds);
        }
    }
    RunFigures {
        throughput,
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        compaction_bytes: per_second(used.compaction_write_bytes),
        flush_bytes: per_second(used.flush_bytes),
        cache_hit_rate: used.cache_hit_rate,
        held_up: per_second(used.held_up),
        more,
    }
}
