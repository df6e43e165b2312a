//! TiKV's settings as RocksDB's options. Those that can change while it runs are made from the same pairs at open and later.

use raftstore::ColumnFamily;
use rocksdb::{
    BlockBasedOptions, Cache, CompactionPri, DBCompressionType, DBRecoveryMode, Env, Options, WriteBufferManager,
};
use rocksdb_ext::RateLimiter;

use super::database;
use crate::config::{StoreConfig, section};

/// Size of a table file without the compaction guard (tikv src/config/mod.rs, `TARGET_FILE_SIZE_BASE` 8 MiB), and with it
/// (`compaction-guard-max-output-file-size`).
const FILE_SIZE: (u64, u64) = (8 << 20, 128 << 20);
/// What a compaction reads ahead of a blob file whose living values it moves, in bytes: as much as Titan's collection reads at
/// most (tikv/titan src/blob_file_iterator.h, `kMaxReadaheadSize`). Without it each value is a read of its own.
const BLOB_READ_AHEAD: &str = "262144";
/// RocksDB's own share of old blob files whose living values move when a compaction meets them.
const BLOB_AGE_CUTOFF: &str = "0.25";
/// What stands for no limit in RocksDB's triggers of files and of bytes.
const NEVER: (i64, u64) = (1 << 30, 1 << 60);
/// As many memtables as their key allows.
const MEMTABLES: i64 = 1000;
/// Low-priority requests go first in one of ten (tikv src/config/mod.rs, the limiter's fairness).
const FAIRNESS: i32 = 10;
/// Bytes that flushes and compactions write a second.
pub(crate) const RATE: &str = "rocksdb.rate-bytes-per-sec";
/// Bytes of all memtables.
pub(crate) const MEMTABLES_LIMIT: &str = "rocksdb.write-buffer-limit";

/// What limits flushes and compactions; none if its rate is 0.
pub(crate) fn limiter(config: &StoreConfig) -> Option<RateLimiter> {
    let refill = config.duration("rocksdb.rate-limiter-refill-period");
    let auto_tuned = config.bool("rocksdb.rate-limiter-auto-tuned");
    RateLimiter::new(config.size(RATE), refill, FAIRNESS, auto_tuned)
}

/// What bounds the memtables of all column families together; none if that is not set.
pub(crate) fn memtables(config: &StoreConfig) -> Option<WriteBufferManager> {
    let limit = usize::try_from(config.optional_size(MEMTABLES_LIMIT)?).unwrap_or(usize::MAX);
    Some(WriteBufferManager::new_write_buffer_manager(limit, false))
}

/// Options of the whole database. Threads are set on the environment after it is open, see [`threads`].
pub(crate) fn database(
    config: &StoreConfig,
    env: &Env,
    limiter: Option<&RateLimiter>,
    memtables: Option<&WriteBufferManager>,
) -> Result<Options, rocksdb::Error> {
    let mut options = Options::default().get_options_from_string(text(database::changeable(config)))?;
    options.set_env(env);
    options.create_if_missing(true);
    options.create_missing_column_families(true);
    options.enable_statistics();
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    options.set_keep_log_file_num(4);
    options.set_max_log_file_size(16 << 20);
    // The environment's pools say how many run at once: those can be resized, these cannot.
    let ceiling = ceiling();
    options.set_max_background_jobs(2 * ceiling);
    deprecated_limits(&mut options, ceiling);
    options.set_max_subcompactions(u32::try_from(config.int("rocksdb.max-sub-compactions")).unwrap_or(1));
    if let Some(limiter) = limiter {
        limiter.limit(&mut options);
    }
    options.set_max_manifest_file_size(config.size("rocksdb.max-manifest-file-size") as usize);
    options.set_use_direct_io_for_flush_and_compaction(config.bool("rocksdb.use-direct-io-for-flush-and-compaction"));
    options.set_enable_pipelined_write(config.bool("rocksdb.enable-pipelined-write"));
    options.set_unordered_write(config.bool("rocksdb.enable-unordered-write"));
    options.set_wal_recovery_mode(match config.text("rocksdb.wal-recovery-mode") {
        "tolerate-corrupted-tail-records" => DBRecoveryMode::TolerateCorruptedTailRecords,
        "absolute-consistency" => DBRecoveryMode::AbsoluteConsistency,
        "skip-any-corrupted-records" => DBRecoveryMode::SkipAnyCorruptedRecord,
        _ => DBRecoveryMode::PointInTime,
    });
    if !config.text("rocksdb.wal-dir").is_empty() {
        options.set_wal_dir(config.text("rocksdb.wal-dir"));
    }
    if let Some(memtables) = memtables {
        options.set_write_buffer_manager(memtables);
    }
    Ok(options)
}

