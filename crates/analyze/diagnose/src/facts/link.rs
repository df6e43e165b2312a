//! An instance's link to its volumes: what all of them take of it together, and what is left of its burst.

use catalog::InstanceCaps;
use timeline::vocabulary;

use super::disk::larger;
use super::node::{Told, any_bound};
use super::use_of::Ceiling;
use super::{DiagnosisSignal, SubjectFacts, estimate};
use crate::KnownFacts;
use crate::rules::thresholds;

/// Adds the link's signals to a node and to its disks; `caps` are what it lets through, where that is known. What the cloud
/// counts and checks, and balances that are spent, tell without them.
pub(super) fn facts(
    node: &mut SubjectFacts,
    caps: Option<InstanceCaps>,
    told: &Told<'_>,
    disks: &mut [SubjectFacts],
    known: &KnownFacts,
) {
    let on_link: Vec<&SubjectFacts> = disks.iter().filter(|disk| disk.on_link).collect();
    // Disks of one node are told alike; where they are not, their sum is not known interval by interval.
    let aligned = on_link.iter().all(|disk| disk.grid == node.grid);
    let is_used = aligned && (!on_link.is_empty() || disks.is_empty());
    let ceilings = caps.filter(|_| is_used).map(|caps| Ceiling::instance(&caps));
    let sides = [
        Side {
            ceiling: ceilings.map(|(iops, _)| iops),
            rate: DiagnosisSignal::Iops,
            used: DiagnosisSignal::InstanceIopsUse,
            unsustained: DiagnosisSignal::InstanceIopsUnsustained,
            left: DiagnosisSignal::InstanceIoLeft,
            bound: DiagnosisSignal::BoundInstanceIops,
            balance: [vocabulary::INSTANCE_IO_BALANCE.name, "EBSIOBalance%"],
            check: "InstanceEBSIOPSExceededCheck",
            told: ["EBSReadOps", "EBSWriteOps"],
        },
        Side {
            ceiling: ceilings.map(|(_, throughput)| throughput),
            rate: DiagnosisSignal::Throughput,
            used: DiagnosisSignal::InstanceThroughputUse,
            unsustained: DiagnosisSignal::InstanceThroughputUnsustained,
            left: DiagnosisSignal::InstanceByteLeft,
            bound: DiagnosisSignal::BoundInstanceThroughput,
            balance: [vocabulary::INSTANCE_BYTE_BALANCE.name, "EBSByteBalance%"],
            check: "InstanceEBSThroughputExceededCheck",
            told: ["EBSReadBytes", "EBSWriteBytes"],
        },
    ];
    for side in &sides {
        side.put(node, told, &on_link, aligned);
    }
    let least = least_link(node, disks, known);
    for disk in disks.iter_mut() {
        if disk.on_link && disk.grid == node.grid {
            link_clear(disk, node, least);
            let of = [
                DiagnosisSignal::InstanceIopsUse,
                DiagnosisSignal::InstanceThroughputUse,
                DiagnosisSignal::BoundInstanceIops,
                DiagnosisSignal::BoundInstanceThroughput,
            ];
            for signal in of {
                let had = disk.columns.contains_key(&signal);
                if let Some(drawn) = node.columns.get(&signal).filter(|_| !had) {
                    disk.columns.insert(signal, drawn.clone());
                }
            }
        }
        if !disk.on_link {
            disk.derive(DiagnosisSignal::LinkClear, "the disk is local", |_, _| Some(1.0));
        }
        any_bound(disk);
    }
    larger(
        node,
        DiagnosisSignal::BoundAny,
        &[DiagnosisSignal::BoundInstanceIops, DiagnosisSignal::BoundInstanceThroughput],
    );
}

/// The least that any instance of the disks' cloud lets through for good, I/Os and bytes a second; `None` where the cloud is not
/// known, or where the link is known better.
fn least_link(node: &SubjectFacts, disks: &[SubjectFacts], known: &KnownFacts) -> Option<(f64, f64)> {
    if node.columns.contains_key(&DiagnosisSignal::InstanceIopsUse) {
        return None;
    }
    let kind = disks.iter().filter(|disk| disk.on_link).find_map(|disk| disk.disk.as_ref())?;
    let cloud = known.view.volume(&kind.volume.kind).ok()?.cloud;
    let caps = known.view.instances(cloud).filter_map(|instance| instance.caps);
    caps.map(|caps| (caps.iops.0, caps.throughput.0)).reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)))
}

