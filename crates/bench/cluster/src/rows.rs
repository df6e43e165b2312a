//! What is read of a server's `/metrics`, and the series that it becomes.

use timeline::{SeriesSpec, vocabulary};

/// How a value of an interval follows from those at its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It only grows, until the node starts anew: the growth.
    Counter,
    /// The value at the end.
    Gauge,
}

/// How values with different labels become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Max,
}

/// One thing that is read from a server.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    /// The series.
    pub(crate) series: SeriesSpec,
    pub(crate) kind: Kind,
    /// TiKV's metric, and the labels that it must have.
    pub(crate) metric: &'static str,
    pub(crate) labels: &'static [(&'static str, &'static str)],
    pub(crate) fold: Fold,
    /// The series' unit over the metric's.
    pub(crate) scale: f64,
}

/// A row for a counter that adds up over column families.
const fn counter(series: SeriesSpec, metric: &'static str, labels: &'static [(&'static str, &'static str)]) -> Row {
    Row { series, kind: Kind::Counter, metric, labels, fold: Fold::Sum, scale: 1.0 }
}

/// A row for a level that adds up over column families.
const fn level(series: SeriesSpec, metric: &'static str, labels: &'static [(&'static str, &'static str)]) -> Row {
    Row { kind: Kind::Gauge, ..counter(series, metric, labels) }
}

/// A row for the largest level of all column families.
const fn largest(series: SeriesSpec, metric: &'static str, labels: &'static [(&'static str, &'static str)]) -> Row {
    Row { fold: Fold::Max, ..level(series, metric, labels) }
}

/// All that is read of a TiKV. Metrics are TiKV's: its dashboards of v8.5, metrics/grafana/tikv_details.json; the log's are raft-engine
/// 0.4's src/metrics.rs.
pub(crate) const TIKV: [Row; 18] = [
    // RocksDB holds writers up in microseconds.
    Row { scale: 1e-6, ..counter(vocabulary::STALL_TIME, "tikv_engine_stall_micro_seconds", &[("db", "kv")]) },
    counter(vocabulary::THROTTLE_TIME, "tikv_scheduler_throttle_duration_seconds_sum", &[]),
    counter(
        vocabulary::COMPACTION_READ_BYTES,
        "tikv_engine_compaction_flow_bytes",
        &[("db", "kv"), ("type", "bytes_read")],
    ),
    counter(
        vocabulary::COMPACTION_WRITE_BYTES,
        "tikv_engine_compaction_flow_bytes",
        &[("db", "kv"), ("type", "bytes_written")],
    ),
    counter(vocabulary::FLUSH_BYTES, "tikv_engine_flow_bytes", &[("db", "kv"), ("type", "flush_write_bytes")]),
    counter(vocabulary::ENGINE_WRITE_BYTES, "tikv_engine_flow_bytes", &[("db", "kv"), ("type", "bytes_written")]),
    counter(vocabulary::WAL_BYTES, "tikv_engine_flow_bytes", &[("db", "kv"), ("type", "wal_file_bytes")]),
    counter(vocabulary::BLOCK_CACHE_HITS, "tikv_engine_cache_efficiency", &[("db", "kv"), ("type", "block_cache_hit")]),
    counter(
        vocabulary::BLOCK_CACHE_MISSES,
        "tikv_engine_cache_efficiency",
        &[("db", "kv"), ("type", "block_cache_miss")],
    ),
    counter(vocabulary::RAFT_LOG_BYTES, "raft_engine_write_size_sum", &[]),
    counter(vocabulary::RAFT_LOG_SYNCS, "raft_engine_sync_log_duration_seconds_count", &[]),
    counter(vocabulary::RAFT_LOG_SYNC_TIME, "raft_engine_sync_log_duration_seconds_sum", &[]),
    level(vocabulary::PENDING_COMPACTION_BYTES, "tikv_engine_pending_compaction_bytes", &[("db", "kv")]),
    largest(vocabulary::LEVEL0_FILES, "tikv_engine_num_files_at_level", &[("db", "kv"), ("level", "0")]),
    largest(vocabulary::MEMTABLES, "tikv_engine_num_immutable_mem_table", &[("db", "kv")]),
    // One cache is shared: each family may tell of all of it.
    largest(vocabulary::BLOCK_CACHE_BYTES, "tikv_engine_block_cache_size_bytes", &[("db", "kv")]),
    level(vocabulary::ENGINE_BYTES, "tikv_engine_size_bytes", &[("db", "kv")]),
    level(vocabulary::RESIDENT_BYTES, "process_resident_memory_bytes", &[]),
];

/// All that is read of a TiDB, under the names that crate `gather` gives the same metrics of a Prometheus: dashboards of TiDB v8.5,
/// metrics/grafana/tidb.json.
pub(crate) const TIDB: [Row; 8] = [
    counter(vocabulary::STATEMENTS, "tidb_server_handle_query_duration_seconds_count", &[]),
    counter(vocabulary::TSO_WAITS, "pd_client_cmd_handle_cmds_duration_seconds_count", &[("type", "wait")]),
    counter(vocabulary::TSO_WAIT_TIME, "pd_client_cmd_handle_cmds_duration_seconds_sum", &[("type", "wait")]),
    counter(vocabulary::TSO_RPCS, "pd_client_request_handle_requests_duration_seconds_count", &[("type", "tso")]),
    counter(vocabulary::BUSY_BACKOFF_TIME, "tidb_tikvclient_backoff_seconds_sum", &[("type", "tikvServerBusy")]),
    counter(vocabulary::TIDB_CPU_TIME, "process_cpu_seconds_total", &[]),
    level(vocabulary::CONNECTIONS, "tidb_server_connections", &[]),
    level(vocabulary::RESIDENT_BYTES, "process_resident_memory_bytes", &[]),
];
