//! What is loaded (clause 4.3.3.1), cut into pieces of one transaction each, so that a load can be shared and resumed.

use crate::text::{data, zip};
use crate::{
    CUSTOMERS, DISTRICTS, DatabaseScale, ITEMS, NurandConstants, ORDERS, SqlValue, Table, TpccRandom, UNDELIVERED,
    last_name,
};

/// A part of the load: some thousand rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadPiece {
    /// A tenth of the items, counted from 0.
    Items(i64),
    /// A warehouse with its districts.
    Warehouse(i64),
    /// A tenth of a warehouse's stock.
    Stock {
        /// The warehouse.
        warehouse: i64,
        /// Counted from 0.
        tenth: i64,
    },
    /// All of a district: customers, history, orders.
    District {
        /// Its warehouse.
        warehouse: i64,
        /// 1 to 10.
        district: i64,
    },
}

/// Rows of a table that fit one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowBatch {
    /// Where they go.
    pub table: Table,
    /// Their columns in the order of the schema.
    pub rows: Vec<Vec<SqlValue>>,
}

/// All pieces of a load, numbered from 0. The same seed gives the same rows, in whatever order they are loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadPieces {
    scale: DatabaseScale,
    seed: u64,
    constants: NurandConstants,
    now: String,
}

/// Items and stock are cut into so many pieces: 10,000 rows each.
const PARTS: i64 = 10;

/// Pieces of a warehouse: itself, its stock, its districts.
const OF_WAREHOUSE: i64 = 1 + PARTS + DISTRICTS;

/// Rows of a statement: a few hundred kilobytes, under the packet of 16 MiB that MariaDB takes by default.
const BATCH: usize = 500;

impl LoadPieces {
    /// `now` is when rows were entered, as `2026-01-31 12:00:00`.
    pub fn new(scale: DatabaseScale, seed: u64, now: &str) -> Self {
        Self { scale, seed, constants: NurandConstants::of_load(seed), now: now.to_owned() }
    }

    /// How many there are.
    pub fn count(&self) -> i64 {
        PARTS + self.scale.warehouses * OF_WAREHOUSE
    }

    /// A piece by its number, from 0 to below [`count`](Self::count).
    pub fn piece(&self, number: i64) -> LoadPiece {
        let Some(number) = (number >= PARTS).then(|| number - PARTS) else { return LoadPiece::Items(number) };
        let (warehouse, part) = (number / OF_WAREHOUSE + 1, number % OF_WAREHOUSE);
        match part {
            0 => LoadPiece::Warehouse(warehouse),
            tenth if tenth <= PARTS => LoadPiece::Stock { warehouse, tenth: tenth - 1 },
            district => LoadPiece::District { warehouse, district: district - PARTS },
        }
    }

    /// The rows of a piece, batch by batch; the order of batches is that of the tables in [`Table`].
    pub fn batches(&self, number: i64) -> Vec<RowBatch> {
        // Streams below 16 are those of constants.
        let random = &mut TpccRandom::new(self.seed, 16 + number.unsigned_abs());
        let tenth = |tenth: i64, all: i64| (tenth * all / PARTS + 1)..=((tenth + 1) * all / PARTS);
        let mut rows = Rows::default();
        match self.piece(number) {
            LoadPiece::Items(part) => tenth(part, ITEMS).for_each(|item| rows.add(Table::Item, item_row(item, random))),
            LoadPiece::Warehouse(warehouse) => {
                rows.add(Table::Warehouse, warehouse_row(warehouse, random));
                (1..=DISTRICTS).for_each(|id| rows.add(Table::District, district_row(id, warehouse, random)));
            }
            LoadPiece::Stock { warehouse, tenth: part } => {
                tenth(part, ITEMS).for_each(|item| rows.add(Table::Stock, stock_row(item, warehouse, random)));
            }
            LoadPiece::District { warehouse, district } => self.district(warehouse, district, random, &mut rows),
        }
        rows.batches
    }