/// Pairs of names and values as RocksDB reads them.
fn text(pairs: Vec<(&'static str, String)>) -> String {
    pairs.into_iter().map(|(option, value)| format!("{option}={value};")).collect()
}

/// As many flushes and as many compactions as TiKV would let a machine have at all: ten times the processors.
fn ceiling() -> i32 {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    i32::try_from(cpus.max(1) * 10).unwrap_or(i32::MAX / 2)
}

/// Flushes and compactions each up to the ceiling; left alone, RocksDB would give flushes a quarter of the jobs.
#[allow(deprecated, reason = "the only way to say how many of the jobs are flushes, and TiKV says it")]
fn deprecated_limits(options: &mut Options, ceiling: i32) {
    options.set_max_background_flushes(ceiling);
    options.set_max_background_compactions(ceiling);
}

/// How many flushes and compactions run at once, from now on.
pub(crate) fn threads(config: &StoreConfig, env: &Env) {
    let mut env = env.clone();
    env.set_high_priority_background_threads(config.int("rocksdb.max-background-flushes") as i32);
    env.set_low_priority_background_threads(config.compactions() as i32);
}

/// Options of a column family.
pub(crate) fn family(config: &StoreConfig, cf: ColumnFamily, cache: &Cache) -> Result<Options, rocksdb::Error> {
    let name = |key: &str| format!("rocksdb.{}.{key}", section(cf));
    let mut options = Options::default().get_options_from_string(text(changeable(config, cf)))?;
    options.set_num_levels(config.int(&name("num-levels")) as i32);
    options.set_min_write_buffer_number_to_merge(config.int(&name("min-write-buffer-number-to-merge")) as i32);
    options.set_level_compaction_dynamic_level_bytes(config.bool(&name("dynamic-level-bytes")));
    let levels = config.texts(&name("compression-per-level"));
    options.set_compression_per_level(&levels.iter().map(|level| compression(level)).collect::<Vec<_>>());
    let bottom = config.text(&name("bottommost-level-compression"));
    if bottom != "disable" {
        options.set_bottommost_compression_type(compression(bottom));
    }
    options.set_compaction_pri(match config.text(&name("compaction-pri")) {
        "oldest-largest-seq-first" => CompactionPri::OldestLargestSeqFirst,
        "oldest-smallest-seq-first" => CompactionPri::OldestSmallestSeqFirst,
        "min-overlapping-ratio" => CompactionPri::MinOverlappingRatio,
        _ => CompactionPri::ByCompensatedSize,
    });
    options.set_optimize_filters_for_hits(config.bool(&name("optimize-filters-for-hits")));
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_block_size(config.size(&name("block-size")) as usize);
    if config.bool(&name("use-bloom-filter")) {
        table.set_bloom_filter(config.int(&name("bloom-filter-bits-per-key")) as f64, false);
    }
    table.set_cache_index_and_filter_blocks(config.bool(&name("cache-index-and-filter-blocks")));
    table.set_pin_l0_filter_and_index_blocks_in_cache(config.bool(&name("pin-l0-filter-and-index-blocks")));
    table.set_format_version(config.int(&name("format-version")) as i32);
    options.set_block_based_table_factory(&table);
    options.set_blob_cache(cache);
    Ok(options)
}

fn compression(name: &str) -> DBCompressionType {
    match name {
        "lz4" => DBCompressionType::Lz4,
        "lz4hc" => DBCompressionType::Lz4hc,
        "zstd" => DBCompressionType::Zstd,
        _ => DBCompressionType::None,
    }
}

/// RocksDB's names of compressions in its option texts.
fn compression_text(name: &str) -> &'static str {
    match name {
        "lz4" => "kLZ4Compression",
        "lz4hc" => "kLZ4HCCompression",
        "zstd" => "kZSTD",
        _ => "kNoCompression",
    }
}

