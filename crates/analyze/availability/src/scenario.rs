//! What is to be assessed: a cluster's shape and what its data lies on.

use units::{Bytes, BytesPerSec};

use crate::rates;

/// What a node's data lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeStorage {
    /// Flash on the host, lost with it.
    Local,
    /// Network volumes, which re-attach to another node of their zone.
    Reattachable,
}

/// A cluster's shape. Replicas and nodes are spread over the zones as evenly as they go, no two replicas of a range on
/// one node, and replicas of a zone that is away wait for it (PD with `isolation-level = "zone"`).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ClusterShape {
    /// Copies of each range, 1 to 5.
    pub replicas: u32,
    /// Zones.
    pub zones: u32,
    /// Nodes, in all zones together.
    pub nodes: u32,
    /// What the data lies on.
    pub storage: NodeStorage,
    /// Volumes, or local devices, striped on each node: losing one loses the node's data.
    pub volumes: u32,
    /// Data on each node.
    pub data_per_node: Bytes,
    /// Rate at which one node's data is copied anew from the other replicas.
    pub rebuild_bandwidth: BytesPerSec,
}

impl Default for ClusterShape {
    /// Three replicas on three nodes in three zones with one volume of 1000 GiB each.
    fn default() -> Self {
        Self {
            replicas: 3,
            zones: 3,
            nodes: 3,
            storage: NodeStorage::Reattachable,
            volumes: 1,
            data_per_node: Bytes::gib(1000),
            rebuild_bandwidth: rates::rebuild_bandwidth(),
        }
    }
}

/// Why a scenario or its rates cannot be assessed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// A count beyond what is modelled.
    #[error("{what} is {value}; expected {expected}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        expected: String,
    },
}

impl ScenarioError {
    pub(crate) fn new(what: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::OutOfRange { what, value: value.to_string(), expected: expected.into() }
    }
}

impl ClusterShape {
    pub(crate) fn validate(&self) -> Result<(), ScenarioError> {
        let error = |what, value: u32, expected: String| Err(ScenarioError::new(what, value, expected));
        if !(1..=5).contains(&self.replicas) {
            return error("the number of replicas", self.replicas, "1 to 5".into());
        }
        if self.nodes < self.replicas || self.nodes > 10_000 {
            let expected = format!("{} to 10000, a node for each replica at least", self.replicas);
            return error("the number of nodes", self.nodes, expected);
        }
        if self.zones == 0 || self.zones > self.nodes.min(6) {
            let expected = format!("1 to {}, at most a zone for each node", self.nodes.min(6));
            return error("the number of zones", self.zones, expected);
        }
        if self.volumes == 0 || self.volumes > 64 {
            return error("the number of volumes on a node", self.volumes, "1 to 64".into());
        }
        if !(self.rebuild_bandwidth.0 > 0.0 && self.rebuild_bandwidth.0.is_finite()) {
            let expected = "more than 0, such as 100MB/s";
            return Err(ScenarioError::new("the rebuild bandwidth", self.rebuild_bandwidth, expected));
        }
        Ok(())
    }

    /// Ranges that the cluster's data makes, one copy of each counted.
    pub fn ranges(&self) -> f64 {
        let copies = self.data_per_node.as_f64() * f64::from(self.nodes);
        copies / f64::from(self.replicas) / rates::range_size().as_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_nodes_than_replicas_are_refused() {
        let message =
            ClusterShape { nodes: 2, zones: 2, ..ClusterShape::default() }.validate().unwrap_err().to_string();
        assert_eq!(message, "the number of nodes is 2; expected 3 to 10000, a node for each replica at least");
    }

    #[test]
    fn no_zone_and_no_bandwidth_are_refused() {
        assert!(ClusterShape { zones: 0, ..ClusterShape::default() }.validate().is_err());
        assert!(ClusterShape { rebuild_bandwidth: BytesPerSec(0.0), ..ClusterShape::default() }.validate().is_err());
    }

    #[test]
    fn three_copies_of_a_gibibyte_on_three_nodes_are_eleven_ranges() {
        let scenario = ClusterShape { data_per_node: Bytes::gib(1), ..ClusterShape::default() };
        assert_eq!(scenario.ranges().ceil(), 11.0);
    }
}
