//! The constants of the engine models.

use std::sync::LazyLock;

use crate::constants;

constants! {
    /// Constants of the TiKV model: `tables/tikv.toml`.
    pub(crate) Tikv {
        memtable, level_base, level_multiplier, l0_trigger, overlap, compaction_read_miss, compaction_read_size,
        compaction_write_size, space_amplification, reserved_space, log_space, key_overhead, write_record, lock_record,
        entry_overhead, pointer, blob_garbage, log_compression, zstd_exponent, small_block_penalty, index_entry,
        block_cache_share, resident_base, resident_share, page_cache_share, log_writes_per_sync, log_reads_per_write,
        log_writers, log_sync_reference, proposals_per_write, commits_in_sequence, cpu_point_get, cpu_scan, cpu_scan_row,
        cpu_write, cpu_compaction_byte, cpu_read_index, cpu_gzip_byte, statement, raw_call, zone_round_trip, apply,
    }
}

constants! {
    /// Constants of the InnoDB model: `tables/innodb.toml`.
    pub(crate) Innodb {
        page, fill, row_overhead, entry_overhead, redo_overhead, redo_capacity, checkpoint_share, buffer_pool_share,
        change_buffer_saving, doublewrite_merge, commits_in_sequence, log_sync_reference, log_block, cpu_statement,
        cpu_row, cpu_page, statement,
    }
}

/// All constants of the engine models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngineCalibration {
    /// TiKV's.
    pub tikv: Tikv,
    /// InnoDB's.
    pub innodb: Innodb,
}

impl EngineCalibration {
    /// The constants that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<EngineCalibration> = LazyLock::new(|| EngineCalibration {
            tikv: Tikv::from_table(include_str!("../tables/tikv.toml")).expect("tested: tikv.toml is complete"),
            innodb: Innodb::from_table(include_str!("../tables/innodb.toml")).expect("tested: innodb.toml is complete"),
        });
        &EMBEDDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_hold_exactly_the_constants_that_the_models_use() {
        Tikv::from_table(include_str!("../tables/tikv.toml")).unwrap();
        Innodb::from_table(include_str!("../tables/innodb.toml")).unwrap();
    }
}
