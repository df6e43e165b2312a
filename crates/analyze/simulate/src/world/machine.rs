//! What runs beside the nodes where one machine stands in for all: the clients' driver and the daemons of the disks. All
//! share its hardware threads evenly.

use super::World;
use super::event::Task;
use crate::cpu::{Cpu, Pool};
use crate::{Constants, SharedMachine};

/// The driver's threads.
const DRIVER: Pool = Pool::Read;
/// The daemons of disks, and the kernel on behalf of syncs.
const DAEMONS: Pool = Pool::Flush;
/// Requests of disks that are worked on at a time: as many as come.
const MANY: u32 = 1 << 16;

/// What runs beside the nodes.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) cpu: Cpu<Task>,
    /// Requests of all disks, and syncs of all logs, that have been worked on.
    ios: u64,
    syncs: f64,
}

impl Shared {
    pub(super) fn new(machine: &SharedMachine, c: &Constants) -> Self {
        let threads = |pool| if pool == DRIVER { c.client_threads as u32 } else { MANY };
        Self { cpu: Cpu::new(machine.processors, 1.0, threads).with_slice(c.wakeup_slice), ios: 0, syncs: 0.0 }
    }
}

impl World {
    /// A client sends a request: the driver works on it, and on its answer, at once.
    pub(super) fn sent_by_client(&mut self, req: u32) {
        if self.shared.is_none() {
            return self.request(req);
        }
        self.submit(self.nodes.len() + self.sql.len(), DRIVER, self.c.cpu_client, Task::Sent(req));
    }

    /// Before each event: new requests of disks and syncs take their processor time, and every job its share of the threads.
    pub(super) fn share(&mut self) {
        let Some(shared) = &mut self.shared else { return };
        let ios: u64 = self.nodes.iter().map(|node| node.disks.submitted()).sum();
        let syncs: f64 = self.nodes.iter().map(|node| node.counts.syncs).sum();
        let work = (ios - shared.ios) as f64 * self.c.cpu_io + (syncs - shared.syncs) * self.c.cpu_sync;
        (shared.ios, shared.syncs) = (ios, syncs);
        if work > 0.0 {
            shared.cpu.submit(self.now, DAEMONS, work, Task::Served);
        }
        let all = shared.cpu.running() + self.nodes.iter().map(|node| node.cpu.running()).sum::<usize>();
        let background = self.nodes.iter().map(|node| node.cpu.background()).sum::<usize>();
        shared.cpu.share(self.now, (all - shared.cpu.running(), background));
        for node in &mut self.nodes {
            node.cpu.share(self.now, (all - node.cpu.running(), background - node.cpu.background()));
        }
    }
}
