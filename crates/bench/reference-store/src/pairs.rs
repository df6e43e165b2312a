//! Sides that differ in settings of nodes that run, compared on one cluster.

use bench::{PreparedDatabase, RunKeeper, SideListener, SidesOf, in_turn};
use cluster::{NodeActivity, TestBed};
use serde_json::{Map, Value};

use crate::error::PilotFault;
use crate::{PilotProcess, ReferenceStore, ReferenceStoreError, StoreRun, StoreSpec};

/// What a side changes about nodes that run.
#[derive(Debug, Clone, Copy)]
pub struct SideSettings<'a> {
    /// TiKV's keys, and their values, that nodes take before each run.
    pub keys: &'a Map<String, Value>,
    /// Share of the disks' limits that the pilot counts on while it limits compactions during each run; `None` without the pilot.
    pub pilot: Option<f64>,
}

/// As [`bench::alternate`], of what can be changed while nodes run: all runs are on one database, so that rounds are cheap, and
/// what one run leaves to be compacted the next one finds.
///
/// # Errors
/// When a run fails or nothing succeeds in it, a node refuses a setting, a pilot does not end well, or `keep` does.
pub fn alternate_online<const N: usize, E: From<ReferenceStoreError>>(
    machine: Option<&TestBed>,
    spec: &StoreSpec,
    sides: [SideSettings<'_>; N],
    rounds: u32,
    tell: &mut SideListener<'_, NodeActivity>,
    keep: &mut RunKeeper<'_, StoreRun, E>,
) -> Result<SidesOf<ReferenceStore, N>, E> {
    let prepared = PreparedDatabase::<ReferenceStore>::prepare(machine, spec.clone(), &mut |stage| tell(0, 1, stage))?;
    let store = prepared.database();
    let runs = in_turn::<ReferenceStore, N, E>(rounds, &mut |side, round| {
        store.change(sides[side].keys)?;
        let pilot = sides[side].pilot.map(|share| beside(machine, store, (share, round))).transpose()?;
        let run = prepared.run(round, &mut |stage| tell(side, round, stage))?;
        pilot.map(PilotProcess::end).transpose()?;
        keep(side, &run)?;
        Ok(run)
    })?;
    prepared.stop()?;
    Ok(runs)
}

/// A pilot beside the run of a round, with a journal of its own: its changes are counted from here.
fn beside(
    machine: Option<&TestBed>,
    store: &ReferenceStore,
    (share, round): (f64, u32),
) -> Result<PilotProcess, ReferenceStoreError> {
    let (machine, cluster) = machine.zip(store.cluster()).ok_or(PilotFault::NoCluster)?;
    PilotProcess::start(machine, cluster, share, &cluster.folder().join(format!("pilot-{round}")))
}
