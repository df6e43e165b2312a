//! What a warehouse of TPC-C takes in RocksDB's blocks, as TiDB encodes rows and TiKV keeps them: `cargo run -p diskwright-store
//! --example tpcc_blocks`. What it prints is in docs/results/simulate.md, and of blocks of 64 KiB in
//! `crates/model/workload/tables/tpcc_constants.csv`.

use std::collections::BTreeMap;

use rocksdb::{BlockBasedOptions, DBCompressionType, Options, SstFileWriter};
use tpcc::{DatabaseScale, LoadPieces, SqlValue, Table};

/// Column families' pairs, in the order of their keys.
type Pairs = BTreeMap<Vec<u8>, Vec<u8>>;

/// A timestamp of PD, of 2026, and what one transaction of the load takes on: some milliseconds.
const TIMESTAMP: u64 = 463_900_000_000_000_000;
const COMMIT: u64 = 5 << 18;

/// TiKV keeps values of up to so many bytes in the commit record.
const SHORT: usize = 255;

fn main() {
    for apart in [true, false] {
        let mut kept = Kept { apart, ..Kept::default() };
        let pieces = LoadPieces::new(DatabaseScale { warehouses: 1 }, 42, "2026-01-31 12:00:00");
        for number in 0..pieces.count() {
            for batch in pieces.batches(number).iter().filter(|batch| batch.table != Table::Item) {
                kept.load(batch.table, &batch.rows);
            }
        }
        let raw: usize = kept.families.iter().flatten().map(|(key, value)| key.len() + value.len()).sum();
        let keys = if apart { "beside their rows" } else { "those of the rows" };
        println!("primary keys of several columns {keys}: {:.1} MB of keys and values", raw as f64 / 1e6);
        println!("{:>10} {:>12} {:>12} {:>12} {:>8} {:>8}", "block KiB", "none MB", "LZ4 MB", "Zstd MB", "LZ4", "Zstd");
        for block in [4, 8, 16, 32, 64] {
            let size = |how| kept.families.iter().map(|pairs| file(pairs, block << 10, how)).sum::<u64>() as f64 / 1e6;
            let [none, lz4, zstd] =
                [DBCompressionType::None, DBCompressionType::Lz4, DBCompressionType::Zstd].map(size);
            println!("{block:>10} {none:>12.1} {lz4:>12.1} {zstd:>12.1} {:>8.3} {:>8.3}", lz4 / none, zstd / none);
        }
    }
}

/// A table file of these pairs: its size.
fn file(pairs: &Pairs, block: usize, how: DBCompressionType) -> u64 {
    let mut table = BlockBasedOptions::default();
    table.set_block_size(block);
    let mut options = Options::default();
    options.set_block_based_table_factory(&table);
    options.set_compression_type(how);
    let folder = tempfile::tempdir().expect("a folder for a file");
    let mut writer = SstFileWriter::create(&options);
    writer.open(folder.path().join("table.sst")).expect("a new file");
    for (key, value) in pairs {
        writer.put(key, value).expect("keys in order");
    }
    writer.finish().expect("a file of more than nothing");
    writer.file_size()
}

/// What TiKV keeps: `default` with long values, `write` with commit records.
#[derive(Default)]
struct Kept {
    apart: bool,
    families: [Pairs; 2],
    /// Rows without a key of their own are numbered.
    rows: BTreeMap<Table, i64>,
    transactions: u64,
}

impl Kept {
    fn load(&mut self, table: Table, rows: &[Vec<SqlValue>]) {
        self.transactions += 1;
        let (primary, indexes): (&[usize], &[&[usize]]) = match table {
            Table::Warehouse => (&[0], &[]),
            Table::District | Table::Stock => (&[1, 0], &[]),
            Table::Customer => (&[2, 1, 0], &[&[2, 1, 5, 3]]),
            Table::Orders => (&[2, 1, 0], &[&[2, 1, 3, 0]]),
            Table::OrderLine => (&[2, 1, 0, 3], &[]),
            Table::NewOrder => (&[2, 1, 0], &[]),
            Table::Item | Table::History | Table::Loaded => (&[], &[]),
        };
        let number = 50 + table as i64 * 2;
        for row in rows {
            let counted = self.rows.entry(table).or_default();
            *counted += 1;
            let counted = *counted;
            let whole: Vec<u8> = primary.iter().flat_map(|column| in_key(&row[*column])).collect();
            let own = match primary {
                [] => ordered(counted).to_vec(),
                [one] => ordered(row[*one].int().expect("a number")).to_vec(),
                _ if self.apart => ordered(counted).to_vec(),
                _ => whole.clone(),
            };
            self.put(
                [&prefix(number, b"_r")[..], &own].concat(),
                encoded(row, if own == whole { primary } else { &[] }),
            );
            if self.apart && primary.len() > 1 {
                self.put([&prefix(number, b"_i")[..], &ordered(1), &whole].concat(), counted.to_be_bytes().to_vec());
            }
            for (index, columns) in (2..).zip(indexes) {
                let entry: Vec<u8> = columns.iter().flat_map(|column| in_key(&row[*column])).collect();
                let handle = if self.apart { [&[3], &own[..]].concat() } else { own.clone() };
                self.put([&prefix(number, b"_i")[..], &ordered(index), &entry, &handle].concat(), b"0".to_vec());
            }
        }
    }

