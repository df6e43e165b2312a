//! What events call nodes, zones and disks.

use deployment::{Deployment, NodeGroup};

/// The name of a storage node, counted from 0: `n1`, `n2` ….
pub fn node_name(index: usize) -> String {
    format!("n{}", index + 1)
}

/// The name of a node that speaks SQL, counted from 0: `sql1`, `sql2` …. No event is of one.
pub fn sql_node_name(index: usize) -> String {
    format!("sql{}", index + 1)
}

/// The name of a zone, counted from 0: `a`, `b`, … and their numbers after `z`.
pub fn zone_name(zone: usize) -> String {
    u8::try_from(zone).ok().filter(|zone| *zone < 26).map_or_else(|| zone.to_string(), |z| char::from(b'a' + z).into())
}

/// The names of a deployment, looked up for its numbers.
#[derive(Debug)]
pub struct DeploymentNames<'d> {
    zones: usize,
    /// Group of each node.
    groups: Vec<&'d NodeGroup>,
}

impl<'d> DeploymentNames<'d> {
    /// Names of a deployment's storage nodes.
    pub fn of(deployment: &'d Deployment) -> Self {
        let groups = deployment.storage().flat_map(|(_, group)| std::iter::repeat_n(group, group.count as usize));
        Self { zones: deployment.zones.max(1) as usize, groups: groups.collect() }
    }

    /// Group of each storage node.
    pub fn groups(&self) -> &[&'d NodeGroup] {
        &self.groups
    }

    /// The nodes of a name, counted from 0: `n2`, or `all`.
    ///
    /// # Errors
    /// In a clause, when there is none, with those that there are.
    pub fn nodes(&self, name: &str) -> Result<Vec<usize>, String> {
        let all = self.groups.len();
        if name == "all" {
            return Ok((0..all).collect());
        }
        let node = (0..all).find(|node| node_name(*node) == name);
        node.map(|node| vec![node]).ok_or_else(|| {
            format!(
                "no node is called `{name}`; the storage nodes are {} to {}, or `all`",
                node_name(0),
                node_name(all.saturating_sub(1))
            )
        })
    }

    /// The nodes of a zone, counted from 0.
    ///
    /// # Errors
    /// In a clause, when there is no such zone.
    pub fn zone(&self, name: &str) -> Result<Vec<usize>, String> {
        let zone = (0..self.zones).find(|zone| zone_name(*zone) == name).ok_or_else(|| {
            let (first, last) = (zone_name(0), zone_name(self.zones - 1));
            format!("no zone is called `{name}`; the deployment's are {first} to {last}")
        })?;
        Ok((0..self.groups.len()).filter(|node| node % self.zones == zone).collect())
    }

    /// Nodes, and the number of the disk on each, both counted from 0.
    ///
    /// # Errors
    /// In a clause, when a node has no disk of the name.
    pub fn places(&self, node: &str, disk: &str) -> Result<Vec<(usize, usize)>, String> {
        let place = |node: usize| {
            let found = self.groups[node].disks().position(|(name, _)| name == disk);
            found.map(|disk| (node, disk)).ok_or_else(|| no_disk(&node_name(node), disk))
        };
        self.nodes(node)?.into_iter().map(place).collect()
    }
}

fn no_disk(node: &str, disk: &str) -> String {
    let shared = if disk == "log" {
        "; its raft log is on `data`"
    } else {
        "; a node has `data`, and `log` where the raft log has its own"
    };
    format!("{node} has no disk `{disk}`{shared}")
}
