//! What is done to a cluster at an instant of a run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bench::{BenchError, MonotonicClock, RunClock};
use cluster::{ClusterError, ClusterNode, RunningCluster};
use disk::RequestedRate;
use serde_json::{Map, Value};
use units::Nanos;

/// Something that is done to the cluster at an instant of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduledAction {
    /// When, from the start of the warm-up.
    pub(crate) at: Nanos,
    /// In the words of the file.
    pub(crate) said: String,
    /// What.
    pub(crate) what: Done,
}

/// What is done; nodes are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Done {
    /// A fault of a node's disk, `data` or `log`, or its end.
    Wish { node: usize, disk: &'static str, wish: RequestedRate },
    /// All nodes take these values.
    Set(Map<String, Value>),
    /// A node stands still.
    Pause(usize),
    /// It goes on.
    Resume(usize),
}

impl ScheduledAction {
    fn make(&self, cluster: &RunningCluster) -> Result<(), ClusterError> {
        match &self.what {
            Done::Wish { node, disk, wish } => {
                let node = cluster.node(*node);
                grant(node, if *disk == "log" { node.log_disk() } else { disk }, *wish)
            }
            Done::Set(keys) => cluster.nodes().iter().try_for_each(|node| node.change(keys)),
            Done::Pause(node) => {
                cluster.node(*node).pause();
                Ok(())
            }
            Done::Resume(node) => {
                cluster.node(*node).resume();
                Ok(())
            }
        }
    }
}

fn grant(node: &ClusterNode, disk: &str, wish: RequestedRate) -> Result<(), ClusterError> {
    match wish {
        RequestedRate::Inject(fault, lasts) => node.fault(disk, fault, lasts),
        RequestedRate::Heal => Ok(node.disk_client().heal(disk)?),
        RequestedRate::Credits(share) => Ok(node.disk_client().set_credits(Some(disk), share)?),
        // Refused before.
        RequestedRate::Attach => Ok(()),
    }
}

/// A run that is over is told so soon.
const LISTEN: Duration = Duration::from_millis(20);

/// Makes deeds at their instants until the run is over.
pub(crate) fn make(
    deeds: &[ScheduledAction],
    cluster: Option<&RunningCluster>,
    clock: MonotonicClock,
    over: &AtomicBool,
) -> Result<(), BenchError> {
    let Some(cluster) = cluster else { return Ok(()) };
    for deed in deeds {
        while clock.now() < deed.at {
            if over.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(LISTEN.min(Duration::from_nanos((deed.at - clock.now()).0)));
        }
        let failed = |error: ClusterError| BenchError::Environment(format!("{} at {}: {error}", deed.said, deed.at));
        deed.make(cluster).map_err(failed)?;
    }
    Ok(())
}
