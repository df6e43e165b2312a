//! The configuration as the settings of raft and of the service.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use kvserver::{FlowSettings, GrpcCompression};
use raftstore::{LogRecovery, LogSettings};

use super::NodeError;
use crate::config::{ConfigValue, StoreConfig};

/// Threads that writes pass through.
pub(super) const SCHEDULER_POOL: &str = "storage.scheduler-worker-pool-size";
/// Threads that read.
pub(super) const READ_POOL: &str = "readpool.unified.max-thread-count";

/// An address to listen on: loopback, unless others are allowed.
pub(super) fn listen_addr(config: &StoreConfig, key: &str, remote: bool) -> Result<SocketAddr, NodeError> {
    let text = config.text(key);
    let resolved = text.to_socket_addrs().ok().and_then(|mut addrs| addrs.next());
    let wrong = || NodeError::Input(format!("{key} is `{text}`, expected an address like 127.0.0.1:20160"));
    let addr = resolved.ok_or_else(wrong)?;
    if addr.ip().is_loopback() || remote {
        return Ok(addr);
    }
    let message = format!("{key} is {addr}, which other machines reach, and nothing here asks who they are");
    Err(NodeError::Input(format!("{message}; use 127.0.0.1, or say --allow-remote")))
}

/// Settings of the service.
pub(super) fn server(config: &StoreConfig, zone_round_trip: Duration) -> kvserver::KvServerSettings {
    let gzip = config.text("server.grpc-compression-type") == "gzip";
    let zone = config.labels().find(|(name, _)| *name == "zone").map(|(_, zone)| zone.clone());
    kvserver::KvServerSettings {
        grpc_concurrency: config.count("server.grpc-concurrency"),
        compression: if gzip { GrpcCompression::Gzip } else { GrpcCompression::None },
        scheduler_worker_pool_size: config.count(SCHEDULER_POOL),
        scheduler_pending_write_threshold: config.size("storage.scheduler-pending-write-threshold"),
        read_pool_size: config.count(READ_POOL),
        zone: zone.unwrap_or_default(),
        zone_round_trip,
        flow: flow(config),
        ..kvserver::KvServerSettings::default()
    }
}

/// Settings of flow control.
pub(super) fn flow(config: &StoreConfig) -> FlowSettings {
    let key = |name: &str| format!("storage.flow-control.{name}");
    FlowSettings {
        enable: config.bool(&key("enable")),
        soft_pending_compaction_bytes_limit: config.size(&key("soft-pending-compaction-bytes-limit")),
        hard_pending_compaction_bytes_limit: config.size(&key("hard-pending-compaction-bytes-limit")),
        memtables_threshold: config.int(&key("memtables-threshold")).max(1).cast_unsigned(),
        l0_files_threshold: config.int(&key("l0-files-threshold")).max(1).cast_unsigned(),
    }
}

/// Settings of raft that hold from the start.
pub(super) fn raft(config: &StoreConfig, log_dir: PathBuf) -> raftstore::RaftSettings {
    raftstore::RaftSettings {
        log_dir,
        log_file_size: config.size("raft-engine.target-file-size"),
        log_purge_threshold: config.size("raft-engine.purge-threshold"),
        log_compression_threshold: config.size("raft-engine.batch-compression-threshold"),
        log_recycle: config.bool("raft-engine.enable-log-recycle"),
        log: log(config),
        tick: config.duration("raftstore.raft-base-tick-interval"),
        heartbeat_ticks: config.count("raftstore.raft-heartbeat-ticks"),
        election_ticks: config.count("raftstore.raft-election-timeout-ticks"),
    }
}

/// Settings of raft that can be changed.
pub(super) fn raft_online(config: &StoreConfig) -> raftstore::OnlineRaftSettings {
    let size = |key: &str| config.size(&format!("raftstore.{key}"));
    let count = |key: &str| config.count(&format!("raftstore.{key}"));
    let duration = |key: &str| config.duration(&format!("raftstore.{key}"));
    raftstore::OnlineRaftSettings {
        store_pool_size: count("store-pool-size"),
        store_io_pool_size: count("store-io-pool-size"),
        apply_pool_size: count("apply-pool-size"),
        lease: duration("raft-store-max-leader-lease"),
        entry_max_size: size("raft-entry-max-size"),
        message_max_size: size("raft-max-size-per-msg"),
        inflight_messages: count("raft-max-inflight-msgs"),
        write_size_limit: size("raft-write-size-limit"),
        gc_interval: duration("raft-log-gc-tick-interval"),
        gc_threshold: count("raft-log-gc-threshold") as u64,
        gc_count_limit: count("raft-log-gc-count-limit") as u64,
        gc_size_limit: size("raft-log-gc-size-limit"),
    }
}

