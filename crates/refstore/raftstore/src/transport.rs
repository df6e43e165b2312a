//! How messages get to other nodes: the edge to the network.

use bytes::Bytes;
use proto::raft_serverpb::RaftMessage;

/// Sends without blocking; what cannot be sent is dropped, for raft sends it again.
pub trait RaftTransport: Send + Sync + 'static {
    /// Sends messages to a store, in their order.
    fn send(&self, to_store: u64, messages: Vec<RaftMessage>);

    /// Sends the state of a range, in pieces; the message is the raft message that announces it. Blocks until it is there.
    /// Returns whether it arrived.
    fn send_snapshot(&self, to_store: u64, message: RaftMessage, pieces: &mut dyn Iterator<Item = Bytes>) -> bool;
}
