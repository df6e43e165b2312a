//! TPC-C: the mean transaction of the standard's mix (TPC-C standard revision 5.11, sent as go-tpc sends it).

use std::collections::HashMap;
use std::sync::LazyLock;

use units::{Bytes, Interval, Nanos, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::tpcc_skew::{Part, parts};
use crate::{Band, Blocks, Profile, Unit, WorkloadError};

/// The `[tpcc]` table.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tpcc {
    /// How many warehouses were loaded; clients use all of them evenly.
    pub warehouses: Uncertain,
    /// Closed loop with so many clients; open loop if not given.
    pub clients: Option<Uncertain>,
    /// Mean keying and thinking time; none if not given, as benchmark tools run it.
    pub think: Option<Interval<Nanos>>,
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
    shared: bool,
    popularity: String,
}

#[derive(serde::Deserialize)]
struct Transaction {
    transaction: String,
    percent: f64,
    statements: f64,
    locking: f64,
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
}

/// Everything about the standard's transaction that does not depend on the number of warehouses.
struct Standard {
    statements: f64,
    locking: f64,
    spread: f64,
    point_reads: f64,
    scans: f64,
    scanned_rows: f64,
    inserts: f64,
    updates: f64,
    written_bytes: f64,
    index_entries: f64,
    index_bytes: f64,
    bytes_per_warehouse: f64,
    compressed: f64,
    parts: Vec<TablePart>,
    /// The same by blocks of these sizes.
    blocks: Vec<(Bytes, Vec<TablePart>)>,
    new_orders: f64,
}

/// Sizes of blocks that are asked about, in KiB: the nearest to any that an engine has.
const BLOCKS: [u64; 7] = [4, 8, 16, 32, 64, 128, 256];

/// A part of a table whose rows are asked for equally often.
struct TablePart {
    bytes: f64,
    /// Whether one copy serves all warehouses.
    shared: bool,
    accesses: f64,
    clustered: bool,
}

static STANDARD: LazyLock<Standard> = LazyLock::new(Standard::derive);

impl Standard {
    fn derive() -> Self {
        let constants: Vec<Constant> = crate::tables::read(include_str!("../tables/tpcc_constants.csv"));
        let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
        let transactions: Vec<Transaction> = crate::tables::read(include_str!("../tables/tpcc_transactions.csv"));
        let touches: Vec<Touch> = crate::tables::read(include_str!("../tables/tpcc_rows.csv"));
        let constants: HashMap<_, _> = constants.into_iter().map(|c| (c.name, c.value)).collect();
        let percents: HashMap<_, _> = transactions.iter().map(|t| (t.transaction.as_str(), t.percent)).collect();
        let table_named = |touch: &Touch| tables.iter().find(|t| t.table == touch.table).expect("a table of the list");

        let sum = |of: &dyn Fn(&Touch) -> f64| {
            touches.iter().map(|touch| percents[touch.transaction.as_str()] / 100.0 * of(touch)).sum::<f64>()
        };
        let recent = constants["recent_orders"] / constants["orders_per_district"];
        // The parts of all tables, by rows or by blocks of a size.
        let parts_of = |block: Option<Bytes>| {
            let mut parts = Vec::new();
            for table in &tables {
                let accesses = |recent: bool| {
                    let here = |t: &Touch| t.table == table.table && t.recent == recent;
                    sum(&|t| if here(t) { t.point_reads + t.scans } else { 0.0 })
                };
                let (anywhere, at_the_end) = (accesses(false), accesses(true));
                for part in table.parts(recent, block.map_or(1.0, |block| block.as_f64() / table.row_bytes)) {
                    parts.push(TablePart {
                        bytes: table.rows_per_warehouse * table.row_bytes * part.data,
                        shared: table.shared,
                        accesses: anywhere * part.accesses,
                        clustered: !table.popularity.starts_with("nurand"),
                    });
                }
                if let Some(end) = parts.last_mut().filter(|_| table.popularity == "recent") {
                    end.accesses += at_the_end;
                }
            }
            parts
        };
        let sizes = BLOCKS.map(Bytes::kib);
        let moment =
            |power: i32| -> f64 { transactions.iter().map(|t| t.percent / 100.0 * t.statements.powi(power)).sum() };
        Self {
            spread: (moment(2) / moment(1).powi(2) - 1.0).sqrt(),
            statements: moment(1),
            locking: transactions.iter().map(|t| t.percent / 100.0 * t.locking).sum(),
            point_reads: sum(&|t| t.point_reads),
            scans: sum(&|t| t.scans),
            scanned_rows: sum(&|t| t.scanned_rows),
            inserts: sum(&|t| t.inserts),
            updates: sum(&|t| t.updates),
            written_bytes: sum(&|t| (t.inserts + t.updates) * table_named(t).row_bytes),
            index_entries: sum(&|t| t.inserts * table_named(t).indexes),
            index_bytes: sum(&|t| t.inserts * table_named(t).indexes * table_named(t).index_entry_bytes),
            bytes_per_warehouse: constants["bytes_per_warehouse"],
            compressed: constants["compressed"],
            parts: parts_of(None),
            blocks: sizes.map(|size| (size, parts_of(Some(size)))).into(),
            new_orders: percents["new_order"] / 100.0,
        }
    }

    /// How accesses spread over blocks of each size.
    fn blocks(&self, warehouses: f64) -> Vec<Blocks> {
        self.blocks
            .iter()
            .map(|(size, parts)| Blocks { size: *size, popularity: popularity(parts, warehouses) })
            .collect()
    }
}

