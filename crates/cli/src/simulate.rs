//! `diskwright simulate`: hours of a deployment under a workload in seconds, event by event.

use std::path::PathBuf;
use std::time::Instant;

use catalog::Date;
use disk::StartCredits;
use report::words;
use serde_json::{Value, json};
use simulate::{Bound, Latencies, Options, Run, SimulateError, Summary};
use units::Nanos;

use crate::failure::Failure;
use crate::inputs;
use crate::output::{Output, bold, red, yellow};
use crate::progress::Steps;
use crate::table::{Table, WIDTH, wrap};

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright simulate examples/raft-shared.toml examples/social-inserts.toml
  diskwright simulate examples/tpcc-5000-m5.4xlarge.toml examples/tpcc-5000.toml --for 1h
  diskwright simulate examples/raft-dedicated.toml examples/ycsb-a-uniform.toml --out run.parquet

Time is virtual: an hour takes about a minute. The same seed gives the same bytes. The file holds the
series of a measured run: operations, latencies, every disk, the engine, CPU, traffic between zones.
Not held against the reference store yet: take which of two is better from it, not by how much.
Exits with 1 if the workload asks for more than is carried, or a disk fills up.")]
pub(crate) struct Args {
    /// The deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// The workload, a TOML file; its intervals are taken at their middle
    workload: PathBuf,
    /// How long the load lasts, in virtual time
    #[arg(long = "for", value_name = "SPAN", default_value = "10m")]
    span: Nanos,
    /// From the start, not measured; a tenth of the time, at most a minute, if not given
    #[arg(long, value_name = "SPAN")]
    warm_up: Option<Nanos>,
    /// Decides all that is left to chance
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Disks and instances begin without burst credits
    #[arg(long)]
    no_credits: bool,
    /// Disks have their degraded minutes, as often as their promise leaves room for
    #[arg(long)]
    degraded: bool,
    /// Write every series to a file: .parquet, .csv or .json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use the limits and prices of a day: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if let Some(out) = &args.out {
        timeline::Format::of(out)?;
    }
    let deployment = inputs::deployment(&args.deployment)?;
    let workload = inputs::workload(&args.workload)?;
    let task = workload.noun.middle()?;
    let view = inputs::view(args.as_of.or(deployment.noun.as_of));
    let options = Options {
        seed: args.seed,
        span: args.span,
        warm_up: args.warm_up.unwrap_or(Nanos(args.span.0 / 10).min(Nanos::secs(60))),
        credits: if args.no_credits { StartCredits::Spent } else { StartCredits::Full },
        degraded_minutes: args.degraded,
        ..Options::default()
    };
    let began = Instant::now();
    let progress = Steps::new(1);
    let mut watch = |now: Nanos| {
        let done = now.as_secs_f64() / args.span.as_secs_f64();
        let left = Nanos::from_secs_f64(began.elapsed().as_secs_f64() * (1.0 - done).max(0.0) / done.max(1e-12));
        progress.at(now.0 / 1_000_000_000 + 1, args.span.0 / 1_000_000_000, "seconds simulated", left);
        true
    };
    let run = simulate::simulate_watched(&deployment.noun, &task, &view, &options, &mut watch);
    progress.end();
    let run = run.map_err(|error| match error {
        SimulateError::Deployment(error) => error.locate(&deployment.text).into(),
        SimulateError::OtherEngine { .. } => workload.text.error_at_key("engine", error.to_string()).into(),
        other => Failure::input(other.to_string()),
    })?;
    if let Some(out) = &args.out {
        run.timeline.write(out)?;
    }
    let took = began.elapsed().as_secs_f64();
    let output = if json { Output::json(&document(args, &run, took)) } else { Output::text(text(args, &run, took)) };
    Ok(output.negative(run.summary.saturated.is_some() || run.summary.full.is_some()))
}

fn text(args: &Args, run: &Run, took: f64) -> String {
    let summary = &run.summary;
    let measured = (summary.until - summary.from).as_secs_f64();
    let mut text = bold(&wrap(&headline(summary), WIDTH, 0));
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
    rate("raft log syncs", used.raft_log_syncs, "1/s");
    rate("busy threads of all nodes", used.node_cpu, "");
    if let Some(amplification) = used.write_amplification() {
        table.row(["write amplification".to_owned(), format!("{amplification:.1}"), "of flushed bytes".to_owned()]);
    }
    if let Some(hits) = used.cache_hit_rate {
        table.row(["block cache hits".to_owned(), words::percent(hits), String::new()]);
    }
    text += &table.to_string();
    text += "\nWhat held operations up, on the node where it did most:\n";
    if summary.bound.is_empty() {
        text += "  nothing for a hundredth of the time\n";
    } else {
        text += &held(&summary.bound).to_string();
    }
    let simulated = summary.until.as_secs_f64();
    text += &format!("\n{simulated:.0} s simulated in {took:.1} s, seed {}\n", args.seed);
    if let Some(out) = &args.out {
        text += &format!("written to {}\n", out.display());
    }
    text
}

/// The answer in a sentence.
fn headline(summary: &Summary) -> String {
    if let Some(full) = &summary.full {
        let at = full.at.as_secs_f64();
        return red(&format!("The data disk of {} is full after {at:.0} s: take a larger one.", full.node));
    }
    if let Some(saturated) = &summary.saturated {
        return yellow(&format!(
            "Saturated: {} operations/s come and {} are carried; what waits grows without end, so there is no latency.",
            words::count(saturated.offered),
            words::count(saturated.carried)
        ));
    }
    let most = summary.bound.first().map_or("Nothing held it up".to_owned(), |bound| {
        format!("{} held it up most, for {} of the time", bound.what, words::percent(bound.share))
    });
    format!("Carried: {} {}. {most}.", words::count(summary.throughput), summary.unit)
}

fn held(bound: &[Bound]) -> Table {
    let mut table = Table::new(&["what", "share of time", "from", "until"], &[1, 2, 3]);
    let instant = |at: Option<Nanos>| at.map_or("-".to_owned(), |at| format!("{:.0} s", at.as_secs_f64()));
    for one in bound {
        table.row([one.what.clone(), words::percent(one.share), instant(one.from), instant(one.until)]);
    }
    table
}

fn named(latency: &Latencies) -> [(&'static str, Nanos); 5] {
    [
        ("mean", latency.mean),
        ("p50", latency.p50),
        ("p99", latency.p99),
        ("p99.9", latency.p999),
        ("longest", latency.max),
    ]
}

fn document(args: &Args, run: &Run, took: f64) -> Value {
    let summary = &run.summary;
    let latency = summary.latency.map(|latency| {
        let keys = ["mean", "p50", "p99", "p999", "max"];
        let values = named(&latency).map(|(_, value)| json!(value.as_millis_f64()));
        keys.into_iter().map(str::to_owned).zip(values).collect::<serde_json::Map<_, _>>()
    });
    let bound = |one: &Bound| {
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
        "seed": args.seed, "events": summary.events, "elapsed_ms": took * 1e3, "out": args.out,
    })
}
