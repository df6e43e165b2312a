//! The constants of the simulation: those that the engine's analytic form has too are read from its table, so that one
//! calibration serves both; the others are in `tables/tikv.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::Constant;

/// The engine's table.
const SHARED: &str = include_str!("../../engine/tables/tikv.toml");
/// The simulation's own.
const OWN: &str = include_str!("../tables/tikv.toml");
/// Where the reference store on one machine differs from TiKV on machines of its own.
const STORE: &str = include_str!("../tables/store.toml");

/// Declares a struct of constants that is read from tables with the same names.
macro_rules! constants {
    ($(#[$doc:meta])* $name:ident { $($(#[$said:meta])* $field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name {
            $($(#[$said])* pub $field: f64,)*
        }

        impl $name {
            fn from_tables(texts: &[&str]) -> Result<Self, String> {
                let mut table: BTreeMap<String, Constant> = BTreeMap::new();
                for text in texts {
                    let more: BTreeMap<String, Constant> = toml::from_str(text).map_err(|error| error.to_string())?;
                    for (name, constant) in more {
                        if table.insert(name.clone(), constant).is_some() {
                            return Err(format!("`{name}` stands in two tables"));
                        }
                    }
                }
                let take = |name: &str| {
                    let constant = table.get(name).ok_or_else(|| format!("no constant `{name}`"))?;
                    let stated = [&constant.unit, &constant.meaning, &constant.source];
                    if stated.iter().any(|text| text.trim().is_empty()) {
                        return Err(format!("`{name}` lacks unit, meaning or source"));
                    }
                    Ok(constant.value)
                };
                Ok(Self { $($field: take(stringify!($field))?,)* })
            }

            /// Their names.
            pub const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// A constant by its name in the tables; `None` if there is none of that name.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($field) => Some(self.$field),)*
                    _ => None,
                }
            }

            /// The same with another value for one of them; `None` if there is none of that name.
            #[must_use]
            pub fn with(mut self, name: &str, value: f64) -> Option<Self> {
                match name {
                    $(stringify!($field) => self.$field = value,)*
                    _ => return None,
                }
                Some(self)
            }
        }
    };
}

constants! {
    /// Constants of the simulation, each with unit, meaning and source in its table: `engine/tables/tikv.toml` for those
    /// that the analytic form shares, `simulate/tables/tikv.toml` for the others.
    #[allow(missing_docs, reason = "the tables say what each is")]
    Constants {
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
        // Of one machine that stands in for all nodes.
        cpu_client, client_threads, cpu_io, cpu_sync,
    }
}

impl Constants {
    /// Those that ship with the program.
    pub fn embedded() -> &'static Self {
        static EMBEDDED: LazyLock<Constants> =
            LazyLock::new(|| Constants::from_tables(&[SHARED, OWN]).expect("tested: the tables are complete"));
        &EMBEDDED
    }

    /// Those of the reference store on one machine, as far as they differ: `simulate/tables/store.toml`.
    pub fn reference_store() -> &'static Self {
        static STORED: LazyLock<Constants> =
            LazyLock::new(|| Constants::embedded().over(STORE).expect("tested: the table is one of constants"));
        &STORED
    }

    /// The same with the constants that a table gives.
    ///
    /// # Errors
    /// When it is no table of constants, or gives one that is not read.
    pub fn over(&self, table: &str) -> Result<Self, String> {
        let table: BTreeMap<String, Constant> = toml::from_str(table).map_err(|error| error.to_string())?;
        table.iter().try_fold(*self, |constants, (name, constant)| {
            constants.with(name, constant.value).ok_or_else(|| format!("no constant `{name}` is read"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_hold_all_that_the_simulation_reads() {
        Constants::from_tables(&[SHARED, OWN]).unwrap();
    }

    #[test]
    fn the_own_table_holds_nothing_that_is_not_read() {
        let own: BTreeMap<String, Constant> = toml::from_str(OWN).unwrap();
        let unread: Vec<_> = own.keys().filter(|name| !Constants::NAMES.contains(&name.as_str())).collect();
        assert!(unread.is_empty(), "{unread:?}");
    }

    #[test]
    fn the_reference_store_differs_in_what_its_table_says_and_in_nothing_else() {
        let table: BTreeMap<String, Constant> = toml::from_str(STORE).unwrap();
        for name in Constants::NAMES {
            let usual = Constants::embedded().get(name);
            let expected = table.get(*name).map(|constant| constant.value).or(usual);
            assert_eq!(Constants::reference_store().get(name), expected, "{name}");
        }
        let stated = |constant: &Constant| [&constant.unit, &constant.meaning, &constant.source].map(String::is_empty);
        assert!(table.values().all(|constant| stated(constant) == [false; 3]));
    }

    #[test]
    fn a_table_with_an_unknown_constant_is_refused_by_its_name() {
        let table = "[cpu_wirte]\nvalue = 1\nunit = \"s\"\nmeaning = \"m\"\nsource = \"s\"";
        assert!(Constants::embedded().over(table).unwrap_err().contains("cpu_wirte"));
    }

    #[test]
    fn a_constant_of_both_tables_is_refused() {
        assert!(Constants::from_tables(&[SHARED, SHARED]).unwrap_err().contains("two tables"));
    }
}
