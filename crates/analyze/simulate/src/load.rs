//! The workload as operations one by one: what each reads and writes, and how the reads of a node fare.

use deployment::{BlockCompression, EngineSettings, LockMode};
use engine::HitCurve;
use rand::RngExt;
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Bytes, Nanos};
use workload::Task;

use crate::Constants;
use crate::tree::{Overwrites, Ratios};

/// TiKV's default data block, before compression: 32 KiB since 6.6.
const DEFAULT_BLOCK: Bytes = Bytes::kib(32);
/// Memory page and least disk read.
pub(crate) const PAGE: f64 = 4096.0;

/// What is the same for all operations.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    reads: f64,
    scans: f64,
    statements: f64,
    /// Statements that read an index entry before they read rows.
    lookups: f64,
    /// Statements that write locks.
    locking: f64,
    /// Whether they wait for them.
    pub(crate) locks_waited_for: bool,
    /// Rows and index entries written.
    records: f64,
    /// What the run began with of these: reads, scans and records.
    began: [f64; 3],
    /// Deviation of the logarithm of an operation's work.
    spread: f64,
    /// Whether writes are two-phase commits.
    pub(crate) transactional: bool,
    /// Seconds of a statement outside the storage nodes.
    call: f64,
    /// Core-seconds of a statement, a row read and a record written at an SQL node, where there are such nodes.
    sql: [f64; 3],
    rows_per_scan: f64,
    pub(crate) think: Nanos,
    /// Raft proposals for each record.
    pub(crate) proposals: f64,
    /// Bytes of a record in the log, by [`Phase`].
    log: [f64; 3],
    /// Bytes of a record in the tree: into the default and the write column family.
    pub(crate) tree: [f64; 2],
    /// Bytes of a record that stay in the tree when large values are kept apart: of the default and the write column family.
    pub(crate) entries: [f64; 2],
    /// Bytes of a record in RocksDB's own log, by [`Phase`].
    pub(crate) wal: [f64; 3],
    /// Bytes of a proposal's header in the log.
    pub(crate) header: f64,
    /// Share of log bytes left by compression.
    pub(crate) log_ratio: f64,
    /// Bytes that the user writes with a record.
    pub(crate) user: f64,
    /// Core-seconds of a point read, and of a scan.
    pub(crate) read_cpu: f64,
    pub(crate) scan_cpu: f64,
    /// Core-seconds of a block that the block cache lacks: to have it from the kernel, check and decompress it.
    pub(crate) block_cpu: f64,
    /// Blocks of a scan.
    pub(crate) scan_blocks: f64,
    /// Bytes of the answer to a read, and to a scan.
    pub(crate) answers: [f64; 2],
}

/// What a write brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Rows: a raw write or a prewrite.
    Rows,
    /// A commit.
    Commit,
    /// Locks, before both.
    Locks,
}

/// One operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Drawn {
    pub(crate) reads: u32,
    pub(crate) scans: u32,
    pub(crate) records: u32,
    /// Statements that write locks before the records are written.
    pub(crate) locking: u32,
    /// Requests in which it reads, one after the other.
    pub(crate) requests: u32,
    /// Time outside the storage nodes before each request, and before the writes.
    pub(crate) pause: Nanos,
    /// Core-seconds of an SQL node before each of them, which `pause` is without.
    pub(crate) work: f64,
}

