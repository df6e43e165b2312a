//! What the manifests of both operators share: storage classes, claims, machines.

use std::sync::LazyLock;

use deployment::NodeRole;
use disk::{Disk, DiskLimits};
use serde::Deserialize;
use units::{Bytes, BytesPerSec, Iops};

use crate::document::{Map, Why};
use crate::site::{Group, Site};

/// How a volume type is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Class {
    kind: String,
    provisioner: String,
    type_key: String,
    r#type: String,
    iops_key: String,
    throughput_key: String,
    throughput_unit: String,
    source: String,
}

static CLASSES: LazyLock<Vec<Class>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(include_str!("../../tables/storage_classes.csv").as_bytes());
    rows.into_deserialize().collect::<Result<_, _>>().expect("the embedded table is tested")
});

/// The storage class of local flash, as the local volume provisioner's examples name it.
const LOCAL: &str = "local-storage";

/// A volume that a pod claims.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) class: String,
    pub(super) size: String,
    pub(super) why: Why,
    /// The manifest of the class, where one is to be made.
    pub(super) manifest: Option<Map>,
}

/// The claim of a disk of a group; `role` is `data` or `log`.
pub(super) fn claim(site: &Site<'_>, group: &Group<'_>, role: &str, disk: &Disk) -> Claim {
    let volume = &disk.volume;
    let total = volume.size * u64::from(disk.stripe);
    let size = format!("{}Gi", total.ceil_gib().0 / Bytes::gib(1).0);
    let text = format!("The {role} disk as planned, {disk}");
    let kind = volume.kind.as_str();
    // Azure's Premium SSD is sold in tiers that its driver takes from the size.
    let known = CLASSES.iter().find(|class| kind == class.kind || kind.starts_with(&format!("{}-p", class.kind)));
    let Some(class) = known else {
        return Claim { class: LOCAL.to_owned(), size, why: Why::new(text, group.volume_source()), manifest: None };
    };
    let name = format!("{}-{}-{role}", site.cluster(), site.group_name(group));
    let (iops, throughput, text) = rates(site, group, disk, total, text);
    let mut parameters = Map::new().with(&class.type_key, class.r#type.as_str());
    if let Some(iops) = iops.filter(|_| !class.iops_key.is_empty()) {
        parameters.set(&class.iops_key, format!("{:.0}", iops.0));
    }
    if let Some(throughput) = throughput.filter(|_| !class.throughput_key.is_empty()) {
        let text = match class.throughput_unit.as_str() {
            "MB" => format!("{:.0}", throughput.as_mb()),
            "Mi" => format!("{:.0}Mi", throughput.as_mib()),
            _ => format!("{:.0}", throughput.as_mib()),
        };
        parameters.set(&class.throughput_key, text);
    }
    let source = Why::new(
        "A claim waits for its pod, so that the volume is made in the pod's zone; it outlives the claim",
        &class.source,
    );
    let manifest = Map::new()
        .with("apiVersion", "storage.k8s.io/v1")
        .with("kind", "StorageClass")
        .with("metadata", Map::new().with("name", name.as_str()))
        .with("provisioner", class.provisioner.as_str())
        .with_why("parameters", parameters, &Why::new(text.clone(), group.volume_source()))
        .with_why("volumeBindingMode", "WaitForFirstConsumer", &source)
        .with_why("reclaimPolicy", "Retain", &Why::new("A claim deleted by mistake loses nothing", &class.source))
        .with_why(
            "allowVolumeExpansion",
            true,
            &Why::new("A volume may grow while it is in use, and never shrinks", &class.source),
        );
    Claim { class: name, size, why: Why::new(text, group.volume_source()), manifest: Some(manifest) }
}

/// The rates of one volume in the place of a disk: those of the whole stripe if a single volume can have them.
fn rates(
    site: &Site<'_>,
    group: &Group<'_>,
    disk: &Disk,
    total: Bytes,
    text: String,
) -> (Option<Iops>, Option<BytesPerSec>, String) {
    let each = &disk.volume;
    if disk.stripe == 1 {
        return (each.iops, each.throughput, text);
    }
    let n = f64::from(disk.stripe);
    let whole = disk::Volume {
        size: total,
        iops: each.iops.map(|iops| iops * n),
        throughput: each.throughput.map(|rate| rate * n),
        ..each.clone()
    };
    let limits = |volume: &disk::Volume| {
        let kind = site.view.volume(&volume.kind).ok()?;
        DiskLimits::of(kind, volume, Some(group.instance)).ok()
    };
    match limits(&whole) {
        Some(has) => {
            let text = format!(
                "{text}, as one volume of its whole size: {:.0} I/Os a second, {:.0}",
                has.iops.0, has.throughput
            );
            (whole.iops, whole.throughput, text)
        }
        None => {
            let text = format!(
                "{text}: no single volume has the rates of the stripe, so this one has those of one of its volumes"
            );
            (each.iops, each.throughput, text)
        }
    }
}

/// The classes of all claims, each once.
pub(super) fn classes(claims: &[&Claim]) -> Vec<Map> {
    let mut seen = Vec::new();
    let mut manifests = Vec::new();
    for claim in claims {
        if let Some(manifest) = claim.manifest.as_ref().filter(|_| !seen.contains(&claim.class.as_str())) {
            seen.push(&claim.class);
            manifests.push(manifest.clone());
        }
    }
    manifests
}

/// Documents of one file.
pub(super) fn documents(head: String, documents: &[Map]) -> String {
    let texts: Vec<String> = documents.iter().map(Map::to_yaml).collect();
    format!("{head}---\n{}", texts.join("---\n"))
}

/// The machines that pods of a role run on.
pub(super) fn node_selector(site: &Site<'_>, role: NodeRole) -> Option<Map> {
    let mut instances = site.of(role).filter_map(|host| host.group.map(|(_, group)| group.instance.as_str()));
    let first = instances.next()?;
    // Several types would be an affinity: the selector is left to people.
    let mut selector = Map::new();
    if instances.all(|instance| instance == first) {
        selector.set("node.kubernetes.io/instance-type", first);
    }
    if role == NodeRole::Tiflash {
        let why = Why::new(
            "All in one zone: the nodes of a query shuffle rows among each other, and traffic within a zone is free",
            "https://docs.pingcap.com/tidb/stable/best-practices-on-public-cloud",
        );
        selector.why("topology.kubernetes.io/zone", site.zones.first().map_or("", String::as_str), &why);
    }
    Some(selector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_volume_type_of_the_catalogue_has_a_class_or_is_local() {
        let view = catalog::Catalog::embedded().at(None);
        for cloud in [catalog::Cloud::Aws, catalog::Cloud::Gcp, catalog::Cloud::Azure] {
            for kind in view
                .volumes(cloud)
                .filter(|kind| kind.medium != catalog::VolumeMedium::LocalNvme && kind.service.is_none())
            {
                let known =
                    CLASSES.iter().any(|c| kind.name == c.kind || kind.name.starts_with(&format!("{}-p", c.kind)));
                assert!(known, "{}", kind.name);
            }
        }
        assert!(CLASSES.iter().all(|class| !class.source.is_empty()));
    }
}
