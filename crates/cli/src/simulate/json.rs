//! A run as JSON.

use serde_json::{Value, json};
use simulate::{HoldUp, RunSummary};
use units::Nanos;

use super::text::named;

/// The summary of a run, with stable keys.
pub(super) fn document(seed: u64, summary: &RunSummary) -> Value {
    let latency = summary.latency.as_ref().map(|latency| {
        let keys = ["mean", "p50", "p99", "p999", "max"];
        let values = named(latency).map(|(_, value)| json!(value.as_millis_f64()));
        keys.into_iter().map(str::to_owned).zip(values).collect::<serde_json::Map<_, _>>()
    });
    let bound = |one: &HoldUp| {
        let seconds = |at: Option<Nanos>| at.map(Nanos::as_secs_f64);
        json!({ "what": one.what, "share": one.share, "from_s": seconds(one.from), "until_s": seconds(one.until) })
    };
    json!({
        "throughput": summary.throughput, "unit": summary.unit,
        "operations_per_second": summary.operations_per_second, "latency_ms": latency,
        "saturated": summary.saturated, "refused": summary.refused,
        "full": summary.full.as_ref().map(|full| json!({ "node": full.node, "at_s": full.at.as_secs_f64() })),
        "bound": summary.bound.iter().map(bound).collect::<Vec<_>>(),
        "used": summary.used, "write_amplification": summary.used.write_amplification(),
        "measured_from_s": summary.from.as_secs_f64(), "measured_until_s": summary.until.as_secs_f64(),
        "seed": seed, "events": summary.events, "innodb": summary.innodb,
    })
}
