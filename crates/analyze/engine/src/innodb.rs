//! InnoDB: a redo log in front of B-trees, whose pages are read through and written from the buffer pool.

use deployment::EngineSettings;
use units::Bytes;
use workload::Task;

use crate::cache::HitCurve;
use crate::calibration::Innodb;
use crate::demand::{AnalyticModel, ClusterMachines, IoDemand, OperationDemand, OperationPath, target_rate};
use crate::group_commit::syncs_per_second;

/// A task on InnoDB. The first node takes all load; further nodes are standbys that replay it.
#[derive(Debug, Clone)]
pub(crate) struct InnodbModel<'a> {
    constants: &'a Innodb,
    task: &'a Task,
    curve: HitCurve,
}

impl<'a> InnodbModel<'a> {
    pub(crate) fn new(constants: &'a Innodb, task: &'a Task) -> Self {
        let filled = Bytes((constants.page * constants.fill) as u64);
        Self { constants, task, curve: HitCurve::of_blocks(&task.profile, filled) }
    }
}

impl AnalyticModel for InnodbModel<'_> {
    fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand {
        let (c, profile) = (self.constants, &self.task.profile);
        let rate = target_rate(self.task).max(1e-9);
        let logical = profile.data.as_f64() * (1.0 + self.task.targets.growth);
        let stored = logical / c.fill;
        let pool = settings.block_cache.map_or(cluster.memory.as_f64() * c.buffer_pool_share, Bytes::as_f64);
        let miss = 1.0 - self.curve.hit_rate((pool / stored.max(1.0)).min(1.0));

        // Pages that an operation touches: one of the clustered index for each row, one of each secondary index.
        let entries = profile.inserts * profile.indexes;
        let random_entries = profile.inserts * profile.random_indexes;
        let random_rows = profile.updates + if profile.random_keys { profile.inserts } else { 0.0 };
        let rows = profile.inserts + profile.updates;
        let scanned = profile.scans * (1.0 + profile.rows_per_scan * profile.row.as_f64() / (c.page * c.fill));
        // Entries are as random as can be, whatever the skew of rows.
        let entry_miss = (1.0 - pool / stored.max(1.0)).max(0.0);
        let page_reads = (profile.point_reads + scanned + random_rows) * miss
            + random_entries * entry_miss * (1.0 - c.change_buffer_saving);

        // What lands at the end fills page after page.
        let at_the_end = (rows - random_rows) * (profile.row.as_f64() + c.row_overhead)
            + (entries - random_entries) * (profile.index_entry.as_f64() + c.entry_overhead);
        let page_writes = self.page_writes(rate, random_rows + random_entries, stored, pool) + at_the_end / c.page;
        let doublewrite = settings.doublewrite.unwrap_or(true);
        let copies = if doublewrite { 2.0 } else { 1.0 };
        let requests = page_writes * if doublewrite { 1.0 + 1.0 / c.doublewrite_merge } else { 1.0 };

        let commits = rows.min(1.0);
        let syncs = syncs_per_second(rate * commits, c.commits_in_sequence * c.log_sync_reference, 1.0)
            * c.commits_in_sequence
            / rate;
        let redo = self.redo();
        let data = IoDemand {
            reads: page_reads,
            read_bytes: page_reads * c.page,
            writes: requests,
            write_bytes: page_writes * copies * c.page,
        };
        // The binary log holds the rows once more.
        let log_bytes = (redo + rows * profile.row.as_f64()).max(syncs * c.log_block);
        let log = IoDemand { writes: syncs, write_bytes: log_bytes, ..IoDemand::default() };
        let records = profile.point_reads + profile.scans * profile.rows_per_scan + rows + entries;
        let cpu = profile.statements * c.cpu_statement + records * c.cpu_row + (page_reads + page_writes) * c.cpu_page;
        OperationDemand {
            cpu,
            data,
            log,
            syncs,
            // A standby in another zone is sent the binary log.
            cross_zone: if cluster.zones > 1 { f64::from(cluster.nodes - 1) * log_bytes } else { 0.0 },
            stored: Bytes(stored as u64),
            log_stored: Bytes(c.redo_capacity as u64),
            // Statements of one operation come one after the other, and each waits for its own pages.
            path: OperationPath {
                cpu,
                delay: profile.statements * c.statement,
                reads: page_reads,
                read_size: c.page,
                syncs: commits * c.commits_in_sequence,
                sync_size: log_bytes / syncs.max(1e-12),
                spread: profile.spread,
                think: profile.think.as_secs_f64(),
            },
        }
    }
}

impl InnodbModel<'_> {
    /// Redo bytes of an operation.
    fn redo(&self) -> f64 {
        let (c, profile) = (self.constants, &self.task.profile);
        let entries = profile.inserts * profile.indexes;
        (profile.inserts + profile.updates) * (profile.row.as_f64() + c.row_overhead + c.redo_overhead)
            + entries * (profile.index_entry.as_f64() + c.entry_overhead + c.redo_overhead)
    }

    /// Pages written back for each operation that dirties `touched` random pages of `stored` bytes behind a pool of `pool`.
    ///
    /// A page is written once for all the changes that it takes until a checkpoint, whose distance in time follows from the
    /// redo log's capacity, or until it must leave the pool, if that is sooner. Changes fall on pages at random, so the share of
    /// pages dirtied in an interval with u changes a page is 1 − e^(−u).
    fn page_writes(&self, rate: f64, touched: f64, stored: f64, pool: f64) -> f64 {
        let c = self.constants;
        if touched <= 0.0 {
            return 0.0;
        }
        let to_checkpoint = c.redo_capacity * c.checkpoint_share / (rate * self.redo());
        // Every touch of an absent page makes another one leave.
        let absent = (1.0 - pool / stored.max(1.0)).max(0.0);
        let to_eviction = (pool / c.page).max(1.0) / (rate * touched * absent).max(1e-12);
        let interval = to_checkpoint.min(to_eviction);
        let pages = (stored / c.page).max(1.0);
        let changes = rate * touched * interval / pages;
        pages * (1.0 - (-changes).exp()) / (rate * interval)
    }
}

#[cfg(test)]
#[path = "innodb_tests.rs"]
mod tests;