/// Whether the link can be what holds a disk up: it cannot where it is known and has room, where the cloud checks it and finds
/// nothing, or where all volumes together take less than the smallest instance lets through.
fn link_clear(disk: &mut SubjectFacts, node: &SubjectFacts, least: Option<(f64, f64)>) {
    let full = thresholds().full;
    disk.derive(DiagnosisSignal::LinkClear, "what is known of the instance", |disk, i| {
        let both = |signals: [DiagnosisSignal; 2]| Some((node.at(signals[0], i)?, node.at(signals[1], i)?));
        let used = both([DiagnosisSignal::InstanceIopsUse, DiagnosisSignal::InstanceThroughputUse]);
        let bound = both([DiagnosisSignal::BoundInstanceIops, DiagnosisSignal::BoundInstanceThroughput]);
        let is_small = least.is_some_and(|(iops, bytes)| {
            let rate = |signal| {
                disk.at(signal, i)
                    .is_some_and(|rate| rate < full * if signal == DiagnosisSignal::Iops { iops } else { bytes })
            };
            rate(DiagnosisSignal::Iops) && rate(DiagnosisSignal::Throughput)
        });
        let is_clear = used.is_some_and(|(iops, bytes)| iops < full && bytes < full)
            || bound.is_some_and(|(iops, bytes)| iops.max(bytes) < 0.5)
            || is_small;
        Some(f64::from(u8::from(is_clear)))
    });
}

/// I/Os or bytes.
struct Side {
    ceiling: Option<Ceiling>,
    rate: DiagnosisSignal,
    used: DiagnosisSignal,
    unsustained: DiagnosisSignal,
    left: DiagnosisSignal,
    bound: DiagnosisSignal,
    balance: [&'static str; 2],
    check: &'static str,
    /// The instance's own counts of reads and writes.
    told: [&'static str; 2],
}

impl Side {
    fn put(&self, node: &mut SubjectFacts, told: &Told<'_>, disks: &[&SubjectFacts], aligned: bool) {
        let own = self.told.map(|name| told.get(name));
        // What the instance itself counts includes volumes that nobody named.
        let rate = |i: usize| {
            let own = own.iter().flatten().filter_map(|column| column[i]).reduce(|a, b| a + b);
            let volumes = || disks.iter().filter_map(|disk| disk.at(self.rate, i)).reduce(|a, b| a + b);
            own.or_else(|| volumes().filter(|_| aligned))
        };
        let waits = |i: usize, used| {
            let of = |disk: &&SubjectFacts| estimate::waits(disk, i, used);
            disks.iter().filter(|_| aligned).filter_map(of).reduce(|a, b| a || b)
        };
        node.derive(self.rate, "all volumes of the instance", |_, i| rate(i));
        let balance = self.balance.iter().find_map(|name| Some((*name, told.get(name)?)));
        let name = balance.as_ref().map_or("the instance type", |(name, _)| name).to_owned();
        let balance_at = |i: usize| balance.as_ref().and_then(|(_, values)| values[i]).map(|percent| percent / 100.0);
        node.derive(self.left, name, |_, i| balance_at(i).or_else(|| self.ceiling?.left(rate(i), waits(i, None))));
        if let Some(ceiling) = self.ceiling {
            node.derive(self.used, "all volumes of the instance", |node, i| {
                Some(rate(i)? / ceiling.now(node.at(self.left, i)))
            });
            if ceiling.bursts() && balance.is_none() {
                node.derive(self.unsustained, "all volumes of the instance", |_, i| Some(rate(i)? / ceiling.sustained));
            }
        }
        let counted: Vec<Option<f64>> = (0..node.grid.count)
            .map(|i| disks.iter().filter_map(|disk| disk.at(self.bound, i)).reduce(f64::max))
            .collect();
        if counted.iter().any(Option::is_some) {
            let name = disks.iter().find_map(|disk| disk.columns.get(&self.bound));
            let name = name.map_or(vocabulary::BOUND_TIME.name.to_owned(), |drawn| drawn.series.clone());
            return node.put(self.bound, name, counted);
        }
        // A bucket that is empty while requests wait is what they wait for, whatever the instance sustains. That it is not empty
        // clears nobody: a burst has a ceiling, too.
        let spent = |i: usize| {
            let empty = balance_at(i).is_some_and(|left| left <= thresholds().empty);
            empty.then(|| waits(i, None)).flatten().map(|waits| f64::from(u8::from(waits)))
        };
        let estimated = |i| match self.ceiling {
            Some(_) => estimate::bound(node.at(self.used, i), waits(i, node.at(self.used, i))),
            None => spent(i),
        };
        let estimated: Vec<Option<f64>> = (0..node.grid.count).map(estimated).collect();
        match (told.get(self.check), self.ceiling) {
            (Some(check), _) => node.put(self.bound, self.check, estimate::or_checked(&check, &estimated)),
            (None, Some(_)) => node.draw(self.bound, estimate::drawn(self.used, estimated)),
            (None, None) => node.draw(self.bound, estimate::drawn(self.left, estimated)),
        }
    }
}
