//! Flushes and compactions: threads that read, merge and write a step at a time, behind the rate limiter.

use disk::IoOperation;
use rand::RngExt;

use super::World;
use super::event::{Event, Kind, Part, Task, Work};
use crate::blobs::Met;
use crate::cpu::Pool;
use crate::disks::Which;
use crate::flow::Happened;
use crate::load::PAGE;
use crate::tree::Tree;

/// L0 over this share of its threshold, or pending bytes over this share of the soft limit, is a hurry for the rate limiter:
/// `ColumnFamilyData::RecalculateWriteStallConditions` of TiKV's RocksDB.
const HURRY_FILES: f64 = 0.8;
const HURRY_BYTES: f64 = 0.5;
/// Files are written side by side, so far apart.
const FILE_PLACES: u64 = 1 << 30;

impl World {
    /// Starts all that is due and has a thread.
    pub(super) fn schedule(&mut self, node: usize) {
        while self.start_flush(node) {}
        while self.start_compaction(node) {}
    }

    fn start_flush(&mut self, node: usize) -> bool {
        let this = &mut self.nodes[node];
        if this.flushing >= this.slots.flushes {
            return false;
        }
        let next = this.trees.iter_mut().enumerate().find_map(|(family, tree)| Some((family, tree.pick_flush()?)));
        let Some((family, flush)) = next else { return false };
        this.flushing += 1;
        let blobs = if family == 0 { flush.raw * self.separated.0 } else { 0.0 };
        let blob = this.blobs.open();
        let work = Work { node: node as u16, family: family as u8, kind: Kind::Flush(flush), blob, parts: 1 };
        let files = 1.0 + f64::from(u8::from(blobs > 0.0));
        let cpu = flush.out * self.c.cpu_compaction_byte + self.work_on_values(blobs);
        self.start(work, files, flush.out + blobs, 0.0, Met::default(), cpu);
        true
    }

    fn start_compaction(&mut self, node: usize) -> bool {
        let this = &mut self.nodes[node];
        if this.compacting >= this.slots.compactions {
            return false;
        }
        let next = this.trees.iter_mut().enumerate().find_map(|(family, tree)| Some((family, tree.pick()?)));
        let Some((family, pick)) = next else { return false };
        this.compacting += 1;
        // A compaction within L0 meets new keys only.
        let met = if pick.to > 0 { (pick.upper + pick.lower) / this.trees[family].bytes().max(1.0) } else { 0.0 };
        let cache = (this.counts.kept(), this.page_cache);
        let met = if family == 0 { this.blobs.met(met, cache) } else { Met::default() };
        let parts = if pick.level == 0 && pick.to > 0 { this.slots.sub } else { 1 };
        let (blob, kind) = (this.blobs.open(), Kind::Compact(pick, met.alive));
        let work = Work { node: node as u16, family: family as u8, kind, blob, parts };
        let files = (pick.out / self.c.file_size).ceil() + f64::from(u8::from(met.alive > 0.0));
        let bytes = pick.upper + pick.lower + met.alive + pick.out;
        let entries = pick.raw / self.load.entries[family].max(1.0);
        let cpu = bytes * self.c.cpu_compaction_byte + entries * self.c.cpu_compaction_entry;
        let cpu = cpu + self.work_on_values(met.alive);
        self.start(work, files, pick.out + met.alive, pick.upper + pick.lower, met, cpu);
        true
    }

    /// Core-seconds for values of so many bytes in a blob file that is written: each is compressed by itself.
    fn work_on_values(&self, bytes: f64) -> f64 {
        if bytes <= 0.0 {
            return 0.0;
        }
        let each = (self.separated.0 * self.load.tree[0]).max(1.0);
        bytes * self.c.cpu_blob_byte + bytes / each * self.c.cpu_blob_value
    }

    /// Cuts work that writes so many files into parts and steps, and begins. Beside files of the tree it takes values out of blob
    /// files. `cpu` are its core-seconds.
    fn start(&mut self, work: Work, files: f64, output: f64, input: f64, values: Met, cpu: f64) {
        let parts = work.parts;
        let index = self.works.insert(work) as u32;
        let each = output.max((input + values.read) * 0.01) / f64::from(parts);
        let steps = (each / self.c.compaction_write_size).ceil().max(1.0);
        let read_miss = self.nodes[work.node as usize].read_miss;
        for _ in 0..parts {
            let this = &mut self.nodes[work.node as usize];
            let to = this.offset;
            this.offset += FILE_PLACES;
            let from = self.random.random_range(0..FILE_PLACES) & !0xFFFF;
            let share = f64::from(parts) * steps;
            let part = Part {
                flush: matches!(work.kind, Kind::Flush(_)),
                steps: steps as u32,
                input: (input + values.alive) / share,
                read: (input * read_miss + values.read) / share,
                output: output / share,
                cpu: cpu / share,
                files: files / share,
                opens: (values.files * self.c.blob_open_reads / f64::from(parts)).round() as u32,
                from: (1 << 43) + from,
                to_read: self.random.random_range(0.0..self.c.compaction_read_size),
                ..Part::idle(index, work.node, to)
            };
            let flush = part.flush;
            let part = self.parts.insert(part) as u32;
            if flush { self.sync_logs(part) } else { self.begin_step(part) }
        }
    }

