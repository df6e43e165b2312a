//! `/metrics` under TiKV's names: what the crates below counted, RocksDB, threads, the process, and the room on disks.

mod engine;
mod page;
mod process;
mod threads;

use std::sync::Arc;

pub(crate) use page::Page;
use raftstore::ColumnFamily;
use threads::Threads;

use crate::config::HostMachine;
use crate::rocks::RocksState;
use crate::space::NodeSpace;

/// Makes the page of metrics.
pub(crate) struct Metrics {
    state: Arc<RocksState>,
    threads: Threads,
    machine: HostMachine,
    space: Arc<NodeSpace>,
}

impl Metrics {
    pub(crate) fn new(state: Arc<RocksState>, machine: HostMachine, space: Arc<NodeSpace>) -> Self {
        Self { state, threads: Threads::default(), machine, space }
    }

    /// To be called each second or so: threads that end would take their numbers along.
    pub(crate) fn tick(&self) {
        self.threads.look();
    }

    /// Prometheus' text format 0.0.4.
    pub(crate) fn text(&self) -> String {
        let mut page = Page::default();
        engine::engine(&mut page, &self.state);
        self.threads.add_to(&mut page);
        process::process(&mut page, &self.machine);
        let room = self.space.data();
        for (kind, bytes) in
            [("used", used(&self.state)), ("available", room.available.0), ("capacity", room.capacity.0)]
        {
            let help = "Room of the data disk, and what the keys take of it.";
            page.gauge("tikv_store_size_bytes", help, &[("type", kind)], bytes as f64);
        }
        page.text()
    }
}

/// Bytes that keys and values take on the data disk.
pub(crate) fn used(state: &RocksState) -> u64 {
    ColumnFamily::ALL.into_iter().map(|cf| engine::size(state, cf)).sum()
}
