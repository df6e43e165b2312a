//! Two orders held against each other on a machine whose speed wanders.

use cluster::Lab;

use crate::{Found, Ground, Order, Stage, TrialError};

/// Runs both orders in turn, each run on a database of its own: A B, B A, A B …, so that a machine that becomes slower
/// or faster favours neither. `tell` hears which of the two, `false` for A, and its run. Gives the runs of A and of B.
///
/// # Errors
/// When a run fails; those before are lost.
pub fn alternate(
    lab: Option<&Lab>,
    orders: [&Order; 2],
    pairs: u32,
    tell: &mut dyn FnMut(bool, u32, Stage<'_>),
) -> Result<[Vec<Found>; 2], TrialError> {
    in_turn(pairs, &mut |second, pair| {
        let order = orders[usize::from(second)].clone();
        let ground = Ground::prepare(lab, order, &mut |stage| tell(second, pair, stage))?;
        let found = ground.run(pair, &mut |stage| tell(second, pair, stage))?;
        ground.end()?;
        Ok(found)
    })
}

/// As [`alternate`], of settings that nodes change while they run: all runs are on one database, so that pairs are cheap, and
/// what one run leaves to be compacted the next one finds. Each run begins with its side's settings, TiKV's keys and their values.
///
/// # Errors
/// When a run fails, or a node refuses a setting.
pub fn alternate_online(
    lab: Option<&Lab>,
    order: &Order,
    settings: [&serde_json::Map<String, serde_json::Value>; 2],
    pairs: u32,
    tell: &mut dyn FnMut(bool, u32, Stage<'_>),
) -> Result<[Vec<Found>; 2], TrialError> {
    let ground = Ground::prepare(lab, order.clone(), &mut |stage| tell(false, 1, stage))?;
    let found = in_turn(pairs, &mut |second, pair| {
        ground.change(settings[usize::from(second)])?;
        ground.run(pair, &mut |stage| tell(second, pair, stage))
    })?;
    ground.end()?;
    Ok(found)
}

/// Runs both sides in turn.
fn in_turn(
    pairs: u32,
    run: &mut dyn FnMut(bool, u32) -> Result<Found, TrialError>,
) -> Result<[Vec<Found>; 2], TrialError> {
    let mut found = [Vec::new(), Vec::new()];
    for pair in 1..=pairs {
        for second in turns(pair) {
            found[usize::from(second)].push(run(second, pair)?);
        }
    }
    Ok(found)
}

/// Whose turn it is, in a pair counted from 1.
fn turns(pair: u32) -> [bool; 2] {
    if pair % 2 == 1 { [false, true] } else { [true, false] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_goes_first_as_often() {
        assert_eq!((1..=4).map(turns).map(|[first, _]| first).collect::<Vec<_>>(), [false, true, false, true]);
        assert!((1..=4).all(|pair| turns(pair)[0] != turns(pair)[1]));
    }
}