/// RocksDB's names and values of what can change while it runs.
pub(crate) fn changeable(config: &StoreConfig, cf: ColumnFamily) -> Vec<(&'static str, String)> {
    let name = |key: &str| format!("rocksdb.{}.{key}", section(cf));
    let (size, int) = (|key: &str| config.size(&name(key)), |key: &str| config.int(&name(key)));
    let guarded = config.bool(&name("enable-compaction-guard"));
    let file_size = config.optional_size(&name("target-file-size-base"));
    let file_size = file_size.unwrap_or(if guarded { FILE_SIZE.1 } else { FILE_SIZE.0 });
    let stalls = !config.bool(&name("disable-write-stall"));
    // TiKV's RocksDB can be told not to stall; this one stalls where its triggers say, so they move out of sight. A zero
    // limit of pending bytes would not do: RocksDB then compacts at full speed always.
    let files = |key: &str| if stalls { int(key) } else { NEVER.0 };
    let pending = |key: &str| if stalls { size(key) } else { NEVER.1 };
    // Where RocksDB does stop for memtables, a writer that waits while the disk is full is never told: RocksDB takes itself
    // for recovering (DBImpl::DelayWrite). So without stalls it does not stop for them either; flow control sees to their number.
    let memtables = if stalls { int("max-write-buffer-number") } else { MEMTABLES };
    let mut pairs = vec![
        ("write_buffer_size", size("write-buffer-size").to_string()),
        ("max_write_buffer_number", memtables.to_string()),
        ("max_bytes_for_level_base", size("max-bytes-for-level-base").to_string()),
        ("max_bytes_for_level_multiplier", int("max-bytes-for-level-multiplier").to_string()),
        ("target_file_size_base", file_size.to_string()),
        ("level0_file_num_compaction_trigger", int("level0-file-num-compaction-trigger").to_string()),
        ("level0_slowdown_writes_trigger", files("level0-slowdown-writes-trigger").to_string()),
        ("level0_stop_writes_trigger", files("level0-stop-writes-trigger").to_string()),
        ("soft_pending_compaction_bytes_limit", pending("soft-pending-compaction-bytes-limit").to_string()),
        ("hard_pending_compaction_bytes_limit", pending("hard-pending-compaction-bytes-limit").to_string()),
        ("max_compaction_bytes", size("max-compaction-bytes").to_string()),
        ("disable_auto_compactions", config.bool(&name("disable-auto-compactions")).to_string()),
    ];
    if cf == ColumnFamily::Default {
        pairs.extend([
            ("enable_blob_files", config.bool("rocksdb.titan.enabled").to_string()),
            ("min_blob_size", size("titan.min-blob-size").to_string()),
            ("blob_compression_type", compression_text(config.text(&name("titan.blob-file-compression"))).to_owned()),
            ("enable_blob_garbage_collection", "true".to_owned()),
            ("blob_compaction_readahead_size", BLOB_READ_AHEAD.to_owned()),
            ("blob_garbage_collection_age_cutoff", BLOB_AGE_CUTOFF.to_owned()),
            ("blob_garbage_collection_force_threshold", config.float(&name("titan.discardable-ratio")).to_string()),
        ]);
    }
    pairs
}
