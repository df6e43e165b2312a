//! The vocabulary of series: name, unit, merge rule and meaning of each, once. CloudWatch's metrics keep the names of its own
//! tables; every other series has one of these.

use crate::{MergeRule, SeriesUnit};

/// Series of the vocabulary: name, unit, merge rule and meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesSpec {
    /// Its name in every file: `read_ops`.
    pub name: &'static str,
    /// The unit of its values; [`SeriesUnit::None`] for histograms, which are in nanoseconds.
    pub unit: SeriesUnit,
    /// How its points become one.
    pub form: SeriesForm,
    /// Meaning, in a clause.
    pub meaning: &'static str,
}

/// How the points of a series become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesForm {
    /// Numbers, by a rule.
    Values(MergeRule),
    /// Histograms of latencies, which add up.
    Histogram,
}

impl SeriesSpec {
    /// A series of values under a name that is not ours, such as CloudWatch's `VolumeReadOps`.
    pub const fn foreign(name: &'static str, unit: SeriesUnit, merge: MergeRule) -> Self {
        Self { name, unit, form: SeriesForm::Values(merge), meaning: "" }
    }

    /// The series of the vocabulary with a name; the first of two that share it.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|spec| spec.name == name)
    }

    /// How its values merge; `None` for histograms.
    pub const fn merge(self) -> Option<MergeRule> {
        match self.form {
            SeriesForm::Values(merge) => Some(merge),
            SeriesForm::Histogram => None,
        }
    }
}

macro_rules! vocabulary {
    ($($id:ident $name:literal $unit:ident $form:tt $meaning:literal;)*) => {
        $(#[doc = concat!("`", $name, "`: ", $meaning, ".")]
        pub const $id: SeriesSpec =
            SeriesSpec { name: $name, unit: SeriesUnit::$unit, form: form!($form), meaning: $meaning };)*

        /// All series of the vocabulary.
        pub const ALL: &[SeriesSpec] = &[$($id),*];
    };
}

macro_rules! form {
    (Histogram) => {
        SeriesForm::Histogram
    };
    ($merge:tt) => {
        SeriesForm::Values(MergeRule::$merge)
    };
}

