//! The answer of `bench` on raw keys.

use std::path::PathBuf;

use bench::{BenchReport, ErrorCount, KindReport, LoopKind, RunReport, RunStall};
use reference_store::{StoreCounters, StoreRun, StoreSpec};
use serde_json::{Value, json};
use units::{Bytes, Nanos};
use workload::operations::ValueSizes;

use crate::text::{Table, bold, line_width, wrap, yellow};

/// The runs as text; `written` are the files that hold them.
pub fn text(
    report: &BenchReport,
    found: &[StoreRun],
    order: &StoreSpec,
    notes: &[String],
    written: &[PathBuf],
) -> String {
    let mut out =
        headline(report) + &bold(&wrap(&format!("{} on {}", report.workload, report.title), line_width(), 0)) + "\n";
    let scripted = !order.plan.course.is_empty() || !order.settings.actions.is_empty();
    let events = if scripted { "; changed by events" } else { "" };
    let load = how(&report.load, report.threads) + &looked(&report.load, report.threads);
    let values = order.settings.scale.values.map(values).unwrap_or_default();
    out += &format!("{load}{events}; {} rows{values}\n", report.rows_loaded);
    if let Some(times) = report.data_over_memory {
        out += &format!("the data on a node are {times:.2} times the memory that it may take\n");
    }
    out += "\n";
    out += &table(report);
    for (run, found) in report.runs.iter().zip(found) {
        // What events change is not meant to be steady.
        let unsteady = unsteady(run).filter(|_| !scripted);
        for line in unsteady.into_iter().chain(remarks(run)) {
            out += &format!("{}\n", yellow(&wrap(&format!("run {}: {line}", run.run), line_width(), 2)));
        }
        if order.settings.source.launched().is_some() {
            out += &format!("\n{}\n", wrap(&used(run, &found.used), line_width(), 2));
        }
    }
    for note in notes {
        out += &format!("{}\n", wrap(note, line_width(), 2));
    }
    for file in written {
        out += &format!("written: {}\n", file.display());
    }
    out
}

/// The runs as JSON.
pub fn document(report: &BenchReport, found: &[StoreRun]) -> Value {
    let used: Vec<_> = found.iter().map(|found| json!(found.used)).collect();
    json!({ "report": report, "used": used })
}

/// How large values are where the workload's own size does not hold.
fn values(sizes: ValueSizes) -> String {
    let mean = Bytes(sizes.mean().round() as u64);
    match sizes {
        ValueSizes::Constant(_) => format!(" with values of {sizes}"),
        ValueSizes::Uniform(..) | ValueSizes::Zipfian(..) => format!(" with values {sizes}, {mean:.1} in the mean"),
    }
}

/// What people must know of a run before they read a number of it; nothing of a run that went on all the time.
pub(super) fn headline(report: &BenchReport) -> String {
    let mut out = String::new();
    for run in &report.runs {
        if !run.rejected.is_empty() {
            let line = format!("run {} failed, whatever it measured: {}", run.run, run.rejected.join("; "));
            out += &format!("{}\n", yellow(&wrap(&line, line_width(), 2)));
        }
        if let Some(RunStall { from_s, seconds }) = run.stalled {
            let line =
                format!("run {}: nothing was done for {seconds:.0} s, from {from_s:.0} s after its start", run.run);
            out += &format!("{}\n", yellow(&wrap(&line, line_width(), 2)));
        }
    }
    out
}

/// The runs, each with its kinds of operation.
pub(super) fn table(report: &BenchReport) -> String {
    let mut table =
        Table::new(&["run", "operations/s", "95 % interval", "p50 ms", "p95 ms", "p99 ms", "of"], &[1, 2, 3, 4, 5]);
    for run in &report.runs {
        for (at, kind) in run.kinds.iter().enumerate() {
            row(&mut table, run, kind, at == 0);
        }
    }
    table.to_string()
}

/// What drivers of raw keys do, and those that speak SQL do not.
fn looked(load: &LoopKind, threads: u32) -> String {
    let looks = load.looks(threads);
    looks.map_or(String::new(), |looks| {
        let coming = if matches!(load, LoopKind::Open { .. }) { " and come few at a time" } else { "" };
        format!(", answers looked for {looks} times in their mean latency while many are on their way{coming}")
    })
}

