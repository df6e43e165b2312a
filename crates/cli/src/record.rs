//! `diskwright record`: runs a command and keeps what its disks did.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use limits::BindingLimit;
use metrics::{CloudWatch, DiskLatencies, NodeSample, cloudwatch, rates};
use mount::{CounterReading, DaemonClient, MountedNode};
use serde_json::{Value, json};
use timeline::{LatencyHistogram, Timeline, TimelineInfo};
use units::Nanos;

use crate::failure::Failure;
use crate::output::{Output, bold};
use crate::table::Table;
use crate::{home, inputs, on_signal};

/// Arguments of `record`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright record /mnt/data -- fio --name=x --directory=/mnt/data --size=1g --rw=randwrite
  diskwright record /mnt/tikv --out run.parquet -- ./load.sh
  diskwright record /mnt/tikv --out run.csv -- sleep 60

The file holds every disk second by second: I/Os, bytes, latency histograms, queue, credits, what
held requests up; and minute by minute the series that CloudWatch would show. Exits with 1 if the
command fails.")]
pub(crate) struct Args {
    /// Where the disks are mounted
    dir: PathBuf,
    /// The file to write: .parquet, .csv or .json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// How often the disks are looked at.
const STEP: Duration = Duration::from_secs(1);
/// How soon the end of the command is noticed.
const GLANCE: Duration = Duration::from_millis(20);

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if let Some(out) = &args.out {
        timeline::TimelineFormat::of(out)?;
    }
    let node = mount::find(&home::home()?, &args.dir)?;
    let client = DaemonClient::of(&node)?;
    let mut readings = vec![client.reading()?];
    let mut child = start(&args.command)?;
    let status = watch(&mut child, &client, &mut readings)?;
    if let Some(out) = &args.out {
        let samples: Vec<_> = readings.iter().map(|reading| reading.sample.clone()).collect();
        let histograms: Vec<_> = readings.iter().map(|reading| reading.latencies.clone()).collect();
        timeline(&node, args.command.join(" "), &samples, &histograms)?.write(out)?;
    }
    let (first, last) = (&readings[0], &readings[readings.len() - 1]);
    let output = match json {
        true => Output::json(&document(args, first, last, status)),
        false => Output::text(text(args, first, last, status)),
    };
    Ok(output.negative(!status.success()))
}

/// Starts the command. An interrupt from the keyboard reaches it too; we stay to write what was seen.
fn start(command: &[String]) -> Result<Child, Failure> {
    on_signal::catch()?;
    let child = Command::new(&command[0]).args(&command[1..]).spawn();
    child.map_err(|error| Failure::input(format!("`{}` cannot be run: {error}", command[0])))
}

fn watch(child: &mut Child, client: &DaemonClient, readings: &mut Vec<CounterReading>) -> Result<ExitStatus, Failure> {
    let mut next = Instant::now() + STEP;
    loop {
        let ended = child.try_wait().map_err(|error| Failure::environment(error.to_string()))?;
        if ended.is_some() || Instant::now() >= next {
            readings.push(client.reading()?);
            next += STEP;
        }
        match ended {
            Some(status) => return Ok(status),
            None => std::thread::sleep(GLANCE),
        }
    }
}

/// Our own series and the cloud's, in one.
pub(crate) fn timeline(
    node: &MountedNode,
    title: String,
    samples: &[NodeSample],
    histograms: &[Vec<DiskLatencies>],
) -> Result<Timeline, Failure> {
    let mut about = TimelineInfo { title, start: Some(node.started), ..TimelineInfo::default() };
    about.notes.insert("dir".to_owned(), node.dir.display().to_string());
    for disk in &node.disks {
        about.notes.insert(format!("disk {}", disk.name), disk.disk.clone());
    }
    if let Some(instance) = &node.instance {
        about.notes.insert("instance".to_owned(), instance.clone());
    }
    let instance = node.instance.as_ref().and_then(|name| inputs::view(node.as_of).instance(name).ok().cloned());
    let options = CloudWatch {
        start: node.started,
        instance_id: format!("i-{}", node.instance.as_deref().unwrap_or("unlimited")),
        // What hangs on no particular instance is shown with all that CloudWatch has.
        nitro: instance.is_none_or(|instance| instance.nitro),
        detailed: true,
    };
    Ok(metrics::timeline(samples, histograms, about).merge(&cloudwatch(samples, &options))?)
}

