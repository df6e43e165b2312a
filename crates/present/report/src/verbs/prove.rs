//! What runs of plans showed, for people.

use limits::BindingLimit;
use reference_store::prove::{DiskFigures, DiskLimit, DiskRole, LimitPressure, PlanProof, ProofFigures};
use units::Nanos;

use crate::text::{Table, bold, green, line_width, wrap, yellow};
use crate::words;

/// What the numbers of a small run say nothing of.
const NOT_COMPARABLE: &str = "Planned is the model of the plan at its target; predicted is the same model of the smaller \
    run; simulated is `simulate` of it, which knows of queues and that all share one machine; measured is the reference store, \
    and what both are off by stands beside them. Latencies of disks are not scaled, so latencies compare. Not comparable: the use \
    of processors, which are this machine's and shared by all nodes and the client; bursts, which are switched off; an \
    instance's caps, for which the data disk stands in; the share of block cache hits, of which RocksDB counts those of index \
    and filter blocks too.";

/// What latencies are of a run that falls behind.
const BEHIND: &str = "Its latencies are mostly waiting: operations start by a clock, and those of a run that falls behind wait the \
    longer, the longer it lasts.";

/// Plans in the order of the answer.
pub fn text(proofs: &[PlanProof]) -> String {
    let mut out = bold("Run on this machine") + "\n";
    for (i, proof) in proofs.iter().enumerate() {
        out += &one(i + 1, proof);
    }
    out + &format!("\n{}\n", wrap(NOT_COMPARABLE, line_width(), 0))
}

fn one(number: usize, proof: &PlanProof) -> String {
    let mut out = format!("\n{}\n", verdict(number, proof));
    let indented = |text: &str| format!("  {}\n", wrap(text, line_width() - 2, 2));
    out += &indented(&scaling(proof));
    out += &format!("\n{}", figures(proof));
    out += &format!("\n{}", indented(&bound(proof)));
    if !proof.carried() {
        out += &indented(BEHIND);
    }
    for note in proof.staged.notes.iter().chain(&proof.notes) {
        out += &indented(note);
    }
    out
}

fn verdict(number: usize, proof: &PlanProof) -> String {
    let (offered, carried) = (proof.staged.scaling.rate, proof.measured.throughput);
    let load = format!("{} operations/s offered, {} carried", rate(offered), rate(carried));
    let name = format!("Plan {number}, {}: {load}", proof.staged.spec.plan.title);
    let line = |end: &str| wrap(&format!("{name}{end}"), line_width(), 0);
    if proof.carried() { green(&line("")) } else { yellow(&line(": too little")) }
}

/// How much smaller it was run.
fn scaling(proof: &PlanProof) -> String {
    let (scaling, shares) = (&proof.staged.scaling, &proof.staged.shares);
    let nodes = match scaling.planned_nodes {
        planned if planned == scaling.nodes => format!("all {planned} nodes"),
        planned => format!("{} of {planned} nodes, each with its share of data and load", scaling.nodes),
    };
    let log = shares.log.map_or(String::new(), |log| format!(", log disk {}", share(log)));
    format!(
        "Scaling: {nodes}; a node's load {}; limits of the data disk {}{log}; a node's data, caches and log {}: {} rows in \
         all, block cache {:.1}, memory {:.1} with the process; memtables and levels {}.",
        share(scaling.load),
        share(shares.data),
        share(scaling.data),
        words::count(scaling.rows as f64),
        scaling.block_cache,
        scaling.memory,
        share(scaling.tree),
    )
}