    pub(super) fn begin_step(&mut self, index: u32) {
        let part = self.parts[index as usize];
        let at = self.nodes[part.node as usize].limiter.request(self.now, part.output, part.flush);
        if at > self.now { self.agenda.add(at, Event::Grant(index)) } else { self.granted(index) }
    }

    /// A step may be taken: its reads go to the disk one after the other, and the thread works on it meanwhile, for they are made
    /// ahead.
    pub(super) fn granted(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        let this = &mut self.nodes[part.node as usize];
        part.waiting = 2;
        part.to_read += part.read;
        let pool = if part.flush {
            this.counts.flush += part.output;
            Pool::Flush
        } else {
            this.counts.compaction_read += part.input;
            this.counts.compaction_write += part.output;
            Pool::Compaction
        };
        let (node, cpu) = (part.node as usize, part.cpu);
        self.submit(node, pool, cpu, Task::Part(index));
        self.next_read(index);
    }

    /// The disk has done what a thread waits for.
    pub(super) fn request_done(&mut self, index: u32) {
        if self.parts[index as usize].syncing { self.file_durable(index) } else { self.next_read(index) }
    }

    /// The next read of a step. A thread has one at the disk at a time.
    fn next_read(&mut self, index: u32) {
        let c = self.c;
        let part = &mut self.parts[index as usize];
        // Whole requests: what is left over waits for the next step.
        let bytes = if part.opens > 0 {
            part.opens -= 1;
            PAGE as u64
        } else if part.to_read >= c.compaction_read_size {
            part.to_read -= c.compaction_read_size;
            c.compaction_read_size as u64
        } else {
            return self.step_half_done(index);
        };
        let disks = &mut self.nodes[part.node as usize].disks;
        let done = disks.submit(Which::Data, self.now, IoOperation::Read, part.from, bytes as u32);
        part.from += bytes;
        self.agenda.add(done, Event::Step(index));
    }

    /// The disk or the thread has done its half of a step.
    pub(super) fn step_half_done(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        part.waiting -= 1;
        if part.waiting == 0 {
            self.step_written(index);
        }
    }

    /// A step is done, and what it wrote of files is durable.
    pub(super) fn step_done(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        part.steps -= 1;
        if part.steps > 0 {
            return self.begin_step(index);
        }
        self.part_done(index);
    }

    /// A thread has done its share of the work.
    pub(super) fn part_done(&mut self, index: u32) {
        let work = self.parts.remove(index as usize).work;
        let whole = &mut self.works[work as usize];
        whole.parts -= 1;
        if whole.parts == 0 {
            let work = self.works.remove(work as usize);
            self.background_done(work);
        }
    }

    fn background_done(&mut self, work: Work) {
        let (node, family) = (work.node as usize, work.family as usize);
        let this = &mut self.nodes[node];
        let happened = match work.kind {
            Kind::Flush(flush) => {
                this.trees[family].flushed(flush);
                this.flushing -= 1;
                let blobs = if family == 0 { flush.raw * self.separated.0 } else { 0.0 };
                this.blobs.flushed((work.blob, this.counts.kept()), blobs, self.separated.1);
                // What updates kill of the values is rewritten once, as files reach their share of garbage.
                let garbage = this.blobs.garbage(blobs, self.separated.1);
                if garbage > 0.0 {
                    let cpu = garbage * self.c.cpu_compaction_byte + self.work_on_values(garbage);
                    let collect = Work { kind: Kind::Collect, parts: 1, ..work };
                    self.start(collect, 1.0, garbage, garbage, Met::default(), cpu);
                }
                Happened::Flush
            }
            Kind::Compact(pick, moved) => {
                this.blobs.moved((work.blob, this.counts.kept()), moved);
                let files = this.trees.iter().map(Tree::bytes).sum::<f64>() + this.blobs.bytes();
                this.cached.lose((pick.upper + pick.lower) / files.max(1.0));
                this.trees[family].compacted(pick);
                this.compacting -= 1;
                Happened::Compaction(pick.level == 0)
            }
            Kind::Collect => return,
            Kind::SyncLogs => return self.collect_next(work.node),
        };
        let this = &mut self.nodes[node];
        let behind = this.behind(family);
        let c = self.c;
        this.limiter.hurry(
            behind.l0_files >= HURRY_FILES * c.l0_files_threshold || behind.pending >= HURRY_BYTES * c.soft_pending,
        );
        if self.options.flow_control {
            this.flow.on(self.now, happened, family, behind, &c);
        } else {
            self.released(node);
        }
        self.schedule(node);
    }
}
