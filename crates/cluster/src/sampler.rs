//! Looks at every node each second and keeps what it saw.

use std::sync::{Arc, Mutex, PoisonError};

use observe::{Latencies, NodeRates, NodeSample};
use timeline::{About, Timeline};

use crate::{ClusterError, EngineCounters, Node, Rounds, series};

/// Latencies are fetched with every so many samples: a histogram is some kilobytes of text.
const LATENCIES_EVERY: usize = 5;

/// Looks at every node each second, one thread a node, so that one that does not answer holds nobody up.
#[derive(Debug)]
pub struct Sampler {
    nodes: Vec<(Arc<Node>, Arc<Mutex<Seen>>)>,
    rounds: Vec<Rounds>,
}

/// What was seen of one node.
#[derive(Debug, Default)]
struct Seen {
    disks: Vec<NodeSample>,
    latencies: Vec<Vec<Latencies>>,
    engine: Vec<EngineCounters>,
}

/// What a node did in the last interval that was seen.
#[derive(Debug, Clone, Default)]
pub struct Latest {
    /// Its name.
    pub node: String,
    /// Its disks.
    pub disks: Option<NodeRates>,
    /// Its engine's counters before and after.
    pub engine: Option<(EngineCounters, EngineCounters)>,
}

impl Sampler {
    pub(crate) fn start(nodes: &[Arc<Node>]) -> Result<Self, ClusterError> {
        let mut sampler = Self { nodes: Vec::new(), rounds: Vec::new() };
        for node in nodes {
            let seen = Arc::new(Mutex::new(Seen::default()));
            sampler.nodes.push((Arc::clone(node), Arc::clone(&seen)));
            let (node, name) = (Arc::clone(node), format!("sampler-{}", node.name()));
            let rounds = Rounds::start(name, move |round| {
                look(&node, &seen, round.is_last || round.number.is_multiple_of(LATENCIES_EVERY));
            });
            sampler.rounds.push(rounds.map_err(|error| ClusterError::system("no thread can be started", error))?);
        }
        Ok(sampler)
    }

    /// What each node did in the last interval, in their order.
    pub fn latest(&self) -> Vec<Latest> {
        self.nodes.iter().map(|(node, seen)| locked(seen).latest(node.name())).collect()
    }

    /// Looks once more and ends: all that was seen, as series labelled `node` and `zone`.
    ///
    /// # Errors
    /// When the samples make no valid Timeline: a clock that went backwards.
    pub fn finish(mut self) -> Result<Timeline, ClusterError> {
        self.rounds.iter().for_each(Rounds::hurry);
        self.rounds.clear();
        let mut all = Timeline::default();
        for (node, seen) in &self.nodes {
            let seen = locked(seen);
            let about = About { start: Some(node.disks_since()), ..About::default() };
            for mut timeline in [observe::timeline(&seen.disks, &seen.latencies, about), series::engine(&seen.engine)] {
                series::label(&mut timeline, node.name(), node.zone());
                let merged = all.merge(&timeline);
                all = merged.map_err(|error| ClusterError::system("the samples are no Timeline", error))?;
            }
        }
        Ok(all)
    }
}

impl Seen {
    fn latest(&self, node: &str) -> Latest {
        let disks = self.disks.last_chunk().map(|[before, after]| observe::rates(before, after));
        let engine = self.engine.last_chunk().map(|[before, after]| (before.clone(), after.clone()));
        Latest { node: node.to_owned(), disks, engine }
    }
}

/// A node that is down, or does not answer in time, is not seen this time.
fn look(node: &Node, seen: &Mutex<Seen>, with_latencies: bool) {
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

fn locked(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    // Every sample is whole: one that panicked has added none.
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
