//! A plan's answer as JSON; the keys are stable.

use plan::{Plan, PlanUncertainty, RejectedCandidate, RejectionReason, WhyNot};
use serde_json::{Value, json};

use crate::plan::Planned;

/// The whole document.
pub(crate) fn document(planned: &Planned) -> Value {
    let answer = &planned.answer;
    json!({
        "elapsed_ms": planned.elapsed_ms,
        "considered": answer.considered,
        "pruned": answer.pruned,
        "plans": answer.plans.iter().map(plan).collect::<Vec<_>>(),
        "why_not": answer.why_not.iter().map(why_not).collect::<Vec<_>>(),
        "closest": answer.closest.as_ref().map(plan),
        "shortfalls": answer.shortfalls,
        "uncertainty": answer.uncertainty.as_ref().map(uncertainty),
        "not_covered": planned.asked.not_covered,
        "prove": planned.proofs.as_deref().map(crate::plan::prove_json::document),
    })
}

fn plan(plan: &Plan) -> Value {
    let utilisation = plan.utilisation.iter().map(|(resource, share)| json!({ "resource": resource, "share": share }));
    json!({
        "monthly_usd": plan.monthly().0,
        "usd": {
            "compute": plan.usd.compute.0,
            "disks": plan.usd.disks.0,
            "transfer": plan.usd.transfer.0,
        },
        "predicted": {
            "throughput": plan.predicted.throughput,
            "unit": plan.predicted.unit,
            "p50_ms": plan.predicted.p50.as_millis_f64(),
            "p99_ms": plan.predicted.p99.as_millis_f64(),
        },
        "bottleneck": plan.bottleneck,
        "headroom": plan.headroom,
        "utilisation": utilisation.collect::<Vec<_>>(),
        "deployment": plan.deployment,
    })
}

fn why_not(why: &WhyNot) -> Value {
    let (kind, name) = match &why.subject {
        RejectedCandidate::Disk(name) => ("disk", name),
        RejectedCandidate::Family(name) => ("family", name),
    };
    let mut value = json!({ "kind": kind, "name": name });
    match &why.reason {
        RejectionReason::Costs { more, best } => {
            value["more_usd"] = json!(more.0);
            value["best"] = plan(best);
        }
        RejectionReason::RuledOut { constraint } => value["ruled_out_by"] = json!(constraint),
    }
    value
}

fn uncertainty(uncertainty: &PlanUncertainty) -> Value {
    json!({
        "futures": uncertainty.futures,
        "cheapest": uncertainty.cheapest,
        "least_regret": uncertainty.least_regret,
        "odds_of_missing": uncertainty.odds_of_missing,
        "regret_usd": uncertainty.regret.iter().map(|usd| usd.0).collect::<Vec<_>>(),
        "inputs": uncertainty.inputs,
    })
}
