//! The constants of the simulation: those that the engine's analytic form has too are read from its table, so that one
//! calibration serves both; the others are in `tables/tikv.toml`.

use std::sync::LazyLock;

use engine::constants;

/// The engine's table.
const SHARED: &str = include_str!("../../engine/tables/tikv.toml");
/// The simulation's own.
const OWN: &str = include_str!("../tables/tikv.toml");
/// Where the reference store on one machine differs from TiKV on machines of its own.
const STORE: &str = include_str!("../tables/store.toml");

constants! {
    /// Constants of the simulation, each with unit, meaning and source in its table: `engine/tables/tikv.toml` for those
    /// that the analytic form shares, `simulate/tables/tikv.toml` for the others.
    #[allow(missing_docs, reason = "the tables say what each is")]
    pub Constants {
        memtable, level_base, level_multiplier, l0_trigger, overlap, compaction_read_miss, compaction_read_size,
        compaction_write_size, reserved_space, log_space, key_overhead, write_record, lock_record, entry_overhead, pointer,
        log_compression, zstd_exponent, small_block_penalty, index_entry, block_cache_share, resident_base,
        resident_share, page_cache_share, log_writes_per_sync, log_reads_per_write, proposals_per_write, cpu_point_get,
        cpu_scan, cpu_scan_row, cpu_write, cpu_compaction_byte, cpu_read_index, cpu_gzip_byte, statement, raw_call,
        zone_round_trip, apply, blob_garbage,
        // The simulation's own.
        scheduler_share, store_share, apply_share, grpc_threads, local_round_trip, file_size, wal_chunk,
        busy_backoff, election_timeout, false_positive, l0_files_threshold, memtables_threshold, soft_pending, hard_pending,
        throttle_slowest, throttle_fastest, l0_stop, stall_memtables, delayed_write_rate, writeback_latency, cpu_batch, sync_overhead,
        log_journal_writes, wakeup_slice, blob_cutoff, blob_load_flush, blob_record, file_commits, job_commits, file_writes,
        commit_write, commit_merged, leader_first, writes_at_once, wal_kept, wal_sync_interval, wal_commits, request_most, blob_open_reads,
        cpu_block, cpu_block_byte, cpu_compaction_entry, cpu_blob_value, cpu_blob_byte,
        // Of nodes that speak SQL.
        sql_statement, sql_row_read, sql_record_written,
        // Of one machine that stands in for all nodes.
        cpu_client, client_threads, cpu_io, cpu_sync,
    }
}

impl Constants {
    /// Those that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<Constants> =
            LazyLock::new(|| Constants::among(&[SHARED, OWN]).expect("tested: the tables are complete"));
        &EMBEDDED
    }

    /// Those of the reference store on one machine, as far as they differ: `simulate/tables/store.toml`.
    pub fn reference_store() -> &'static Self {
        static STORED: LazyLock<Constants> =
            LazyLock::new(|| Constants::embedded().over(STORE).expect("tested: the table is one of constants"));
        &STORED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_hold_all_that_the_simulation_reads() {
        Constants::among(&[SHARED, OWN]).unwrap();
    }

    #[test]
    fn the_own_table_holds_nothing_that_is_not_read() {
        let unread =
            engine::values(&[OWN]).unwrap().into_keys().find(|name| !Constants::NAMES.contains(&name.as_str()));
        assert_eq!(unread, None);
    }

    #[test]
    fn the_reference_store_differs_in_what_its_table_says_and_in_nothing_else() {
        let table = engine::values(&[STORE]).unwrap();
        for name in Constants::NAMES {
            let expected = table.get(*name).copied().or(Constants::embedded().get(name));
            assert_eq!(Constants::reference_store().get(name), expected, "{name}");
        }
    }
}