    fn district(&self, warehouse: i64, district: i64, random: &mut TpccRandom, rows: &mut Rows) {
        use SqlValue::{Int, Null};
        let now = || SqlValue::Text(self.now.clone());
        for id in 1..=CUSTOMERS {
            rows.add(Table::Customer, self.customer(id, district, warehouse, random));
            let payment = [id, district, warehouse, district, warehouse].map(Int);
            let rest = [now(), SqlValue::cents(1000), SqlValue::Text(random.letters(12..=24))];
            rows.add(Table::History, payment.into_iter().chain(rest).collect());
        }
        let mut customers: Vec<_> = (1..=ORDERS).collect();
        random.shuffle(&mut customers);
        for (order, customer) in (1..).zip(customers) {
            let delivered = order <= ORDERS - UNDELIVERED;
            let lines = random.within(5..=15);
            let carrier = if delivered { Int(random.within(1..=10)) } else { Null };
            let key = [order, district, warehouse];
            let columns = [Int(customer), now(), carrier, Int(lines), Int(1)];
            rows.add(Table::Orders, key.map(Int).into_iter().chain(columns).collect());
            for line in 1..=lines {
                let cents = if delivered { 0 } else { random.within(1..=999_999) };
                let columns = [
                    Int(line),
                    Int(random.within(1..=ITEMS)),
                    Int(warehouse),
                    if delivered { now() } else { Null },
                    Int(5),
                    SqlValue::cents(cents),
                    SqlValue::Text(random.letters(24..=24)),
                ];
                rows.add(Table::OrderLine, key.map(Int).into_iter().chain(columns).collect());
            }
            if !delivered {
                rows.add(Table::NewOrder, key.map(Int).to_vec());
            }
        }
    }

    fn customer(&self, id: i64, district: i64, warehouse: i64, random: &mut TpccRandom) -> Vec<SqlValue> {
        use SqlValue::{Int, Text};
        // The first thousand have every name once.
        let name = if id <= 1000 { id - 1 } else { self.constants.last_name(random) };
        let mut row = vec![Int(id), Int(district), Int(warehouse)];
        row.extend([Text(random.letters(8..=16)), Text("OE".to_owned()), Text(last_name(name))]);
        row.extend(address(random));
        row.extend([Text(random.digits(16..=16)), Text(self.now.clone())]);
        row.push(Text(if random.percent(10) { "BC" } else { "GC" }.to_owned()));
        row.extend([SqlValue::cents(5_000_000), SqlValue::rate(random.within(0..=5000))]);
        row.extend([SqlValue::cents(-1000), SqlValue::cents(1000), Int(1), Int(0), Text(random.letters(300..=500))]);
        row
    }
}

fn address(random: &mut TpccRandom) -> [SqlValue; 5] {
    let mut street = || random.letters(10..=20);
    let (first, second, city) = (street(), street(), street());
    [first, second, city, random.letters(2..=2), zip(random)].map(SqlValue::Text)
}

fn item_row(item: i64, random: &mut TpccRandom) -> Vec<SqlValue> {
    vec![
        SqlValue::Int(item),
        SqlValue::Int(random.within(1..=10_000)),
        SqlValue::Text(random.letters(14..=24)),
        SqlValue::cents(random.within(100..=10_000)),
        SqlValue::Text(data(random)),
    ]
}

fn warehouse_row(warehouse: i64, random: &mut TpccRandom) -> Vec<SqlValue> {
    let mut row = vec![SqlValue::Int(warehouse), SqlValue::Text(random.letters(6..=10))];
    row.extend(address(random));
    row.extend([SqlValue::rate(random.within(0..=2000)), SqlValue::cents(30_000_000)]);
    row
}

fn district_row(district: i64, warehouse: i64, random: &mut TpccRandom) -> Vec<SqlValue> {
    let mut row = vec![SqlValue::Int(district), SqlValue::Int(warehouse), SqlValue::Text(random.letters(6..=10))];
    row.extend(address(random));
    row.extend([SqlValue::rate(random.within(0..=2000)), SqlValue::cents(3_000_000), SqlValue::Int(ORDERS + 1)]);
    row
}

fn stock_row(item: i64, warehouse: i64, random: &mut TpccRandom) -> Vec<SqlValue> {
    let mut row = vec![SqlValue::Int(item), SqlValue::Int(warehouse), SqlValue::Int(random.within(10..=100))];
    row.extend((0..DISTRICTS).map(|_| SqlValue::Text(random.letters(24..=24))));
    row.extend([SqlValue::Int(0), SqlValue::Int(0), SqlValue::Int(0), SqlValue::Text(data(random))]);
    row
}

