//! What is known of a replica, for placement and for metrics.

use proto::metapb::{Peer, Region};

/// A replica on this node.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionStatus {
    /// The range and its replicas.
    pub region: Region,
    /// Who leads, as far as known here.
    pub leader: Option<Peer>,
    /// Whether this node leads.
    pub leads: bool,
    /// The current term.
    pub term: u64,
    /// What is applied.
    pub applied: u64,
    /// Peers that lag so far that they need a snapshot, or do not answer; only a leader knows.
    pub pending: Vec<Peer>,
    /// Bytes of keys and values applied since the process began.
    pub bytes_written: u64,
    /// Keys applied since the process began.
    pub keys_written: u64,
}
