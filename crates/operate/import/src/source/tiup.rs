//! TiUP's `topology.yaml`: pingcap/tiup pkg/cluster/spec.

use deployment::NodeRole;
use textfile::{InputError, Text};
use workload::Engine;

use super::tree::{SettingTree, TreeNode, of_yaml};
use super::{SourceFile, SourceNode};

/// The lists of servers, whose settings under `server_configs` each takes, and what they do.
const LISTS: [(&str, &str, NodeRole); 4] = [
    ("tikv_servers", "tikv", NodeRole::Storage),
    ("tidb_servers", "tidb", NodeRole::Sql),
    ("pd_servers", "pd", NodeRole::Pd),
    ("tiflash_servers", "tiflash", NodeRole::Tiflash),
];

pub(super) fn read(text: &Text) -> Result<SourceFile, InputError> {
    let documents = of_yaml(text)?;
    let shown = text.path().display().to_string();
    let Some(root) = documents.into_iter().find(|document| LISTS.iter().any(|(list, ..)| document.get(list).is_some()))
    else {
        return Err(InputError::new(text.path(), "has no servers: expected lists such as `tikv_servers`"));
    };
    let mut file = SourceFile::new(Engine::TiKv, text);
    let shared = |name: &str| {
        let configs = root.get("server_configs").and_then(|configs| configs.get(name));
        configs.map(|node| SettingTree::of_node(node, &shown)).unwrap_or_default()
    };
    file.pd = shared("pd");
    let global_data = root.get("global").and_then(|global| global.get("data_dir")).and_then(TreeNode::text);
    for (list, name, role) in LISTS {
        for server in root.get(list).map_or(&[][..], TreeNode::list) {
            let field = |key: &str| server.get(key).and_then(TreeNode::text);
            let Some(host) = field("host") else {
                let message = format!("a server of `{list}` has no `host`");
                return Err(InputError::new(text.path(), message)
                    .at(textfile::TextPosition { line: server.line.max(1), column: 1 }));
            };
            let mut settings = shared(name);
            if let Some(config) = server.get("config") {
                settings.extend(&SettingTree::of_node(config, &shown));
            }
            file.nodes.push(SourceNode {
                role,
                host: host.to_owned(),
                port: field("port").and_then(|port| port.parse().ok()),
                count: 1,
                data_dir: field("data_dir").or(global_data).map(str::to_owned),
                instance: None,
                data: None,
                log: None,
                settings,
                place: format!("{shown}:{}", server.line),
            });
        }
    }
    let versions = root.get("component_versions").or_else(|| root.get("global"));
    file.version = versions
        .and_then(|node| node.get("tikv").or_else(|| node.get("tidb_version")))
        .and_then(TreeNode::text)
        .map(str::to_owned);
    Ok(file)
}
