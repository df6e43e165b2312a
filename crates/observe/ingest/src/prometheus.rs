//! What a Prometheus, a Thanos or a Mimir knows of TiKV, PD, TiDB, machines and our own mounts, as a Timeline. Sums over
//! devices, families and threads are made by the server, and several series come in one answer.
//!
//! A point covers the step that ends at its time: counters come as their growth in it (through restarts), levels as their
//! mean, largest or smallest. A step without samples is a gap.
//!
//! Series with the label `node`, and `disk` where they are of disks, have the names of crates `observe` and `cluster`. These
//! are made only here:
//!
//! | series | unit | merge | is |
//! |---|---|---|---|
//! | `host_cpu_time` by `mode` | Seconds | Sum | processor time of the machine by mode |
//! | `host_cpus` | Count | Mean | processors of the machine |
//! | `io_pressure_time` by `tasks` | Seconds | Sum | time in which some task, or all, waited for I/O |
//! | `filesystem_free_bytes` by `mount`, `device` | Bytes | Min | bytes that a user may still write |
//! | `filesystem_bytes` by `mount`, `device` | Bytes | Max | size of the filesystem |
//! | `flow_control_pending_bytes` | Bytes | Max | the same as flow control sees it, of the worst column family |
//! | `store_bytes` by `kind` | Bytes | Mean | bytes used, available and in all, as the store reports them to PD |
//! | `running_compactions` | Count | Mean | compactions that run; from TiKV 9.0 on |
//! | `write_stall_max` | Seconds | Max | the longest that RocksDB held a write up lately |
//! | `memory_limit` | Bytes | Mean | memory that the process may have; from TiKV 8.0 on |
//! | `cpu_cores` | Count | Mean | processors that the process may use |
//! | `io_bytes` by `purpose`, `op` | Bytes | Sum | bytes to and from disks, as the kernel counts them by thread |
//! | `rate_limit` by `priority` | BytesPerSecond | Mean | the I/O rate limiter of a priority, while it is on |
//! | `rate_limit_wait_time` by `priority` | Seconds | Sum | time that I/O waited for the rate limiter |
//! | `discard_ratio` | None | Max | share of writes, 0 to 1, that flow control refuses for pending compaction |
//! | `throttle_rate` | BytesPerSecond | Min | the rate that flow control holds writes to, while it does |
//! | `busy_refusals` | Count | Sum | writes refused because too many are under way |
//! | `slow_score` | None | Max | TiKV's own score of a slow disk, 1 to 100; labelled by type since 8.5.7 |
//! | `regions` by `kind` | Count | Mean | regions of the store, and those it leads |
//! | `requests` by `kind` | Count | Sum | requests answered, by kind |
//! | `request_latency` by `kind` | nanoseconds | histogram | from a request to its answer, by kind |
//! | `raft_log_write_latency` | nanoseconds | histogram | appends to the raft log, with the wait for their group |
//! | `raft_log_sync_latency` | nanoseconds | histogram | fdatasyncs of the raft log |
//! | `append_log_latency` | nanoseconds | histogram | raft log writes, as the raft store sees them |
//! | `commit_log_latency` | nanoseconds | histogram | from proposal to commit on most replicas |
//! | `apply_log_latency` | nanoseconds | histogram | committed entries into the memtable |
//! | `apply_wait_latency` | nanoseconds | histogram | waiting for the apply pool |
//! | `propose_wait_latency` | nanoseconds | histogram | waiting for the raft store pool |
//! | `store_write_wait_latency` | nanoseconds | histogram | waiting for the store writer |
//! | `engine_write_latency` | nanoseconds | histogram | a write from the scheduler through raft and back |
//! | `engine_snapshot_latency` | nanoseconds | histogram | the snapshot that a read begins with |
//! | `latch_wait_latency` | nanoseconds | histogram | waiting for latches of keys |
//! | `pool_wait_latency` by `pool` | nanoseconds | histogram | waiting for a pool of threads |
//! | `tso_requests` | Count | Sum | requests for timestamps that PD answered; batches, not timestamps |
//! | `tso_handle_latency` | nanoseconds | histogram | what PD takes for a request for timestamps |
//! | `pd_leader` | None | Max | 1 while this member leads |
//! | `region_heartbeats` | Count | Sum | heartbeats of regions that PD took |
//! | `pd_cpu_time` | Seconds | Sum | processor time of the PD that leads |
//! | `pd_processors` | Count | Mean | processors that the PD that leads may use |
//! | `etcd_sync_latency` | nanoseconds | histogram | syncs of the log of PD's etcd |
//! | `statements` | Count | Sum | SQL statements that TiDB answered |
//! | `statement_latency` | nanoseconds | histogram | SQL statements |
//! | `tso_waits` | Count | Sum | times that a statement waited for a timestamp |
//! | `tso_wait_time` | Seconds | Sum | those waits, added up |
//! | `tso_wait_latency` | nanoseconds | histogram | those waits |
//! | `tso_rpcs` | Count | Sum | requests for timestamps that TiDB sent; waits over these is how well they batch |
//! | `tso_rpc_latency` | nanoseconds | histogram | from a request for timestamps to PD's answer, as TiDB sees it |
//! | `busy_backoff_time` | Seconds | Sum | time that statements waited because a TiKV said that it is busy |
//! | `tidb_cpu_time` | Seconds | Sum | processor time of TiDB |

mod answer;
mod ask;
mod batch;
mod buckets;
mod clock;
mod names;
mod run;
mod saved;
mod server;
mod step;
mod table;
mod version;

#[doc(hidden)]
pub use run::gather_answered;
pub use run::{PrometheusOptions, gather};
pub use saved::SavedMetrics;
pub use server::{ClientAccess, PrometheusAuth, PrometheusServer};
pub use step::QueryRange;
pub use table::{SeriesGroup, SeriesRow, series};

#[cfg(test)]
mod twin;
