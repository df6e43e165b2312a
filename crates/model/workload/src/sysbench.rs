//! sysbench's OLTP tests (version 1.0).

use std::sync::LazyLock;

use units::{Bytes, Nanos, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::{OperationProfile, ThroughputUnit, WorkloadError, skew};

/// The tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OltpTest {
    /// One row by key.
    PointSelect,
    /// Ten rows by key and four ranges.
    ReadOnly,
    /// Two updates, a delete and an insert.
    WriteOnly,
    /// Both together.
    ReadWrite,
}

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SysbenchDistribution {
    /// Three quarters of the accesses go to 1 % of the rows. The default of version 1.0.
    #[default]
    Special,
    /// Every row equally often.
    Uniform,
    /// Zipf's law, the most popular rows first in the table.
    Zipfian,
}

/// The `[sysbench]` table.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SysbenchWorkload {
    /// OLTP test.
    pub test: OltpTest,
    /// Tables.
    pub tables: Uncertain,
    /// Rows of each table.
    pub rows: Uncertain,
    /// Distribution of the requests: `special` sends three quarters of them to 1 % of the rows.
    #[serde(default)]
    pub distribution: SysbenchDistribution,
    /// Exponent of Zipf's law.
    pub theta: Option<Uncertain>,
    /// Clients of a closed loop; an open loop if not given.
    pub clients: Option<Uncertain>,
}

#[derive(serde::Deserialize)]
struct Row {
    test: OltpTest,
    statements: f64,
    locking: f64,
    point_reads: f64,
    scans: f64,
    inserts: f64,
    updates: f64,
    index_writes: f64,
}

static TESTS: LazyLock<Vec<Row>> = LazyLock::new(|| crate::tables::read(include_str!("../tables/sysbench.csv")));

/// id INTEGER, k INTEGER, c CHAR(120), pad CHAR(60) (sysbench `oltp_common.lua`).
const ROW: Bytes = Bytes(4 + 4 + 120 + 60);

/// k and id.
const INDEX_ENTRY: Bytes = Bytes(4 + 4);

/// sysbench's `range_size`.
const ROWS_PER_SCAN: f64 = 100.0;

/// sysbench's `rand-zipfian-exp`.
const THETA: f64 = 0.8;

/// Own experiment: `c` and `pad` are groups of eleven decimal digits; rows with their keys under LZ4 in 32 KiB blocks,
/// over the rows' own bytes.
const COMPRESSED: f64 = 0.88;

impl SysbenchWorkload {
    /// The profile and the number of clients.
    pub(crate) fn fix(&self, pick: &mut Pick<'_>) -> Result<(OperationProfile, Option<f64>), WorkloadError> {
        let test = TESTS.iter().find(|row| row.test == self.test).expect("a row for each test");
        let tables = pick.number("tables", self.tables, Bounds::Tables)?;
        let rows = pick.number("rows", self.rows, Bounds::AtLeastOne)?;
        let theta = pick.maybe("theta", self.theta, Bounds::Fraction)?.unwrap_or(THETA);
        let clients = pick.maybe("clients", self.clients, Bounds::Clients)?;
        let profile = OperationProfile {
            unit: ThroughputUnit { name: "queries/s", per_operation: test.statements },
            statements: test.statements,
            lookups: 0.0,
            locking: test.locking,
            think: Nanos(0),
            spread: 0.0,
            transactional: true,
            point_reads: test.point_reads,
            scans: test.scans,
            rows_per_scan: if test.scans > 0.0 { ROWS_PER_SCAN } else { 0.0 },
            inserts: test.inserts,
            updates: test.updates,
            row: ROW,
            indexes: if test.inserts > 0.0 { test.index_writes / test.inserts } else { 0.0 },
            index_entry: INDEX_ENTRY,
            random_indexes: if test.inserts > 0.0 { test.index_writes / test.inserts } else { 0.0 },
            random_keys: false,
            data: pick.data("rows", tables * rows * (ROW + INDEX_ENTRY).as_f64())?,
            encoded: 1.0,
            compressed: COMPRESSED,
            blocks: Vec::new(),
            popularity: match self.distribution {
                SysbenchDistribution::Special => skew::special(),
                SysbenchDistribution::Uniform => skew::uniform(),
                // All tables are alike, so the popular ranks of one stand for those of all.
                SysbenchDistribution::Zipfian => skew::zipf(rows, theta, true),
            },
            keys_apart: None,
        };
        Ok((profile, clients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_has_its_row() {
        for test in [OltpTest::PointSelect, OltpTest::ReadOnly, OltpTest::WriteOnly, OltpTest::ReadWrite] {
            assert!(TESTS.iter().any(|row| row.test == test), "{test:?}");
        }
    }

    #[test]
    fn reading_and_writing_together_are_both_in_one_transaction() {
        let row = |test| TESTS.iter().find(|row| row.test == test).unwrap();
        let [both, read, write] = [OltpTest::ReadWrite, OltpTest::ReadOnly, OltpTest::WriteOnly].map(row);
        // One begin and one commit instead of two of each.
        assert_eq!(both.statements, read.statements + write.statements - 2.0);
        assert_eq!(both.point_reads, read.point_reads + write.point_reads);
        assert_eq!(both.index_writes, write.index_writes);
    }
}
