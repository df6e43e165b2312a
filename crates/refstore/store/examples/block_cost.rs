//! What a block takes of a thread that the block cache lacks and the page cache has: `cargo run -p diskwright-store --example
//! block_cost`. What it prints is in docs/results/validate.md; `cpu_block` and `cpu_block_byte` of `crates/analyze/simulate/tables/store.toml` are
//! of it.

use rand::{RngExt, SeedableRng};
use rocksdb::{BlockBasedOptions, Cache, DB, DBCompressionType, Options};
use rustix::time::{ClockId, clock_gettime};

/// Rows and their size, as those of 1 KiB of the grid: of a value, so much is random bytes, and the rest repeats them.
const ROWS: u64 = 60_000;
const ROW: usize = 1024;
const RANDOM: f64 = 0.6;
/// Gets that are measured.
const GETS: u32 = 40_000;

fn main() {
    println!("{:>10} {:>10} {:>12} {:>12} {:>12}", "block KiB", "how", "cached us", "read us", "a block us");
    for (name, how) in
        [("none", DBCompressionType::None), ("LZ4", DBCompressionType::Lz4), ("Zstd", DBCompressionType::Zstd)]
    {
        let mut costs = Vec::new();
        for block in [4, 16, 64] {
            let folder = tempfile::tempdir().expect("a folder for a database");
            let database = |cache: usize| open(folder.path(), block << 10, how, cache);
            fill(&database(0));
            let [cached, read] = [2 * ROWS as usize * ROW, 0].map(|cache| get(&database(cache)));
            println!("{block:>10} {name:>10} {cached:>12.2} {read:>12.2} {:>12.2}", read - cached);
            costs.push(((block << 10) as f64, read - cached));
        }
        let (each, byte) = line(&costs);
        println!("{name}: {each:.1} us a block and {:.2} ns a byte\n", byte * 1e3);
    }
}

fn open(path: &std::path::Path, block: usize, how: DBCompressionType, cache: usize) -> DB {
    let mut table = BlockBasedOptions::default();
    table.set_block_size(block);
    table.set_block_cache(&Cache::new_lru_cache(cache));
    table.set_bloom_filter(10.0, false);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_compression_type(how);
    options.set_block_based_table_factory(&table);
    DB::open(&options, path).expect("a database in a folder of its own")
}

/// As the load's rows: the keys in order, and one file level below the first.
fn fill(database: &DB) {
    let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
    for row in 0..ROWS {
        let mut value: Vec<u8> = (0..(ROW as f64 * RANDOM) as usize).map(|_| random.random()).collect();
        value.extend_from_within(..ROW - value.len());
        database.put(key(row), value).expect("room for a row");
    }
    database.compact_range(None::<&[u8]>, None::<&[u8]>);
}

fn key(row: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[16..].copy_from_slice(&row.to_be_bytes());
    key
}

/// Microseconds of this thread for a get, once all rows have been read.
fn get(database: &DB) -> f64 {
    let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(2);
    for row in 0..ROWS {
        database.get_pinned(key(row)).expect("a read").expect("a row");
    }
    let before = taken();
    for _ in 0..GETS {
        database.get_pinned(key(random.random_range(0..ROWS))).expect("a read").expect("a row");
    }
    (taken() - before) * 1e6 / f64::from(GETS)
}

/// Seconds that this thread has had of processors.
fn taken() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// The line of least squares through points: where it meets the axis, and its slope.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
    let slope = mean(&|point| (point.0 - x) * (point.1 - y)) / mean(&|point| (point.0 - x).powi(2));
    (y - slope * x, slope)
}
