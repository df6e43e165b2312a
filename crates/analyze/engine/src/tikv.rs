//! TiKV: a replicated log in front of a levelled tree, read through a block cache and the page cache.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use deployment::{EngineSettings, LockMode};
use units::Bytes;
use workload::Task;

use crate::CompressionRatios;
use crate::cache::HitCurve;
use crate::calibration::Tikv;
use crate::demand::{AnalyticModel, ClusterMachines, IoDemand, OperationDemand, OperationPath, target_rate};
use crate::group_commit::syncs_per_second;
use crate::lsm::Tree;

/// TiKV's default data block, before compression (32 KiB since 6.6; the sources' experiments had 64 KiB).
const DEFAULT_BLOCK: Bytes = Bytes::kib(32);
/// Block sizes whose hit curves are drawn once; others are drawn as asked for.
const USUAL_BLOCKS: [Bytes; 4] = [Bytes::kib(4), Bytes::kib(16), Bytes::kib(32), Bytes::kib(64)];
/// Memory page and least disk read.
const PAGE: f64 = 4096.0;

/// A task on TiKV.
#[derive(Debug, Clone)]
pub(crate) struct TikvModel<'a> {
    constants: &'a Tikv,
    task: &'a Task,
    curves: BTreeMap<Bytes, HitCurve>,
}

/// What the writes of one operation come to, before replication.
struct Writes {
    /// Rows and index entries written.
    rows: f64,
    /// How often a row goes through the raft log: prewrite and commit in a transaction, its lock before where that is written; once
    /// as a raw key.
    passes: f64,
    /// Bytes into the raft log, uncompressed.
    log: f64,
    /// Raft proposals.
    proposals: f64,
    /// Bytes into the tree.
    tree: f64,
    /// Bytes into separated values.
    blobs: f64,
}

/// How the reads of one operation fare.
struct Reads {
    /// Blocks asked for.
    blocks: f64,
    /// Share of them that come from the disk.
    miss: f64,
    /// Bytes of a disk read.
    size: f64,
}

impl<'a> TikvModel<'a> {
    pub(crate) fn new(constants: &'a Tikv, task: &'a Task) -> Self {
        let curve = |block: Bytes| HitCurve::of_blocks(&task.profile, block);
        Self { constants, task, curves: USUAL_BLOCKS.into_iter().map(|block| (block, curve(block))).collect() }
    }
}