/// Rows of several tables, cut into batches.
#[derive(Default)]
struct Rows {
    batches: Vec<RowBatch>,
}

impl Rows {
    fn add(&mut self, table: Table, row: Vec<SqlValue>) {
        let open = self.batches.iter_mut().rev().find(|batch| batch.table == table && batch.rows.len() < BATCH);
        match open {
            Some(batch) => batch.rows.push(row),
            None => self.batches.push(RowBatch { table, rows: vec![row] }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::SqlDialect;

    fn pieces() -> LoadPieces {
        LoadPieces::new(DatabaseScale { warehouses: 2 }, 42, "2026-01-31 12:00:00")
    }

    #[test]
    fn the_pieces_are_all_rows_of_the_standard_once() {
        let pieces = pieces();
        let mut counts: BTreeMap<Table, i64> = BTreeMap::new();
        let mut keys = BTreeSet::new();
        for number in 0..pieces.count() {
            for batch in pieces.batches(number) {
                *counts.entry(batch.table).or_default() += batch.rows.len() as i64;
                let columns = match batch.table {
                    Table::Item | Table::Warehouse => 1,
                    Table::District | Table::Stock => 2,
                    Table::OrderLine => 4,
                    _ => 3,
                };
                keys.extend(batch.rows.iter().map(|row| (batch.table, format!("{:?}", &row[..columns]))));
            }
        }
        let warehouses = 2;
        for (table, rows) in [
            (Table::Item, ITEMS),
            (Table::Warehouse, warehouses),
            (Table::District, warehouses * DISTRICTS),
            (Table::Stock, warehouses * ITEMS),
            (Table::Customer, warehouses * DISTRICTS * CUSTOMERS),
            (Table::History, warehouses * DISTRICTS * CUSTOMERS),
            (Table::Orders, warehouses * DISTRICTS * ORDERS),
            (Table::NewOrder, warehouses * DISTRICTS * UNDELIVERED),
        ] {
            assert_eq!(counts[&table], rows, "{table:?}");
        }
        let all: i64 = counts.values().sum();
        assert!((all - DatabaseScale { warehouses }.rows()).abs() < all / 100, "{all}");
        assert_eq!(keys.len() as i64, all, "no key comes twice");
    }

    #[test]
    fn a_row_has_a_value_for_every_column_of_its_table() {
        let pieces = pieces();
        let mut seen = BTreeSet::new();
        for number in [0, 10, 11, 21] {
            for batch in pieces.batches(number) {
                let name = format!("TABLE {} ", batch.table.key());
                let schema = SqlDialect::mysql().schema().find(|sql| sql.contains(&name)).unwrap();
                let prefix = schema.split_once('(').unwrap().1.trim().split('_').next().unwrap();
                let columns = schema.split([',', '(']).map(str::trim);
                // Not those of a key, whose last ends with its bracket.
                let is_column =
                    |part: &&str| part.starts_with(&format!("{prefix}_")) && part.contains(' ') && !part.contains(')');
                let columns = columns.filter(is_column);
                let columns: Vec<_> = columns.collect();
                assert_eq!(batch.rows[0].len(), columns.len(), "{:?}: {columns:?}", batch.table);
                seen.insert(batch.table);
            }
        }
        assert_eq!(seen.len(), 9);
    }

    #[test]
    fn the_same_seed_gives_the_same_rows() {
        assert_eq!(pieces().batches(25), pieces().batches(25));
        assert_ne!(pieces().batches(25), LoadPieces { seed: 43, ..pieces() }.batches(25));
    }

    #[test]
    fn every_last_name_is_borne_in_every_district() {
        let names: BTreeSet<_> = pieces()
            .batches(21)
            .into_iter()
            .filter(|batch| batch.table == Table::Customer)
            .flat_map(|batch| batch.rows.into_iter().map(|row| row[5].text().to_owned()))
            .collect();
        assert_eq!(names.len(), 1000);
    }
}
