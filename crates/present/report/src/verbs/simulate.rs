//! The answer of `simulate`: the summary of a run as text and as JSON, and its page.

use std::path::PathBuf;

use serde_json::{Value, json};
use simulate::{HoldUp, LatencySummary, RunSummary, SimulationRun, SimulationSetup};
use units::Nanos;

use crate::text::{Table, bold, line_width, red, wrap, yellow};
use crate::words;

/// The last note of every page.
pub(super) const TRUST: &str = "Simulated in virtual time, not measured. The model is not held against the reference store yet: take from it which of \
     two is better, not by how much.";

/// The answer as text: `took` seconds of real time, `written` are the files that hold the run.
pub fn text(seed: u64, run: &SimulationRun, took: f64, written: &[PathBuf]) -> String {
    let summary = &run.summary;
    let measured = (summary.until - summary.from).as_secs_f64();
    let said = match (&summary.full, &summary.saturated) {
        (Some(_), _) => red(&headline(summary)),
        (None, Some(_)) => yellow(&headline(summary)),
        (None, None) => headline(summary),
    };
    let mut text = bold(&wrap(&said, line_width(), 0));
    text += "\n\n";
    let mut table = Table::new(&["", "value", ""], &[1]);
    table.row(["throughput", &words::count(summary.throughput), summary.unit]);
    if let Some(latency) = &summary.latency {
        for (name, value) in named(latency) {
            table.row([format!("latency, {name}"), format!("{:.2}", value.as_millis_f64()), "ms".to_owned()]);
        }
    }
    let used = &summary.used;
    let mut rate = |name: &str, amount: f64, unit: &str| {
        table.row([name.to_owned(), words::count(amount / measured), unit.to_owned()]);
    };
    rate("I/Os of all disks", used.disk_ios, "1/s");
    rate("bytes of all disks", used.disk_bytes / 1_048_576.0, "MiB/s");
    match &summary.innodb {
        None => rate("raft log syncs", used.raft_log_syncs, "1/s"),
        Some(innodb) => {
            rate("redo log syncs", innodb.redo_syncs, "1/s");
            rate("binary log syncs", innodb.binlog_syncs, "1/s");
            rate("pages read", innodb.pages_read, "1/s");
            rate("pages written back", innodb.pages_written, "1/s");
        }
    }
    let nodes = if used.sql_cpu.is_some() { "storage" } else { "all" };
    rate(&format!("busy threads of {nodes} nodes"), used.node_cpu, "");
    if let Some(busy) = used.sql_cpu {
        rate("busy threads of SQL nodes", busy, "");
    }
    if let Some(amplification) = used.write_amplification() {
        table.row(["write amplification".to_owned(), format!("{amplification:.1}"), "of flushed bytes".to_owned()]);
    }
    if let Some(hits) = used.cache_hit_rate {
        table.row(["block cache hits".to_owned(), words::percent(hits), String::new()]);
    }
    text += &table.to_string();
    if let Some(finished) = summary.innodb.and_then(|innodb| innodb.finished) {
        text += &format!("\nAll rows were added after {:.0} s.\n", finished.as_secs_f64());
    }
    text += "\nWhat held operations up, on the node where it did most:\n";
    if summary.bound.is_empty() {
        text += "  nothing for a hundredth of the time\n";
    } else {
        text += &held(&summary.bound).to_string();
    }
    let simulated = summary.until.as_secs_f64();
    let (ios, events) = pace(summary, took);
    text += &format!(
        "\n{simulated:.0} s simulated in {took:.1} s, seed {seed}: {} I/Os and {} events a second\n",
        words::count(ios),
        words::count(events)
    );
    for path in written {
        text += &format!("written to {}\n", path.display());
    }
    text
}

/// Simulated I/Os and events for each second that it took; I/Os as they came while it was measured.
pub fn pace(summary: &RunSummary, took: f64) -> (f64, f64) {
    let took = took.max(1e-9);
    let ios = summary.used.disk_ios / summary.used.seconds * summary.until.as_secs_f64();
    (ios / took, summary.events as f64 / took)
}

/// The answer in a sentence.
pub(super) fn headline(summary: &RunSummary) -> String {
    if let Some(full) = &summary.full {
        let at = full.at.as_secs_f64();
        return format!("The data disk of {} is full after {at:.0} s: take a larger one.", full.node);
    }
    if let Some(saturated) = &summary.saturated {
        return format!(
            "Saturated: {} operations/s come and {} are carried; what waits grows without end, so there is no latency.",
            words::count(saturated.offered),
            words::count(saturated.carried)
        );
    }
    let most = summary.bound.first().map_or("Nothing held it up".to_owned(), |bound| {
        format!("{} held it up most, for {} of the time", bound.what, words::percent(bound.share))
    });
    format!("Carried: {} {}. {most}.", words::count(summary.throughput), summary.unit)
}

fn held(bound: &[HoldUp]) -> Table {
    let mut table = Table::new(&["what", "share of time", "from", "until"], &[1, 2, 3]);
    let instant = |at: Option<Nanos>| at.map_or("-".to_owned(), |at| format!("{:.0} s", at.as_secs_f64()));
    for one in bound {
        table.row([one.what.clone(), words::percent(one.share), instant(one.from), instant(one.until)]);
    }
    table
}

pub(super) fn named(latency: &LatencySummary) -> [(&'static str, Nanos); 5] {
    [
        ("mean", latency.mean),
        ("p50", latency.p50),
        ("p99", latency.p99),
        ("p99.9", latency.p999),
        ("longest", latency.max),
    ]
}

/// The summary of a run as JSON.
pub fn document(seed: u64, summary: &RunSummary) -> Value {
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

/// What is run, for the top of a page.
pub(super) fn setup_facts(setup: &SimulationSetup) -> Vec<(String, String)> {
    let SimulationSetup { deployment, task, options } = setup;
    let log = words::log_disk(deployment).map_or("on the data disk".to_owned(), |log| format!("on {log}"));
    let clients = task.clients.map(|clients| format!("{clients} clients, each waiting for its answer"));
    let mut facts = vec![
        ("Storage nodes", format!("{} in {} zones", words::machines(deployment), deployment.zones)),
        ("Data disk of each", words::data_disk(deployment)),
        (deployment.engine.facts().log_title, log),
        (
            "Load",
            clients.unwrap_or_else(|| format!("{} {}", words::count(task.targets.throughput), task.profile.unit.name)),
        ),
        ("Virtual time", format!("{}, seed {}", options.span, options.seed)),
    ];
    let settings = words::settings(&deployment.settings);
    if !settings.is_empty() {
        facts.push(("Settings", settings));
    }
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