impl Load {
    /// The operations of a task.
    pub(crate) fn new(task: &Task, settings: &EngineSettings, c: &Constants) -> Self {
        let profile = &task.profile;
        let block = settings.block_size.unwrap_or(DEFAULT_BLOCK).as_f64();
        let row = profile.row.as_f64();
        let (rows, entries) = (profile.inserts + profile.updates, profile.inserts * profile.indexes);
        let records = rows + entries;
        let per_record = |rows_bytes: f64| {
            (rows * (rows_bytes + c.key_overhead) + entries * (profile.index_entry.as_f64() + c.key_overhead))
                / records.max(1e-12)
        };
        let separated = settings.value_separation.is_some_and(|least| profile.row >= least);
        let in_tree = if separated { per_record(c.pointer - c.key_overhead) } else { per_record(row) };
        let value = per_record(row);
        let transactional = profile.transactional;
        let locks = settings.locks.unwrap_or_default();
        let scan_row = profile.rows_per_scan;
        let [rows, commit] = if transactional { [value + c.lock_record, c.write_record] } else { [value, 0.0] };
        Self {
            reads: profile.point_reads,
            scans: profile.scans,
            statements: profile.statements,
            lookups: profile.lookups,
            locking: if locks == LockMode::Memory { 0.0 } else { profile.locking },
            locks_waited_for: locks == LockMode::Written,
            records,
            began: [profile.point_reads, profile.scans, records],
            spread: (1.0 + profile.spread * profile.spread).ln().sqrt(),
            transactional,
            call: if transactional { c.statement } else { c.raw_call },
            sql: [0.0; 3],
            rows_per_scan: scan_row,
            think: profile.think,
            proposals: if transactional { c.proposals_per_write } else { 1.0 },
            log: [rows, commit, c.lock_record],
            tree: if transactional { [value, c.write_record] } else { [value, 0.0] },
            entries: if transactional { [in_tree, c.write_record] } else { [in_tree, 0.0] },
            wal: [rows, commit, c.lock_record],
            header: c.entry_overhead,
            log_ratio: profile.compressed.powf(c.log_compression),
            user: value - c.key_overhead,
            read_cpu: c.cpu_point_get,
            scan_cpu: c.cpu_scan + scan_row * c.cpu_scan_row,
            // A block holds a row at least; of values that are kept apart each is a block.
            block_cpu: c.cpu_block + if separated { row } else { block.max(row) } * c.cpu_block_byte,
            scan_blocks: 1.0 + scan_row * row * profile.encoded / block,
            answers: [row, scan_row * row],
        }
    }

    /// Statements take processor time of SQL nodes.
    pub(crate) fn speaks_sql(&mut self, c: &Constants) {
        self.sql = [c.sql_statement, c.sql_row_read, c.sql_record_written];
    }

    /// From now on an operation has so many times the reads, scans and writes of the beginning.
    pub(crate) fn mix(&mut self, factors: [f64; 3]) {
        [self.reads, self.scans, self.records] = std::array::from_fn(|at| self.began[at] * factors[at]);
    }

    /// Bytes in the log of proposals with so many records.
    pub(crate) fn logged(&self, proposals: u32, records: f64, phase: Phase) -> f64 {
        records * self.log[phase as usize] + f64::from(proposals) * self.header
    }

    /// Draws an operation. The fractions of reads, scans and writes are laid end to end and one number picks from them, so
    /// that an operation of a mix is a read or a write, not both, wherever the means allow it.
    pub(crate) fn draw(&self, random: &mut Xoshiro256PlusPlus) -> Drawn {
        let factor = if self.spread > 0.0 {
            let normal: f64 = random.sample(StandardNormal);
            (self.spread * normal - self.spread * self.spread / 2.0).exp()
        } else {
            1.0
        };
        let at: f64 = random.random();
        let mut edge = 0.0f64;
        let mut whole = |mean: f64| {
            let (from, to) = (edge, edge + mean * factor);
            edge = to;
            // How often the comb at + k, for whole k, falls into this interval.
            ((to - at).ceil() - (from - at).ceil()) as u32
        };
        let (mut reads, scans, mut records) = (whole(self.reads), whole(self.scans), whole(self.records));
        // What is left of a short operation is one request.
        match reads + scans + records {
            0 if self.reads >= self.records => reads = 1,
            0 => records = 1,
            _ => {}
        }
        let locking = if records > 0 { (self.locking * factor + at) as u32 } else { 0 };
        let statements = (self.statements * factor).max(1.0);
        let writes = f64::from(u8::from(records > 0));
        // The commit of a transaction is a statement that does not read.
        let reading = (statements - writes * f64::from(u8::from(self.transactional))).round().max(1.0);
        // Such a statement asks for its rows when it has the entry.
        let requests = (reads + scans).min((reading + (self.lookups * factor).round()) as u32);
        let steps = (f64::from(requests) + writes).max(1.0);
        let rows = f64::from(reads) + f64::from(scans) * self.rows_per_scan;
        let [of_statement, of_row, of_record] = self.sql;
        let work = statements * of_statement + rows * of_row + f64::from(records) * of_record;
        // The time of a statement was measured with the work of the SQL layer in it.
        let pause = (statements * self.call - work).max(0.0) / steps;
        Drawn { reads, scans, records, locking, requests, pause: Nanos::from_secs_f64(pause), work: work / steps }
    }
}

