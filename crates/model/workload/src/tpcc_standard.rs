//! What TPC-C's transactions touch, from the tables: everything that does not depend on the number of warehouses.

use std::collections::HashMap;
use std::sync::LazyLock;

use units::Bytes;

use crate::tpcc_skew::{Part, parts};
use crate::{BlockSpread, SkewBand};

/// Where primary keys of several columns are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// They are the rows' own keys.
    Clustered,
    /// Each is an entry of a unique index, which has the number of its row. A statement that names a row by its key reads the
    /// entry first, and again each time: until TiDB 5.0 it locks the row and not the entry, so that the entry is not among what
    /// the transaction already knows (tidb `executor/point_get.go`). Rows are in the order in which they were added.
    Apart,
}

#[derive(serde::Deserialize)]
struct Constant {
    name: String,
    value: f64,
}

#[derive(serde::Deserialize)]
struct Table {
    table: String,
    rows_per_warehouse: f64,
    row_bytes: f64,
    indexes: f64,
    index_entry_bytes: f64,
    /// Columns of the primary key; 0 if there is none.
    key_columns: f64,
    shared: bool,
    popularity: String,
}

#[derive(serde::Deserialize)]
struct Transaction {
    percent: f64,
    transaction: String,
    statements: f64,
    locking: f64,
    /// Statements that name rows by a primary key of several columns, or go along it to rows.
    lookups: f64,
}

/// Rows of one table that one transaction touches.
#[derive(serde::Deserialize)]
struct Touch {
    transaction: String,
    table: String,
    recent: bool,
    point_reads: f64,
    scans: f64,
    scanned_rows: f64,
    inserts: f64,
    updates: f64,
    /// Updates that remove the row.
    removed: f64,
    /// Times that a statement names a row by its primary key.
    by_key: f64,
    /// Scans along the primary key.
    key_scans: f64,
    /// Runs of rows that were added together, which these scans come to.
    runs: f64,
}

/// Everything about the standard's transaction that does not depend on the number of warehouses.
pub(crate) struct Standard {
    pub(crate) statements: f64,
    pub(crate) lookups: f64,
    pub(crate) locking: f64,
    pub(crate) spread: f64,
    pub(crate) point_reads: f64,
    pub(crate) scans: f64,
    pub(crate) scanned_rows: f64,
    pub(crate) inserts: f64,
    pub(crate) updates: f64,
    pub(crate) written_bytes: f64,
    pub(crate) index_entries: f64,
    pub(crate) index_bytes: f64,
    /// Index entries that land anywhere; those of keys follow the rows.
    pub(crate) random_entries: f64,
    /// Size published for TiDB 5.0, which kept keys of several columns apart: their entries are included.
    pub(crate) bytes_per_warehouse: f64,
    /// Bytes in TiKV over those of the rows, and under LZ4 over those.
    pub(crate) encoded: f64,
    pub(crate) compressed: f64,
    parts: Vec<TablePart>,
    /// The same by blocks of these sizes.
    blocks: Vec<(Bytes, Vec<TablePart>)>,
    pub(crate) new_orders: f64,
}

/// Sizes of blocks that are asked about, in KiB: the nearest to any that an engine has.
const BLOCKS: [u64; 7] = [4, 8, 16, 32, 64, 128, 256];

/// Bytes of an integer column in the key of an index entry, and of the row's number in its value (TiDB's codec: a flag and eight
/// bytes; eight bytes).
const KEY_COLUMN: f64 = 9.0;
const ROW_NUMBER: f64 = 8.0;

/// A part of a table, or of the index of its primary key, whose rows are asked for equally often.
struct TablePart {
    bytes: f64,
    /// Whether one copy serves all warehouses.
    shared: bool,
    accesses: f64,
    clustered: bool,
}

