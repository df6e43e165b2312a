//! TiKV's metrics of flow control, scaled as TiKV scales them: `src/storage/metrics.rs`.

use std::sync::LazyLock;

use prometheus::{
    Histogram, IntCounterVec, IntGauge, IntGaugeVec, exponential_buckets, register_histogram, register_int_counter_vec,
    register_int_gauge, register_int_gauge_vec,
};

use super::checker::Checker;
use super::constants::SCALE;

fn gauge(name: &str, help: &str) -> IntGauge {
    register_int_gauge!(name, help).expect("the name is registered once")
}

fn by(label: &str, name: &str, help: &str) -> IntGaugeVec {
    register_int_gauge_vec!(name, help, &[label]).expect("the name is registered once")
}

struct Gauges {
    refused: IntGauge,
    speed: IntGauge,
    flow: IntGauge,
    slowed_by: IntGaugeVec,
    pending: IntGaugeVec,
    memtables: IntGaugeVec,
    l0_files: IntGaugeVec,
    l0_average: IntGaugeVec,
    l0_flow: IntGaugeVec,
    flush_flow: IntGaugeVec,
    actions: IntCounterVec,
}

static GAUGES: LazyLock<Gauges> = LazyLock::new(|| Gauges {
    refused: gauge("tikv_scheduler_discard_ratio", "Share of writes refused for pending compaction, times 1e7"),
    speed: gauge("tikv_scheduler_throttle_flow", "Speed that writes are held to, bytes per second; 0 is no limit"),
    flow: gauge("tikv_scheduler_write_flow", "Foreground writes, bytes per second"),
    slowed_by: by("cf", "tikv_scheduler_throttle_cf", "1 for the column family that writes are slowed down for"),
    pending: by(
        "type",
        "tikv_scheduler_pending_compaction_bytes",
        "Average binary logarithm of pending bytes, times 1e7",
    ),
    memtables: by("cf", "tikv_scheduler_memtable", "Memtables that wait for their flush"),
    l0_files: by("cf", "tikv_scheduler_l0", "Files on level 0"),
    l0_average: by("cf", "tikv_scheduler_l0_avg", "Files on level 0, average"),
    l0_flow: by("cf", "tikv_scheduler_l0_flow", "Bytes per second out of level 0"),
    flush_flow: by("cf", "tikv_scheduler_flush_flow", "Bytes per second into level 0"),
    actions: register_int_counter_vec!(
        "tikv_scheduler_throttle_action_total",
        "What flow control did",
        &["cf", "type"]
    )
    .expect("the name is registered once"),
});

/// How long writes were held back, seconds.
pub(crate) static THROTTLED: LazyLock<Histogram> = LazyLock::new(|| {
    let buckets = exponential_buckets(0.000_01, 2.0, 26).expect("the numbers are of buckets");
    register_histogram!("tikv_scheduler_throttle_duration_seconds", "Time that a write was held back", buckets)
        .expect("the name is registered once")
});

/// Shows what the state machine knows and does.
pub(crate) fn show(checker: &mut Checker) {
    let gauges = &*GAUGES;
    for (cf, action) in checker.take_actions() {
        gauges.actions.with_label_values(&[cf.name(), action.name()]).inc();
    }
    gauges.refused.set((checker.refused() * SCALE) as i64);
    gauges.speed.set(if checker.speed().is_finite() { checker.speed() as i64 } else { 0 });
    for (family, records) in checker.families() {
        let cf = family.cf();
        let set = |gauge: &IntGaugeVec, value: f64| gauge.with_label_values(&[cf.name()]).set(value as i64);
        set(&gauges.slowed_by, f64::from(checker.slowed_by() == Some(cf)));
        set(&gauges.pending, records.pending.average() * SCALE);
        set(&gauges.memtables, family.last.immutable_memtables as f64);
        set(&gauges.l0_files, family.last.l0_files as f64);
        set(&gauges.l0_average, records.l0_files.average());
        set(&gauges.l0_flow, family.l0_flow.average());
        set(&gauges.flush_flow, family.flush_flow.average());
    }
}

/// Shows the foreground writes of the last second, bytes per second.
pub(crate) fn show_flow(rate: f64) {
    GAUGES.flow.set(rate as i64);
}
