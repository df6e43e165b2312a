//! Raft: rounds of proposals and messages, one writer of the log that makes all that waits durable at once, a quorum of
//! acknowledgements, and entries applied to the memtables.

use disk::IoOperation;
use rand::RngExt;

use super::World;
use super::event::{Event, Group, Item, NONE, Task};
use super::outage::MISSED;
use crate::cpu::Pool;
use crate::disks::Which;
use crate::load::PAGE;
use crate::network::Traffic;

/// A follower has the entries on disk.
const PERSISTED: u8 = 1;
/// A follower knows that they are committed.
const COMMITTED: u8 = 2;
/// Both.
const BOTH: u8 = PERSISTED | COMMITTED;
/// raft-write-size-limit: the most bytes of one write of the log.
const MOST_AT_ONCE: f64 = 1_048_576.0;
/// Where the log lies on a disk that it shares.
const LOG_PLACE: u64 = 1 << 44;
/// How far apart the writes of a sync and of a journal are: none of them are adjacent.
pub(super) const APART: u64 = 1 << 36;

impl World {
    /// A thread takes up what waits, if one is idle.
    pub(super) fn round(&mut self, node: usize) {
        let this = &mut self.nodes[node];
        if this.inbox.is_empty() && this.gathering.iter().all(|group| *group == NONE) {
            return;
        }
        let Some(thread) = this.idle.pop() else { return };
        // Nothing is in the thread's list, whose memory is for the next that comes.
        let mut items = std::mem::take(&mut this.rounds[thread as usize]);
        std::mem::swap(&mut items, &mut this.inbox);
        let received = items.len();
        items.extend(this.gathered().map(|group| Item { group, place: 0 }));
        for item in &items[received..] {
            this.regions.written(self.groups[item.group as usize].regions);
        }
        let records: f64 = items.iter().map(|item| self.groups[item.group as usize].records).sum();
        let work = records * self.c.cpu_write * self.c.store_share + self.c.cpu_batch;
        this.rounds[thread as usize] = items;
        self.submit(node, Pool::Store, work, Task::Store(thread));
    }

    /// A round is done: the leaders' entries go to their followers and, like the followers' own, to the writer.
    pub(super) fn round_done(&mut self, node: usize, thread: u8) {
        let mut items = std::mem::take(&mut self.nodes[node].rounds[thread as usize]);
        for item in items.drain(..) {
            if item.place == 0 {
                let Group { log, set, .. } = self.groups[item.group as usize];
                let from = self.nodes[node].zone;
                for place in 0..self.followers[node][set as usize].len() {
                    let follower = self.followers[node][set as usize][place] as usize;
                    self.network.count(Traffic::Peer, from, self.nodes[follower].zone, log * self.wire.0);
                    self.post(follower, Item { group: item.group, place: place as u8 + 1 });
                }
            }
            self.nodes[node].writer.queue.push_back(item);
        }
        self.sent(node, Event::Message);
        let this = &mut self.nodes[node];
        this.rounds[thread as usize] = items;
        this.idle.push(thread);
        self.write_log(node);
        self.round(node);
    }

    /// Puts an entry into what is sent to a node.
    fn post(&mut self, to: usize, item: Item) {
        if self.outbox[to] == NONE {
            self.outbox[to] = self.batches.open();
            self.posted.push(to as u16);
        }
        self.batches.add(self.outbox[to], item);
    }

    /// Sends what was posted, one message to each node.
    fn sent(&mut self, from: usize, event: fn(u16, u32) -> Event) {
        for to in self.posted.drain(..) {
            let batch = std::mem::replace(&mut self.outbox[to as usize], NONE);
            let arrives = self.now + self.network.between(self.nodes[from].zone, self.nodes[to as usize].zone);
            self.agenda.add(arrives, event(to, batch));
        }
    }