vocabulary! {
    // Disks.
    READ_OPS "read_ops" Count Sum "reads that completed";
    WRITE_OPS "write_ops" Count Sum "writes that completed";
    FLUSH_OPS "flush_ops" Count Sum "flushes that completed";
    DISCARD_OPS "discard_ops" Count Sum "discards that completed";
    READ_BYTES "read_bytes" Bytes Sum "bytes read";
    WRITE_BYTES "write_bytes" Bytes Sum "bytes written";
    DISCARD_BYTES "discard_bytes" Bytes Sum "bytes discarded";
    READ_TIME "read_time" Seconds Sum "latencies of reads, added up";
    WRITE_TIME "write_time" Seconds Sum "latencies of writes, added up";
    FLUSH_TIME "flush_time" Seconds Sum "latencies of flushes, added up";
    DISCARD_TIME "discard_time" Seconds Sum "latencies of discards, added up";
    IO_TIME "io_time" Seconds Sum "latencies of reads and writes, added up, where they are not told apart";
    READ_MERGES "read_merges" Count Sum "reads that the kernel merged into others";
    WRITE_MERGES "write_merges" Count Sum "writes that the kernel merged into others";
    COUNTED_IOS "counted_ios" Count Sum "I/Os as the volumes' limits count them";
    ERRORS "errors" Count Sum "requests that ended with an error";
    CACHE_HITS "cache_hits" Count Sum "reads of a cached disk that its cache answered";
    CACHE_MISSES "cache_misses" Count Sum "reads of a cached disk that reached its volume";
    BUSY_TIME "busy_time" Seconds Sum "time with a request in flight";
    LATE_TIME "late_time" Seconds Sum "lateness of answers, added up";
    BOUND_TIME "bound_time" Seconds Sum "time in which the limit of label `limit` held up requests";
    VOLUME_IOPS_EXCEEDED "volume_iops_exceeded" Seconds Sum "time in which more I/Os were asked of the volume than it is provisioned for, as it counts";
    VOLUME_THROUGHPUT_EXCEEDED "volume_throughput_exceeded" Seconds Sum "time in which more bytes were asked of the volume than it is provisioned for, as it counts";
    INSTANCE_IOPS_EXCEEDED "instance_iops_exceeded" Seconds Sum "time in which more I/Os were asked of the instance's link than it lets through, as the volume counts";
    INSTANCE_THROUGHPUT_EXCEEDED "instance_throughput_exceeded" Seconds Sum "time in which more bytes were asked of the instance's link than it lets through, as the volume counts";
    QUEUE_DEPTH "queue_depth" None Mean "requests in flight on average";
    IN_FLIGHT "in_flight" None Max "requests in flight at a disk at the end of the interval";
    IOPS_UTILISATION "iops_utilisation" Percent Mean "I/Os of the sustained limit; over 100 in a burst";
    THROUGHPUT_UTILISATION "throughput_utilisation" Percent Mean "bytes of the sustained limit; over 100 in a burst";
    IOPS_LIMIT "iops_limit" CountPerSecond Mean "sustained I/O limit of the disk";
    THROUGHPUT_LIMIT "throughput_limit" BytesPerSecond Mean "sustained throughput limit of the disk";
    IO_CREDITS "io_credits" Count Min "burst credits left, in I/Os";
    BYTE_CREDITS "byte_credits" Bytes Min "burst credits left, in bytes";
    IO_BALANCE "io_balance" Percent Min "burst credits of I/Os left, of a full bucket";
    BYTE_BALANCE "byte_balance" Percent Min "burst credits of bytes left, of a full bucket";
    INSTANCE_IO_BALANCE "instance_io_balance" Percent Min "the instance's burst credits of I/Os left, of a full bucket";
    INSTANCE_BYTE_BALANCE "instance_byte_balance" Percent Min "the instance's burst credits of bytes left, of a full bucket";
    SIZE "size" Bytes Max "size of the disk";
    READ_LATENCY "read_latency" None Histogram "latencies of reads";
    WRITE_LATENCY "write_latency" None Histogram "latencies of writes";
    // Disks, under the names of other tools' rates.
    READ_IOPS "read_iops" CountPerSecond Mean "reads a second, as other tools tell them";
    WRITE_IOPS "write_iops" CountPerSecond Mean "writes a second, as other tools tell them";
    FLUSH_IOPS "flush_iops" CountPerSecond Mean "flushes a second, as other tools tell them";
    READ_BYTES_PER_SECOND "read_bytes_per_second" BytesPerSecond Mean "bytes read a second, as other tools tell them";
    WRITE_BYTES_PER_SECOND "write_bytes_per_second" BytesPerSecond Mean "bytes written a second, as other tools tell them";
    READ_AWAIT "read_await" Seconds Mean "mean latency of reads, as other tools tell it";
    WRITE_AWAIT "write_await" Seconds Mean "mean latency of writes, as other tools tell it";
    // Clients and the load driver.
    OPERATIONS_PER_SECOND "operations_per_second" CountPerSecond Mean "operations that completed, by `kind`";
    QUERIES_PER_SECOND "queries_per_second" CountPerSecond Mean "SQL queries that completed, as sysbench tells them";
    FAILURES_PER_SECOND "failures_per_second" CountPerSecond Mean "operations that failed, by `fate` and `reason`";
    RECONNECTS_PER_SECOND "reconnects_per_second" CountPerSecond Mean "connections that were made anew";
    DROPPED_PER_SECOND "dropped_per_second" CountPerSecond Mean "operations that were due and never sent";
    WRITTEN_BYTES_PER_SECOND "written_bytes_per_second" BytesPerSecond Mean "bytes that clients wrote, before replication";
    ROWS_ADDED_PER_SECOND "rows_added_per_second" CountPerSecond Mean "rows inserted";
    ROWS_READ_PER_SECOND "rows_read_per_second" CountPerSecond Mean "rows that reads found";
    ROWS_MISSING_PER_SECOND "rows_missing_per_second" CountPerSecond Mean "rows that reads did not find";
    BACKLOG "backlog" Count Max "operations that are due and not sent yet";
    CLIENTS_IN_FLIGHT "in_flight" Count Mean "operations in flight on average, of all clients: without the label `disk`";
    LATENCY "latency" None Histogram "latencies of operations, by `kind`";
    LATENCY_P99 "latency_p99" Milliseconds Mean "99th percentile of latency of each second, as sysbench tells it";
    DRIVER_LATENESS "driver_lateness" None Histogram "time from when an operation is due until it is sent";
    DRIVER_CPU "driver_cpu" Percent Mean "processor time of the load driver";
    HELD_UP_TIME "held_up_time" Seconds Sum "time for which what label `by` names held operations up";
    // TiKV and the reference store.
    STALL_TIME "stall_time" Seconds Sum "time in which RocksDB held writers up; with flow control on see throttle_time";
    THROTTLE_TIME "throttle_time" Seconds Sum "time for which flow control held writes back";
    COMPACTION_READ_BYTES "compaction_read_bytes" Bytes Sum "bytes that compactions read";
    COMPACTION_WRITE_BYTES "compaction_write_bytes" Bytes Sum "bytes that compactions wrote";
    FLUSH_BYTES "flush_bytes" Bytes Sum "bytes that flushes wrote";
    ENGINE_WRITE_BYTES "engine_write_bytes" Bytes Sum "bytes that clients wrote to the engine";
    WAL_BYTES "wal_bytes" Bytes Sum "bytes of the engine's own log";
    WRITE_AMPLIFICATION "write_amplification" None Mean "flushed and compacted bytes over flushed ones, where any were";
    BLOCK_CACHE_HITS "block_cache_hits" Count Sum "blocks found in the block cache";
    BLOCK_CACHE_MISSES "block_cache_misses" Count Sum "blocks not found in the block cache";
    RAFT_LOG_BYTES "raft_log_bytes" Bytes Sum "bytes appended to the raft log; without Raft Engine those of its RocksDB";
    RAFT_LOG_SYNCS "raft_log_syncs" Count Sum "fdatasyncs of the raft log; without Raft Engine those of its RocksDB";
    RAFT_LOG_SYNC_TIME "raft_log_sync_time" Seconds Sum "time in fdatasyncs of the raft log";
    PENDING_COMPACTION_BYTES "pending_compaction_bytes" Bytes Mean "bytes that compactions have to rewrite, estimated by RocksDB";
    FLOW_CONTROL_PENDING_BYTES "flow_control_pending_bytes" Bytes Max "pending compaction bytes as flow control sees them, of the worst column family";
    LEVEL0_FILES "level0_files" Count Max "files on level 0 of the fullest column family";
    MEMTABLES "memtables" Count Max "memtables that wait for their flush, of the worst column family";
    BLOCK_CACHE_BYTES "block_cache_bytes" Bytes Mean "bytes in the block cache; every column family tells of the whole when they share it";
    ENGINE_BYTES "engine_bytes" Bytes Mean "bytes of table and blob files";
    STORE_BYTES "store_bytes" Bytes Mean "bytes used, available and in all, as the store reports them to PD";
    RUNNING_COMPACTIONS "running_compactions" Count Mean "compactions that run";
    WRITE_STALL_MAX "write_stall_max" Seconds Max "the longest that RocksDB held a write up lately";
    RESIDENT_BYTES "resident_bytes" Bytes Mean "memory that the process has";
    MEMORY_LIMIT "memory_limit" Bytes Mean "memory that the process may have";
    CPU_CORES "cpu_cores" Count Mean "processors that the process may use";
    CPU_TIME "cpu_time" Seconds Sum "processor time of a node's threads, by `pool`";
    IO_BYTES "io_bytes" Bytes Sum "bytes to and from disks, as the kernel counts them by thread";
    RATE_LIMIT "rate_limit" BytesPerSecond Mean "the I/O rate limiter of a priority, while it is on";
    RATE_LIMIT_WAIT_TIME "rate_limit_wait_time" Seconds Sum "time that I/O waited for the rate limiter";
    DISCARD_RATIO "discard_ratio" None Max "share of writes, 0 to 1, that flow control refuses for pending compaction";
    THROTTLE_RATE "throttle_rate" BytesPerSecond Min "the rate that flow control holds writes to, while it does";
    BUSY_REFUSALS "busy_refusals" Count Sum "writes refused because too many are under way";
    SLOW_SCORE "slow_score" None Max "TiKV's own score of a slow disk, 1 to 100; labelled by type since 8.5.7";
    REGIONS "regions" Count Mean "regions of the store, and those it leads";
    REQUESTS "requests" Count Sum "requests answered, by kind";
    ZONE_BYTES "zone_bytes" Bytes Sum "bytes on the wire between zones, of our store";
    REQUEST_LATENCY "request_latency" None Histogram "from a request to its answer, by kind";
    RAFT_LOG_WRITE_LATENCY "raft_log_write_latency" None Histogram "appends to the raft log, with the wait for their group";
    RAFT_LOG_SYNC_LATENCY "raft_log_sync_latency" None Histogram "fdatasyncs of the raft log";
    APPEND_LOG_LATENCY "append_log_latency" None Histogram "raft log writes, as the raft store sees them";
    COMMIT_LOG_LATENCY "commit_log_latency" None Histogram "from proposal to commit on most replicas";
    APPLY_LOG_LATENCY "apply_log_latency" None Histogram "committed entries into the memtable";
    APPLY_WAIT_LATENCY "apply_wait_latency" None Histogram "waiting for the apply pool";
    PROPOSE_WAIT_LATENCY "propose_wait_latency" None Histogram "waiting for the raft store pool";
    STORE_WRITE_WAIT_LATENCY "store_write_wait_latency" None Histogram "waiting for the store writer";
    ENGINE_WRITE_LATENCY "engine_write_latency" None Histogram "a write from the scheduler through raft and back";
    ENGINE_SNAPSHOT_LATENCY "engine_snapshot_latency" None Histogram "the snapshot that a read begins with";
    LATCH_WAIT_LATENCY "latch_wait_latency" None Histogram "waiting for latches of keys";
    POOL_WAIT_LATENCY "pool_wait_latency" None Histogram "waiting for a pool of threads";
    RATE_LIMIT_BYTES_PER_SECOND "rate_limit_bytes_per_second" BytesPerSecond Mean "rate to which flushes and compactions are limited";
    // TiDB.
    STATEMENTS "statements" Count Sum "SQL statements that TiDB answered";
    STATEMENT_LATENCY "statement_latency" None Histogram "latencies of SQL statements";
    TSO_WAITS "tso_waits" Count Sum "times that a statement waited for a timestamp";
    TSO_WAIT_TIME "tso_wait_time" Seconds Sum "waits of statements for timestamps, added up";
    TSO_WAIT_LATENCY "tso_wait_latency" None Histogram "waits of statements for timestamps";
    TSO_RPCS "tso_rpcs" Count Sum "requests for timestamps that TiDB sent; waits over these is how well they batch";
    TSO_RPC_LATENCY "tso_rpc_latency" None Histogram "from a request for timestamps to PD's answer, as TiDB sees it";
    BUSY_BACKOFF_TIME "busy_backoff_time" Seconds Sum "time that statements waited because a TiKV said that it is busy";
    TIDB_CPU_TIME "tidb_cpu_time" Seconds Sum "processor time of TiDB";
    CONNECTIONS "connections" Count Mean "connections of clients to a TiDB";
    // The placement driver.
    TSO_REQUESTS "tso_requests" Count Sum "requests for timestamps that PD answered; batches, not timestamps";
    TSO_HANDLE_LATENCY "tso_handle_latency" None Histogram "what PD takes for a request for timestamps";
    PD_LEADER "pd_leader" None Max "1 while this member leads";
    REGION_HEARTBEATS "region_heartbeats" Count Sum "heartbeats of regions that PD took";
    PD_CPU_TIME "pd_cpu_time" Seconds Sum "processor time of the PD that leads";
    PD_PROCESSORS "pd_processors" Count Mean "processors that the PD that leads may use";
    ETCD_SYNC_LATENCY "etcd_sync_latency" None Histogram "syncs of the log of PD's etcd";
    // Machines.
    HOST_CPU_TIME "host_cpu_time" Seconds Sum "processor time of the machine by mode";
    HOST_CPUS "host_cpus" Count Mean "processors of the machine";
    IO_PRESSURE_TIME "io_pressure_time" Seconds Sum "time in which some task, or all, waited for I/O";
    FILESYSTEM_FREE_BYTES "filesystem_free_bytes" Bytes Min "bytes that a user may still write";
    FILESYSTEM_BYTES "filesystem_bytes" Bytes Max "size of the filesystem";
    // MySQL's servers.
    INNODB_READS "innodb_reads" Count Sum "reads that InnoDB asked for";
    INNODB_READ_BYTES "innodb_read_bytes" Bytes Sum "bytes of them";
    INNODB_WRITES "innodb_writes" Count Sum "writes that InnoDB asked for";
    INNODB_WRITE_BYTES "innodb_write_bytes" Bytes Sum "bytes of them";
    INNODB_FSYNCS "innodb_fsyncs" Count Sum "times that InnoDB asked for durability";
    REDO_FSYNCS "redo_fsyncs" Count Sum "of them for the redo log; 0 on servers that no longer tell";
    REDO_BYTES "redo_bytes" Bytes Sum "bytes of the redo log";
    PAGES_WRITTEN "pages_written" Count Sum "pages written back";
    PAGES_READ "pages_read" Count Sum "pages read";
    DOUBLEWRITE_PAGES "doublewrite_pages" Count Sum "pages written to the doublewrite buffer";
    BUFFER_POOL_REQUESTS "buffer_pool_requests" Count Sum "pages asked of the buffer pool";
    BUFFER_POOL_MISSES "buffer_pool_misses" Count Sum "of them, those that were read from disk";
    BUFFER_POOL_WAITS "buffer_pool_waits" Count Sum "waits for a page to be written back to make room";
    DIRTY_BYTES "dirty_bytes" Bytes Mean "bytes of pages still to be written back";
    BUFFER_POOL_BYTES "buffer_pool_bytes" Bytes Mean "bytes of pages in the buffer pool";
    CHECKPOINT_AGE "checkpoint_age" Bytes Mean "redo log that a crash would have to replay (MariaDB)";
    HISTORY_LIST "history_list" Count Mean "transactions whose old versions are still to be removed (MariaDB)";
    ROW_LOCK_WAITS "row_lock_waits" Count Sum "times that a row's lock was waited for";
    ROW_LOCK_TIME "row_lock_time" Milliseconds Sum "time waited for them";
    THREADS_RUNNING "threads_running" Count Mean "connections at work";
    THREADS_CONNECTED "threads_connected" Count Mean "connections";
    STATEMENTS_INSERT "statements_insert" Count Sum "INSERT statements";
    STATEMENTS_UPDATE "statements_update" Count Sum "UPDATE statements";
    STATEMENTS_SELECT "statements_select" Count Sum "SELECT statements";
    BINLOG_COMMITS "binlog_commits" Count Sum "transactions in the binary log (MariaDB)";
    BINLOG_GROUP_COMMITS "binlog_group_commits" Count Sum "groups in which they were committed (MariaDB)";
    BINLOG_BYTES "binlog_bytes" Bytes Sum "bytes of the binary log";
    REDO_FULL_TIME "redo_full_time" Seconds Sum "time for which a full redo log held transactions up";
    BUFFER_POOL_WAIT_TIME "buffer_pool_wait_time" Seconds Sum "time for which a buffer pool without a clean page held transactions up";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_name_is_one_series_but_for_what_disks_and_clients_have_in_flight() {
        let names: BTreeSet<&str> = ALL.iter().map(|spec| spec.name).collect();
        assert_eq!(names.len(), ALL.len() - 1);
        assert_eq!(IN_FLIGHT.name, CLIENTS_IN_FLIGHT.name);
    }

    #[test]
    fn each_series_says_what_it_is() {
        for spec in ALL {
            assert!(
                spec.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{}",
                spec.name
            );
            assert!(!spec.meaning.is_empty(), "{}", spec.name);
            assert!(spec.merge().is_some() || spec.unit == SeriesUnit::None, "{}", spec.name);
            assert_eq!(SeriesSpec::named(spec.name).map(|found| found.name), Some(spec.name));
        }
    }
}
