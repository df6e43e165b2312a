//! Which series are of which node and disk, whichever labels say so.

use std::collections::BTreeMap;

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
    let mut nodes: BTreeMap<String, NodeSeries<'t>> = BTreeMap::new();
    for series in &timeline.series {
        let label = |key: &str| series.labels.get(key).cloned();
        let volume = label("VolumeId");
        let database = label("DBInstanceIdentifier");
        let disk = label("disk").or_else(|| volume.clone()).or_else(|| database.clone());
        // A node of ours has a name beside its instance type; `instance` alone names the type or the exporter.
        let node = label("node")
            .or_else(|| volume.as_ref().and_then(|volume| hangs_on.get(volume).cloned()))
            .or_else(|| label("InstanceId"))
            .or(database)
            .or_else(|| disk.as_ref().and_then(|disk| known.attached.get(disk).cloned()))
            .unwrap_or_default();
        let node = nodes.entry(node).or_default();
        match disk {
            // A database's series tell of its volume and of its instance at once.
            Some(disk) if series.labels.contains_key("DBInstanceIdentifier") => {
                node.disks.entry(disk).or_default().push(series);
                node.others.push(series);
            }
            Some(disk) => node.disks.entry(disk).or_default().push(series),
            None => node.others.push(series),
        }
    }
    nodes
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
