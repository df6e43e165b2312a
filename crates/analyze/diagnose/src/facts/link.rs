//! An instance's link to its volumes: what all of them take of it together, and what is left of its burst.

use catalog::InstanceCaps;
use timeline::vocabulary;

use super::disk::larger;
use super::node::{Told, any_bound};
use super::use_of::Ceiling;
use super::{DiagnosisSignal, SubjectFacts, estimate};

/// Adds the link's signals to a node and to its disks; `caps` are what it lets through, where that is known.
pub(super) fn facts(node: &mut SubjectFacts, caps: Option<InstanceCaps>, told: &Told<'_>, disks: &mut [SubjectFacts]) {
    let on_link: Vec<&SubjectFacts> = disks.iter().filter(|disk| disk.on_link).collect();
    // Disks of one node are told alike; where they are not, their sum is not known interval by interval.
    let aligned = on_link.iter().all(|disk| disk.grid == node.grid);
    let caps = caps.filter(|_| aligned && !on_link.is_empty());
    if let Some(caps) = caps {
        let (iops, throughput) = Ceiling::instance(&caps);
        let sides = [
            Side {
                ceiling: iops,
                rate: DiagnosisSignal::Iops,
                used: DiagnosisSignal::InstanceIopsUse,
                left: DiagnosisSignal::InstanceIoLeft,
                bound: DiagnosisSignal::BoundInstanceIops,
                balance: [vocabulary::INSTANCE_IO_BALANCE.name, "EBSIOBalance%"],
                check: "InstanceEBSIOPSExceededCheck",
            },
            Side {
                ceiling: throughput,
                rate: DiagnosisSignal::Throughput,
                used: DiagnosisSignal::InstanceThroughputUse,
                left: DiagnosisSignal::InstanceByteLeft,
                bound: DiagnosisSignal::BoundInstanceThroughput,
                balance: [vocabulary::INSTANCE_BYTE_BALANCE.name, "EBSByteBalance%"],
                check: "InstanceEBSThroughputExceededCheck",
            },
        ];
        for side in &sides {
            side.put(node, told, &on_link);
        }
    } else {
        for signal in [DiagnosisSignal::BoundInstanceIops, DiagnosisSignal::BoundInstanceThroughput] {
            let counted = |i| on_link.iter().filter_map(|disk| disk.at(signal, i)).reduce(f64::max);
            let values = (0..node.grid.count).map(counted).collect();
            node.put(signal, vocabulary::BOUND_TIME.name, values);
        }
        balances(node, told);
    }
    for disk in disks.iter_mut() {
        if disk.on_link && disk.grid == node.grid {
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
        any_bound(disk);
    }
    larger(
        node,
        DiagnosisSignal::BoundAny,
        &[DiagnosisSignal::BoundInstanceIops, DiagnosisSignal::BoundInstanceThroughput],
    );
}

/// Balances of an instance of unknown limits.
fn balances(node: &mut SubjectFacts, told: &Told<'_>) {
    let of = [
        (DiagnosisSignal::InstanceIoLeft, [vocabulary::INSTANCE_IO_BALANCE.name, "EBSIOBalance%"]),
        (DiagnosisSignal::InstanceByteLeft, [vocabulary::INSTANCE_BYTE_BALANCE.name, "EBSByteBalance%"]),
    ];
    for (signal, names) in of {
        if let Some((name, values)) = names.iter().find_map(|name| Some((*name, told.get(name)?))) {
            node.put(signal, name, values.into_iter().map(|value| value.map(|value| value / 100.0)).collect());
        }
    }
}

/// I/Os or bytes.
struct Side {
    ceiling: Ceiling,
    rate: DiagnosisSignal,
    used: DiagnosisSignal,
    left: DiagnosisSignal,
    bound: DiagnosisSignal,
    balance: [&'static str; 2],
    check: &'static str,
}

impl Side {
    fn put(&self, node: &mut SubjectFacts, told: &Told<'_>, disks: &[&SubjectFacts]) {
        let rate = |i: usize| disks.iter().filter_map(|disk| disk.at(self.rate, i)).reduce(|a, b| a + b);
        let waits =
            |i: usize, used| disks.iter().filter_map(|disk| estimate::waits(disk, i, used)).reduce(|a, b| a || b);
        let balance = self.balance.iter().find_map(|name| Some((*name, told.get(name)?)));
        let name = balance.as_ref().map_or("the instance type", |(name, _)| name).to_owned();
        node.derive(self.left, name, |_, i| {
            let told = balance.as_ref().and_then(|(_, values)| values[i]).map(|percent| percent / 100.0);
            told.or_else(|| self.ceiling.left(rate(i), waits(i, None)))
        });
        node.derive(self.used, "all volumes of the instance", |node, i| {
            Some(rate(i)? / self.ceiling.now(node.at(self.left, i)))
        });
        let counted: Vec<Option<f64>> = (0..node.grid.count)
            .map(|i| disks.iter().filter_map(|disk| disk.at(self.bound, i)).reduce(f64::max))
            .collect();
        if counted.iter().any(Option::is_some) {
            return node.put(self.bound, vocabulary::BOUND_TIME.name, counted);
        }
        let estimated = |i| estimate::bound(node.at(self.used, i), waits(i, node.at(self.used, i)));
        let estimated: Vec<Option<f64>> = (0..node.grid.count).map(estimated).collect();
        match told.get(self.check) {
            Some(check) => node.put(self.bound, self.check, estimate::or_checked(&check, &estimated)),
            None => node.draw(self.bound, estimate::drawn(self.used, estimated)),
        }
    }
}
