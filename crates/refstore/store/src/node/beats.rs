//! What the node tells PD of itself and of the regions that it leads.

use std::sync::Arc;

use pd::session::HeartbeatSource;
use proto::pdpb::{RegionHeartbeatRequest, StoreStats};
use raftstore::{RaftRouter, RegionStatus};

use super::KEY_PREFIX;
use crate::metrics;
use crate::rocks::RocksState;
use crate::space::NodeSpace;

/// The score of a node that answers at once, and that of one which does not work any more (TiKV's `slow_score`).
const SCORES: (u64, u64) = (1, 100);

/// Makes heartbeats.
#[derive(Clone)]
pub(super) struct Beats {
    pub(super) router: RaftRouter,
    pub(super) state: Arc<RocksState>,
    pub(super) space: Arc<NodeSpace>,
    /// Unix time, seconds.
    pub(super) started: u64,
}

impl Beats {
    /// The three answers that a session wants.
    pub(super) fn heartbeats(self) -> HeartbeatSource {
        let (regions, stats, transfer) = (self.clone(), self.clone(), self);
        HeartbeatSource {
            regions: Arc::new(move || regions.regions()),
            stats: Arc::new(move || stats.stats()),
            transfer: Arc::new(move |region, peer| transfer.router.transfer_leader(region, peer)),
        }
    }

    fn regions(&self) -> Vec<RegionHeartbeatRequest> {
        let led = self.router.statuses().into_iter().filter(|status| status.leads);
        led.map(|status| self.region(status)).collect()
    }

    fn region(&self, status: RegionStatus) -> RegionHeartbeatRequest {
        let (from, until) = (&status.region.start_key, &status.region.end_key);
        RegionHeartbeatRequest {
            approximate_size: self.state.approximate_size(&data_key(from), &data_end(until)),
            leader: status.leader,
            pending_peers: status.pending,
            bytes_written: status.bytes_written,
            keys_written: status.keys_written,
            term: status.term,
            region: Some(status.region),
            ..RegionHeartbeatRequest::default()
        }
    }

    fn stats(&self) -> StoreStats {
        let statuses = self.router.statuses();
        let broken = self.router.broken().is_some();
        let room = self.space.data();
        StoreStats {
            capacity: room.capacity.0,
            available: room.available.0,
            used_size: metrics::used(&self.state),
            region_count: u32::try_from(statuses.len()).unwrap_or(u32::MAX),
            start_time: u32::try_from(self.started).unwrap_or(u32::MAX),
            bytes_written: statuses.iter().map(|status| status.bytes_written).sum(),
            keys_written: statuses.iter().map(|status| status.keys_written).sum(),
            is_busy: broken,
            slow_score: if broken { SCORES.1 } else { SCORES.0 },
            ..StoreStats::default()
        }
    }
}

/// A client's key as the state has it.
fn data_key(key: &[u8]) -> Vec<u8> {
    [&[KEY_PREFIX], key].concat()
}

/// The end of a range as the state has it; an empty one is the end of all keys.
fn data_end(key: &[u8]) -> Vec<u8> {
    if key.is_empty() { vec![KEY_PREFIX + 1] } else { data_key(key) }
}
