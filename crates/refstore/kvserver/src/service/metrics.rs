//! TiKV's metrics of requests: `src/server/metrics.rs`, `src/storage/metrics.rs`, `components/tikv_kv/src/metrics.rs`.

use std::sync::LazyLock;
use std::time::Duration;

use prometheus::{
    Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, exponential_buckets, register_histogram_vec,
    register_int_counter_vec, register_int_gauge,
};

use super::kind::Kind;

/// 10 µs to 335 s.
fn from_10_us(name: &str, help: &str) -> HistogramVec {
    let buckets = exponential_buckets(0.000_01, 2.0, 26).expect("the numbers are of buckets");
    register_histogram_vec!(name, help, &["type"], buckets).expect("the name is registered once")
}

fn counters(name: &str, help: &str, label: &str) -> IntCounterVec {
    register_int_counter_vec!(name, help, &[label]).expect("the name is registered once")
}

/// Everything that is counted of requests.
pub(crate) struct Metrics {
    messages: [Histogram; Kind::ALL.len()],
    commands: [Histogram; Kind::ALL.len()],
    busy: [IntCounter; Kind::ALL.len()],
    /// What waits for a thread that reads, seconds.
    pub(crate) reads_wait: Histogram,
    /// What waits for a thread that writes pass through, seconds.
    pub(crate) writes_wait: Histogram,
    /// From the proposal of a write to its end, seconds.
    pub(crate) write: Histogram,
    /// From a read's question for leave to the leave, seconds.
    pub(crate) snapshot: Histogram,
    /// Bytes of writes that are under way.
    pub(crate) writing: IntGauge,
    /// Writes that are under way.
    pub(crate) running: IntGauge,
}

/// The process has one service.
pub(crate) static METRICS: LazyLock<Metrics> = LazyLock::new(|| {
    let buckets = exponential_buckets(0.000_05, 2.0, 22).expect("the numbers are of buckets");
    let messages =
        register_histogram_vec!("tikv_grpc_msg_duration_seconds", "From a request to its answer", &["type"], buckets)
            .expect("the name is registered once");
    let commands = from_10_us("tikv_scheduler_command_duration_seconds", "From a write's arrival to its end");
    let busy = counters("tikv_scheduler_too_busy_total", "Writes refused because there are too many", "type");
    // components/tikv_util/src/yatp_pool/metrics.rs: 10 µs to 1.3 s.
    let buckets = exponential_buckets(0.000_01, 2.0, 18).expect("the numbers are of buckets");
    let (name, help) = ("tikv_yatp_pool_schedule_wait_duration", "Waiting for a thread of a pool");
    let waits =
        register_histogram_vec!(name, help, &["name", "priority"], buckets).expect("the name is registered once");
    let engine = from_10_us("tikv_storage_engine_async_request_duration_seconds", "What the replicas took");
    Metrics {
        messages: Kind::ALL.map(|kind| messages.with_label_values(&[kind.name()])),
        commands: Kind::ALL.map(|kind| commands.with_label_values(&[kind.name()])),
        busy: Kind::ALL.map(|kind| busy.with_label_values(&[kind.name()])),
        reads_wait: waits.with_label_values(&["unified-read-pool", "medium"]),
        writes_wait: waits.with_label_values(&["sched-worker-pool", "medium"]),
        write: engine.with_label_values(&["write"]),
        snapshot: engine.with_label_values(&["snapshot"]),
        writing: register_int_gauge!("tikv_scheduler_writing_bytes", "Bytes of writes that are under way")
            .expect("the name is registered once"),
        running: register_int_gauge!("tikv_scheduler_running_commands", "Writes that are under way")
            .expect("the name is registered once"),
    }
});

impl Metrics {
    /// A read was answered.
    pub(crate) fn read(&self, kind: Kind, took: Duration) {
        self.messages[kind as usize].observe(took.as_secs_f64());
    }

    /// A write was answered.
    pub(crate) fn written(&self, kind: Kind, took: Duration) {
        self.messages[kind as usize].observe(took.as_secs_f64());
        self.commands[kind as usize].observe(took.as_secs_f64());
    }

    /// A write was refused.
    pub(crate) fn refused(&self, kind: Kind) {
        self.busy[kind as usize].inc();
    }
}
