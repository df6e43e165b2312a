use units::{Bytes, Nanos};

use super::*;
use crate::{ValidationGrid, bounds};

/// Rows of the grid, made short.
fn short(names: &[&str]) -> Vec<RowSetup> {
    let grid = ValidationGrid::embedded();
    let rows = grid.rows.iter().filter(|row| names.contains(&row.name.as_str()));
    let cut = |mut setup: RowSetup| {
        (setup.common.warm_up, setup.common.measure) = (Nanos::secs(1), Nanos::secs(8));
        // Compactions must come in seconds.
        (setup.common.memtable, setup.common.level_base, setup.common.file) =
            (Bytes::kib(256), Bytes::mib(1), Bytes::kib(128));
        setup
    };
    rows.map(|row| cut(grid.setup(row).unwrap())).collect()
}

/// A store that is the simulation with other constants is recovered: what it does and what it is made of.
#[test]
fn a_store_with_other_constants_is_recovered() {
    let unknown = ["raw_call", "sync_overhead", "overlap"];
    let fitted: Vec<FitBound> = bounds().into_iter().filter(|bound| unknown.contains(&bound.name.as_str())).collect();
    // Where they stand between their bounds.
    let standing = |place: f64| {
        let set = |all: Constants, bound: &FitBound| all.with(&bound.name, bound.value(place)).unwrap();
        // Waits for processors, for RocksDB's own log, for commits of the journal, for large writes and for blocks that a
        // compaction took from the cache make the way down rough.
        let smooth = [
            ("wakeup_slice", 0.0),
            ("wal_chunk", 65536.0),
            ("wal_kept", 0.0),
            ("wal_commits", 0.0),
            ("file_commits", 0.0),
            ("job_commits", 0.0),
            ("file_writes", 0.0),
            ("commit_merged", 0.0),
            ("leader_first", 0.0),
            ("writeback_latency", 0.0),
            ("wal_sync_interval", 0.0),
            ("compaction_write_size", 262144.0),
            ("compaction_read_miss", 0.0),
        ];
        let smooth = smooth.iter().fold(*Constants::reference_store(), |all, (name, at)| all.with(name, *at).unwrap());
        fitted.iter().fold(smooth, set)
    };
    let (base, store) = (standing(0.5), standing(0.9));
    let rows: Vec<(RowSetup, RunFigures)> = short(&["04", "19"])
        .into_iter()
        .map(|setup| {
            let found = predict(&setup, &store, 2.0, 1).unwrap();
            (setup, found)
        })
        .collect();
    let (_, found) = calibrate(&rows, &base, &fitted, (2.0, 1), 150, &mut |_, _| ()).unwrap();
    assert!(found.cost[1] < 0.2 * found.cost[0], "{:?}: {:?}", found.cost, found.changed);
    for (bound, _, after) in &found.changed {
        let off = after / bound.of(&store) - 1.0;
        assert!(off.abs() < 0.06, "{}: {:+.1} %", bound.name, 100.0 * off);
    }
}

#[test]
fn the_table_keeps_what_was_not_fitted_and_its_comments() {
    let table = include_str!("../../../crates/analyze/simulate/tables/store.toml");
    let bound = bounds().into_iter().find(|bound| bound.name == "raw_call").unwrap();
    let found = CalibrationResult { changed: vec![(bound, 0.0001, 0.000_123_456)], cost: [1.0, 0.5], asked: 3 };
    let new = found.table(table, "fitted").unwrap();
    let changed: Vec<(&str, &str)> = table.lines().zip(new.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert_eq!(Constants::embedded().over(&new).unwrap().get("raw_call"), Some(0.000_123_46));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    assert_eq!(CalibrationResult::read(&path).unwrap(), None);
    found.write(&path).unwrap();
    assert_eq!(CalibrationResult::read(&path).unwrap().as_ref(), Some(&found));
    assert!(found.table("", "fitted").unwrap_err().to_string().contains("raw_call"));
}