/// Settings of the log's format, of its purge and of its start.
fn log(config: &StoreConfig) -> LogSettings {
    let key = |name: &str| format!("raft-engine.{name}");
    let spill_dir = config.text(&key("spill-dir"));
    let level = config.get(&key("compression-level"));
    LogSettings {
        spill_dir: (!spill_dir.is_empty()).then(|| PathBuf::from(spill_dir)),
        compression_level: if let Some(ConfigValue::Int(level)) = level { usize::try_from(*level).ok() } else { None },
        format_version: config.count(&key("format-version")),
        purge_rewrite_threshold: config.optional_size(&key("purge-rewrite-threshold")),
        purge_rewrite_garbage_ratio: config.float(&key("purge-rewrite-garbage-ratio")),
        prefill: config.bool(&key("prefill-for-recycle")),
        prefill_limit: config.optional_size(&key("prefill-limit")),
        recovery: match config.text(&key("recovery-mode")) {
            "absolute-consistency" => LogRecovery::AbsoluteConsistency,
            "tolerate-any-corruption" => LogRecovery::TolerateAnyCorruption,
            _ => LogRecovery::TolerateTailCorruption,
        },
        recovery_read_block_size: config.size(&key("recovery-read-block-size")),
        recovery_threads: config.count(&key("recovery-threads")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigValues, HostMachine};

    fn config(given: &[(&str, ConfigValue)]) -> StoreConfig {
        let values: ConfigValues = given.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        StoreConfig::new(values, &HostMachine { cpus: 2, memory: 1 << 30 }).unwrap()
    }

    #[test]
    fn only_loopback_is_listened_on_without_being_asked() {
        let text = |text: &str| config(&[("server.addr", ConfigValue::Text(text.to_owned()))]);
        let addr = |config: &StoreConfig, remote| listen_addr(config, "server.addr", remote);
        assert!(addr(&text("127.0.0.1:0"), false).is_ok());
        assert!(matches!(addr(&text("0.0.0.0:20160"), false), Err(NodeError::Input(_))));
        assert!(addr(&text("0.0.0.0:20160"), true).is_ok());
        assert!(addr(&text("nonsense"), true).is_err());
    }

    #[test]
    fn the_defaults_reach_raft_and_the_service() {
        let config = config(&[]);
        let raft = raft(&config, PathBuf::from("/r"));
        let online = raft_online(&config);
        assert_eq!((online.store_pool_size, online.store_io_pool_size, online.apply_pool_size), (2, 1, 2));
        assert_eq!((online.lease, raft.election_ticks), (Duration::from_secs(9), 10));
        assert_eq!((online.gc_count_limit, online.gc_size_limit), (196_608, 192 << 20));
        assert_eq!(raft.log, LogSettings { purge_rewrite_threshold: Some(1 << 30), ..LogSettings::default() });
        let server = server(&config, Duration::ZERO);
        assert_eq!((server.grpc_concurrency, server.scheduler_worker_pool_size, server.read_pool_size), (5, 2, 4));
        assert_eq!(server.flow, FlowSettings::default());
    }

    #[test]
    fn what_is_set_of_the_log_reaches_raft() {
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let config = config(&[
            ("raft-engine.spill-dir", text("/spill")),
            ("raft-engine.compression-level", ConfigValue::Int(7)),
            ("raft-engine.format-version", ConfigValue::Int(2)),
            ("raft-engine.purge-rewrite-threshold", ConfigValue::Size(2 << 30)),
            ("raft-engine.purge-rewrite-garbage-ratio", ConfigValue::Float(0.25)),
            ("raft-engine.prefill-for-recycle", ConfigValue::Bool(true)),
            ("raft-engine.prefill-limit", ConfigValue::Size(1 << 30)),
            ("raft-engine.recovery-mode", text("tolerate-any-corruption")),
            ("raft-engine.recovery-read-block-size", ConfigValue::Size(1)),
            ("raft-engine.recovery-threads", ConfigValue::Int(0)),
        ]);
        let expected = LogSettings {
            spill_dir: Some(PathBuf::from("/spill")),
            compression_level: Some(7),
            format_version: 2,
            purge_rewrite_threshold: Some(2 << 30),
            purge_rewrite_garbage_ratio: 0.25,
            prefill: true,
            prefill_limit: Some(1 << 30),
            recovery: LogRecovery::TolerateAnyCorruption,
            // Raised to the least, as raft-engine does.
            recovery_read_block_size: 512,
            recovery_threads: 1,
        };
        assert_eq!(raft(&config, PathBuf::from("/r")).log, expected);
    }
}
