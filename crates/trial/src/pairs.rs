//! Two orders held against each other on a machine whose speed wanders.

use cluster::Lab;

use crate::{Found, Ground, Order, Stage, TrialError};

/// Runs all orders in turn, each run on a database of its own, and begins each round with the next of them: A B, B A, A B …, so
/// that a machine that becomes slower or faster favours none. `tell` hears which of them, by its index, and the round, from 1.
/// Gives the runs of each.
///
/// # Errors
/// When a run fails; those before are lost.
pub fn alternate<const N: usize>(
    lab: Option<&Lab>,
    orders: [&Order; N],
    rounds: u32,
    tell: &mut dyn FnMut(usize, u32, Stage<'_>),
) -> Result<[Vec<Found>; N], TrialError> {
    in_turn(rounds, &mut |side, round| {
        let order = orders[side].clone();
        let ground = Ground::prepare(lab, order, &mut |stage| tell(side, round, stage))?;
        let found = ground.run(round, &mut |stage| tell(side, round, stage))?;
        ground.end()?;
        Ok(found)
    })
}

/// As [`alternate`], of settings that nodes change while they run: all runs are on one database, so that rounds are cheap, and
/// what one run leaves to be compacted the next one finds. Each run begins with its side's settings, TiKV's keys and their values.
///
/// # Errors
/// When a run fails, or a node refuses a setting.
pub fn alternate_online<const N: usize>(
    lab: Option<&Lab>,
    order: &Order,
    settings: [&serde_json::Map<String, serde_json::Value>; N],
    rounds: u32,
    tell: &mut dyn FnMut(usize, u32, Stage<'_>),
) -> Result<[Vec<Found>; N], TrialError> {
    let ground = Ground::prepare(lab, order.clone(), &mut |stage| tell(0, 1, stage))?;
    let found = in_turn(rounds, &mut |side, round| {
        ground.change(settings[side])?;
        ground.run(round, &mut |stage| tell(side, round, stage))
    })?;
    ground.end()?;
    Ok(found)
}

/// Runs all sides in turn.
fn in_turn<const N: usize>(
    rounds: u32,
    run: &mut dyn FnMut(usize, u32) -> Result<Found, TrialError>,
) -> Result<[Vec<Found>; N], TrialError> {
    let mut found = [const { Vec::new() }; N];
    for round in 1..=rounds {
        for side in turns::<N>(round) {
            found[side].push(run(side, round)?);
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