    /// The writer, if it is idle, writes what waits, up to its limit.
    fn write_log(&mut self, node: usize) {
        let c = self.c;
        let this = &mut self.nodes[node];
        if !this.writer.writing.is_empty() {
            return;
        }
        this.regions.next_batch();
        if this.writer.queue.is_empty() {
            // Without entries nobody waits for a disk.
            return this.regions.next_batch();
        }
        let mut bytes = 0.0;
        while let Some(item) = this.writer.queue.front() {
            let more = self.groups[item.group as usize].log;
            if bytes > 0.0 && bytes + more > MOST_AT_ONCE {
                break;
            }
            bytes += more;
            this.writer.writing.push(*item);
            this.writer.queue.pop_front();
        }
        let bytes = bytes * self.load.log_ratio;
        this.counts.log += bytes;
        this.writer.began = self.now;
        let writes = self.log_writes();
        let this = &mut self.nodes[node];
        let each = (bytes / writes as f64 / PAGE).ceil().max(1.0) * PAGE;
        let place = LOG_PLACE + this.writer.offset;
        let chance: f64 = self.random.random();
        let reads = (writes as f64 * c.log_reads_per_write + chance) as u64;
        let mut done = self.now;
        // Pages of recycled files that are overwritten in part are read; nobody waits for them longer than for the writes.
        for read in 0..reads {
            this.disks.submit(Which::Log, self.now, IoOperation::Read, place + (read + 8) * APART, PAGE as u32);
        }
        for write in 0..writes {
            done = done.max(this.disks.submit(
                Which::Log,
                self.now,
                IoOperation::Write,
                place + write * APART,
                each as u32,
            ));
        }
        this.writer.offset = (this.writer.offset + each as u64) % c.log_space as u64;
        // A block that is written for the first time is made known by the journal; one that is filled up was known.
        let end = this.writer.appended + bytes as u64;
        let grows = end.div_ceil(PAGE as u64) > this.writer.appended.div_ceil(PAGE as u64);
        this.writer.appended = end;
        this.writer.journal = if grows { c.log_journal_writes as u32 } else { 0 };
        self.agenda.add(done, Event::Written(node as u16));
    }

    /// Write requests of a sync: the mean, rounded by chance where it is no whole number.
    fn log_writes(&mut self) -> u64 {
        let mean = self.c.log_writes_per_sync.max(1.0);
        let more = mean.fract() > 0.0 && self.random.random::<f64>() < mean.fract();
        mean as u64 + u64::from(more)
    }

    /// Entries are durable: leaders count themselves, followers acknowledge.
    pub(super) fn log_synced(&mut self, node: u16) {
        let at = node as usize;
        let this = &mut self.nodes[at];
        this.counts.syncs += 1.0;
        this.counts.sync_time += (self.now - this.writer.began).as_secs_f64();
        let mut items = std::mem::take(&mut this.writer.writing);
        let [mut own, mut others] = std::mem::take(&mut self.durable);
        for item in items.drain(..) {
            let group = &self.groups[item.group as usize];
            if item.place > 0 {
                self.post(group.leader as usize, item);
                others.push(item);
            } else {
                self.nodes[at].regions.durable(group.regions);
                own.push(item);
            }
        }
        self.sent(at, Event::Acks);
        self.acknowledged(at, &own);
        self.known(at, &others, PERSISTED);
        own.clear();
        others.clear();
        self.durable = [own, others];
        self.nodes[at].writer.writing = items;
        self.write_log(at);
        self.proposes_on(at);
    }

    /// Entries reach a follower.
    pub(super) fn message(&mut self, node: usize, batch: u32) {
        let mut items = self.batches.take(batch);
        let inbox = &mut self.nodes[node].inbox;
        if inbox.is_empty() {
            std::mem::swap(inbox, &mut items);
        } else {
            inbox.extend_from_slice(&items);
        }
        self.batches.close(batch, items);
        self.round(node);
    }

    /// The node of a place: the leader's for 0, else a follower's.
    pub(super) fn node_of(&self, group: &Group, place: u8) -> usize {
        match place {
            0 => group.leader as usize,
            place => self.followers[group.leader as usize][group.set as usize][place as usize - 1] as usize,
        }
    }

