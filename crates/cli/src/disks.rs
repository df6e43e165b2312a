//! `diskwright disks`: what the mounted disks do now.

use std::path::{Path, PathBuf};
use std::time::Duration;

use metrics::{BurstRate, DiskRates, ModificationStage, NodeRates, NodeSample, rates};
use mount::{DaemonClient, MountedDisk, MountedNode};
use serde_json::{Value, json};
use units::{Bytes, Nanos};

use crate::failure::Failure;
use crate::mount::node_json;
use crate::output::{Output, json_line, print, print_anew, red, yellow};
use crate::table::{Table, WIDTH, wrap};
use crate::{home, record};

/// Arguments of `disks`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disks
  diskwright disks /mnt/tikv --watch
  diskwright disks --json
  diskwright disks /mnt/tikv --history month.parquet

Rates are of the last second. \"Held up by\" names the limit at which requests waited, and for how
much of the time; errors are counted since the disk was mounted. With --watch and --json, one
document a line. Exits with 1 if a daemon is gone, or lives on without its files.
The history holds every second of the last hour and every minute of the 14 days before, with the
series that CloudWatch would show.")]
pub(crate) struct Args {
    /// Only what is mounted there
    dir: Option<PathBuf>,
    /// Show it again every second, until interrupted
    #[arg(long)]
    watch: bool,
    /// Write what they did so far to a file: .parquet, .csv or .json
    #[arg(long, value_name = "FILE", requires = "dir", conflicts_with = "watch")]
    history: Option<PathBuf>,
}

/// Rates are of so long.
const SPAN: Duration = Duration::from_secs(1);

/// With less, the next larger write fails.
const LEAST_ROOM: Bytes = Bytes::mib(1);

/// A node, and what its disks do; nothing of a node whose daemon died.
struct Seen {
    node: MountedNode,
    rates: Option<NodeRates>,
}

/// What is mounted.
struct MountedDisks {
    nodes: Vec<Seen>,
    /// Daemons whose state files somebody removed.
    unrecorded: Vec<mount::DiskDaemon>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if let (Some(dir), Some(file)) = (&args.dir, &args.history) {
        return history(dir, file, json);
    }
    loop {
        let seen = look(args)?;
        if !args.watch {
            let dead = seen.nodes.iter().any(|seen| seen.rates.is_none()) || !seen.unrecorded.is_empty();
            let output = if json { Output::json(&document(&seen)) } else { Output::text(text(&seen)) };
            return Ok(output.negative(dead));
        }
        let shown = match json {
            true => print(&json_line(&document(&seen))),
            false => print_anew(&text(&seen)),
        };
        if shown.is_err() {
            return Ok(Output::text(""));
        }
    }
}

/// Writes the past of a node.
fn history(dir: &Path, file: &Path, json: bool) -> Result<Output, Failure> {
    timeline::TimelineFormat::of(file)?;
    let node = mount::find(&home::home()?, dir)?;
    let client = DaemonClient::of(&node)?;
    let mut samples = client.history(Nanos(0))?;
    samples.push(client.sample()?);
    let timeline = record::timeline(&node, node.dir.display().to_string(), &samples, &[])?;
    timeline.write(file)?;
    let span = samples[samples.len() - 1].at - samples[0].at;
    Ok(match json {
        true => Output::json(
            &json!({ "out": file.to_string_lossy(), "samples": samples.len(), "span_s": span.as_secs_f64() }),
        ),
        false => Output::text(format!("{} of {} written to {}\n", rough(span), dir.display(), file.display())),
    })
}

/// Two looks, one second apart.
fn look(args: &Args) -> Result<MountedDisks, Failure> {
    let home = home::home()?;
    let (nodes, unrecorded) = match &args.dir {
        Some(dir) => (vec![mount::find(&home, dir)?], Vec::new()),
        None => (mount::nodes(&home), mount::unrecorded(&home)),
    };
    let sample = |node: &MountedNode| DaemonClient::of(node).and_then(|client| client.sample()).ok();
    let before: Vec<_> = nodes.iter().map(sample).collect();
    if before.iter().any(Option::is_some) || args.watch {
        std::thread::sleep(SPAN);
    }
    let pair = |(node, before): (MountedNode, Option<_>)| {
        let after = sample(&node);
        Seen { rates: before.zip(after).map(|(before, after)| since_mounted(&before, &after)), node }
    };
    Ok(MountedDisks { nodes: nodes.into_iter().zip(before).map(pair).collect(), unrecorded })
}

/// What disks do now; their errors are counted since they were mounted, for a second without one does not undo them.
fn since_mounted(before: &NodeSample, after: &NodeSample) -> NodeRates {
    let mut rates = rates(before, after);
    for (now, disk) in rates.disks.iter_mut().zip(&after.disks) {
        now.errors = disk.errors;
    }
    rates
}

/// What is left to write of the store that holds a disk's data.
fn room(backing: &Path) -> Option<Bytes> {
    Some(disk_space::DiskSpace::of(backing).ok()?.available)
}

