//! What runs of plans showed as JSON; the keys are stable.

use reference_store::prove::{DiskFigures, LimitPressure, PlanProof, ProofFigures};
use serde_json::{Value, json};

/// The `prove` key: one object for each plan that was run, in the order of `plans`.
pub fn document(proofs: &[PlanProof]) -> Value {
    proofs.iter().map(proof).collect()
}

fn proof(proof: &PlanProof) -> Value {
    let staged = &proof.staged;
    let notes = [staged.notes.as_slice(), &proof.notes].concat();
    json!({
        "title": staged.spec.plan.title,
        "carried": proof.carried(),
        "scaling": {
            "planned_nodes": staged.scaling.planned_nodes,
            "nodes": staged.scaling.nodes,
            "load": staged.scaling.load,
            "data": staged.scaling.data,
            "tree": staged.scaling.tree,
            "data_disk": staged.shares.data,
            "log_disk": staged.shares.log,
            "operations_per_s": staged.scaling.rate,
            "rows": staged.scaling.rows,
            "block_cache_bytes": staged.scaling.block_cache.0,
            "memory_bytes": staged.scaling.memory.0,
        },
        "planned": figures(&staged.planned),
        "predicted": figures(&staged.predicted),
        "simulated": staged.simulated.as_ref().map(figures),
        "measured": figures(&proof.measured),
        "fullest_predicted": staged.predicted.fullest().as_ref().map(felt),
        "fullest_measured": proof.measured.fullest().as_ref().map(felt),
        "bound": proof.bound.as_ref().map(felt),
        "run": proof.run,
        "notes": notes,
    })
}

fn figures(figures: &ProofFigures) -> Value {
    json!({
        "operations_per_s": figures.throughput,
        "p50_ms": figures.p50.map(|span| span.as_millis_f64()),
        "p99_ms": figures.p99.map(|span| span.as_millis_f64()),
        "disks": figures.disks.iter().map(disk).collect::<Vec<_>>(),
        "write_amplification": figures.write_amplification,
        "cache_misses_per_operation": figures.cache_misses,
        "cache_hit_rate": figures.cache_hit_rate,
    })
}

fn disk(disk: &DiskFigures) -> Value {
    json!({
        "role": disk.role,
        "iops_used": disk.iops,
        "throughput_used": disk.throughput,
        "read_bytes_per_s": disk.read.0,
        "written_bytes_per_s": disk.written.0,
    })
}

fn felt((of, share): &LimitPressure) -> Value {
    json!({ "role": of.role, "limit": of.limit.name(), "share": share })
}
