//! The answer of `disk ls`: rates and latencies of the mounted disks, what holds them up, and their credits.

use metrics::{BurstRate, DiskRates, ModificationStage, NodeRates};
use mount::{MountedActivity, MountedDisk, MountedNode, MountedNodeRates};
use serde_json::{Value, json};
use units::{Bytes, Nanos};

use crate::text::{Table, line_width, red, wrap, yellow};
use crate::verbs::mount::document as node_json;

/// With less free space the next larger write fails.
const LEAST_FREE: Bytes = Bytes::mib(1);

/// The activity as JSON.
pub fn document(seen: &MountedActivity) -> Value {
    let node = |seen: &MountedNodeRates| {
        let mut node = node_json(&seen.node);
        for (i, disk) in seen.node.disks.iter().enumerate() {
            let rates = seen.rates.as_ref().and_then(|rates| rates.disks.iter().find(|rates| rates.name == disk.name));
            node["disks"][i]["now"] = json!(rates);
            node["disks"][i]["backing_free"] = json!(seen.backing_free[i]);
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

/// The activity as text.
pub fn text(seen: &MountedActivity) -> String {
    let unrecorded: String =
        seen.unrecorded.iter().map(|d| wrap(&d.refusal().to_string(), line_width(), 2) + "\n").collect();
    if seen.nodes.is_empty() && !unrecorded.is_empty() {
        return red(&unrecorded);
    }
    if seen.nodes.is_empty() {
        return "nothing is mounted: start with `diskwright disk mount DISK DIR`\n".to_owned();
    }
    let head = ["mounted at", "IOPS", "MB/s", "queue", "read ms", "write ms", "credits", "held up by"];
    let mut table = Table::new(&head, &[1, 2, 3, 4, 5, 6]);
    for MountedNodeRates { node, rates, backing_free } in &seen.nodes {
        for (disk, free) in node.disks.iter().zip(backing_free) {
            let now = rates.as_ref().and_then(|rates| rates.disks.iter().find(|rates| rates.name == disk.name));
            match now {
                Some(now) => row(&mut table, disk, *free, now),
                None => dead(&mut table, node, disk),
            }
        }
        if let Some(note) = rates.as_ref().and_then(instance_note) {
            table.note(note);
        }
    }
    if unrecorded.is_empty() { table.to_string() } else { format!("{table}{}", red(&unrecorded)) }
}

fn row(table: &mut Table, disk: &MountedDisk, free: Option<Bytes>, now: &DiskRates) {
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
    if free.is_some_and(|free| free < LEAST_FREE) {
        let store = disk.backing.parent().unwrap_or(&disk.backing).display();
        note += &format!(" · {}", red(&format!("{store}, which holds its data, is full")));
    }
    table.note(note);
}

fn dead(table: &mut Table, node: &MountedNode, disk: &MountedDisk) {
    table.row([disk.at.display().to_string()]);
    let command = if node.disks.len() == 1 { "mount" } else { "up" };
    table.note(red(&format!(
        "its daemon (pid {}) is gone: `diskwright disk {command}` serves the same data again",
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
pub fn rough(span: Nanos) -> String {
    match span.as_secs_f64() {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} d", s / 86_400.0),
    }
}
