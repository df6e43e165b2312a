//! Several sides run in turn on a machine whose speed wanders.

use units::Ratio;

use crate::{DatabaseUnderTest, PreparedDatabase, RunOf, RunSpec, RunStage, SidesOf};

/// Hears of the stages of each side's runs: the side's index, the round from 1, the stage.
pub type SideListener<'l, N> = dyn FnMut(usize, u32, RunStage<'_, N>) + 'l;

/// Keeps each run of a side, by its index, as it ends.
pub type RunKeeper<'k, R, E> = dyn FnMut(usize, &R) -> Result<(), E> + 'k;

/// Runs all sides in turn, each run on a database of its own, and begins each round with the next side: A B, B A, A B …, so that a
/// machine that becomes slower or faster favours none. `tell` hears which side, by its index, and the round, from 1; `keep` is
/// given each run as it ends. Returns the runs of each side.
///
/// # Errors
/// When a run fails or nothing succeeds in it, those before being lost but for what `keep` made of them; and when `keep` does.
pub fn alternate<D: DatabaseUnderTest, const N: usize, E: From<D::Error>>(
    machine: Option<&D::Machine>,
    specs: [&RunSpec<D::Settings>; N],
    rounds: u32,
    tell: &mut SideListener<'_, D::Activity>,
    keep: &mut RunKeeper<'_, RunOf<D>, E>,
) -> Result<SidesOf<D, N>, E> {
    in_turn::<D, N, E>(rounds, &mut |side, round| {
        let tell = &mut |stage: RunStage<'_, D::Activity>| tell(side, round, stage);
        let prepared = PreparedDatabase::<D>::prepare(machine, specs[side].clone(), tell)?;
        let run = prepared.run(round, tell)?;
        keep(side, &run)?;
        prepared.stop()?;
        Ok(run)
    })
}

/// Calls `run` for all sides in turn, told the side and the round. A run in which nothing succeeds ends them: nothing can be
/// compared with it.
///
/// # Errors
/// When `run` fails, or nothing succeeds in a run.
pub fn in_turn<D: DatabaseUnderTest, const N: usize, E: From<D::Error>>(
    rounds: u32,
    run: &mut dyn FnMut(usize, u32) -> Result<RunOf<D>, E>,
) -> Result<SidesOf<D, N>, E> {
    let mut sides = [const { Vec::new() }; N];
    for round in 1..=rounds {
        for side in turns::<N>(round) {
            let one = run(side, round)?;
            one.report.carried(Ratio(1.0)).map_err(D::Error::from)?;
            sides[side].push(one);
        }
    }
    Ok(sides)
}

/// The sides in the order of a round, which is counted from 1.
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