/// How the reads of a node fare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Caches {
    /// Share of blocks found in the block cache.
    pub(crate) block_cache: f64,
    /// Share found there or, compressed, in the page cache.
    pub(crate) memory: f64,
    /// Bytes of a disk read.
    pub(crate) read_size: u32,
    /// Bytes in the block cache.
    pub(crate) held: f64,
    /// Blocks of rows in it.
    pub(crate) blocks: f64,
}

/// The data of one node.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    /// Bytes of files of the default and the write column family.
    pub(crate) stored: Vec<f64>,
    /// Bytes of separated values.
    pub(crate) blobs: f64,
    pub(crate) ratios: Ratios,
    pub(crate) overwrites: Overwrites,
    pub(crate) caches: Caches,
    /// Bytes that the page cache has room for, and the share of all files that foreground blocks leave room for.
    pub(crate) page_cache: f64,
    pub(crate) in_page_cache: f64,
    /// Share of a memtable's bytes that goes into the tree.
    pub(crate) in_tree: f64,
    /// Bytes of blob files for a byte of the memtable, and the share of them that garbage collection rewrites.
    pub(crate) separated: (f64, f64),
}

impl Data {
    /// The data of one of `nodes` nodes with so much memory. Sizes follow the engine's analytic form.
    pub(crate) fn new(
        task: &Task,
        settings: &EngineSettings,
        (nodes, replicas): (f64, f64),
        memory: f64,
        c: &Constants,
    ) -> Self {
        let profile = &task.profile;
        let size = settings.block_size.unwrap_or(DEFAULT_BLOCK);
        let block = size.as_f64();
        let compression = settings.compression.unwrap_or_default();
        let ratios = Ratios::new(profile.compressed, block, compression, c);
        let separated = settings.value_separation.is_some_and(|least| profile.row >= least);
        let row = profile.row.as_f64();
        let logical = profile.data.as_f64() * profile.encoded;
        let here = logical * replicas / nodes;
        let in_tree = if separated { c.pointer / row } else { 1.0 };
        let tree = here * in_tree * ratios.at_rest();
        let load = Load::new(task, settings, c);
        let [value, _] = load.tree;
        let [default, commit] = load.entries;
        let shares = if profile.transactional { vec![default, commit] } else { vec![default] };
        let all: f64 = shares.iter().sum::<f64>().max(1e-12);
        let zstd = Ratios::new(profile.compressed, block, BlockCompression::Zstd, c).at_rest();
        let updates = profile.updates / (profile.inserts + profile.updates).max(1e-12);
        let overwrites =
            Overwrites::new(&profile.popularity, profile.data.as_f64() * replicas / nodes / row, updates, value);

        let block_cache = settings.block_cache.map_or(memory * c.block_cache_share, Bytes::as_f64).min(memory);
        let page_cache = (memory * (1.0 - c.resident_share) - c.resident_base - block_cache).max(0.0);
        let index = here / block * c.index_entry;
        let blocks = (block_cache - index).max(0.0);
        let led = (logical / nodes).max(1.0);
        let curve = HitCurve::of_blocks(profile, size);
        let compressed = page_cache * c.page_cache_share / ratios.at_rest();
        let caches = Caches {
            block_cache: curve.hit_rate((blocks / led).min(1.0)),
            memory: curve.hit_rate(((blocks + compressed) / led).min(1.0)),
            read_size: ((block * ratios.at_rest() / PAGE).ceil() * PAGE + PAGE) as u32,
            held: block_cache.min(led + index),
            blocks: (blocks.min(led) / block).max(1.0),
        };
        let blobs = if separated { here * (zstd + c.blob_record / row) / (1.0 - c.blob_garbage) } else { 0.0 };
        Self {
            page_cache,
            in_page_cache: (page_cache * c.page_cache_share / (tree + blobs).max(1.0)).min(1.0),
            stored: shares.iter().map(|share| tree * share / all).collect(),
            blobs,
            ratios,
            overwrites,
            caches,
            in_tree: if separated { default / value } else { 1.0 },
            separated: if separated {
                ((1.0 - default / value) * zstd + c.blob_record / value, updates)
            } else {
                (0.0, 0.0)
            },
        }
    }
}

/// Bytes on the data disk of a node beside its files: TiKV's reserve, and the log if it has no disk of its own.
pub(crate) fn reserved(separate_log: bool, c: &Constants) -> f64 {
    c.reserved_space + if separate_log { 0.0 } else { c.log_space }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
