//! Changes that are made to a cluster at instants of a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bench::{BenchError, MonotonicClock, RunClock};
use cluster::{ClusterError, ClusterNode, RunningCluster};
use disk::RequestedRate;
use serde_json::{Map, Value};
use units::Nanos;

/// A change that is made to the cluster at an instant of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduledAction {
    /// When, from the start of the warm-up.
    pub(crate) at: Nanos,
    /// The action in the words of the file of events.
    pub(crate) text: String,
    /// What is changed.
    pub(crate) change: ClusterChange,
}

/// A change to a cluster; nodes are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ClusterChange {
    /// A fault of a node's disk, `data` or `log`, or its end.
    Disk { node: usize, disk: &'static str, rate: RequestedRate },
    /// All nodes take these values of TiKV's keys.
    Set(Map<String, Value>),
    /// A node's processes stand still.
    Pause(usize),
    /// They go on.
    Resume(usize),
}

impl ScheduledAction {
    fn apply(&self, cluster: &RunningCluster) -> Result<(), ClusterError> {
        match &self.change {
            ClusterChange::Disk { node, disk, rate } => {
                let node = cluster.node(*node);
                apply_rate(node, if *disk == "log" { node.log_disk() } else { disk }, *rate)
            }
            ClusterChange::Set(keys) => cluster.nodes().iter().try_for_each(|node| node.change(keys)),
            ClusterChange::Pause(node) => {
                cluster.node(*node).pause();
                Ok(())
            }
            ClusterChange::Resume(node) => {
                cluster.node(*node).resume();
                Ok(())
            }
        }
    }
}

fn apply_rate(node: &ClusterNode, disk: &str, rate: RequestedRate) -> Result<(), ClusterError> {
    match rate {
        RequestedRate::Inject(fault, lasts) => node.fault(disk, fault, lasts),
        RequestedRate::Heal => Ok(node.disk_client().heal(disk)?),
        RequestedRate::Credits(share) => Ok(node.disk_client().set_credits(Some(disk), share)?),
        // Refused when the events were read.
        RequestedRate::Attach => Ok(()),
    }
}

/// The end of a run is noticed within this.
const LISTEN: Duration = Duration::from_millis(20);

/// Applies actions at their instants until the run is over.
pub(crate) fn apply_all(
    actions: &[ScheduledAction],
    cluster: Option<&RunningCluster>,
    clock: MonotonicClock,
    over: &AtomicBool,
) -> Result<(), BenchError> {
    let Some(cluster) = cluster else { return Ok(()) };
    for action in actions {
        while clock.now() < action.at {
            if over.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(LISTEN.min(Duration::from_nanos((action.at - clock.now()).0)));
        }
        let failed = |error: ClusterError| BenchError::database(format!("{} at {}", action.text, action.at), error);
        action.apply(cluster).map_err(failed)?;
    }
    Ok(())
}
