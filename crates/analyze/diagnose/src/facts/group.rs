//! Which series are of which node and disk, whichever labels say so.

use std::collections::{BTreeMap, BTreeSet};

use timeline::{Series, Timeline};

use crate::KnownFacts;

/// The series of a node.
#[derive(Debug, Default)]
pub(super) struct NodeSeries<'t> {
    /// Those of each disk, by its label.
    pub(super) disks: BTreeMap<String, Vec<&'t Series>>,
    /// All others.
    pub(super) others: Vec<&'t Series>,
}

/// Series by node; the name is empty where none is told.
pub(super) fn nodes<'t>(timeline: &'t Timeline, known: &KnownFacts) -> BTreeMap<String, NodeSeries<'t>> {
    let hangs_on = attached(timeline, known);
    let databases = databases(timeline);
    let only = only_instance(timeline);
    let mut nodes: BTreeMap<String, NodeSeries<'t>> = BTreeMap::new();
    for series in &timeline.series {
        let label = |key: &str| series.labels.get(key).cloned();
        let is_database = |name: &String| databases.contains(name.as_str());
        let volume = label("VolumeId").filter(|name| !is_database(name));
        let of_database = || ["VolumeId", "InstanceId"].into_iter().filter_map(label).find(is_database);
        let database = label("DBInstanceIdentifier").or_else(of_database);
        let disk = label("disk").or_else(|| volume.clone()).or_else(|| database.clone());
        // A node of ours has a name beside its instance type; `instance` alone names the type or the exporter.
        let node = label("node")
            .or_else(|| volume.as_ref().and_then(|volume| hangs_on.get(volume).cloned()))
            .or_else(|| label("InstanceId").filter(|name| !is_database(name)))
            .or_else(|| database.clone())
            .or_else(|| disk.as_ref().and_then(|disk| known.attached.get(disk).cloned()))
            .or_else(|| only.clone().filter(|_| volume.is_some()))
            .unwrap_or_default();
        let node = nodes.entry(node).or_default();
        match disk {
            // A database's series tell of its volume and of its instance at once.
            Some(disk) if database.is_some() => {
                node.disks.entry(disk).or_default().push(series);
                node.others.push(series);
            }
            Some(disk) => node.disks.entry(disk).or_default().push(series),
            None => node.others.push(series),
        }
    }
    nodes
}

/// Databases by their identifiers. Metrics that several services have (`BurstBalance`, `CPUUtilization`) may carry one under
/// another service's label: an export that names no dimension leaves open whose it is.
fn databases(timeline: &Timeline) -> BTreeSet<&str> {
    timeline.series.iter().filter_map(|series| series.labels.get("DBInstanceIdentifier")).map(String::as_str).collect()
}

/// The instance of a Timeline that tells of no other: what volumes without one are told beside it hang on it.
fn only_instance(timeline: &Timeline) -> Option<String> {
    let mut all = timeline.series.iter().filter_map(|series| series.labels.get("InstanceId"));
    let first = all.next()?;
    all.all(|other| other == first).then(|| first.clone())
}

/// On which instance a volume hangs: as given, else as a series with both labels says.
fn attached(timeline: &Timeline, known: &KnownFacts) -> BTreeMap<String, String> {
    let mut hangs_on = BTreeMap::new();
    for series in &timeline.series {
        if let (Some(volume), Some(instance)) = (series.labels.get("VolumeId"), series.labels.get("InstanceId")) {
            hangs_on.insert(volume.clone(), instance.clone());
        }
    }
    hangs_on.extend(known.attached.clone());
    hangs_on
}
