//! How many threads TiKV's pools have by default: `tables/threads.csv`.

use std::sync::LazyLock;

use catalog::{Release, ReleaseSet};

/// A row of the table: `clamp(base + per_vcpu × vCPU, least, most)` in some releases, from so many vCPU on.
#[derive(Debug)]
struct Row {
    written: Written,
    releases: ReleaseSet,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    pool: String,
    releases: String,
    from_vcpu: u32,
    base: f64,
    per_vcpu: f64,
    least: f64,
    most: f64,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut reader = csv::Reader::from_reader(include_str!("../tables/threads.csv").as_bytes());
    let rows = reader.deserialize().map(|row: Result<Written, _>| {
        let written = row.expect("tested: a row that fits its type");
        Row { releases: written.releases.parse().expect("tested: releases"), written }
    });
    rows.collect()
});

/// The threads of a pool on so many vCPU; `None` where a pool's size is not known, or the release lacks the pool.
pub(crate) fn threads(pool: &str, vcpu: u32, release: Release) -> Option<f64> {
    let of_pool = ROWS.iter().filter(|row| row.written.pool == pool && row.releases.contains(release));
    let fitting = of_pool.map(|row| &row.written).filter(|row| row.from_vcpu <= vcpu);
    let row = fitting.max_by_key(|row| row.from_vcpu)?;
    Some((row.base + row.per_vcpu * f64::from(vcpu)).floor().clamp(row.least, row.most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pool: &str, vcpu: [u32; 4], release: Release) -> [Option<f64>; 4] {
        vcpu.map(|vcpu| threads(pool, vcpu, release))
    }

    #[test]
    fn pools_grow_as_their_settings_say() {
        let newest = Release::NEWEST;
        assert_eq!(of("unified_read_po", [2, 8, 16, 32], newest), [4.0, 6.0, 12.0, 25.0].map(Some));
        assert_eq!(of("sched_worker_pool", [1, 4, 8, 16], newest), [1.0, 4.0, 4.0, 8.0].map(Some));
        assert_eq!(of("sched_worker_pool+grpc", [1, 4, 8, 16], newest), [6.0, 9.0, 9.0, 13.0].map(Some));
        assert_eq!(threads("rocksdb:low", 8, newest), None, "compaction is bound by slots, not by threads");
    }

    /// tikv src/server/config.rs, v8.5.3 and v8.5.4; components/raftstore/src/store/config.rs, v7.5.7 and v8.1.0.
    #[test]
    fn pools_are_those_of_the_release() {
        let vcpu = [8, 16, 31, 64];
        assert_eq!(of("grpc_server", vcpu, Release::new(8, 5, 3)), [Some(5.0); 4]);
        assert_eq!(of("grpc_server", vcpu, Release::new(8, 5, 4)), [5.0, 8.0, 11.0, 14.0].map(Some));
        assert_eq!(of("store_writer", vcpu, Release::new(7, 5, 7)), [None; 4], "raft's own threads write the log");
        assert_eq!(of("store_writer", vcpu, Release::new(8, 1, 0)), [Some(1.0); 4]);
    }

    #[test]
    fn every_row_has_a_source() {
        assert!(ROWS.iter().all(|row| !row.written.source.trim().is_empty()));
    }
}
