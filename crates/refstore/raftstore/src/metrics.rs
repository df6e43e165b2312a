//! What Prometheus sees of raft, under TiKV's names.

use std::sync::LazyLock;

use prometheus::{
    Histogram, IntCounterVec, IntGauge, IntGaugeVec, exponential_buckets, register_histogram, register_int_counter_vec,
    register_int_gauge, register_int_gauge_vec,
};

/// TiKV's buckets of the write path: 26 from 10 µs, each twice the one before.
fn histogram(name: &str, help: &str) -> Histogram {
    let buckets = exponential_buckets(1e-5, 2.0, 26).unwrap_or_default();
    match register_histogram!(name, help, buckets.clone()) {
        Ok(histogram) => histogram,
        // Registered twice, it would be counted where nobody looks; that is no reason to end.
        Err(_) => Histogram::with_opts(prometheus::HistogramOpts::new(name, help).buckets(buckets))
            .unwrap_or_else(|error| unreachable!("the metric {name} is well formed: {error}")),
    }
}

macro_rules! histograms {
    ($($what:ident $name:literal $help:literal;)*) => {
        $(pub(crate) static $what: LazyLock<Histogram> = LazyLock::new(|| histogram($name, $help));)*
        /// Makes all of them appear before anything is observed.
        pub(crate) fn register() {
            $(LazyLock::force(&$what);)*
            LazyLock::force(&REGION_COUNT);
            LazyLock::force(&LEADER_MISSING);
            LazyLock::force(&SNAPSHOTS);
        }
    };
}

histograms! {
    REQUEST_WAIT "tikv_raftstore_request_wait_time_duration_secs" "Time of requests before they are proposed.";
    STORE_LOOP "tikv_raftstore_store_duration_secs" "Time of a round of the raft threads.";
    APPLY_LOOP "tikv_raftstore_apply_duration_secs" "Time of a round of the apply threads.";
    WRITE_TASK_WAIT "tikv_raftstore_store_write_task_wait_duration_secs" "Time of tasks before the log is written.";
    WRITE_LOOP "tikv_raftstore_store_write_loop_duration_seconds" "Time of a round of the threads that write the log.";
    WRITE_LOG "tikv_raftstore_store_write_raftdb_duration_seconds" "Time that the log's engine takes for a batch.";
    WRITE_SEND "tikv_raftstore_store_write_send_duration_seconds" "Time to send what waited for a batch of the log.";
    WRITE_CALLBACK "tikv_raftstore_store_write_callback_duration_seconds" "Time to tell raft that a batch is written.";
    APPEND_LOG "tikv_raftstore_append_log_duration_seconds" "Time to write and sync a batch of the log.";
    COMMIT_LOG "tikv_raftstore_commit_log_duration_seconds" "Time from a proposal to its commit.";
    APPLY_WAIT "tikv_raftstore_apply_wait_time_duration_secs" "Time from commit to apply.";
    APPLY_LOG "tikv_raftstore_apply_log_duration_seconds" "Time to write a batch to the state.";
    SNAPSHOT_SENT "tikv_server_send_snapshot_duration_seconds" "Time to send a snapshot.";
    SNAPSHOT_INSTALLED "tikv_raftstore_snapshot_duration_seconds" "Time to replace a range by a snapshot.";
}

/// `type` is `region` or `leader`.
pub(crate) static REGION_COUNT: LazyLock<IntGaugeVec> = LazyLock::new(|| {
    register_int_gauge_vec!("tikv_raftstore_region_count", "Replicas on this node.", &["type"]).unwrap_or_else(|_| {
        IntGaugeVec::new(prometheus::Opts::new("tikv_raftstore_region_count", "Replicas on this node."), &["type"])
            .unwrap_or_else(|error| unreachable!("the metric is well formed: {error}"))
    })
});

/// Replicas that know of no leader.
pub(crate) static LEADER_MISSING: LazyLock<IntGauge> = LazyLock::new(|| {
    let (name, help) = ("tikv_raftstore_leader_missing", "Replicas that know of no leader.");
    register_int_gauge!(name, help).unwrap_or_else(|_| {
        IntGauge::new(name, help).unwrap_or_else(|error| unreachable!("the metric is well formed: {error}"))
    })
});

/// `type` is `send`, `receive` or `apply`; `status` is `ok` or `fail`.
pub(crate) static SNAPSHOTS: LazyLock<IntCounterVec> = LazyLock::new(|| {
    let (name, help) = ("tikv_raftstore_snapshot_total", "Snapshots.");
    register_int_counter_vec!(name, help, &["type", "status"]).unwrap_or_else(|_| {
        IntCounterVec::new(prometheus::Opts::new(name, help), &["type", "status"])
            .unwrap_or_else(|error| unreachable!("the metric is well formed: {error}"))
    })
});

/// Counts a snapshot.
pub(crate) fn snapshot(kind: &str, well: bool) {
    SNAPSHOTS.with_label_values(&[kind, if well { "ok" } else { "fail" }]).inc();
}
