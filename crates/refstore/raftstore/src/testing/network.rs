//! Nodes of one process, joined without a network.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::RwLock;
use proto::raft_serverpb::RaftMessage;

use crate::{RaftRouter, RaftTransport};

#[derive(Default)]
struct Inner {
    routers: HashMap<u64, RaftRouter>,
    cut: HashSet<u64>,
}

/// Delivers messages at once to the routers that joined.
#[derive(Clone, Default)]
pub struct MemoryNetwork {
    inner: Arc<RwLock<Inner>>,
}

impl MemoryNetwork {
    /// Nobody has joined yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What this store sends through.
    pub fn transport(&self, store_id: u64) -> Arc<dyn RaftTransport> {
        Arc::new(Link { from: store_id, network: self.clone() })
    }

    /// From now on messages to this store arrive.
    pub fn join(&self, store_id: u64, router: RaftRouter) {
        self.inner.write().routers.insert(store_id, router);
    }

    /// From now on messages to this store are lost.
    pub fn leave(&self, store_id: u64) {
        self.inner.write().routers.remove(&store_id);
    }

    /// Cuts a store off from all others, or joins it again.
    pub fn cut(&self, store_id: u64, cut: bool) {
        let cuts = &mut self.inner.write().cut;
        if cut {
            cuts.insert(store_id)
        } else {
            cuts.remove(&store_id)
        };
    }

    fn router(&self, from: u64, to: u64) -> Option<RaftRouter> {
        let inner = self.inner.read();
        let joined = !inner.cut.contains(&from) && !inner.cut.contains(&to);
        joined.then(|| inner.routers.get(&to).cloned()).flatten()
    }
}

struct Link {
    from: u64,
    network: MemoryNetwork,
}

impl RaftTransport for Link {
    fn send(&self, to_store: u64, messages: Vec<RaftMessage>) {
        if let Some(router) = self.network.router(self.from, to_store) {
            router.step(messages);
        }
    }

    fn send_snapshot(&self, to_store: u64, message: RaftMessage, pieces: &mut dyn Iterator<Item = Bytes>) -> bool {
        let Some(router) = self.network.router(self.from, to_store) else { return false };
        let Ok(mut sink) = router.snapshot_sink(message) else { return false };
        for piece in pieces {
            if sink.write(piece).is_err() {
                return false;
            }
        }
        sink.finish().is_ok()
    }
}