impl AnalyticModel for TikvModel<'_> {
    fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand {
        if let Cow::Owned(apart) = settings.laid_out(self.task) {
            return TikvModel::new(self.constants, &apart).demand(cluster, settings);
        }
        let c = self.constants;
        let profile = &self.task.profile;
        let rate = target_rate(self.task).max(1e-9);
        let nodes = f64::from(cluster.nodes);
        let replicas = f64::from(settings.replicas.unwrap_or(3));
        let compression = settings.compression.unwrap_or_default();
        let block = settings.block_size.unwrap_or(DEFAULT_BLOCK);
        let ratios = CompressionRatios::new(profile.compressed, block.as_f64(), c.small_block_penalty, c.zstd_exponent);
        let separated = settings.value_separation.is_some_and(|least| profile.row >= least);

        let logical = profile.data.as_f64() * profile.encoded * (1.0 + self.task.targets.growth);
        let row = profile.row.as_f64();
        let in_tree = if separated { c.pointer / row } else { 1.0 };
        let at_rest = ratios.at_rest(compression);
        let blobs_at_rest = ratios.at_rest(deployment::BlockCompression::Zstd) / (1.0 - c.blob_garbage);
        let tree_bytes = logical * in_tree * at_rest * replicas / nodes;
        let blob_bytes = if separated { logical * blobs_at_rest * replicas / nodes } else { 0.0 };

        let writes = self.writes(settings, separated);
        let per_node = replicas / nodes;
        let amplification = Tree::holding(tree_bytes, c).amplification(ratios, compression, c);
        // Blobs are written once at flush and, for the part that updates kill, again by garbage collection.
        let updated = profile.updates / (profile.inserts + profile.updates).max(1e-12);
        let blob_output = writes.blobs * ratios.at_rest(deployment::BlockCompression::Zstd);
        let collected = blob_output * updated;
        let tree_writes = (writes.tree * amplification.written + blob_output + collected) * per_node;
        let tree_reads = (writes.tree * amplification.read * c.compaction_read_miss + collected) * per_node;

        let reads = self.reads(cluster, settings, block, at_rest, logical, replicas);
        let foreground = IoDemand {
            reads: reads.blocks * reads.miss / nodes,
            read_bytes: reads.blocks * reads.miss * reads.size / nodes,
            ..IoDemand::default()
        };
        let data = foreground.plus(&IoDemand {
            reads: tree_reads / c.compaction_read_size,
            read_bytes: tree_reads,
            writes: tree_writes / c.compaction_write_size,
            write_bytes: tree_writes,
        });

        let arrivals = rate * writes.proposals * per_node;
        let syncs = syncs_per_second(arrivals, c.log_sync_reference, c.log_writers) / rate;
        let log_bytes = writes.log * profile.compressed.powf(c.log_compression) * per_node;
        let log_writes = syncs * c.log_writes_per_sync;
        let log = IoDemand {
            reads: log_writes * c.log_reads_per_write,
            read_bytes: log_writes * c.log_reads_per_write * PAGE,
            writes: log_writes,
            // A sync writes whole pages.
            write_bytes: log_bytes.max(log_writes * PAGE),
        };

        let foreground_cpu = profile.point_reads * c.cpu_point_get
            + profile.scans * (c.cpu_scan + profile.rows_per_scan * c.cpu_scan_row)
            + writes.rows * writes.passes * c.cpu_write * replicas
            + self.traffic_cpu(cluster, settings, replicas, &writes);
        OperationDemand {
            cpu: foreground_cpu / nodes + (tree_reads + tree_writes) * c.cpu_compaction_byte,
            data,
            log,
            syncs,
            cross_zone: self.cross_zone(cluster, settings, replicas, &writes),
            stored: Bytes((tree_bytes * c.space_amplification + blob_bytes + c.reserved_space) as u64),
            log_stored: Bytes(c.log_space as u64),
            path: self.path(cluster, settings, &writes, &reads, log_bytes / syncs.max(1e-12)),
        }
    }
}

