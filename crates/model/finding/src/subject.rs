//! What a finding is about.

use std::fmt;

/// What kind of thing a verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingScope {
    /// A disk.
    Volume,
    /// The link of an instance to its volumes.
    Instance,
    /// A node of the database.
    Node,
    /// All of it.
    Cluster,
}

/// What a verdict is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct FindingSubject {
    /// What kind of thing.
    pub scope: FindingScope,
    /// The node or instance; empty where the Timeline names none.
    pub node: String,
    /// The disk's label or volume id; empty for what is no disk.
    pub disk: String,
}

impl fmt::Display for FindingSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.scope, self.node.as_str(), self.disk.as_str()) {
            (FindingScope::Cluster, ..) => f.write_str("the cluster"),
            (FindingScope::Volume, "", disk) => f.write_str(disk),
            (FindingScope::Volume, node, disk) => write!(f, "{node}/{disk}"),
            (FindingScope::Instance, "", "") => f.write_str("the instance"),
            (FindingScope::Instance, "", disk) => write!(f, "the instance of {disk}"),
            (_, "", _) => f.write_str("the node"),
            (FindingScope::Instance | FindingScope::Node, node, _) => f.write_str(node),
        }
    }
}