    /// As a transaction that is over: the value, and its commit record (TiKV `components/txn_types/src/write.rs`).
    fn put(&mut self, key: Vec<u8>, value: Vec<u8>) {
        let start = TIMESTAMP + self.transactions * COMMIT;
        let key = [b"z", &comparable(&key)[..]].concat();
        let at = |time: u64| [&key[..], &(!time).to_be_bytes()].concat();
        let mut record = vec![b'P'];
        let mut left = start;
        while left >= 0x80 {
            record.push(left as u8 | 0x80);
            left >>= 7;
        }
        record.push(left as u8);
        if value.len() <= SHORT {
            record.extend([b'v', value.len() as u8]);
            record.extend(value);
        } else {
            self.families[0].insert(at(start), value);
        }
        self.families[1].insert(at(start + COMMIT / 2), record);
    }
}

/// `t`, the table's number, and what follows (TiDB `pkg/tablecodec`).
fn prefix(table: i64, what: &[u8; 2]) -> Vec<u8> {
    [b"t", &ordered(table)[..], what].concat()
}

/// Big-endian, negative numbers first.
fn ordered(number: i64) -> [u8; 8] {
    (number as u64 ^ 1 << 63).to_be_bytes()
}

/// Groups of eight bytes, each with a mark of how many are padding (TiKV `components/codec`).
fn comparable(key: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for at in (0..=key.len()).step_by(8) {
        let group = &key[at..key.len().min(at + 8)];
        out.extend(group);
        out.extend(std::iter::repeat_n(0, 8 - group.len()));
        out.push(0xFF - (8 - group.len()) as u8);
    }
    out
}

/// A column of a key, with a flag of its kind (TiDB `pkg/util/codec`).
fn in_key(value: &SqlValue) -> Vec<u8> {
    match value {
        SqlValue::Int(number) => [&[3], &ordered(*number)[..]].concat(),
        other => [&[1], &comparable(other.text().as_bytes())[..]].concat(),
    }
}

/// A row without the columns of its key (TiDB `docs/design/2018-07-19-row-format.md`): version, flag, counts, columns' numbers, ends of
/// their values, values.
fn encoded(row: &[SqlValue], key: &[usize]) -> Vec<u8> {
    let columns = (1u8..).zip(row).enumerate().filter(|(at, _)| !key.contains(at)).map(|(_, column)| column);
    let (none, some): (Vec<_>, Vec<_>) = columns.partition(|(_, value)| **value == SqlValue::Null);
    let mut out = vec![128, 0];
    out.extend((some.len() as u16).to_le_bytes());
    out.extend((none.len() as u16).to_le_bytes());
    out.extend(some.iter().chain(&none).map(|(number, _)| number));
    let mut values = Vec::new();
    for (_, value) in some {
        match value {
            SqlValue::Int(number) => values.extend(shortest(*number)),
            SqlValue::Decimal { units, places } => values.extend(decimal(*units, *places)),
            SqlValue::Text(time) if time.len() == 19 && time.as_bytes()[4] == b'-' => values.extend(datetime(time)),
            SqlValue::Text(text) => values.extend(text.as_bytes()),
            SqlValue::Null => {}
        }
        out.extend((values.len() as u16).to_le_bytes());
    }
    [out, values].concat()
}

/// Little-endian, in one, two, four or eight bytes.
fn shortest(number: i64) -> Vec<u8> {
    let bytes = number.to_le_bytes();
    let length = [1, 2, 4].into_iter().find(|length| {
        let bits = 64 - length * 8;
        number << bits >> bits == number
    });
    bytes[..length.unwrap_or(8)].to_vec()
}

/// As MySQL's `decimal2bin`, after its digits: those before the point and after it in groups of nine, the first bit turned.
fn decimal(units: i64, places: u8) -> Vec<u8> {
    let digits = if places == 4 { 4 } else { 12 };
    let one = 10i64.pow(places.into());
    let (whole, part) = (units.abs() / one, units.abs() % one);
    let mut bytes = match digits - places {
        0 => Vec::new(),
        _ => [&[(whole / 1_000_000_000) as u8], &((whole % 1_000_000_000) as u32).to_be_bytes()[..]].concat(),
    };
    match places {
        2 => bytes.push(part as u8),
        _ => bytes.extend((part as u16).to_be_bytes()),
    }
    if units < 0 {
        bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
    bytes[0] ^= 0x80;
    [vec![digits, places], bytes].concat()
}

/// Packed into a number (TiDB `pkg/types`, `CoreTime` to packed).
fn datetime(text: &str) -> Vec<u8> {
    let part = |from: usize, until: usize| text[from..until].parse::<u64>().expect("digits");
    let day = (part(0, 4) * 13 + part(5, 7)) << 5 | part(8, 10);
    let packed = (day << 17 | part(11, 13) << 12 | part(14, 16) << 6 | part(17, 19)) << 24;
    shortest(packed as i64)
}