fn document(seen: &MountedDisks) -> Value {
    let node = |seen: &Seen| {
        let mut node = node_json(&seen.node);
        for (i, disk) in seen.node.disks.iter().enumerate() {
            let rates = seen.rates.as_ref().and_then(|rates| rates.disks.iter().find(|rates| rates.name == disk.name));
            node["disks"][i]["now"] = json!(rates);
            node["disks"][i]["backing_free"] = json!(room(&disk.backing));
        }
        node["now"] = match &seen.rates {
            Some(r) => json!({ "span": r.span, "instance_ios": r.instance_ios, "instance_bytes": r.instance_bytes }),
            None => Value::Null,
        };
        node
    };
    let unrecorded = seen.unrecorded.iter().map(|daemon| {
        json!({ "pid": daemon.pid, "state": daemon.state.to_string_lossy(),
                "at": daemon.at.iter().map(|at| at.to_string_lossy()).collect::<Vec<_>>() })
    });
    json!({ "nodes": seen.nodes.iter().map(node).collect::<Vec<_>>(), "unrecorded": unrecorded.collect::<Vec<_>>() })
}

fn text(seen: &MountedDisks) -> String {
    let unrecorded: String = seen.unrecorded.iter().map(|d| wrap(&d.refusal().to_string(), WIDTH, 2) + "\n").collect();
    if seen.nodes.is_empty() && !unrecorded.is_empty() {
        return red(&unrecorded);
    }
    if seen.nodes.is_empty() {
        return "nothing is mounted: start with `diskwright mount DISK DIR`\n".to_owned();
    }
    let head = ["mounted at", "IOPS", "MB/s", "queue", "read ms", "write ms", "credits", "held up by"];
    let mut table = Table::new(&head, &[1, 2, 3, 4, 5, 6]);
    for Seen { node, rates } in &seen.nodes {
        for disk in &node.disks {
            let now = rates.as_ref().and_then(|rates| rates.disks.iter().find(|rates| rates.name == disk.name));
            match now {
                Some(now) => row(&mut table, disk, now),
                None => dead(&mut table, node, disk),
            }
        }
        if let Some(note) = rates.as_ref().and_then(instance_note) {
            table.note(note);
        }
    }
    if unrecorded.is_empty() { table.to_string() } else { format!("{table}{}", red(&unrecorded)) }
}

fn row(table: &mut Table, disk: &MountedDisk, now: &DiskRates) {
    let latency = |latency: Option<Nanos>| latency.map_or("-".to_owned(), |l| format!("{:.2}", l.as_millis_f64()));
    let throughput = now.read.throughput.as_mb() + now.write.throughput.as_mb();
    let credits = [now.ios, now.bytes].into_iter().flatten().min_by(|a, b| a.share.total_cmp(&b.share));
    let binds = now.binds.map_or("-".to_owned(), |limit| {
        let share = format!("{} ({:.0} %)", limit, now.bound.get(limit) * 100.0);
        if now.bound.get(limit) > 0.5 { yellow(&share) } else { share }
    });
    table.row([
        disk.at.display().to_string(),
        format!("{:.0}", now.read.iops.0 + now.write.iops.0),
        format!("{throughput:.1}"),
        format!("{:.1}", now.queue_depth),
        latency(now.read.latency),
        latency(now.write.latency),
        credits.map_or("-".to_owned(), |credit| burst(&credit)),
        binds,
    ]);
    let mut note = now.disk.clone();
    match now.modification {
        ModificationStage::Modifying => note += " · modifying",
        ModificationStage::Optimizing(share) => note += &format!(" · optimizing, {:.0} %", share * 100.0),
        ModificationStage::None | ModificationStage::Completed => {}
    }
    if let Some(rate) = now.cache_hit_rate {
        note += &format!(" · cache hits {:.0} %", rate * 100.0);
    }
    if now.errors > 0 {
        note += &format!(" · {}", red(&format!("{} errors since it was mounted", now.errors)));
    }
    if room(&disk.backing).is_some_and(|room| room < LEAST_ROOM) {
        let store = disk.backing.parent().unwrap_or(&disk.backing).display();
        note += &format!(" · {}", red(&format!("{store}, which holds its data, is full")));
    }
    table.note(note);
}

fn dead(table: &mut Table, node: &MountedNode, disk: &MountedDisk) {
    table.row([disk.at.display().to_string()]);
    let command = if node.disks.len() == 1 { "mount" } else { "up" };
    table.note(red(&format!(
        "its daemon (pid {}) is gone: `diskwright {command}` serves the same data again",
        node.pid
    )));
}

fn instance_note(rates: &NodeRates) -> Option<String> {
    let instance = rates.instance.as_ref()?;
    let part =
        |what: &str, credit: Option<BurstRate>| credit.map(|credit| format!(", {what} credits {}", burst(&credit)));
    let ios = part("I/O", rates.instance_ios).unwrap_or_default();
    let bytes = part("byte", rates.instance_bytes).unwrap_or_default();
    Some(format!("behind {instance}{ios}{bytes}"))
}

/// `43 %`, and when they are gone.
fn burst(credit: &BurstRate) -> String {
    let left = format!("{:.0} %", credit.share * 100.0);
    match credit.runs_out {
        Some(Nanos(0)) => red("gone"),
        Some(span) => format!("{left}, {} left", rough(span)),
        None => left,
    }
}

/// A span in its largest unit.
fn rough(span: Nanos) -> String {
    match span.as_secs_f64() {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} d", s / 86_400.0),
    }
}
