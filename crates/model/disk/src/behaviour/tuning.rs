//! Constants of the behaviour that are not a volume type's own.

use std::sync::LazyLock;

use units::{Bytes, Nanos};

/// Constants of the behaviour, from `tables/behaviour.csv`, where each has its meaning and source.
#[derive(Debug, Clone, PartialEq)]
pub struct BehaviourConstants {
    /// Work that a limit lets through at once after idling, in time at the limit.
    pub bucket_depth: Nanos,
    /// Time constant of the average throughput on which the service time depends.
    pub utilisation_window: Nanos,
    /// No I/O takes less than its median × exp(−this × sigma).
    pub floor_sigmas: f64,
    /// Consecutive bytes on one volume of a stripe.
    pub stripe_chunk: Bytes,
    /// Unit of the read cache.
    pub cache_block: Bytes,
    /// Shortest and longest degraded spell.
    pub degraded_spell: (Nanos, Nanos),
    /// Least share of the limits delivered in a degraded spell.
    pub degraded_least: f64,
}

#[derive(serde::Deserialize)]
struct Row {
    name: String,
    value: f64,
    unit: String,
}

static TUNING: LazyLock<BehaviourConstants> = LazyLock::new(|| {
    let rows: Vec<Row> = crate::table::rows(include_str!("../../tables/behaviour.csv")).collect();
    let value = |name: &str, unit: &str| {
        let row = rows.iter().find(|r| r.name == name && r.unit == unit);
        row.unwrap_or_else(|| panic!("behaviour.csv has no {name} in {unit}")).value
    };
    let millis = |name| Nanos::from_secs_f64(value(name, "ms") / 1e3);
    let minutes = |name| Nanos::from_secs_f64(value(name, "min") * 60.0);
    let kib = |name| Bytes::kib(value(name, "KiB") as u64);
    BehaviourConstants {
        bucket_depth: millis("bucket_depth"),
        utilisation_window: millis("utilisation_window"),
        floor_sigmas: value("floor_sigmas", "1"),
        stripe_chunk: kib("stripe_chunk"),
        cache_block: kib("cache_block"),
        degraded_spell: (minutes("degraded_shortest"), minutes("degraded_longest")),
        degraded_least: value("degraded_least", "1"),
    }
});

impl BehaviourConstants {
    /// The table's values.
    pub fn embedded() -> &'static Self {
        &TUNING
    }
}