    /// A follower's acknowledgements reach the leader.
    pub(super) fn acks(&mut self, node: usize, batch: u32) {
        let items = self.batches.take(batch);
        self.acknowledged(node, &items);
        self.batches.close(batch, items);
    }

    /// One more replica has the entries; those that have a quorum are committed, applied here, and told of to followers.
    fn acknowledged(&mut self, leader: usize, items: &[Item]) {
        let mut apply = std::mem::take(&mut self.to_apply);
        for item in items {
            let group = &mut self.groups[item.group as usize];
            group.acks += 1;
            group.persisted |= item.place == 0;
            let here = group.persisted || self.c.leader_first == 0.0;
            if !group.committed && group.acks >= self.quorum && here {
                group.committed = true;
                self.nodes[leader].regions.committed(group.regions);
                apply.push(Item { group: item.group, place: 0 });
                let set = group.set as usize;
                for place in 0..self.followers[leader][set].len() {
                    let to = self.followers[leader][set][place] as usize;
                    self.post(to, Item { group: item.group, place: place as u8 + 1 });
                }
            }
            self.closed(item.group);
        }
        self.sent(leader, Event::Commits);
        self.queue_apply(leader, apply);
    }

    /// A follower hears of commits.
    pub(super) fn commits(&mut self, node: usize, batch: u32) {
        let items = self.batches.take(batch);
        self.known(node, &items, COMMITTED);
        self.batches.close(batch, items);
    }

    /// A follower applies what it has and knows to be committed.
    fn known(&mut self, node: usize, items: &[Item], what: u8) {
        let mut apply = std::mem::take(&mut self.to_apply);
        for item in items {
            let known = &mut self.groups[item.group as usize].known[item.place as usize - 1];
            if *known & MISSED > 0 {
                self.passes_over(*item);
                continue;
            }
            *known |= what;
            if *known == BOTH {
                apply.push(*item);
            }
        }
        self.queue_apply(node, apply);
    }

    /// A node is to apply entries; the list is for the next that are found.
    fn queue_apply(&mut self, node: usize, items: Vec<Item>) {
        if items.is_empty() {
            self.to_apply = items;
            return;
        }
        let records: f64 = items.iter().map(|item| self.groups[item.group as usize].records).sum();
        let batch = self.batches.open();
        self.to_apply = self.batches.fill(batch, items);
        let work = records * self.c.cpu_write * self.c.apply_share + self.c.cpu_batch;
        self.submit(node, Pool::Apply, work, Task::Apply(batch));
    }

    /// Entries have been worked on: without flow control the engine may stall them.
    pub(super) fn apply(&mut self, node: usize, batch: u32) {
        let items = self.batches.take(batch);
        for item in &items {
            if self.options.flow_control || !self.stalled(node, *item) {
                self.applied(item.group, item.place);
            }
        }
        self.batches.close(batch, items);
    }

    /// Entries are in the memtables; the leader answers its clients.
    pub(super) fn applied(&mut self, index: u32, place: u8) {
        let group = &self.groups[index as usize];
        let node = self.node_of(group, place);
        let Group { tree: bytes, wal, again, head, .. } = *group;
        if self.waits_for_log(node, Item { group: index, place }) {
            return;
        }
        let this = &mut self.nodes[node];
        let mut full = false;
        for (tree, bytes) in this.trees.iter_mut().zip(bytes) {
            full |= tree.insert(bytes);
        }
        this.counts.written += bytes.iter().sum::<f64>();
        this.counts.wal += wal;
        self.append_log(node, wal);
        if full {
            self.close_log(node);
            self.schedule(node);
        }
        if again {
            self.caught_up(node);
        }
        if place == 0 {
            let at = self.now + self.apply_delay;
            let mut req = head;
            while req != NONE {
                let next = self.reqs[req as usize].next;
                self.answered(req, at);
                req = next;
            }
        }
        self.closed(index);
    }

    /// One thing less is to happen to a group.
    pub(super) fn closed(&mut self, index: u32) {
        let group = &mut self.groups[index as usize];
        group.open -= 1;
        if group.open == 0 {
            self.groups.remove(index as usize);
        }
    }
}
