//! Comparisons for programs. Keys are stable and end with the unit of their number.

use serde_json::{Value, json};
use units::Nanos;

use super::fio_runs::MeasuredSide;
use super::{CellComparison, Comparison, ErrorSpread, MatrixComparison, RegionError, RunsComparison};

impl Comparison {
    /// The whole comparison as JSON.
    pub fn json(&self) -> Value {
        match self {
            Self::Matrix(matrix) => matrix.json(),
            Self::Runs(runs) => runs.json(),
        }
    }
}

fn us(time: Nanos) -> f64 {
    time.0 as f64 / 1e3
}

fn spread(of: Option<ErrorSpread>) -> Value {
    of.map_or(Value::Null, |e| json!({ "count": e.count, "median": e.median, "p90": e.p90, "worst": e.worst }))
}

fn region(of: &RegionError) -> Value {
    json!({
        "cells": of.cells,
        "delivery_known": of.delivery.0,
        "delivery_right": of.delivery.1,
        "p50_error": spread(of.p50),
        "p95_error": spread(of.p95),
    })
}

fn cell(of: &CellComparison) -> Value {
    json!({
        "read_iops_target": of.measured.reads.0,
        "write_bytes_per_second_target": of.measured.writes.0,
        "load": of.load,
        "region": of.region(),
        "reached": of.measured.reached,
        "delivered": of.delivered,
        "read_iops": of.reads.0,
        "write_bytes_per_second": of.writes.0,
        "measured_p50_us": of.measured.p50.map(us),
        "p50_us": us(of.p50),
        "p50_error": of.errors[0],
        "measured_p95_us": of.measured.p95.map(us),
        "p95_us": us(of.p95),
        "p95_error": of.errors[1],
    })
}

impl MatrixComparison {
    fn json(&self) -> Value {
        let regions = self.regions().map(|r| {
            let mut value = region(&r);
            value["region"] = json!(r.region);
            value
        });
        json!({
            "form": "matrix",
            "read_bytes": self.setup.read_size.0,
            "write_bytes": self.setup.write_size.0,
            "writer_depth": self.setup.writer_depth,
            "arrivals": self.setup.arrivals.to_string(),
            "total": region(&self.total()),
            "regions": regions.collect::<Vec<_>>(),
            "cliffs": self.cliffs.iter().map(|cliff| json!({
                "read_iops_target": cliff.reads.0,
                "measured_cell": cliff.measured,
                "cell": cliff.modelled,
                "shift_cells": cliff.shift(),
            })).collect::<Vec<_>>(),
            "cells": self.cells.iter().map(cell).collect::<Vec<_>>(),
        })
    }
}

impl RunsComparison {
    fn json(&self) -> Value {
        let latencies = MeasuredSide::QUANTITIES.iter().zip(self.latencies());
        let by_name: serde_json::Map<String, Value> =
            latencies.map(|(name, errors)| ((*name).to_owned(), spread(errors))).collect();
        json!({
            "form": "fio",
            "left_out": self.left_out,
            "rate_error": spread(self.rate()),
            "latency_errors": by_name,
            "runs": self.runs.iter().map(|run| json!({
                "run": run.run,
                "direction": if run.writes { "write" } else { "read" },
                "measured_iops": run.measured.iops.0,
                "iops": run.iops.0,
                "rate_error": run.rate_error(),
                "measured_us": run.measured.latencies.map(|latency| latency.map(us)),
                "modelled_us": run.latencies.map(us),
                "latency_errors": run.latency_errors(),
            })).collect::<Vec<_>>(),
        })
    }
}
