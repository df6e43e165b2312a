//! Looks at every node each second and keeps what it saw.

use std::sync::{Arc, Mutex};

use metrics::{DiskLatencies, NodeRates, NodeSample};
use timeline::{Timeline, TimelineInfo};

use crate::looks::{Looks, locked};
use crate::{ClusterError, ClusterNode, EngineCounters, series};

/// Latencies are fetched with every so many samples: a histogram is some kilobytes of text.
const LATENCIES_EVERY: usize = 5;

/// Looks at every node each second.
#[derive(Debug)]
pub struct NodeSampler(Looks<ClusterNode, Seen>);

/// What was seen of one node.
#[derive(Debug, Default)]
struct Seen {
    disks: Vec<NodeSample>,
    latencies: Vec<Vec<DiskLatencies>>,
    engine: Vec<EngineCounters>,
}

/// What a node did in the last interval that was seen.
#[derive(Debug, Clone, Default)]
pub struct NodeActivity {
    /// Its name.
    pub node: String,
    /// Its disks.
    pub disks: Option<NodeRates>,
    /// Its engine's counters before and after.
    pub engine: Option<(EngineCounters, EngineCounters)>,
}

impl NodeSampler {
    pub(crate) fn start(nodes: &[Arc<ClusterNode>]) -> Result<Self, ClusterError> {
        let name = |node: &ClusterNode| format!("sampler-{}", node.name());
        let looks = Looks::start(nodes.iter().cloned(), name, |node: &ClusterNode, seen, round| {
            look(node, seen, round.is_last || round.number.is_multiple_of(LATENCIES_EVERY));
        });
        looks.map(Self)
    }

    /// What each node did in the last interval, in their order.
    pub fn latest(&self) -> Vec<NodeActivity> {
        self.0.map(|node, seen| seen.latest(node.name()))
    }

    /// Looks once more and ends: all that was seen, as series labelled `node` and `zone`.
    ///
    /// # Errors
    /// When the samples make no valid Timeline: a clock that went backwards.
    pub fn finish(self) -> Result<Timeline, ClusterError> {
        self.0.finish(|node, seen| {
            let about = TimelineInfo { start: Some(node.disks_since()), ..TimelineInfo::default() };
            let mut both = [metrics::timeline(&seen.disks, &seen.latencies, about), series::engine(&seen.engine)];
            both.iter_mut().for_each(|timeline| series::label(timeline, node.name(), node.zone()));
            both
        })
    }
}

impl Seen {
    fn latest(&self, node: &str) -> NodeActivity {
        let disks = self.disks.last_chunk().map(|[before, after]| metrics::rates(before, after));
        let engine = self.engine.last_chunk().map(|[before, after]| (before.clone(), after.clone()));
        NodeActivity { node: node.to_owned(), disks, engine }
    }
}

/// A node that is down, or does not answer in time, is not seen this time.
fn look(node: &ClusterNode, seen: &Mutex<Seen>, with_latencies: bool) {
    let disks = if with_latencies {
        node.reading().map(|reading| (reading.sample, reading.latencies))
    } else {
        node.disks().map(|sample| (sample, Vec::new()))
    };
    let engine = node.engine();
    let mut seen = locked(seen);
    if let Ok((sample, latencies)) = disks {
        seen.disks.push(sample);
        seen.latencies.push(latencies);
    }
    seen.engine.extend(engine);
}
