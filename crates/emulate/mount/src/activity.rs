//! What mounted disks do at this moment: two looks at their daemons, a span apart.

use std::path::Path;
use std::time::Duration;

use metrics::{NodeRates, NodeSample, rates};
use units::Bytes;

use crate::{DaemonClient, DiskDaemon, MountError, MountHome, MountedNode, find, nodes, unrecorded};

/// A mounted node with the rates of its disks.
#[derive(Debug)]
pub struct MountedNodeRates {
    /// The node.
    pub node: MountedNode,
    /// Rates of the span; `None` where the daemon died.
    pub rates: Option<NodeRates>,
    /// Free space of the store that holds each disk's data, in the order of the disks; `None` where it cannot be read.
    pub backing_free: Vec<Option<Bytes>>,
}

/// All that is mounted, with rates.
#[derive(Debug)]
pub struct MountedActivity {
    /// The nodes.
    pub nodes: Vec<MountedNodeRates>,
    /// Daemons whose state files were removed.
    pub unrecorded: Vec<DiskDaemon>,
}

impl MountedActivity {
    /// Measures for `span`: the node mounted at `dir`, or every node. Returns at once where no daemon answers, unless `always_wait`.
    ///
    /// # Errors
    /// When nothing is mounted at `dir`.
    pub fn measure(
        home: &MountHome,
        dir: Option<&Path>,
        span: Duration,
        always_wait: bool,
    ) -> Result<Self, MountError> {
        let (nodes, unrecorded) = match dir {
            Some(dir) => (vec![find(home, dir)?], Vec::new()),
            None => (nodes(home), unrecorded(home)),
        };
        let sample = |node: &MountedNode| DaemonClient::of(node).and_then(|client| client.sample()).ok();
        let before: Vec<_> = nodes.iter().map(sample).collect();
        if always_wait || before.iter().any(Option::is_some) {
            std::thread::sleep(span);
        }
        let pair = |(node, before): (MountedNode, Option<_>)| {
            let after = sample(&node);
            MountedNodeRates {
                rates: before.zip(after).map(|(before, after)| since_mounted(&before, &after)),
                backing_free: node.disks.iter().map(|disk| free_space(&disk.backing)).collect(),
                node,
            }
        };
        Ok(Self { nodes: nodes.into_iter().zip(before).map(pair).collect(), unrecorded })
    }

    /// Whether a daemon is gone, or runs on without its files.
    pub fn is_broken(&self) -> bool {
        !self.unrecorded.is_empty() || self.nodes.iter().any(|node| node.rates.is_none())
    }
}

/// Rates between two samples. Errors are counted since the disk was mounted: a second without one does not undo them.
fn since_mounted(before: &NodeSample, after: &NodeSample) -> NodeRates {
    let mut rates = rates(before, after);
    for (now, disk) in rates.disks.iter_mut().zip(&after.disks) {
        now.errors = disk.errors;
    }
    rates
}

fn free_space(backing: &Path) -> Option<Bytes> {
    Some(disk_space::DiskSpace::of(backing).ok()?.available)
}
