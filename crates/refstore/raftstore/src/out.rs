//! What a round of a raft thread leaves to others: messages, entries to write, entries to apply.

use std::sync::Arc;

use crossbeam_channel::Sender;
use proto::raft_serverpb::RaftMessage;
use protobuf::Message as _;
use raft::eraftpb;

use crate::messages::{Apply, Sending, ToApply, WriteTask};
use crate::node::Node;
use crate::replica::Replica;

/// Messages in their order, by store.
#[derive(Default)]
pub(crate) struct Mail {
    stores: Vec<(u64, Vec<RaftMessage>)>,
}

impl Mail {
    /// One more.
    pub(crate) fn push(&mut self, store: u64, message: RaftMessage) {
        match self.stores.iter_mut().find(|(to, _)| *to == store) {
            Some((_, messages)) => messages.push(message),
            None => self.stores.push((store, vec![message])),
        }
    }

    /// Sends all.
    pub(crate) fn send(&mut self, transport: &dyn crate::RaftTransport) {
        for (store, messages) in &mut self.stores {
            if !messages.is_empty() {
                transport.send(*store, std::mem::take(messages));
            }
        }
    }
}

/// What a round leaves.
pub(crate) struct Out {
    pub(crate) node: Arc<Node>,
    pub(crate) mail: Mail,
    pub(crate) tasks: Vec<WriteTask>,
    pub(crate) apply: Vec<Apply>,
    pub(crate) snapshots: Sender<Sending>,
    /// Replicas that know of another leader now.
    pub(crate) changed: Vec<Arc<Replica>>,
}

impl Out {
    /// Hands entries to the threads that apply them.
    pub(crate) fn flush_apply(&mut self) {
        // A thread that is gone took the answers with it, and those say so.
        self.node.appliers.deal(std::mem::take(&mut self.apply), Apply::place, ToApply::Tasks);
    }
}

/// A message on its way from a replica: the store it goes to, and what goes there.
pub(crate) fn addressed(node: &Node, replica: &Replica, message: &eraftpb::Message) -> Option<(u64, RaftMessage)> {
    let to = replica.peer(message.to)?;
    let message = RaftMessage {
        region_id: replica.region.id,
        from_peer: Some(replica.peer),
        to_peer: Some(*to),
        message: message.write_to_bytes().ok()?.into(),
        region_epoch: replica.region.region_epoch,
        disk_usage: node.disks.usage(),
    };
    Some((to.store_id, message))
}
