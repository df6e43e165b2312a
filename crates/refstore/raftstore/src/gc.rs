//! The thread that lets logs begin later: only when the state has on its disk what they had.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use raft_engine::{Command, LogBatch};

use crate::log::{Engine, failure};
use crate::messages::{ToGc, ToShard};
use crate::node::Node;
use crate::{StateError, StateStore};

/// Works until told to stop.
pub(crate) fn run(node: &Node, engine: &Arc<Engine>, state: &dyn StateStore, work: &Receiver<ToGc>) {
    let mut wanted: HashMap<u64, u64> = HashMap::new();
    let mut next = Instant::now() + node.online.read().gc_interval;
    loop {
        match work.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(ToGc::Until(region_id, index)) => {
                let until = wanted.entry(region_id).or_default();
                *until = index.max(*until);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(ToGc::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        next = Instant::now() + node.online.read().gc_interval.max(Duration::from_millis(1));
        if node.broken.is() {
            continue;
        }
        if !wanted.is_empty() && !shorten(node, engine, state, &mut wanted) {
            continue;
        }
        match engine.purge_expired_files() {
            Ok(regions) => urge(node, &regions),
            Err(raft_engine::Error::Io(error)) if error.kind() == std::io::ErrorKind::StorageFull => {
                node.disks.refuse(format!("raft disk full: {error}"));
            }
            Err(raft_engine::Error::Io(error)) => node.break_down(&failure(&error)),
            Err(error) => node.break_down(&format!("raft log: {error}")),
        }
    }
}

/// Whether it is done.
fn shorten(node: &Node, engine: &Engine, state: &dyn StateStore, wanted: &mut HashMap<u64, u64>) -> bool {
    // RocksDB gives up recovering from a full disk when a sync fails meanwhile, and says "no space" for ever: nothing is
    // synced while a write waits for room, and a sync that finds none is left to the next round.
    if node.disks.state_waits() {
        return false;
    }
    match state.sync() {
        Ok(()) => {}
        Err(StateError::Full(_)) => return false,
        Err(error) => {
            node.break_down(&error.to_string());
            return false;
        }
    }
    let mut batch = LogBatch::default();
    for (region_id, index) in wanted.drain() {
        batch.add_command(region_id, Command::Compact { index: index + 1 });
    }
    // Not synced: lost, it leaves more in the log than is needed. Refused for lack of room, likewise.
    match engine.write(&mut batch, false) {
        Err(raft_engine::Error::Io(error)) if error.kind() != std::io::ErrorKind::StorageFull => {
            node.break_down(&failure(&error));
            false
        }
        _ => true,
    }
}

fn urge(node: &Node, regions: &[u64]) {
    for replica in regions.iter().filter_map(|id| node.replicas.get(id)) {
        node.shards.send(replica.place, ToShard::Urge(replica.place));
    }
}