pub(super) fn how(load: &LoopKind, threads: u32) -> String {
    let together = match load.beat(threads) {
        Nanos(0) => String::new(),
        beat => format!(", those of {beat} leave together"),
    };
    match load {
        LoopKind::Closed { clients, think: Nanos(0) } => format!("closed loop, {clients} clients"),
        LoopKind::Closed { clients, think } => {
            let leeway = load.leeway();
            format!("closed loop, {clients} clients that think {think}, up to {leeway} less where another starts")
        }
        LoopKind::Open { rate, .. } => {
            format!("open loop, {rate:.0} operations/s{together}, latency from when each was to start")
        }
    }
}

fn row(table: &mut Table, run: &RunReport, kind: &KindReport, first: bool) {
    let millis = |nanos: u64| format!("{:.2}", nanos as f64 / 1e6);
    let at =
        |pick: fn(&bench::LatencyHistograms) -> u64| kind.latency.as_ref().map_or("-".to_owned(), |l| millis(pick(l)));
    let interval = match (&run.throughput, run.kinds.len()) {
        (Some(t), 1) => format!("{:.0} to {:.0}", t.low, t.high),
        (Some(t), _) if first => format!("all {:.0} to {:.0}", t.low, t.high),
        _ => String::new(),
    };
    table.row([
        if first { run.run.to_string() } else { String::new() },
        format!("{:.0}", kind.per_s),
        interval,
        at(|l| l.p50_ns),
        at(|l| l.p95_ns),
        at(|l| l.p99_ns),
        kind.kind.clone(),
    ]);
}

/// That it was not steady, if so.
pub(super) fn unsteady(run: &RunReport) -> Option<String> {
    (!run.steady).then(|| "it was not steady when the measuring began; warm up longer with --warm-up".to_owned())
}

/// What to mind of a run beside that.
pub(super) fn remarks(run: &RunReport) -> Vec<String> {
    let mut remarks = Vec::new();
    // A loss of the server is in the headline.
    for error in run.errors.iter().filter(|error| error.kind != ErrorCount::SERVER) {
        let fate = if error.unknown { "may have been done" } else { "not done" };
        remarks.push(format!("{} × {} failed ({fate}): {}", error.count, error.kind, error.reason));
    }
    if run.backlog.dropped > 0 {
        let dropped = run.backlog.dropped;
        remarks.push(format!("{dropped} operations were given up: the database does not keep up with the rate"));
    } else if run.backlog.at_end > 0 {
        remarks.push(format!("{} operations waited to be sent at the end", run.backlog.at_end));
    }
    remarks
}

/// What a run took of the database.
fn used(run: &RunReport, used: &StoreCounters) -> String {
    let per_s = |bytes: f64| format!("{:.1} MB/s", bytes / used.seconds.max(f64::MIN_POSITIVE) / 1e6);
    let mut parts = vec![
        format!("clients wrote {}", per_s(used.user_bytes)),
        format!("raft log {}", per_s(used.raft_log_bytes)),
        format!("flushed {}", per_s(used.flush_bytes)),
        format!("compacted {}", per_s(used.compaction_write_bytes)),
    ];
    if let Some(amplification) = used.write_amplification() {
        parts.push(format!("write amplification of all replicas {amplification:.1}"));
    }
    if let Some(hits) = used.cache_hit_rate {
        parts.push(format!("block cache hits {:.1} %", 100.0 * hits));
    }
    parts.push(format!("writers held up {:.1} s", used.held_up));
    parts.push(format!("to compact {:.0} MB", used.pending_compaction_bytes / 1e6));
    if used.cross_zone_bytes() > 0.0 {
        parts.push(format!("between zones {}", per_s(used.cross_zone_bytes())));
    }
    let cpu = &run.driver_cpu;
    let of_busy = cpu.of_busy.map_or(String::new(), |share| format!(", {:.1} % of what ran", 100.0 * share));
    let driver =
        format!("{:.1} % of the machine{of_busy}, {:.1} µs an operation", 100.0 * cpu.of_machine, cpu.us_per_operation);
    parts.push(format!("the driver took {driver}"));
    if run.awake {
        parts.push("idle processors were kept awake".to_owned());
    }
    if let Some(price) = run.usd_per_million {
        parts.push(format!("a million operations cost ${price:.3} at the deployment's price and this rate"));
    }
    if let Some(price) = used.transfer_usd_per_million.filter(|price| *price > 0.0) {
        parts.push(format!("their traffic between zones costs ${price:.3} beside that"));
    }
    format!("run {}: {}", run.run, parts.join("; "))
}