impl TikvModel<'_> {
    /// Cores that saving traffic between zones costs.
    fn traffic_cpu(&self, cluster: &ClusterMachines, settings: &EngineSettings, replicas: f64, writes: &Writes) -> f64 {
        let (c, profile) = (self.constants, &self.task.profile);
        let elsewhere = 1.0 - 1.0 / f64::from(cluster.zones.max(1));
        let asked = if settings.follower_read == Some(true) { profile.point_reads + profile.scans } else { 0.0 };
        let zipped = if settings.grpc_compression == Some(true) { writes.log * replicas } else { 0.0 };
        asked * elsewhere * c.cpu_read_index + zipped * c.cpu_gzip_byte
    }

    /// Statements that write locks.
    fn locking(&self, settings: &EngineSettings) -> f64 {
        if settings.locks.unwrap_or_default() == LockMode::Memory { 0.0 } else { self.task.profile.locking }
    }

    fn writes(&self, settings: &EngineSettings, separated: bool) -> Writes {
        let (c, profile) = (self.constants, &self.task.profile);
        let entries = profile.inserts * profile.indexes;
        let rows = profile.inserts + profile.updates;
        let row_bytes = rows * (profile.row.as_f64() + c.key_overhead);
        let entry_bytes = entries * (profile.index_entry.as_f64() + c.key_overhead);
        let records = rows + entries;
        // Whoever locks rows locks all that it writes.
        let locked = f64::from(u8::from(self.locking(settings) > 0.0));
        let passes = if profile.transactional { 2.0 + locked } else { 1.0 };
        let (proposals, framing) = if profile.transactional {
            let framing = records * ((1.0 + locked) * c.lock_record + c.write_record);
            (passes * records * c.proposals_per_write, framing)
        } else {
            (records, 0.0)
        };
        let commit_records = if profile.transactional { records * c.write_record } else { 0.0 };
        Writes {
            rows: records,
            passes,
            log: row_bytes + entry_bytes + framing + proposals * c.entry_overhead,
            proposals,
            tree: if separated { rows * c.pointer } else { row_bytes } + entry_bytes + commit_records,
            blobs: if separated { row_bytes } else { 0.0 },
        }
    }

    fn reads(
        &self,
        cluster: &ClusterMachines,
        settings: &EngineSettings,
        block: Bytes,
        at_rest: f64,
        logical: f64,
        replicas: f64,
    ) -> Reads {
        let (c, profile) = (self.constants, &self.task.profile);
        let nodes = f64::from(cluster.nodes);
        let memory = cluster.memory.as_f64();
        let block_cache = settings.block_cache.map_or(memory * c.block_cache_share, Bytes::as_f64).min(memory);
        let page_cache = (memory * (1.0 - c.resident_share) - c.resident_base - block_cache).max(0.0);
        // Index blocks of all replicas are kept in the block cache before any data block.
        let index = logical * replicas / nodes / block.as_f64() * c.index_entry;
        let uncompressed = (block_cache - index).max(0.0) + page_cache * c.page_cache_share / at_rest;
        // Reads go to leaders: one replica of each range, or its follower in the client's zone.
        let share = (uncompressed / (logical / nodes).max(1.0)).min(1.0);
        let drawn = OnceCell::new();
        let curve =
            self.curves.get(&block).unwrap_or_else(|| drawn.get_or_init(|| HitCurve::of_blocks(profile, block)));
        // A scan reads the block that it starts in and goes on through the next ones.
        let per_scan = 1.0 + profile.rows_per_scan * profile.row.as_f64() * profile.encoded / block.as_f64();
        Reads {
            blocks: profile.point_reads + profile.scans * per_scan,
            miss: 1.0 - curve.hit_rate(share),
            // A compressed block starts anywhere in a page, so it touches one page more than it fills.
            size: (block.as_f64() * at_rest / PAGE).ceil() * PAGE + PAGE,
        }
    }

    /// Replication, requests from the SQL layer to leaders elsewhere, and their answers.
    fn cross_zone(&self, cluster: &ClusterMachines, settings: &EngineSettings, replicas: f64, writes: &Writes) -> f64 {
        let zones = f64::from(cluster.zones.max(1));
        let profile = &self.task.profile;
        // Replicas are spread evenly: followers in the leader's own zone are those beyond one a zone.
        let followers_elsewhere = replicas - (replicas / zones).ceil().min(replicas);
        let elsewhere = (zones - 1.0) / zones;
        let answers = (profile.point_reads + profile.scans * profile.rows_per_scan) * profile.row.as_f64();
        let answers = if settings.follower_read == Some(true) { 0.0 } else { answers * elsewhere };
        let written = writes.log * (followers_elsewhere + elsewhere);
        let written = if settings.grpc_compression == Some(true) { written * profile.compressed } else { written };
        answers + written
    }

    fn path(
        &self,
        cluster: &ClusterMachines,
        settings: &EngineSettings,
        writes: &Writes,
        reads: &Reads,
        sync_size: f64,
    ) -> OperationPath {
        let (c, profile) = (self.constants, &self.task.profile);
        let locks = if settings.locks == Some(LockMode::Written) { self.locking(settings) } else { 0.0 };
        let commits = if profile.transactional { c.commits_in_sequence + locks } else { 1.0 } * writes.rows.min(1.0);
        let zone_trip = settings.zone_round_trip.map_or(c.zone_round_trip, |t| t.as_secs_f64());
        let zone_trip = if cluster.zones > 1 { zone_trip } else { 0.0 };
        let call = if profile.transactional { c.statement } else { c.raw_call };
        // Reads of one statement go out together: it waits if any of them misses.
        let batches = (profile.statements + profile.lookups).min(reads.blocks).max(1e-12);
        let waits = batches * (1.0 - (1.0 - reads.miss).powf(reads.blocks / batches));
        let elsewhere = 1.0 - 1.0 / f64::from(cluster.zones.max(1));
        // A follower in the client's zone still asks the leader how far to apply: the hop is small, not gone.
        let hops = (profile.statements + profile.lookups) * elsewhere;
        OperationPath {
            cpu: batches * c.cpu_point_get
                + profile.scans * profile.rows_per_scan * c.cpu_scan_row
                + commits * c.cpu_write,
            // A statement's second request needs no client, but the way to the storage node and back.
            delay: profile.statements * call
                + profile.lookups * c.raw_call
                + hops * zone_trip
                + commits * (zone_trip + c.apply),
            reads: waits,
            read_size: reads.size,
            syncs: commits,
            sync_size,
            spread: profile.spread,
            think: profile.think.as_secs_f64(),
        }
    }
}

#[cfg(test)]
#[path = "tikv_tests.rs"]
mod tests;
