//! The constants of the engine models, each with its unit, meaning and source.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A calibration constant as its table states it.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// In `unit`.
    pub value: f64,
    /// `bytes`, `seconds`, `ratio`, …
    pub unit: String,
    /// What it stands for.
    pub meaning: String,
    /// Where it comes from; `assumption: …` where nothing is published.
    pub source: String,
}

/// Declares a struct of constants that is read from a table of the same names, and complains about any difference.
macro_rules! constants {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            $(pub(crate) $field: f64,)*
        }

        impl $name {
            fn from_table(text: &str) -> Result<Self, String> {
                let mut table: BTreeMap<String, Constant> = toml::from_str(text).map_err(|e| e.to_string())?;
                let mut take = |name: &str| {
                    let constant = table.remove(name).ok_or_else(|| format!("no constant `{name}`"))?;
                    let stated = [&constant.unit, &constant.meaning, &constant.source].iter().all(|t| !t.trim().is_empty());
                    if stated { Ok(constant.value) } else { Err(format!("`{name}` lacks unit, meaning or source")) }
                };
                let read = Self { $($field: take(stringify!($field))?,)* };
                match table.keys().next() {
                    Some(unused) => Err(format!("`{unused}` is not used by the model")),
                    None => Ok(read),
                }
            }
        }
    };
}

constants! {
    /// Constants of the TiKV model: `tables/tikv.toml`.
    Tikv {
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
    Innodb {
        page, fill, row_overhead, entry_overhead, redo_overhead, redo_capacity, checkpoint_share, buffer_pool_share,
        change_buffer_saving, doublewrite_merge, commits_in_sequence, log_sync_reference, log_block, cpu_statement,
        cpu_row, cpu_page, statement,
    }
}

/// All constants of the engine models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// TiKV's.
    pub tikv: Tikv,
    /// InnoDB's.
    pub innodb: Innodb,
}

impl Calibration {
    /// The constants that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<Calibration> = LazyLock::new(|| Calibration {
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

    #[test]
    fn a_constant_without_a_source_is_refused() {
        let text = include_str!("../tables/innodb.toml").replace("file system block", "");
        assert_eq!(Innodb::from_table(&text).unwrap_err(), "`log_block` lacks unit, meaning or source");
    }

    #[test]
    fn a_constant_that_no_model_uses_is_refused() {
        let text = format!(
            "{}\n[spare]\nvalue = 1\nunit = \"-\"\nmeaning = \"-\"\nsource = \"-\"",
            include_str!("../tables/innodb.toml")
        );
        assert_eq!(Innodb::from_table(&text).unwrap_err(), "`spare` is not used by the model");
    }
}
