//! RocksDB's own write stalls, which TiKV's flow control replaces: writes are slowed down, then stopped.

use units::Nanos;

use super::World;
use super::event::{Event, Item};

/// What the engine lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stall {
    Free,
    Delayed,
    Stopped,
}

impl World {
    /// After `ColumnFamilyData::GetWriteStallConditionAndCause`.
    fn stall(&self, node: usize) -> Stall {
        let c = self.c;
        let mut stall = Stall::Free;
        for family in 0..self.nodes[node].trees.len() {
            let behind = self.nodes[node].behind(family);
            if behind.memtables >= c.stall_memtables || behind.l0_files >= c.l0_stop || behind.pending >= c.hard_pending
            {
                return Stall::Stopped;
            }
            let memtables = behind.memtables >= c.stall_memtables - 1.0;
            if memtables || behind.l0_files >= c.l0_files_threshold || behind.pending >= c.soft_pending {
                stall = Stall::Delayed;
            }
        }
        stall
    }

    /// Whether the engine holds entries up; if so, it lets them go later.
    pub(super) fn stalled(&mut self, node: usize, item: Item) -> bool {
        let stall = if self.nodes[node].held.is_empty() { self.stall(node) } else { Stall::Stopped };
        let this = &mut self.nodes[node];
        match stall {
            Stall::Free => false,
            Stall::Delayed => {
                let bytes = self.groups[item.group as usize].wal;
                let from = this.delayed.max(self.now);
                this.delayed = from + Nanos::from_secs_f64(bytes / self.c.delayed_write_rate);
                this.counts.stall_time += (this.delayed - from).as_secs_f64();
                self.agenda.add(this.delayed, Event::Applied(item.group, item.place));
                true
            }
            Stall::Stopped => {
                if this.held.is_empty() {
                    this.stopped = self.now;
                }
                this.held.push(item);
                true
            }
        }
    }

    /// A flush or compaction is done: what was stopped may go on.
    pub(super) fn released(&mut self, node: usize) {
        let stopped = !self.options.flow_control && self.stall(node) == Stall::Stopped;
        if self.nodes[node].held.is_empty() || stopped {
            return;
        }
        let this = &mut self.nodes[node];
        this.counts.stall_time += (self.now - this.stopped).as_secs_f64();
        for item in std::mem::take(&mut this.held) {
            self.agenda.add(self.now, Event::Applied(item.group, item.place));
        }
    }
}
