//! Defaults that depend on the machine or on other keys, and the clamps that TiKV applies to what is set.

use raftstore::ColumnFamily;

use super::key::section;
use super::{ConfigValue, HostMachine, StoreConfig};

/// Share of the memory that the block cache takes (tikv src/config/mod.rs, `BLOCK_CACHE_RATE`).
const CACHE_SHARE: f64 = 0.45;
/// Share of the memory that the node takes at most (tikv src/config/mod.rs, `MEMORY_USAGE_LIMIT_RATE`).
const USAGE_SHARE: f64 = 0.75;
/// `coprocessor.region-split-size`: what a lagging replica may be behind follows from it.
const REGION_SIZE: u64 = 256 << 20;

/// Keys with a computed default, those that others are computed from first.
pub(crate) const ORDER: [&str; 13] = [
    "storage.block-cache.capacity",
    "memory-usage-limit",
    "storage.scheduler-worker-pool-size",
    "readpool.unified.max-thread-count",
    "server.grpc-concurrency",
    "rocksdb.max-background-jobs",
    "rocksdb.max-background-flushes",
    "rocksdb.max-sub-compactions",
    "raft-engine.dir",
    "raft-engine.batch-compression-threshold",
    "raft-engine.purge-rewrite-threshold",
    "raftstore.raft-log-gc-count-limit",
    "raftstore.raft-log-gc-size-limit",
];

/// The default of a key of [`ORDER`], or of a trigger of a column family.
pub(crate) fn default(name: &str, config: &StoreConfig, machine: &HostMachine) -> Option<ConfigValue> {
    let cpus = i64::try_from(machine.cpus).unwrap_or(i64::MAX);
    let size = |bytes: f64| ConfigValue::Size(bytes as u64);
    Some(match name {
        "storage.block-cache.capacity" => match config.get("memory-usage-limit") {
            Some(ConfigValue::Size(limit)) => size(*limit as f64 * CACHE_SHARE / USAGE_SHARE),
            _ => size(machine.memory as f64 * CACHE_SHARE),
        },
        "memory-usage-limit" => {
            let wanted = config.size("storage.block-cache.capacity") as f64 / CACHE_SHARE * USAGE_SHARE;
            size(wanted.min(machine.memory as f64))
        }
        "storage.scheduler-worker-pool-size" => ConfigValue::Int(if cpus >= 16 { 8 } else { cpus.clamp(1, 4) }),
        "readpool.unified.max-thread-count" => ConfigValue::Int((cpus * 4 / 5).max(4)),
        // Three a connection for raft and two more; one such connection for every eight processors, up to four.
        "server.grpc-concurrency" => ConfigValue::Int(3 * (cpus / 8).clamp(1, 4) + 2),
        "rocksdb.max-background-jobs" => ConfigValue::Int((cpus - 1).clamp(2, 9)),
        "rocksdb.max-background-flushes" => {
            ConfigValue::Int(((config.int("rocksdb.max-background-jobs") + 3) / 4).min(3))
        }
        "rocksdb.max-sub-compactions" => ConfigValue::Int((config.compactions() - 1).clamp(1, 3)),
        "raft-engine.dir" => ConfigValue::Text(String::new()),
        "raft-engine.batch-compression-threshold" => {
            let writers = config.int("raftstore.store-io-pool-size").max(0).cast_unsigned();
            ConfigValue::Size((8192 / (writers + 1)).max(4096))
        }
        "raft-engine.purge-rewrite-threshold" => {
            let tenth = config.size("raft-engine.purge-threshold") / 10;
            ConfigValue::Size(tenth.max(config.size("raft-engine.target-file-size")))
        }
        "raftstore.raft-log-gc-count-limit" => ConfigValue::Int((REGION_SIZE * 3 / 4 / 1024).cast_signed()),
        "raftstore.raft-log-gc-size-limit" => ConfigValue::Size(REGION_SIZE * 3 / 4),
        _ if name.ends_with(".level0-stop-writes-trigger") => {
            // TiKV's threshold is wider than RocksDB's trigger.
            ConfigValue::Int(config.int("storage.flow-control.l0-files-threshold").min(i64::from(i32::MAX)))
        }
        _ if name.ends_with(".hard-pending-compaction-bytes-limit") => {
            ConfigValue::Size(config.size("storage.flow-control.hard-pending-compaction-bytes-limit"))
        }
        _ => return None,
    })
}

/// The values that TiKV takes in place of those that were set.
pub(crate) fn clamp(config: &mut StoreConfig) {
    log(config);
    stalls(config);
}

/// The log reads in blocks of half a KiB at least and by one thread at least, and its files to overwrite are limited only where
/// they are made at the start (raft-engine src/config.rs, `sanitize`).
fn log(config: &mut StoreConfig) {
    let block = config.size("raft-engine.recovery-read-block-size");
    config.put("raft-engine.recovery-read-block-size", ConfigValue::Size(block.max(512)));
    if config.int("raft-engine.recovery-threads") == 0 {
        config.put("raft-engine.recovery-threads", ConfigValue::Int(1));
    }
    let limit = "raft-engine.prefill-limit";
    if !config.bool("raft-engine.prefill-for-recycle") {
        config.effective.remove(limit);
    } else if config.get(limit).is_none() {
        config.put(limit, ConfigValue::Size(config.size("raft-engine.purge-threshold")));
    }
}

/// With flow control on, RocksDB's own triggers do not lie above those of flow control, and it does not stall.
fn stalls(config: &mut StoreConfig) {
    if !config.bool("storage.flow-control.enable") {
        return;
    }
    let files = config.int("storage.flow-control.l0-files-threshold");
    let soft = config.size("storage.flow-control.soft-pending-compaction-bytes-limit");
    let hard = config.size("storage.flow-control.hard-pending-compaction-bytes-limit");
    for cf in ColumnFamily::ALL.map(section) {
        let name = |key: &str| format!("rocksdb.{cf}.{key}");
        for key in ["level0-slowdown-writes-trigger", "level0-stop-writes-trigger"] {
            let now = config.int(&name(key));
            config.put(&name(key), ConfigValue::Int(now.min(files)));
        }
        for (key, limit) in
            [("soft-pending-compaction-bytes-limit", soft), ("hard-pending-compaction-bytes-limit", hard)]
        {
            let now = config.size(&name(key));
            config.put(&name(key), ConfigValue::Size(now.min(limit)));
        }
        config.put(&name("disable-write-stall"), ConfigValue::Bool(true));
    }
}
