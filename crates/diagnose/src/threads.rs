//! How many threads TiKV's pools have by default: `tables/threads.csv`.

use std::sync::LazyLock;

/// A row of the table: `clamp(base + per_vcpu × vCPU, least, most)`.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    pool: String,
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
    reader.deserialize().map(|row| row.expect("tested: a row that fits its type")).collect()
});

/// The threads of a pool on so many vCPU; `None` where a pool's size is not known.
pub(crate) fn threads(pool: &str, vcpu: u32) -> Option<f64> {
    let row = ROWS.iter().filter(|row| row.pool == pool && row.from_vcpu <= vcpu).max_by_key(|row| row.from_vcpu)?;
    Some((row.base + row.per_vcpu * f64::from(vcpu)).floor().clamp(row.least, row.most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_grow_as_their_settings_say() {
        assert_eq!([2, 8, 16, 32].map(|vcpu| threads("unified_read_po", vcpu)), [4.0, 6.0, 12.0, 25.0].map(Some));
        assert_eq!([1, 4, 8, 16].map(|vcpu| threads("sched_worker_pool", vcpu)), [6.0, 9.0, 9.0, 13.0].map(Some));
        assert_eq!(threads("rocksdb:low", 8), None, "compaction is bound by slots, not by threads");
    }

    #[test]
    fn every_row_has_a_source() {
        assert!(ROWS.iter().all(|row| !row.source.trim().is_empty()));
    }
}