/// One disk over the whole run.
struct Summary {
    name: String,
    rates: metrics::DiskRates,
    read: LatencyHistogram,
    write: LatencyHistogram,
}

fn summaries(first: &CounterReading, last: &CounterReading) -> (Nanos, Vec<Summary>) {
    let rates = rates(&first.sample, &last.sample);
    let span = rates.span;
    let pairs = rates.disks.into_iter().zip(first.latencies.iter().zip(&last.latencies));
    let summary = |(rates, (before, after)): (metrics::DiskRates, (&DiskLatencies, &DiskLatencies))| Summary {
        name: rates.name.clone(),
        read: since(&before.read, &after.read),
        write: since(&before.write, &after.write),
        rates,
    };
    (span, pairs.map(summary).collect())
}

/// What a histogram gained.
fn since(before: &LatencyHistogram, after: &LatencyHistogram) -> LatencyHistogram {
    let mut gained = after.clone();
    // Counters never fall, so this only fails for histograms of different disks.
    let _ = gained.subtract(before);
    gained
}

fn text(args: &Args, first: &CounterReading, last: &CounterReading, status: ExitStatus) -> String {
    let (span, summaries) = summaries(first, last);
    let head = ["disk", "IOPS", "MB/s", "queue", "read p50", "p99 ms", "write p50", "p99 ms", "held up by"];
    let mut table = Table::new(&head, &[1, 2, 3, 4, 5, 6, 7]);
    let at = |h: &LatencyHistogram, share| match h.len() {
        0 => "-".to_owned(),
        _ => format!("{:.2}", h.value_at_quantile(share) as f64 / 1e6),
    };
    for Summary { name, rates: now, read, write } in &summaries {
        let binds = now.binds.map_or("-".to_owned(), |l| format!("{} ({:.0} %)", l, now.bound.get(l) * 100.0));
        table.row([
            name.clone(),
            format!("{:.0}", now.read.iops.0 + now.write.iops.0),
            format!("{:.1}", now.read.throughput.as_mb() + now.write.throughput.as_mb()),
            format!("{:.1}", now.queue_depth),
            at(read, 0.5),
            at(read, 0.99),
            at(write, 0.5),
            at(write, 0.99),
            binds,
        ]);
        table.note(now.disk.clone());
    }
    let ended = if status.success() { String::new() } else { format!("; the command failed ({status})") };
    let mut text = format!("{}\n{table}", bold(&format!("{:.1} s recorded{ended}", span.as_secs_f64())));
    if let Some(out) = &args.out {
        text += &format!("\nwritten to {}\n", out.display());
    }
    text
}

fn document(args: &Args, first: &CounterReading, last: &CounterReading, status: ExitStatus) -> Value {
    let (span, summaries) = summaries(first, last);
    let quantiles = |h: &LatencyHistogram| match h.len() {
        0 => Value::Null,
        _ => {
            let us = |share| h.value_at_quantile(share) as f64 / 1e3;
            json!({ "count": h.len(), "mean_us": h.mean() / 1e3, "p50_us": us(0.5), "p95_us": us(0.95), "p99_us": us(0.99),
                    "p999_us": us(0.999), "max_us": h.max() as f64 / 1e3 })
        }
    };
    let disk = |s: &Summary| {
        let bound: serde_json::Map<String, Value> = BindingLimit::OF_REQUESTS
            .into_iter()
            .map(|limit| (limit.label(), json!(s.rates.bound.get(limit))))
            .collect();
        json!({ "name": s.name, "disk": s.rates.disk, "rates": s.rates, "bound": bound,
                "read_latency": quantiles(&s.read), "write_latency": quantiles(&s.write) })
    };
    json!({
        "span_s": span.as_secs_f64(), "out": args.out.as_ref().map(|out| out.to_string_lossy()), "command": args.command, "exit_code": status.code(),
        "disks": summaries.iter().map(disk).collect::<Vec<_>>(),
    })
}
