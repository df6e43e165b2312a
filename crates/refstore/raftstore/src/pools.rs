//! The pools of a node, and the thread that gives them the sizes that are set.

use std::collections::HashMap;
use std::sync::Arc;

use crossbeam_channel::Receiver;

use crate::RaftstoreError;
use crate::applied::Progress;
use crate::apply::Applier;
use crate::crew::Crew;
use crate::lanes::share;
use crate::messages::ToPools;
use crate::peer::Peer;
use crate::shard::{Shard, Writing};
use crate::supplies::Supplies;
use crate::writer::Writer;

impl Supplies {
    fn writer(&self) -> Writer {
        Writer::new(Arc::clone(&self.node), Arc::clone(&self.engine), Arc::clone(&self.transport))
    }

    /// Threads that apply, each with how far its replicas are.
    fn appliers(&self, threads: usize, progress: impl IntoIterator<Item = (u64, Progress)>) -> Vec<Applier> {
        let place = |(id, _): &(u64, Progress)| self.node.replicas.get(id).map_or(0, |replica| replica.place);
        let shares = share(progress, threads, place);
        let applier =
            |share: Vec<_>| Applier::new(Arc::clone(&self.node), Arc::clone(&self.state), share.into_iter().collect());
        shares.into_iter().map(applier).collect()
    }

    /// Threads that run raft, each with its replicas in the order of their places.
    fn shards(&self, threads: usize, mut peers: Vec<Peer>) -> Vec<Shard> {
        peers.sort_unstable_by_key(|peer| peer.replica.place);
        let shard = |peers| {
            let writing = match self.node.online.read().store_io_pool_size {
                0 => Writing::Here(Box::new(self.writer())),
                _ => Writing::Pool,
            };
            Shard::new(self, threads, peers, writing)
        };
        share(peers, threads, |peer| peer.replica.place).into_iter().map(shard).collect()
    }
}

/// The pools of a node.
pub(crate) struct Pools {
    supplies: Supplies,
    // In the order in which they end: those first that others do something for.
    shards: Crew<Shard>,
    writers: Crew<Writer>,
    appliers: Crew<Applier>,
}

impl Pools {
    /// Starts them.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub(crate) fn start(
        supplies: Supplies,
        peers: Vec<Peer>,
        progress: HashMap<u64, Progress>,
    ) -> Result<Self, RaftstoreError> {
        let node = &supplies.node;
        let (shards, writers, appliers) = (Crew::new(node), Crew::new(node), Crew::new(node));
        let mut pools = Self { supplies, shards, writers, appliers };
        pools.fit(peers, progress)?;
        Ok(pools)
    }

    /// Gives the pools the sizes that are set, each time that it is told, until it is told to stop.
    pub(crate) fn follow(mut self, told: &Receiver<ToPools>) -> Self {
        while let Ok(ToPools::Resize) = told.recv() {
            if self.supplies.node.broken.is() || self.supplies.node.stopping() {
                continue;
            }
            if let Err(error) = self.fit(Vec::new(), HashMap::new()) {
                // As TiKV has it: the change was answered, and holds; the next may succeed.
                textfile::log_line(format_args!("a pool of raft keeps its size: {error}"));
            }
        }
        self
    }

    /// Gives them the sizes that are set; what is new here goes to their threads with what the old ones had.
    fn fit(&mut self, peers: Vec<Peer>, progress: HashMap<u64, Progress>) -> Result<(), RaftstoreError> {
        let (supplies, online) = (&self.supplies, *self.supplies.node.online.read());
        let threads = online.apply_pool_size.max(1);
        if self.appliers.size() != threads {
            self.appliers.resize(threads, |kept| {
                supplies.appliers(threads, progress.into_iter().chain(kept.into_iter().flatten()))
            })?;
        }
        let threads = online.store_io_pool_size;
        if self.writers.size() != threads {
            self.writers.resize(threads, |_| (0..threads).map(|_| supplies.writer()).collect())?;
        }
        let threads = online.store_pool_size.max(1);
        if self.shards.size() != threads {
            self.shards.resize(threads, |kept| {
                supplies.shards(threads, peers.into_iter().chain(kept.into_iter().flatten()).collect())
            })?;
        }
        Ok(())
    }
}