fn figures(proof: &PlanProof) -> Table {
    let mut table =
        Table::new(&["", "planned", "predicted", "off", "simulated", "off", "measured"], &[1, 2, 3, 4, 5, 6]);
    let staged = &proof.staged;
    let all = [Some(&staged.planned), Some(&staged.predicted), staged.simulated.as_ref(), Some(&proof.measured)];
    let mut row = |name: &str, of: &dyn Fn(&ProofFigures) -> Option<f64>, show: &dyn Fn(f64) -> String| {
        let [planned, predicted, simulated, measured] = all.map(|figures| figures.and_then(of));
        if predicted.is_none() && measured.is_none() {
            return;
        }
        let cell = |number: Option<f64>| number.map_or("-".to_owned(), show);
        let [by_model, by_simulation] = [predicted, simulated].map(|ours| off(ours, measured));
        table.row([
            name.to_owned(),
            cell(planned),
            cell(predicted),
            by_model,
            cell(simulated),
            by_simulation,
            cell(measured),
        ]);
    };
    let millis = |span: Option<Nanos>| span.map(|span| span.as_millis_f64());
    row("operations/s", &|f| Some(f.throughput), &rate);
    row("p50, ms", &|f| millis(f.p50), &|ms| format!("{ms:.2}"));
    row("p99, ms", &|f| millis(f.p99), &|ms| format!("{ms:.2}"));
    for role in [DiskRole::Data, DiskRole::Log] {
        type Part = (&'static str, fn(&DiskFigures) -> f64, fn(f64) -> String);
        let parts: [Part; 4] = [
            ("IOPS used", |disk| disk.iops, used),
            ("throughput used", |disk| disk.throughput, used),
            ("read, MB/s a node", |disk| disk.read.as_mb(), |mb| format!("{mb:.2}")),
            ("written, MB/s a node", |disk| disk.written.as_mb(), |mb| format!("{mb:.2}")),
        ];
        for (name, of, show) in parts {
            row(&format!("{} disk, {name}", role_name(role)), &|f| f.disk(role).map(of), &show);
        }
    }
    row("write amplification, all replicas", &|f| f.write_amplification, &|times| format!("{times:.1}"));
    row("block cache misses an operation", &|f| f.cache_misses, &|misses| format!("{misses:.2}"));
    row("block cache hits", &|f| f.cache_hit_rate, &used);
    table
}

/// Which limit was to be felt first, and which was.
fn bound(proof: &PlanProof) -> String {
    let percent = |(limit, share): &LimitPressure| (name(limit), used(*share));
    let fullest = |figures: &ProofFigures| figures.fullest().as_ref().map(percent);
    let predicted = fullest(&proof.staged.predicted)
        .map_or(String::new(), |(name, share)| format!("Predicted to be fullest: {name}, at {share}. "));
    let measured = match (proof.bound.as_ref().map(percent), fullest(&proof.measured)) {
        (Some((name, share)), _) => format!("Measured: {name} bound first, and held requests up {share} of the time."),
        (None, Some((name, share))) => format!("Measured: no limit held requests up; fullest was {name}, at {share}."),
        (None, None) => "Measured: no limit held requests up.".to_owned(),
    };
    predicted + &measured
}

fn name(of: &DiskLimit) -> String {
    let limit = match of.limit {
        BindingLimit::VolumeIops => "IOPS".to_owned(),
        BindingLimit::VolumeThroughput => "throughput".to_owned(),
        other => other.to_string(),
    };
    format!("the {} disk's {limit}", role_name(of.role))
}

fn role_name(role: DiskRole) -> &'static str {
    match role {
        DiskRole::Data => "data",
        DiskRole::Log => "log",
    }
}

/// A share that may be small.
fn share(share: f64) -> String {
    let percent = 100.0 * share;
    // Two digits that count.
    let decimals = (1.0 - percent.max(f64::MIN_POSITIVE).log10().floor()).clamp(0.0, 4.0) as usize;
    format!("{percent:.decimals$} %")
}

fn used(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn rate(per_second: f64) -> String {
    if per_second < 100.0 { format!("{per_second:.1}") } else { words::grouped(per_second, 0) }
}

/// From so many times the predicted on, per cents say less.
const FAR: f64 = 10.0;

/// How far the measured is from the predicted.
fn off(predicted: Option<f64>, measured: Option<f64>) -> String {
    match (predicted, measured) {
        (Some(predicted), Some(measured)) if predicted.abs() > 1e-9 => match measured / predicted {
            times if times >= FAR => format!("{times:.0} times"),
            times => format!("{:+.0} %", 100.0 * (times - 1.0)),
        },
        _ => "-".to_owned(),
    }
}

#[cfg(test)]
#[path = "prove_tests.rs"]
mod tests;
