//! Which machine does what in which zone.

use catalog::Cloud;
use deployment::{Deployment, NodeGroup, NodeRole};
use workload::Engine;

use crate::published::ADVICE;

/// A machine of the deployment.
#[derive(Debug, Clone)]
pub(crate) struct Host<'a> {
    /// Its name, which must resolve: `tikv-1`.
    pub(crate) name: String,
    /// What it does.
    pub(crate) role: NodeRole,
    /// Its group and the group's place in the deployment; `None` if the deployment names none and one is needed.
    pub(crate) group: Option<(usize, &'a NodeGroup)>,
    /// The number of its zone.
    pub(crate) zone: usize,
}

/// The name of what runs on nodes of a role.
pub(crate) fn program(role: NodeRole, engine: Engine) -> &'static str {
    match role {
        NodeRole::Storage => engine.facts().program,
        NodeRole::Sql => "tidb",
        NodeRole::Pd => "pd",
        NodeRole::Tiflash => "tiflash",
    }
}

/// All machines. The nodes of a role take the zones in turn, so that replicas find one in each; those of TiFlash stay in one,
/// because a query's nodes shuffle rows among each other.
pub(crate) fn hosts(deployment: &Deployment) -> Vec<Host<'_>> {
    let zones = deployment.zones.max(1) as usize;
    let mut hosts = Vec::new();
    for role in [NodeRole::Pd, NodeRole::Sql, NodeRole::Storage, NodeRole::Tiflash] {
        let groups = deployment.nodes.iter().enumerate().filter(|(_, group)| group.role == role);
        let mut named: Vec<_> = groups.flat_map(|(i, group)| (0..group.count).map(move |_| Some((i, group)))).collect();
        if named.is_empty() && deployment.engine.facts().is_tidb_cluster {
            let needed = match role {
                NodeRole::Pd => ADVICE.pd_nodes.value,
                NodeRole::Sql => ADVICE.sql_nodes.value,
                NodeRole::Storage | NodeRole::Tiflash => 0,
            };
            named.resize(needed as usize, None);
        }
        for (i, group) in named.into_iter().enumerate() {
            let zone = if role == NodeRole::Tiflash { 0 } else { i % zones };
            let name = format!("{}-{}", program(role, deployment.engine), i + 1);
            hosts.push(Host { name, role, group, zone });
        }
    }
    hosts
}

/// The names of a region's zones, as its cloud forms them. An account may lack one or name them otherwise: then labels and
/// parameters are to be changed together.
pub(crate) fn zones(cloud: Cloud, region: &str, count: u32) -> Vec<String> {
    let letters = || ('a'..='z').take(count as usize);
    match cloud {
        Cloud::Aws => letters().map(|letter| format!("{region}{letter}")).collect(),
        Cloud::Gcp => letters().map(|letter| format!("{region}-{letter}")).collect(),
        Cloud::Azure => (1..=count).map(|zone| format!("{region}-{zone}")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::deployment;

    #[test]
    fn replicas_spread_over_the_zones_and_tiflash_stays_in_one() {
        let deployment = deployment("htap.toml");
        let hosts = hosts(&deployment);
        let zones_of = |role: NodeRole| hosts.iter().filter(|h| h.role == role).map(|h| h.zone).collect::<Vec<_>>();
        assert_eq!(zones_of(NodeRole::Storage), [0, 1, 2]);
        assert!(zones_of(NodeRole::Tiflash).len() > 1 && zones_of(NodeRole::Tiflash).iter().all(|zone| *zone == 0));
    }

    #[test]
    fn a_cluster_without_placement_drivers_gets_what_it_needs_to_start() {
        let deployment = deployment("raft-dedicated.toml");
        let hosts = hosts(&deployment);
        let count = |role: NodeRole| hosts.iter().filter(|host| host.role == role && host.group.is_none()).count();
        assert_eq!((count(NodeRole::Pd), count(NodeRole::Sql)), (3, 2));
    }

    #[test]
    fn zones_are_named_as_their_cloud_names_them() {
        assert_eq!(zones(Cloud::Aws, "us-west-2", 2), ["us-west-2a", "us-west-2b"]);
        assert_eq!(zones(Cloud::Gcp, "us-central1", 1), ["us-central1-a"]);
        assert_eq!(zones(Cloud::Azure, "eastus", 2), ["eastus-1", "eastus-2"]);
    }
}
