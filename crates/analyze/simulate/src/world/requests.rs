//! Requests at a node: reads through the caches to the disk, writes through flow control to their proposal.

use disk::IoOperation;
use rand::RngExt;

use super::World;
use super::cached::Found;
use super::event::{Event, Group, MOST_FOLLOWERS, NONE, Task, What};
use super::regions::Set;
use crate::cpu::Pool;
use crate::disks::Which;
use crate::load::{PAGE, Phase};
use crate::network::Traffic;

impl World {
    /// A request reaches its node.
    pub(super) fn request(&mut self, req: u32) {
        self.reqs[req as usize].arrived = true;
        let this = self.reqs[req as usize];
        let zone = self.nodes[this.node as usize].zone;
        match this.what {
            What::Read { reads, scans, .. } => {
                let load = &self.load;
                let answer = f64::from(reads) * load.answers[0] + f64::from(scans) * load.answers[1];
                self.network.count(Traffic::Client, zone, this.zone as usize, answer);
                // A follower asks the leader how far it must have applied.
                if self.follower_read {
                    self.agenda.add(self.now + self.index_trip, Event::Admitted(req));
                } else {
                    self.admitted(req);
                }
            }
            What::Write { proposals, records, phase } => {
                let bytes = self.load.logged(proposals, records, phase);
                let node = &mut self.nodes[this.node as usize];
                if self.options.flow_control && node.flow.holds() {
                    if node.flow.refused() > self.random.random::<f64>() {
                        self.seen.busy += 1;
                        self.agenda
                            .add(self.now + units::Nanos::from_secs_f64(self.c.busy_backoff), Event::Request(req));
                        return;
                    }
                    let wait = node.flow.pass(self.now, bytes);
                    node.counts.throttle_time += wait.as_secs_f64();
                    self.agenda.add(self.now + wait, Event::Admitted(req));
                    return;
                }
                node.flow.pass(self.now, bytes);
                self.admitted(req);
            }
        }
    }

    /// A request is worked on: a read up to its blocks, a write up to its proposal.
    pub(super) fn admitted(&mut self, req: u32) {
        let this = self.reqs[req as usize];
        let (proposals, records, phase) = match this.what {
            What::Write { proposals, records, phase } => (proposals, records, phase),
            What::Read { reads, scans, .. } => {
                let unpacked = self.look_for_blocks(req, reads, scans);
                let mut work = f64::from(reads) * self.load.read_cpu + f64::from(scans) * self.load.scan_cpu;
                work += f64::from(unpacked) * self.load.block_cpu;
                if self.follower_read {
                    work += self.c.cpu_read_index;
                }
                self.submit(this.node as usize, Pool::Read, work, Task::Read(req));
                return;
            }
        };
        let bytes = self.load.logged(proposals, records, phase);
        let work = records * self.c.cpu_write * self.c.scheduler_share + bytes * self.wire.1;
        let zone = self.nodes[this.node as usize].zone;
        self.network.count(Traffic::Client, this.zone as usize, zone, bytes * self.wire.0);
        self.submit(this.node as usize, Pool::Scheduler, work, Task::Write(req));
    }

    /// Where the blocks of a read are: it will have those that are in no cache from the disk. Gives how many are not in the block
    /// cache, and have to be decompressed.
    fn look_for_blocks(&mut self, req: u32, reads: u32, scans: u32) -> u32 {
        let node = &mut self.nodes[self.reqs[req as usize].node as usize];
        let depth: f64 = node.trees.iter().map(|tree| (tree.depth() + tree.l0_files()) as f64).sum();
        // Filters send a point read into other files in vain.
        let more = (depth - 1.0).max(0.0) * self.c.false_positive;
        let blocks = f64::from(reads) * (1.0 + more) + f64::from(scans) * self.load.scan_blocks;
        let chance: f64 = self.random.random();
        let caches = node.caches;
        let blocks = (blocks + chance) as u32;
        let (mut unpacked, mut missing) = (0, 0);
        for _ in 0..blocks {
            let found = node.cached.find(&caches, node.read_miss, self.random.random());
            unpacked += u32::from(found != Found::BlockCache);
            missing += u32::from(found == Found::Disk);
        }
        node.counts.hits += f64::from(blocks - unpacked);
        node.counts.misses += f64::from(unpacked);
        self.reqs[req as usize].what = What::Read { reads, scans, blocks: missing };
        unpacked
    }

    /// A read has been worked on, or has a block: the next one comes from the disk, one after the other, or it is answered. The
    /// thread waits for them, as RocksDB's callers do.
    pub(super) fn read_on(&mut self, req: u32) {
        let this = &mut self.reqs[req as usize];
        let What::Read { blocks, .. } = &mut this.what else { return };
        let at = this.node as usize;
        if *blocks == 0 {
            self.free(at, Pool::Read);
            self.answered(req, self.now);
            return;
        }
        *blocks -= 1;
        let node = &mut self.nodes[at];
        let places = (node.size / PAGE) as u64;
        let offset = self.random.random_range(0..places.max(1)) * PAGE as u64;
        let done = node.disks.submit(Which::Data, self.now, IoOperation::Read, offset, node.caches.read_size);
        self.agenda.add(done, Event::Read(req));
    }

    /// A write joins what the next round of raft groups takes up, those of its leader's `regions`.
    pub(super) fn gather(&mut self, req: u32, regions: Set) {
        let this = self.reqs[req as usize];
        let What::Write { proposals, records, phase } = this.what else { return };
        let leader = this.node;
        let sets = self.followers[leader as usize].len();
        let set = if sets > 1 { self.random.random_range(0..sets) } else { 0 };
        let mut group = self.nodes[leader as usize].gathering[set];
        if group == NONE {
            let followers = self.followers[leader as usize][set].len() as u8;
            group = self.groups.insert(Group {
                leader,
                set: set as u16,
                head: NONE,
                regions: 0,
                records: 0.0,
                log: 0.0,
                tree: [0.0; 2],
                wal: 0.0,
                acks: 0,
                persisted: false,
                committed: false,
                known: [0; MOST_FOLLOWERS],
                // Each replica applies and acknowledges.
                open: 2 + 2 * followers,
                again: false,
            }) as u32;
            self.nodes[leader as usize].gathering[set] = group;
        }
        let this = &mut self.groups[group as usize];
        self.reqs[req as usize].next = this.head;
        this.head = req;
        this.regions |= regions;
        this.records += records;
        this.log += self.load.logged(proposals, records, phase);
        this.wal += records * self.load.wal[phase as usize];
        // Locks have a column family of their own, in whose memtable they are gone before it is full.
        if phase != Phase::Locks {
            this.tree[phase as usize] += records * self.load.tree[phase as usize];
        }
    }
}
