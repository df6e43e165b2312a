//! Options of the whole database that change while it runs, made from the same pairs at open and later.

use parking_lot::Mutex;
use rocksdb::DB;
use rocksdb_ext::OptionError;

use crate::config::StoreConfig;

/// RocksDB's name of an option, and its value as a text.
type Pair = (&'static str, String);

/// RocksDB's names and values of what can change of the whole database.
pub(crate) fn changeable(config: &StoreConfig) -> Vec<Pair> {
    let size = |key: &str| config.size(&format!("rocksdb.{key}")).to_string();
    vec![
        ("compaction_readahead_size", size("compaction-readahead-size")),
        ("bytes_per_sync", size("bytes-per-sync")),
        ("wal_bytes_per_sync", size("wal-bytes-per-sync")),
        ("writable_file_max_buffer_size", size("writable-file-max-buffer-size")),
        ("max_open_files", config.int("rocksdb.max-open-files").to_string()),
        ("max_total_wal_size", size("max-total-wal-size")),
    ]
}

/// What RocksDB was told last of these options.
pub(crate) struct Told(Mutex<Vec<Pair>>);

impl Told {
    /// It was opened with this configuration.
    pub(crate) fn at_open(config: &StoreConfig) -> Self {
        Self(Mutex::new(changeable(config)))
    }

    /// Tells it what has changed since, and no more: at open it lowers what does not fit the process, such as more files than that
    /// may open, and would take at its word what it is told again.
    ///
    /// # Errors
    /// What RocksDB says; then it is told the same the next time.
    pub(crate) fn tell(&self, db: &DB, now: &StoreConfig) -> Result<(), OptionError> {
        let mut told = self.0.lock();
        let next = changeable(now);
        let changed = next.iter().filter(|pair| !told.contains(pair));
        let changed: Vec<(&str, &str)> = changed.map(|(option, value)| (*option, value.as_str())).collect();
        if !changed.is_empty() {
            rocksdb_ext::set_db_options(db, &changed)?;
        }
        *told = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rocksdb::Options;

    use super::*;
    use crate::config::{ConfigValue, ConfigValues, HostMachine};
    use crate::rocks::RocksState;

    const MACHINE: HostMachine = HostMachine { cpus: 2, memory: 1 << 30 };

    fn config(given: &[(&str, ConfigValue)]) -> StoreConfig {
        let given =
            given.iter().map(|(key, value)| (format!("rocksdb.{key}"), value.clone())).collect::<ConfigValues>();
        StoreConfig::new(given, &MACHINE).unwrap()
    }

    /// Options of the whole database as RocksDB wrote them last, of those that change.
    fn written(dir: &Path) -> Vec<String> {
        let files = std::fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path());
        let last = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("OPTIONS-")).max();
        let text = std::fs::read_to_string(last.unwrap()).unwrap();
        let options = text.split("[DBOptions]").nth(1).unwrap().split("\n[").next().unwrap();
        let names: Vec<&str> = changeable(&config(&[])).into_iter().map(|(name, _)| name).collect();
        let changes = |line: &&str| line.split_once('=').is_some_and(|(name, _)| names.contains(&name));
        options.lines().map(str::trim).filter(changes).map(str::to_owned).collect()
    }

    #[test]
    fn an_option_of_the_database_set_online_is_the_same_as_one_set_at_start() {
        let given = config(&[
            ("compaction-readahead-size", ConfigValue::Size(4 << 20)),
            ("bytes-per-sync", ConfigValue::Size(3 << 20)),
            ("wal-bytes-per-sync", ConfigValue::Size(256 << 10)),
            ("writable-file-max-buffer-size", ConfigValue::Size(2 << 20)),
            ("max-open-files", ConfigValue::Int(100)),
            ("max-total-wal-size", ConfigValue::Size(1 << 30)),
        ]);
        let (at_start, online) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        drop(RocksState::open(at_start.path(), &given).unwrap());
        let state = RocksState::open(online.path(), &config(&[])).unwrap();
        let before = written(online.path());
        state.reconfigure(&given).unwrap();
        let after = written(online.path());
        assert!(before.len() == 6 && before.iter().all(|line| !after.contains(line)), "{before:?} became {after:?}");
        assert_eq!(after, written(at_start.path()));
        assert!(after.contains(&"compaction_readahead_size=4194304".to_owned()), "{after:?}");
        assert!(after.contains(&"max_open_files=100".to_owned()), "{after:?}");
        state.reconfigure(&config(&[("max-open-files", ConfigValue::Int(-1))])).unwrap();
        assert!(written(online.path()).contains(&"max_open_files=-1".to_owned()));
    }

    #[test]
    fn only_what_changed_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_max_open_files(77);
        let db = DB::open(&options, dir.path()).unwrap();
        let told = Told::at_open(&config(&[]));
        let before = written(dir.path());
        told.tell(&db, &config(&[])).unwrap();
        assert_eq!(written(dir.path()), before);
        told.tell(&db, &config(&[("bytes-per-sync", ConfigValue::Size(5 << 20))])).unwrap();
        let after = written(dir.path());
        for expected in ["bytes_per_sync=5242880", "max_open_files=77"] {
            assert!(after.contains(&expected.to_owned()), "{expected} is not in {after:?}");
        }
    }
}
