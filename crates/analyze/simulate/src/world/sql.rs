//! The SQL layer as machines: each step of an operation takes processor time at a node that speaks SQL before it is sent to the
//! storage nodes.

use catalog::CatalogView;
use deployment::Deployment;
use units::Nanos;

use super::World;
use super::event::{Event, Task};
use crate::SimulateError;
use crate::cpu::{Cpu, Pool};

/// Statements are goroutines, of which there are as many as come: one pool without a limit.
const STATEMENTS: Pool = Pool::Read;
const MANY: u32 = u32::MAX;

/// A node that speaks SQL.
#[derive(Debug, Clone)]
pub(crate) struct SqlNode {
    pub(crate) zone: usize,
    pub(super) cpu: Cpu<Task>,
}

impl SqlNode {
    /// Those of a deployment; like storage nodes they take the zones in turn.
    pub(super) fn all(deployment: &Deployment, view: &CatalogView) -> Result<Vec<Self>, SimulateError> {
        let mut nodes = Vec::new();
        for group in deployment.sql() {
            let instance = view.instance(&group.instance)?;
            let (threads, speed) = (instance.sustained_threads()?, instance.thread_speed());
            for _ in 0..group.count {
                let zone = nodes.len() % deployment.zones as usize;
                nodes.push(Self { zone, cpu: Cpu::new(threads, speed, |_| MANY) });
            }
        }
        Ok(nodes)
    }

    /// Thread-seconds that it has worked.
    pub(crate) fn busy(&self) -> f64 {
        self.cpu.busy(STATEMENTS)
    }

    /// Hardware threads.
    pub(crate) fn threads(&self) -> f64 {
        self.cpu.threads()
    }
}

impl World {
    /// Where the next client is connected, as who balances connections deals them out in turn; its zone.
    pub(super) fn connected(&mut self) -> Option<(u16, u16)> {
        if self.sql.is_empty() {
            return None;
        }
        let node = self.connections % self.sql.len();
        self.connections += 1;
        Some((node as u16, self.sql[node].zone as u16))
    }

    /// What an operation does next, at an instant not before now: where it is a statement's and nodes speak SQL, one of them works on
    /// it before.
    pub(super) fn proceed(&mut self, op: u32, at: Nanos) {
        let this = &mut self.ops[op as usize];
        let writes = this.locking == 0 && this.phases == 0 && this.drawn.records > 0;
        if self.sql.is_empty() || !(this.requests > 0 || writes) {
            return self.go_on(op, at);
        }
        this.waiting = 1;
        self.agenda.add(at, Event::Statement(op));
    }

    /// A statement reaches its node.
    pub(super) fn statement(&mut self, op: u32) {
        let this = &self.ops[op as usize];
        let work = this.drawn.work;
        self.submit(self.nodes.len() + this.sql as usize, STATEMENTS, work, Task::Statement(op));
    }
}

#[cfg(test)]
#[path = "sql_tests.rs"]
mod tests;
