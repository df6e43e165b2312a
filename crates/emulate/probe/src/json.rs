//! A probe for programs. Keys are stable and end with the unit of their number.

use serde_json::{Value, json};
use units::Nanos;

use crate::fio::{JobDirection, JobReport, LatencyDistribution};
use crate::{Probe, ProbeMeasurement};

fn us(time: Nanos) -> f64 {
    time.0 as f64 / 1e3
}

fn latency(of: &LatencyDistribution) -> Value {
    json!({
        "count": of.count,
        "mean_us": us(of.mean),
        "min_us": us(of.min),
        "p50_us": us(of.p50),
        "p95_us": us(of.p95),
        "p99_us": us(of.p99),
        "p999_us": us(of.p999),
        "max_us": us(of.max),
    })
}

fn side(of: &JobDirection) -> Value {
    json!({
        "ios": of.ios,
        "iops": of.iops.0,
        "bytes_per_second": of.throughput.0,
        "latency": of.latency.as_ref().map(latency),
    })
}

fn report(of: &JobReport) -> Value {
    json!({
        "read": side(&of.read),
        "write": side(&of.write),
        "flush": of.sync.as_ref().map(latency),
        "runtime_s": of.runtime.as_secs_f64(),
        "fio_cpu_s": of.cpu.as_secs_f64(),
    })
}

fn measurement(of: &ProbeMeasurement) -> Value {
    let jobs = of.jobs.iter().zip(&of.report.jobs).map(|(job, came)| {
        json!({
            "read_share": job.pattern.read_share(),
            "random": job.pattern.is_random(),
            "block_bytes": job.block.0,
            "depth": job.depth,
            "asked_iops": job.rate_iops.map(|rate| rate.0),
            "report": report(came),
        })
    });
    json!({ "step": of.name, "what": of.what, "jobs": jobs.collect::<Vec<_>>() })
}

impl Probe {
    /// The whole probe as JSON.
    pub fn json(&self) -> Value {
        let (fitted, service) = (&self.fitted, &self.fitted.service);
        json!({
            "target": self.target,
            "size_bytes": self.size.map(|size| size.0),
            "range_bytes": self.range.0,
            "fitted": {
                "iops": fitted.iops.value.0,
                "iops_reached": fitted.iops.reached,
                "bytes_per_second": fitted.throughput.value.0,
                "bytes_per_second_reached": fitted.throughput.reached,
                "read_us": us(service.read),
                "write_us": fitted.written.then(|| us(service.write)),
                "sigma": service.sigma,
                "link_bytes_per_second": service.link.0,
                "softness": service.softness,
                "flush_us": fitted.written.then(|| us(service.flush)),
                "write_iops_cost": fitted.written.then_some(fitted.write_iops_cost),
                "write_bytes_cost": fitted.written.then_some(fitted.write_bytes_cost),
                "merge_bytes_at_least": fitted.merge.0,
                "reads_and_writes_share": fitted.reads_and_writes_share,
                "limits_used_at_once": fitted.limits_used_at_once,
                "burst": fitted.burst.map(|burst| json!({
                    "iops": burst.burst.0,
                    "sustained_iops": burst.sustained.0,
                    "credits": burst.credits,
                })),
            },
            "nearest": self.nearest.as_ref().map(|nearest| json!({
                "disk": nearest.disk,
                "instance": nearest.instance,
                "distance": nearest.distance,
                "alike": nearest.alike,
            })),
            "measurements": self.measurements.iter().map(measurement).collect::<Vec<_>>(),
            "residuals": self.residuals.iter().map(|r| json!({
                "step": r.step,
                "quantity": r.quantity,
                "measured": r.measured,
                "predicted": r.predicted,
                "error": r.error(),
            })).collect::<Vec<_>>(),
        })
    }
}
