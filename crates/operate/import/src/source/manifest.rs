//! Manifests of Kubernetes: TidbCluster of TiDB Operator v1, the groups of v2, and the StorageClasses that their volumes are made of
//! (pingcap/tidb-operator pkg/apis/pingcap/v1alpha1, api/core/v1alpha1).

use std::collections::BTreeMap;

use deployment::NodeRole;
use disk::Disk;
use textfile::{InputError, Text};
use workload::Engine;

use super::tree::{self, SettingTree, TreeNode, of_yaml};
use super::{SourceFile, SourceNode};

/// Programs of a TidbCluster, the groups of v2, and what they do.
const PROGRAMS: [(&str, &str, NodeRole); 4] = [
    ("tikv", "TiKVGroup", NodeRole::Storage),
    ("tidb", "TiDBGroup", NodeRole::Sql),
    ("pd", "PDGroup", NodeRole::Pd),
    ("tiflash", "TiFlashGroup", NodeRole::Tiflash),
];
/// Labels of a node that say its instance type.
const INSTANCE_LABELS: [&str; 2] = ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];
/// The longest manifest's number of pods of one program that is taken for true.
const MOST: u32 = 10_000;

pub(super) fn read(text: &Text) -> Result<SourceFile, InputError> {
    let documents = of_yaml(text)?;
    let shown = text.path().display().to_string();
    let mut file = SourceFile::new(Engine::TiKv, text);
    let kind = |document: &TreeNode| document.get("kind").and_then(TreeNode::text).unwrap_or_default().to_owned();
    let classes: BTreeMap<&str, &TreeNode> = documents
        .iter()
        .filter(|document| kind(document) == "StorageClass")
        .filter_map(|document| Some((document.get("metadata")?.get("name")?.text()?, document.get("parameters")?)))
        .collect();
    for document in &documents {
        let kind = kind(document);
        let Some(spec) = document.get("spec") else { continue };
        if kind == "TidbCluster" {
            file.name = name(document).unwrap_or(file.name);
            file.version = field(spec, "version");
            for (program, _, role) in PROGRAMS {
                if let Some(part) = spec.get(program) {
                    file.nodes.push(node(part, part, role, &classes, text)?);
                }
            }
        } else if let Some((_, _, role)) = PROGRAMS.iter().find(|(_, group, _)| *group == kind) {
            let template = spec.get("template").and_then(|template| template.get("spec")).unwrap_or(spec);
            file.version = file.version.or_else(|| field(template, "version"));
            file.nodes.push(node(spec, template, *role, &classes, text)?);
        } else if kind == "Cluster" {
            file.name = name(document).unwrap_or(file.name);
        }
    }
    if file.nodes.is_empty() {
        return Err(InputError::new(text.path(), "has no TidbCluster and no group of TiDB Operator v2"));
    }
    let pd = file.nodes.iter().find(|node| node.role == NodeRole::Pd);
    file.pd = pd.map(|node| node.settings.clone()).unwrap_or_default();
    for node in &mut file.nodes {
        if node.place.is_empty() {
            node.place.clone_from(&shown);
        }
    }
    Ok(file)
}

fn name(document: &TreeNode) -> Option<String> {
    field(document.get("metadata")?, "name")
}

fn field(node: &TreeNode, key: &str) -> Option<String> {
    node.get(key).and_then(TreeNode::text).map(str::to_owned)
}

/// One program: `sizes` has its number, `part` its settings and volumes.
fn node(
    sizes: &TreeNode,
    part: &TreeNode,
    role: NodeRole,
    classes: &BTreeMap<&str, &TreeNode>,
    text: &Text,
) -> Result<SourceNode, InputError> {
    let shown = text.path().display().to_string();
    let replicas = field(sizes, "replicas").map_or(Ok(1), |replicas| {
        replicas.parse::<u32>().ok().filter(|count| *count <= MOST).ok_or_else(|| {
            let line = sizes.get("replicas").map_or(1, |node| node.line.max(1));
            let message = format!("`replicas` is {replicas}; expected a number up to {MOST}");
            InputError::new(text.path(), message).at(textfile::TextPosition { line, column: 1 })
        })
    })?;
    let selector = find(part, "nodeSelector", 0);
    let instance = selector.and_then(|selector| INSTANCE_LABELS.iter().find_map(|label| field(selector, label)));
    let size = part.get("requests").and_then(|requests| field(requests, "storage"));
    let main = size.and_then(|size| volume(&size, part.get("storageClassName"), classes));
    // `storageVolumes` of v1, `volumes` of v2: one holds the data, one the log.
    let mut data = main;
    let mut log = None;
    let lists = [part.get("storageVolumes"), part.get("volumes")];
    for extra in lists.into_iter().flatten().flat_map(TreeNode::list) {
        let Some(size) = field(extra, "storageSize").or_else(|| field(extra, "storage")) else { continue };
        let disk = volume(&size, extra.get("storageClassName"), classes);
        let of = |word: &str| {
            let named = field(extra, "name").is_some_and(|name| name.contains(word));
            let mounted = extra.get("mounts").map_or(&[][..], TreeNode::list);
            named
                || mounted.iter().any(|mount| {
                    field(mount, "type").or_else(|| field(mount, "mountPath")).is_some_and(|at| at.contains(word))
                })
        };
        if of("raft") || of("log") || of("wal") {
            log = log.or(disk);
        } else if of("data") {
            data = data.or(disk);
        }
    }
    let settings = match part.get("config") {
        Some(config) if config.map().is_empty() => {
            let inner =
                Text::new(format!("{shown} (config in line {})", config.line), config.text().unwrap_or_default());
            tree::of_toml(&inner)?
        }
        Some(config) => SettingTree::of_node(config, &shown),
        None => SettingTree::default(),
    };
    Ok(SourceNode {
        role,
        host: String::new(),
        port: None,
        count: replicas,
        data_dir: None,
        instance,
        data,
        log,
        settings,
        place: format!("{shown}:{}", part.line),
    })
}

/// The first map of that name, however deep: a selector of nodes stands in different places.
fn find<'n>(node: &'n TreeNode, key: &str, depth: u32) -> Option<&'n TreeNode> {
    if depth > 8 {
        return None;
    }
    node.get(key).or_else(|| node.map().iter().find_map(|(_, inner)| find(inner, key, depth + 1)))
}

/// A volume of a claim, as the parameters of its class say (kubernetes-sigs/aws-ebs-csi-driver docs/parameters.md,
/// gcp-compute-persistent-disk-csi-driver, azuredisk-csi-driver); `None` where the class is not in the file.
fn volume(size: &str, class: Option<&TreeNode>, classes: &BTreeMap<&str, &TreeNode>) -> Option<Disk> {
    let parameters = classes.get(class?.text()?)?;
    let one = |keys: [&str; 4]| keys.into_iter().find_map(|key| field(parameters, key));
    let kind = one(["type", "skuName", "skuname", "storageaccounttype"])?;
    let size = if size.ends_with('i') { format!("{size}B") } else { size.to_owned() };
    let mut text = format!("{kind}:{size}");
    if let Some(iops) = one(["iops", "provisioned-iops-on-create", "DiskIOPSReadWrite", "diskIOPSReadWrite"]) {
        text += &format!(",{iops}iops");
    }
    if let Some(throughput) =
        one(["throughput", "provisioned-throughput-on-create", "DiskMBpsReadWrite", "diskMBpsReadWrite"])
    {
        let number = throughput.trim_end_matches("Mi");
        text += &format!(",{number}MiB/s");
    }
    text.parse().ok()
}
