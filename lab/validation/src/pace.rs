//! How fast this machine's processors are, as one number: everything that they do takes so many times as long as by the constants.

use simulate::Constants;

use crate::bounds::FitBound;
use crate::calibrate::cost;
use crate::fit::descend;
use crate::{RowSetup, RunFigures, ValidateError};

/// Constants that are times of processors: work, calls and wake-ups.
const OF_PROCESSORS: [&str; 17] = [
    "cpu_write",
    "cpu_point_get",
    "cpu_read_index",
    "cpu_batch",
    "cpu_sync",
    "cpu_client",
    "cpu_io",
    "cpu_compaction_byte",
    "cpu_compaction_entry",
    "cpu_blob_value",
    "cpu_blob_byte",
    "cpu_block",
    "cpu_block_byte",
    "raw_call",
    "local_round_trip",
    "apply",
    "sync_overhead",
];

/// Simulates the calibrating half no more often than this, or two times more.
const TRIES: usize = 24;

/// How many times as long this machine's processors take as those of the constants.
fn bound() -> FitBound {
    FitBound {
        name: "pace".to_owned(),
        low: 0.25,
        high: 4.0,
        why: "from processors that are four times as fast to such that are a quarter".to_owned(),
    }
}

/// The same constants where processors take so many times as long.
fn paced(constants: &Constants, times: f64) -> Constants {
    OF_PROCESSORS.iter().fold(*constants, |constants, name| {
        let value = constants.get(name).expect("tested: the simulation has all of them");
        constants.with(name, times * value).expect("tested: the simulation has all of them")
    })
}

/// Finds it by rows of the calibrating half and what was measured of them. Gives the constants of this machine, too.
///
/// # Errors
/// When the simulation refuses a row.
pub fn pace(
    rows: &[(RowSetup, RunFigures)],
    base: &Constants,
    (processors, seeds): (f64, u64),
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(f64, Constants), ValidateError> {
    let bound = bound();
    let mut asked = 0;
    let fit = descend(&[bound.place(1.0)], TRIES, &mut |places: &[f64]| {
        let cost = cost(rows, &paced(base, bound.value(places[0])), processors, seeds)?;
        asked += 1;
        tell(asked, cost);
        Ok::<_, ValidateError>(cost)
    })?;
    let times = bound.value(fit.at[0]);
    Ok((times, paced(base, times)))
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Nanos};

    use super::*;
    use crate::{ValidationGrid, predict};

    #[test]
    fn a_slower_machine_is_recognised() {
        let grid = ValidationGrid::embedded();
        let base = Constants::reference_store();
        let rows = grid.rows.iter().filter(|row| ["15", "19"].contains(&row.name.as_str()));
        let measured = |row| {
            let mut setup = grid.setup(row).unwrap();
            (setup.common.warm_up, setup.common.measure) = (Nanos::secs(1), Nanos::secs(8));
            (setup.common.memtable, setup.common.level_base) = (Bytes::kib(256), Bytes::mib(1));
            let found = predict(&setup, &paced(base, 1.4), 2.0, 1).unwrap();
            (setup, found)
        };
        let rows: Vec<_> = rows.map(measured).collect();
        let (times, constants) = pace(&rows, base, (2.0, 1), &mut |_, _| ()).unwrap();
        assert!((times / 1.4 - 1.0).abs() < 0.05, "{times}");
        assert_eq!(constants, paced(base, times));
    }

    #[test]
    fn the_simulation_has_each_constant_and_twice_of_it_is_twice() {
        let base = Constants::reference_store();
        let slow = paced(base, 2.0);
        for name in Constants::NAMES {
            let times = if OF_PROCESSORS.contains(name) { 2.0 } else { 1.0 };
            assert_eq!(slow.get(name).unwrap(), times * base.get(name).unwrap(), "{name}");
        }
        for name in OF_PROCESSORS {
            assert!(Constants::NAMES.contains(&name), "{name}");
        }
    }
}
