//! Two orders held against each other on a machine whose speed wanders.

use cluster::TestBed;
use serde_json::{Map, Value};
use units::Ratio;

use crate::{PilotProcess, StoreRunResult, StoreRunSpec, StoreStage, StoreTestBed, TrialError};

/// What a side changes about nodes that run.
#[derive(Debug, Clone, Copy)]
pub struct SideSettings<'a> {
    /// TiKV's keys, and their values, that nodes take before each run.
    pub keys: &'a Map<String, Value>,
    /// Whether the pilot limits compactions during each run, and which share of the disks' limits it counts on.
    pub pilot: Option<f64>,
}

/// Runs all orders in turn, each run on a database of its own, and begins each round with the next of them: A B, B A, A B …, so
/// that a machine that becomes slower or faster favours none. `tell` hears which of them, by its index, and the round, from 1;
/// `keep` is given each run as it ends. Gives the runs of each.
///
/// # Errors
/// When a run fails or nothing succeeds in it, those before being lost but for what `keep` made of them; and when `keep` does.
pub fn alternate<const N: usize, E: From<TrialError>>(
    lab: Option<&TestBed>,
    orders: [&StoreRunSpec; N],
    rounds: u32,
    tell: &mut dyn FnMut(usize, u32, StoreStage<'_>),
    keep: &mut dyn FnMut(usize, &StoreRunResult) -> Result<(), E>,
) -> Result<[Vec<StoreRunResult>; N], E> {
    in_turn::<N, E>(rounds, &mut |side, round| {
        let order = orders[side].clone();
        let ground = StoreTestBed::prepare(lab, order, &mut |stage| tell(side, round, stage))?;
        let found = ground.run(round, &mut |stage| tell(side, round, stage))?;
        keep(side, &found)?;
        ground.end()?;
        Ok(found)
    })
}

/// As [`alternate`], of what can be changed while nodes run: all runs are on one database, so that rounds are cheap, and
/// what one run leaves to be compacted the next one finds.
///
/// # Errors
/// When a run fails or nothing succeeds in it, a node refuses a setting, a pilot does not end well, or `keep` does.
pub fn alternate_online<const N: usize, E: From<TrialError>>(
    lab: Option<&TestBed>,
    order: &StoreRunSpec,
    sides: [SideSettings<'_>; N],
    rounds: u32,
    tell: &mut dyn FnMut(usize, u32, StoreStage<'_>),
    keep: &mut dyn FnMut(usize, &StoreRunResult) -> Result<(), E>,
) -> Result<[Vec<StoreRunResult>; N], E> {
    let ground = StoreTestBed::prepare(lab, order.clone(), &mut |stage| tell(0, 1, stage))?;
    let found = in_turn::<N, E>(rounds, &mut |side, round| {
        ground.change(sides[side].keys)?;
        let pilot = sides[side].pilot.map(|share| beside(lab, &ground, (share, round))).transpose()?;
        let found = ground.run(round, &mut |stage| tell(side, round, stage))?;
        pilot.map(PilotProcess::end).transpose()?;
        keep(side, &found)?;
        Ok(found)
    })?;
    ground.end()?;
    Ok(found)
}

/// A pilot beside the run of a round, with a journal of its own: its changes are counted from here.
fn beside(
    lab: Option<&TestBed>,
    ground: &StoreTestBed,
    (share, round): (f64, u32),
) -> Result<PilotProcess, TrialError> {
    let no_cluster = || TrialError::Pilot("is run beside clusters that are started for it only".to_owned());
    let (lab, cluster) = lab.zip(ground.cluster()).ok_or_else(no_cluster)?;
    PilotProcess::start(lab, cluster, share, &cluster.folder().join(format!("pilot-{round}")))
}

/// Runs all sides in turn. A run in which nothing succeeds ends them: nothing can be held against it.
fn in_turn<const N: usize, E: From<TrialError>>(
    rounds: u32,
    run: &mut dyn FnMut(usize, u32) -> Result<StoreRunResult, E>,
) -> Result<[Vec<StoreRunResult>; N], E> {
    let mut found = [const { Vec::new() }; N];
    for round in 1..=rounds {
        for side in turns::<N>(round) {
            let one = run(side, round)?;
            one.report.carried(Ratio(1.0)).map_err(TrialError::from)?;
            found[side].push(one);
        }
    }
    Ok(found)
}

/// Whose turn it is, in a round counted from 1.
fn turns<const N: usize>(round: u32) -> [usize; N] {
    std::array::from_fn(|turn| (turn + round as usize - 1) % N)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_goes_first_as_often() {
        assert_eq!((1..=4).map(turns).collect::<Vec<_>>(), [[0, 1], [1, 0], [0, 1], [1, 0]]);
        assert_eq!((1..=3).map(turns).collect::<Vec<_>>(), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
    }
}
