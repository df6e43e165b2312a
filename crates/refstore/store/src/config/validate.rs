//! What a configuration must hold beyond the kind of each value. The first fault is told with its key and a remedy.

use super::key::{KEYS_BY_NAME, StoreKey};
use super::{ConfigError, ConfigSize, ConfigValue, HostMachine, StoreConfig, StoreKeyKind};

type Checked = Result<(), ConfigError>;

/// Every value is within its bounds, and the values fit together.
pub(crate) fn validate(config: &StoreConfig, machine: &HostMachine) -> Checked {
    for (name, value) in config.effective() {
        if let Some(key) = KEYS_BY_NAME.get(name) {
            bounds(key, value, machine)?;
        }
    }
    memory(config)?;
    raft(config)?;
    unsupported(config)?;
    labels(config)
}

fn fault(key: &str, message: impl Into<String>, help: impl Into<String>) -> ConfigError {
    ConfigError { key: key.to_owned(), message: message.into(), help: help.into() }
}

fn bounds(key: &StoreKey, value: &ConfigValue, machine: &HostMachine) -> Checked {
    let Some(magnitude) = value.magnitude() else { return Ok(()) };
    let shown = |value: &ConfigValue| value.json().to_string().trim_matches('"').to_owned();
    let by_cpus = key.max_by_cpus.map(|factor| ConfigValue::Int((factor * machine.cpus).max(4).cast_signed() as i64));
    if let Some(least) = key.min.as_ref().filter(|least| least.magnitude().is_some_and(|least| magnitude < least)) {
        let message = format!("is {}, expected at least {}", shown(value), shown(least));
        return Err(fault(&key.name, message, format!("write {} or more", shown(least))));
    }
    let greatest = by_cpus.as_ref().or(key.max.as_ref());
    if let Some(greatest) = greatest.filter(|greatest| greatest.magnitude().is_some_and(|most| magnitude > most)) {
        let message = format!("is {}, expected at most {}", shown(value), shown(greatest));
        return Err(fault(&key.name, message, format!("write {} or less", shown(greatest))));
    }
    Ok(())
}

fn memory(config: &StoreConfig) -> Checked {
    let cache = config.size("storage.block-cache.capacity");
    let buffers = config.optional_size("rocksdb.write-buffer-limit").unwrap_or(0);
    let limit = config.size("memory-usage-limit");
    if cache.saturating_add(buffers) > limit {
        let message = format!(
            "and the write buffers are {}, over the memory-usage-limit of {}",
            ConfigSize(cache),
            ConfigSize(limit)
        );
        let help = "make the cache smaller, or raise memory-usage-limit";
        return Err(fault("storage.block-cache.capacity", message, help));
    }
    let (soft, hard) = ("soft-pending-compaction-bytes-limit", "hard-pending-compaction-bytes-limit");
    let flow = |key: &str| format!("storage.flow-control.{key}");
    if config.size(&flow(soft)) > config.size(&flow(hard)) {
        return Err(fault(&flow(soft), format!("is above {}", flow(hard)), "swap them"));
    }
    Ok(())
}

fn raft(config: &StoreConfig) -> Checked {
    let tick = config.duration("raftstore.raft-base-tick-interval");
    let ticks = config.int("raftstore.raft-election-timeout-ticks");
    if config.int("raftstore.raft-heartbeat-ticks") >= ticks {
        let help = "a few heartbeats fit into an election timeout: 2 and 10";
        return Err(fault(
            "raftstore.raft-election-timeout-ticks",
            "is not above raftstore.raft-heartbeat-ticks",
            help,
        ));
    }
    let election = tick.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX));
    let lease = config.duration("raftstore.raft-store-max-leader-lease");
    if lease >= election {
        let message = format!("is {lease:?}, expected less than the election timeout of {election:?}");
        let help = "two leaders could read at once otherwise: nine tenths of the election timeout is usual";
        return Err(fault("raftstore.raft-store-max-leader-lease", message, help));
    }
    if config.size("raft-engine.purge-threshold") < config.size("raft-engine.target-file-size") {
        let help = "a log of one file at least is kept";
        return Err(fault("raft-engine.purge-threshold", "is below raft-engine.target-file-size", help));
    }
    recycling(config)
}

/// What overwriting files of the log needs, and what needs it (raft-engine src/config.rs, `sanitize`).
fn recycling(config: &StoreConfig) -> Checked {
    let recycled = config.bool("raft-engine.enable-log-recycle");
    if recycled && config.int("raft-engine.format-version") < 2 {
        let message = "is 1, and files of that format are not overwritten";
        let help = "write 2, or set raft-engine.enable-log-recycle to false";
        return Err(fault("raft-engine.format-version", message, help));
    }
    if !recycled && config.bool("raft-engine.prefill-for-recycle") {
        let message = "is true, and raft-engine.enable-log-recycle is false";
        return Err(fault("raft-engine.prefill-for-recycle", message, "leave one of them out"));
    }
    Ok(())
}

fn unsupported(config: &StoreConfig) -> Checked {
    if !config.bool("raft-engine.enable") {
        return Err(fault("raft-engine.enable", "is false, and this node has no other raft log", "leave it out"));
    }
    if config.text("server.grpc-compression-type") == "deflate" {
        return Err(fault("server.grpc-compression-type", "is deflate, which this node lacks", "write gzip or none"));
    }
    if config.text("rocksdb.rate-limiter-mode") != "write-only" {
        let message = "is not write-only, the only mode that the binding of RocksDB offers";
        return Err(fault("rocksdb.rate-limiter-mode", message, "leave it out"));
    }
    if config.bool("rocksdb.enable-unordered-write")
        && (config.bool("rocksdb.titan.enabled") || config.bool("rocksdb.enable-pipelined-write"))
    {
        let message = "cannot be with rocksdb.titan.enabled or rocksdb.enable-pipelined-write";
        return Err(fault("rocksdb.enable-unordered-write", message, "switch those off"));
    }
    Ok(())
}

/// Letters that labels may have, as TiKV takes them (tikv src/server/config.rs, `validate_label_key`).
fn labels(config: &StoreConfig) -> Checked {
    let common = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    for (name, value) in config.labels() {
        let body = name.strip_prefix('$').unwrap_or(name);
        let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        if !(body.chars().all(common) && ends(body.chars().next()) && ends(body.chars().next_back())) {
            let message = format!("has the name `{name}`, expected letters, digits and -_./ between letters or digits");
            return Err(fault("server.labels", message, "write it like zone"));
        }
        if !value.chars().all(common) {
            let message = format!("has the value `{value}`, expected letters, digits and -_./");
            return Err(fault("server.labels", message, "write it like us-east-1a"));
        }
    }
    Ok(())
}

impl StoreKeyKind {
    /// Whether a percentage of the memory may stand for it.
    pub(crate) fn takes_percent(&self) -> bool {
        *self == Self::SizeOrPercent
    }
}
