//! How a client behaves.

use std::time::Duration;

/// Which replica answers reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplicaRead {
    /// The leader.
    #[default]
    Leader,
    /// The replica in the client's own zone, which asks its leader how far it must have come (TiDB's `closest-replicas`);
    /// the leader if there is none, or if it refuses.
    Closest,
}

/// How a client behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct RawClientOptions {
    /// The zone in which the client is, as stores name theirs in the label `zone`.
    pub zone: Option<String>,
    /// Requests to stores of another zone are held back for half of this, their answers for the other half. A store without
    /// a zone, or a client without one, knows no distance. It is never less; `benches/cost.rs` finds it 0.1 ms more in the
    /// median on two busy cores.
    pub zone_round_trip: Duration,
    /// Which replica answers reads.
    pub replica_read: ReplicaRead,
    /// Compresses requests, and asks for compressed answers.
    pub gzip: bool,
    /// After so long a request ends, with its retries. It is noticed up to a sixteenth of it later.
    pub timeout: Duration,
    /// Tries a put or a delete again whose fate is unknown: right where nobody minds that it may happen twice, wrong for
    /// histories. A compare-and-swap is never tried again.
    pub retry_unknown: bool,
    /// Says of every write that keys are also swapped (`for_cas`): TiKV needs it for correct swaps, and pays with latches.
    pub atomic: bool,
    /// Threads that talk to the cluster; sessions are dealt to them in turn. Each has its own connections.
    pub threads: usize,
}

impl Default for RawClientOptions {
    fn default() -> Self {
        Self {
            zone: None,
            zone_round_trip: Duration::ZERO,
            replica_read: ReplicaRead::Leader,
            gzip: false,
            timeout: Duration::from_secs(10),
            retry_unknown: false,
            atomic: false,
            threads: 1,
        }
    }
}