impl Standard {
    /// With primary keys of several columns kept in this way.
    pub(crate) fn of(keys: Keys) -> &'static Self {
        static CLUSTERED: LazyLock<Standard> = LazyLock::new(|| Standard::derive(Keys::Clustered));
        static APART: LazyLock<Standard> = LazyLock::new(|| Standard::derive(Keys::Apart));
        match keys {
            Keys::Clustered => &CLUSTERED,
            Keys::Apart => &APART,
        }
    }

    fn derive(keys: Keys) -> Self {
        let constants: Vec<Constant> = crate::tables::read(include_str!("../tables/tpcc_constants.csv"));
        let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
        let transactions: Vec<Transaction> = crate::tables::read(include_str!("../tables/tpcc_transactions.csv"));
        let touches: Vec<Touch> = crate::tables::read(include_str!("../tables/tpcc_rows.csv"));
        let constants: HashMap<_, _> = constants.iter().map(|c| (c.name.as_str(), c.value)).collect();
        let percents: HashMap<_, _> = transactions.iter().map(|t| (t.transaction.as_str(), t.percent)).collect();
        let table_named = |touch: &Touch| tables.iter().find(|t| t.table == touch.table).expect("a table of the list");
        let apart = |table: &Table| if table.apart(keys) { 1.0 } else { 0.0 };

        let sum = |of: &dyn Fn(&Touch) -> f64| {
            touches.iter().map(|touch| percents[touch.transaction.as_str()] / 100.0 * of(touch)).sum::<f64>()
        };
        // Of tables whose keys are apart: what is added to what is touched, and the entries that are written.
        let sum_apart = |of: &dyn Fn(&Touch) -> f64| sum(&|t| apart(table_named(t)) * of(t));
        let entry = |t: &Touch| table_named(t).key_entry_bytes();
        let own_entries = sum(&|t| t.inserts * table_named(t).indexes);
        let own_bytes = sum(&|t| t.inserts * table_named(t).indexes * table_named(t).index_entry_bytes);
        let layout = if keys == Keys::Apart { "apart" } else { "clustered" };
        let kept = |compression: &str| constants[format!("tikv_{layout}_{compression}").as_str()];
        let recent = constants["recent_orders"] / constants["orders_per_district"];
        let parts_of = |block: Option<Bytes>| {
            let mut parts = Vec::new();
            for table in &tables {
                let accesses = |recent: bool, of: &dyn Fn(&Touch) -> f64| {
                    let here = |t: &Touch| t.table == table.table && t.recent == recent;
                    sum(&|t| if here(t) { of(t) } else { 0.0 })
                };
                let mut add = |bytes: f64, of: &dyn Fn(&Touch) -> f64| {
                    table.add(&mut parts, (bytes, block), recent, [false, true].map(|recent| accesses(recent, of)));
                };
                if table.apart(keys) {
                    add(table.row_bytes, &|t| t.point_reads + t.scans - t.key_scans + t.runs);
                    add(table.key_entry_bytes(), &|t| t.by_key + t.key_scans);
                } else {
                    add(table.row_bytes, &|t| t.point_reads + t.scans);
                }
            }
            parts
        };
        let sizes = BLOCKS.map(Bytes::kib);
        let mean =
            |of: &dyn Fn(&Transaction) -> f64| transactions.iter().map(|t| t.percent / 100.0 * of(t)).sum::<f64>();
        let moment = |power: i32| mean(&|t| t.statements.powi(power));
        Self {
            spread: (moment(2) / moment(1).powi(2) - 1.0).sqrt(),
            statements: moment(1),
            lookups: if keys == Keys::Apart { mean(&|t| t.lookups) } else { 0.0 },
            locking: mean(&|t| t.locking),
            point_reads: sum(&|t| t.point_reads) + sum_apart(&|t| t.by_key),
            scans: sum(&|t| t.scans) + sum_apart(&|t| t.runs),
            scanned_rows: sum(&|t| t.scanned_rows)
                + sum_apart(&|t| if t.runs > 0.0 { t.scanned_rows * t.key_scans / t.scans } else { 0.0 }),
            inserts: sum(&|t| t.inserts),
            updates: sum(&|t| t.updates),
            written_bytes: sum(&|t| (t.inserts + t.updates) * table_named(t).row_bytes),
            index_entries: own_entries + sum_apart(&|t| t.inserts + t.removed),
            index_bytes: own_bytes + sum_apart(&|t| (t.inserts + t.removed) * entry(t)),
            random_entries: own_entries,
            bytes_per_warehouse: constants["bytes_per_warehouse"],
            encoded: kept("none") / constants["bytes_per_warehouse"],
            compressed: kept("lz4") / kept("none"),
            parts: parts_of(None),
            blocks: sizes.map(|size| (size, parts_of(Some(size)))).into(),
            new_orders: percents["new_order"] / 100.0,
        }
    }

    /// How accesses spread over rows.
    pub(crate) fn popularity(&self, warehouses: f64) -> Vec<SkewBand> {
        popularity(&self.parts, warehouses)
    }

    /// How accesses spread over blocks of each size.
    pub(crate) fn blocks(&self, warehouses: f64) -> Vec<BlockSpread> {
        self.blocks
            .iter()
            .map(|(size, parts)| BlockSpread { size: *size, popularity: popularity(parts, warehouses) })
            .collect()
    }
}

/// Shares of data and accesses; the more warehouses, the smaller the share of what they all share.
fn popularity(parts: &[TablePart], warehouses: f64) -> Vec<SkewBand> {
    let bytes = |part: &TablePart| if part.shared { part.bytes } else { part.bytes * warehouses };
    let all_bytes: f64 = parts.iter().map(bytes).sum();
    let all_accesses: f64 = parts.iter().map(|part| part.accesses).sum();
    let band = |part: &TablePart| SkewBand {
        data: bytes(part) / all_bytes,
        accesses: part.accesses / all_accesses,
        clustered: part.clustered,
    };
    parts.iter().map(band).collect()
}

impl Table {
    /// Whether its primary key is kept apart from its rows.
    fn apart(&self, keys: Keys) -> bool {
        keys == Keys::Apart && self.key_columns > 1.0
    }

    /// Bytes of an entry of the index of its primary key.
    fn key_entry_bytes(&self) -> f64 {
        self.key_columns * KEY_COLUMN + ROW_NUMBER
    }

    /// Adds the parts of what has so many bytes a row, in rows or in blocks of a size, with the accesses that may go anywhere and
    /// those that go to the end.
    fn add(
        &self,
        parts: &mut Vec<TablePart>,
        (bytes, block): (f64, Option<Bytes>),
        recent: f64,
        [anywhere, at_the_end]: [f64; 2],
    ) {
        for part in self.parts(recent, block.map_or(1.0, |block| block.as_f64() / bytes)) {
            parts.push(TablePart {
                bytes: self.rows_per_warehouse * bytes * part.data,
                shared: self.shared,
                accesses: anywhere * part.accesses,
                clustered: !self.popularity.starts_with("nurand"),
            });
        }
        if let Some(end) = parts.last_mut().filter(|_| self.popularity == "recent") {
            end.accesses += at_the_end;
        }
    }

    /// How accesses that may go anywhere in the table spread over it, in blocks of so many rows; the table's end is last.
    fn parts(&self, recent: f64, rows: f64) -> Vec<Part> {
        match self.popularity.as_str() {
            "uniform" => vec![Part { data: 1.0, accesses: 1.0 }],
            "recent" => [1.0 - recent, recent].map(|share| Part { data: share, accesses: share }).to_vec(),
            distribution => parts(distribution, rows),
        }
    }
}

#[cfg(test)]
#[path = "tpcc_standard_tests.rs"]
mod tests;
