//! Jobs of processors: one that has a hardware thread of its own ends as an event of the agenda; of those that share, the one that
//! ends first is looked for.

use units::Nanos;

use super::World;
use super::event::{Event, Task};
use crate::cpu::{Cpu, Pool, Ticket};

impl World {
    /// The processors of a node; from their number on those of the nodes that speak SQL, and last what runs beside all.
    fn processors(&mut self, node: usize) -> Option<&mut Cpu<Task>> {
        let beside = node.wrapping_sub(self.nodes.len());
        match (self.nodes.get_mut(node), self.sql.get_mut(beside)) {
            (Some(node), _) => Some(&mut node.cpu),
            (None, Some(node)) => Some(&mut node.cpu),
            (None, None) => self.shared.as_mut().map(|shared| &mut shared.cpu),
        }
    }

    /// Adds a job of `work` seconds on a thread of an m5.
    pub(super) fn submit(&mut self, node: usize, pool: Pool, work: f64, task: Task) {
        self.begin_job(node, |cpu, now| cpu.begin(now, pool, work, task));
    }

    /// A thread that has done its job, and what it waited for after it, takes the next.
    pub(super) fn free(&mut self, node: usize, pool: Pool) {
        self.begin_job(node, |cpu, now| cpu.begin_next(now, pool));
    }

    fn begin_job(&mut self, node: usize, begin: impl FnOnce(&mut Cpu<Task>, Nanos) -> Option<(Nanos, Ticket)>) {
        let now = self.now;
        let Some(cpu) = self.processors(node) else { return };
        match begin(cpu, now) {
            Some((at, job)) => self.agenda.add(at, Event::Job(node as u16, job)),
            None => self.shares |= cpu.next() < Nanos(u64::MAX),
        }
    }

    /// Itself, once such a thread is free.
    pub(super) fn freed(&mut self, node: usize, pool: Pool) -> &mut Self {
        self.free(node, pool);
        self
    }

    /// Takes the job that is done first of those that share processors, if that is before anything else happens: whether there is one.
    /// Out of line, for where threads are enough none share.
    #[inline(never)]
    pub(super) fn take_job(&mut self) -> bool {
        self.share();
        let (node, first) = self.first_job();
        let is_next = first < self.agenda.next_at();
        if is_next {
            self.now = self.now.max(first);
            if let Some((pool, task)) = self.processors(node).and_then(Cpu::take) {
                self.worked(node, pool, task);
            }
        }
        is_next
    }

    /// The processors of those jobs that have done one first, and when.
    fn first_job(&mut self) -> (usize, Nanos) {
        let nodes = self.nodes.iter().map(|node| &node.cpu);
        let beside = self.sql.iter().map(|node| &node.cpu).chain(self.shared.as_ref().map(|shared| &shared.cpu));
        let mut first = (0, Nanos(u64::MAX));
        for (index, cpu) in nodes.chain(beside).enumerate() {
            if cpu.next() < first.1 {
                first = (index, cpu.next());
            }
        }
        // One machine's are shared with the disks at any time.
        self.shares = self.shared.is_some() || first.1 < Nanos(u64::MAX);
        first
    }

    /// A job that has had a thread of its own is done, unless it came to share.
    pub(super) fn end_job(&mut self, node: usize, job: Ticket) {
        if let Some((pool, task)) = self.processors(node).and_then(|cpu| cpu.end(job)) {
            self.worked(node, pool, task);
        }
    }
}