/// Shares of data and accesses; the more warehouses, the smaller the share of what they all share.
fn popularity(parts: &[TablePart], warehouses: f64) -> Vec<Band> {
    let bytes = |part: &TablePart| if part.shared { part.bytes } else { part.bytes * warehouses };
    let all_bytes: f64 = parts.iter().map(bytes).sum();
    let all_accesses: f64 = parts.iter().map(|part| part.accesses).sum();
    let band = |part: &TablePart| Band {
        data: bytes(part) / all_bytes,
        accesses: part.accesses / all_accesses,
        clustered: part.clustered,
    };
    parts.iter().map(band).collect()
}

impl Table {
    /// How accesses that may go anywhere in the table spread over it, in blocks of so many rows; the table's end is last.
    fn parts(&self, recent: f64, rows: f64) -> Vec<Part> {
        match self.popularity.as_str() {
            "uniform" => vec![Part { data: 1.0, accesses: 1.0 }],
            "recent" => [1.0 - recent, recent].map(|share| Part { data: share, accesses: share }).to_vec(),
            distribution => parts(distribution, rows),
        }
    }
}

impl Tpcc {
    /// The profile and the number of clients.
    pub(crate) fn fix(&self, pick: &mut Pick<'_>) -> Result<(Profile, Option<f64>), WorkloadError> {
        let standard = &*STANDARD;
        let warehouses = pick.number("warehouses", self.warehouses, Bounds::AtLeastOne)?;
        let clients = pick.maybe("clients", self.clients, Bounds::AtLeastOne)?;
        let think = self.think.map_or(Ok(Nanos(0)), |think| pick.span("think", think, Bounds::Any))?;
        let profile = Profile {
            unit: Unit { name: "tpmC", per_operation: 60.0 * standard.new_orders },
            statements: standard.statements,
            locking: standard.locking,
            think,
            spread: standard.spread,
            transactional: true,
            point_reads: standard.point_reads,
            scans: standard.scans,
            rows_per_scan: standard.scanned_rows / standard.scans,
            inserts: standard.inserts,
            updates: standard.updates,
            row: Bytes((standard.written_bytes / (standard.inserts + standard.updates)).round() as u64),
            indexes: standard.index_entries / standard.inserts,
            index_entry: Bytes((standard.index_bytes / standard.index_entries).round() as u64),
            random_indexes: standard.index_entries / standard.inserts,
            random_keys: false,
            data: pick.data("warehouses", warehouses * standard.bytes_per_warehouse)?,
            compressed: standard.compressed,
            popularity: popularity(&standard.parts, warehouses),
            blocks: standard.blocks(warehouses),
        };
        Ok((profile, clients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(warehouses: f64) -> Profile {
        let tpcc = Tpcc { warehouses: Interval::certain(warehouses), clients: None, think: None };
        tpcc.fix(&mut Pick::new("tpcc", &mut |_, interval| interval.middle())).unwrap().0
    }

    #[test]
    fn the_mix_is_the_standards() {
        let transactions: Vec<Transaction> = crate::tables::read(include_str!("../tables/tpcc_transactions.csv"));
        assert_eq!(transactions.iter().map(|t| t.percent).sum::<f64>(), 100.0);
        assert_eq!(profile(1.0).unit.per_operation, 27.0);
    }

    #[test]
    fn every_touched_table_and_transaction_exists() {
        let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
        let touches: Vec<Touch> = crate::tables::read(include_str!("../tables/tpcc_rows.csv"));
        let transactions: Vec<Transaction> = crate::tables::read(include_str!("../tables/tpcc_transactions.csv"));
        for touch in &touches {
            let table = tables.iter().find(|table| table.table == touch.table).unwrap();
            assert!(!touch.recent || table.popularity == "recent", "{}", touch.table);
            assert!(transactions.iter().any(|t| t.transaction == touch.transaction), "{}", touch.transaction);
        }
    }

    #[test]
    fn row_lengths_of_the_standard_agree_with_the_measured_size() {
        let tables: Vec<Table> = crate::tables::read(include_str!("../tables/tpcc_tables.csv"));
        let own = tables.iter().filter(|table| !table.shared);
        let bytes: f64 = own.map(|table| table.rows_per_warehouse * table.row_bytes).sum();
        let measured = STANDARD.bytes_per_warehouse;
        assert!((bytes / measured - 1.0).abs() < 0.03, "{bytes} against {measured}");
    }

    #[test]
    fn a_new_order_writes_a_row_for_each_line() {
        // New-Order alone adds 12 rows and changes 11; the others only add to that.
        let profile = profile(5000.0);
        assert!(profile.inserts > 0.45 * 12.0 && profile.updates > 0.45 * 11.0);
        assert!((profile.inserts - (0.45 * 12.0 + 0.43)).abs() < 1e-9);
    }

    #[test]
    fn shares_sum_to_one_and_the_hot_part_is_small() {
        let bands = profile(5000.0).popularity;
        assert!((bands.iter().map(|band| band.data).sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((bands.iter().map(|band| band.accesses).sum::<f64>() - 1.0).abs() < 1e-9);
        let tiny: f64 = bands.iter().filter(|band| band.data < 1e-4).map(|band| band.accesses).sum();
        assert!(tiny > 0.2, "warehouse, district and item draw {tiny} of the accesses");
    }
}
