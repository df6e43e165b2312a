//! What is read of a server's `/metrics`, and the series that it becomes.

use timeline::{MergeRule, SeriesUnit};

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
    /// The name of the series.
    pub(crate) series: &'static str,
    pub(crate) unit: SeriesUnit,
    pub(crate) merge: MergeRule,
    pub(crate) kind: Kind,
    /// TiKV's metric, and the labels that it must have.
    pub(crate) metric: &'static str,
    pub(crate) labels: &'static [(&'static str, &'static str)],
    pub(crate) fold: Fold,
    /// The series' unit over the metric's.
    pub(crate) scale: f64,
}

/// A row for what adds up over column families.
const fn row(
    series: &'static str,
    (unit, merge, kind): (SeriesUnit, MergeRule, Kind),
    metric: &'static str,
    labels: &'static [(&'static str, &'static str)],
) -> Row {
    Row { series, unit, merge, kind, metric, labels, fold: Fold::Sum, scale: 1.0 }
}

const BYTES: (SeriesUnit, MergeRule, Kind) = (SeriesUnit::Bytes, MergeRule::Sum, Kind::Counter);
const COUNT: (SeriesUnit, MergeRule, Kind) = (SeriesUnit::Count, MergeRule::Sum, Kind::Counter);
const TIME: (SeriesUnit, MergeRule, Kind) = (SeriesUnit::Seconds, MergeRule::Sum, Kind::Counter);
const LEVEL: (SeriesUnit, MergeRule, Kind) = (SeriesUnit::Bytes, MergeRule::Mean, Kind::Gauge);

/// All that is read of a TiKV. Metrics are TiKV's: its dashboards of v8.5, metrics/grafana/tikv_details.json; the log's are raft-engine
/// 0.4's src/metrics.rs.
pub(crate) const TIKV: [Row; 18] = [
    // RocksDB holds writers up in microseconds.
    Row { scale: 1e-6, ..row("stall_time", TIME, "tikv_engine_stall_micro_seconds", &[("db", "kv")]) },
    row("throttle_time", TIME, "tikv_scheduler_throttle_duration_seconds_sum", &[]),
    row("compaction_read_bytes", BYTES, "tikv_engine_compaction_flow_bytes", &[("db", "kv"), ("type", "bytes_read")]),
    row(
        "compaction_write_bytes",
        BYTES,
        "tikv_engine_compaction_flow_bytes",
        &[("db", "kv"), ("type", "bytes_written")],
    ),
    row("flush_bytes", BYTES, "tikv_engine_flow_bytes", &[("db", "kv"), ("type", "flush_write_bytes")]),
    row("engine_write_bytes", BYTES, "tikv_engine_flow_bytes", &[("db", "kv"), ("type", "bytes_written")]),
    row("wal_bytes", BYTES, "tikv_engine_flow_bytes", &[("db", "kv"), ("type", "wal_file_bytes")]),
    row("block_cache_hits", COUNT, "tikv_engine_cache_efficiency", &[("db", "kv"), ("type", "block_cache_hit")]),
    row("block_cache_misses", COUNT, "tikv_engine_cache_efficiency", &[("db", "kv"), ("type", "block_cache_miss")]),
    row("raft_log_bytes", BYTES, "raft_engine_write_size_sum", &[]),
    row("raft_log_syncs", COUNT, "raft_engine_sync_log_duration_seconds_count", &[]),
    row("raft_log_sync_time", TIME, "raft_engine_sync_log_duration_seconds_sum", &[]),
    row("pending_compaction_bytes", LEVEL, "tikv_engine_pending_compaction_bytes", &[("db", "kv")]),
    Row {
        fold: Fold::Max,
        ..row(
            "level0_files",
            (SeriesUnit::Count, MergeRule::Max, Kind::Gauge),
            "tikv_engine_num_files_at_level",
            &[("db", "kv"), ("level", "0")],
        )
    },
    Row {
        fold: Fold::Max,
        ..row(
            "memtables",
            (SeriesUnit::Count, MergeRule::Max, Kind::Gauge),
            "tikv_engine_num_immutable_mem_table",
            &[("db", "kv")],
        )
    },
    // One cache is shared: each family may tell of all of it.
    Row { fold: Fold::Max, ..row("block_cache_bytes", LEVEL, "tikv_engine_block_cache_size_bytes", &[("db", "kv")]) },
    row("engine_bytes", LEVEL, "tikv_engine_size_bytes", &[("db", "kv")]),
    row("resident_bytes", LEVEL, "process_resident_memory_bytes", &[]),
];

/// All that is read of a TiDB, under the names that crate `gather` gives the same metrics of a Prometheus: dashboards of TiDB v8.5,
/// metrics/grafana/tidb.json.
pub(crate) const TIDB: [Row; 8] = [
    row("statements", COUNT, "tidb_server_handle_query_duration_seconds_count", &[]),
    row("tso_waits", COUNT, "pd_client_cmd_handle_cmds_duration_seconds_count", &[("type", "wait")]),
    row("tso_wait_time", TIME, "pd_client_cmd_handle_cmds_duration_seconds_sum", &[("type", "wait")]),
    row("tso_rpcs", COUNT, "pd_client_request_handle_requests_duration_seconds_count", &[("type", "tso")]),
    row("busy_backoff_time", TIME, "tidb_tikvclient_backoff_seconds_sum", &[("type", "tikvServerBusy")]),
    row("tidb_cpu_time", TIME, "process_cpu_seconds_total", &[]),
    row("connections", (SeriesUnit::Count, MergeRule::Mean, Kind::Gauge), "tidb_server_connections", &[]),
    row("resident_bytes", LEVEL, "process_resident_memory_bytes", &[]),
];
