//! The keys of the configuration: the rows of TiKV's table that the store knows, for the file, the status server and the tests.

use std::collections::HashMap;
use std::sync::LazyLock;

use raftstore::ColumnFamily;
use tikv_config::{KeyRow, StoreColumns};

use super::{ConfigValue, StoreKeyKind};

/// A key of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreKey {
    /// The name with dots, as in the file: `rocksdb.defaultcf.block-size`.
    pub name: String,
    /// What it takes.
    pub kind: StoreKeyKind,
    /// What holds when nobody says otherwise.
    pub default: ConfigDefault,
    /// Whether it can change while the node runs.
    pub online: bool,
    /// The least value.
    pub min: Option<ConfigValue>,
    /// The greatest.
    pub max: Option<ConfigValue>,
    /// The greatest as a multiple of the processors, though at least four (tikv, `validate` of the pools).
    pub max_by_cpus: Option<usize>,
    /// What it means.
    pub meaning: String,
}

/// What a key is without being set.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigDefault {
    /// This.
    Is(ConfigValue),
    /// What the machine or other keys say.
    Computed,
    /// Nothing.
    Unset,
}

/// All keys, by name.
pub static KEYS_BY_NAME: LazyLock<HashMap<String, StoreKey>> = LazyLock::new(|| {
    // The tables are part of the program: a test reads every row, so nothing is lost here.
    keys().unwrap_or_default().into_iter().map(|key| (key.name.clone(), key)).collect()
});

/// TiKV's name of the section of a column family.
pub(crate) fn section(cf: ColumnFamily) -> &'static str {
    match cf {
        ColumnFamily::Default => "defaultcf",
        ColumnFamily::Lock => "lockcf",
        ColumnFamily::Write => "writecf",
        ColumnFamily::Raft => "raftcf",
    }
}

/// The store's keys of TiKV's table.
fn keys() -> Result<Vec<StoreKey>, KeyTableError> {
    tikv_config::rows().iter().filter_map(|row| Some(key(row, &row.store()?))).collect()
}

/// What is wrong with a row of the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {column}: {why}")]
struct KeyTableError {
    key: String,
    column: &'static str,
    why: String,
}

fn key(row: &KeyRow, store: &StoreColumns<'_>) -> Result<StoreKey, KeyTableError> {
    let wrong = |column: &'static str, why: String| KeyTableError { key: row.key.clone(), column, why };
    let kind = StoreKeyKind::named(&row.kind).ok_or_else(|| wrong("kind", format!("`{}` is none", row.kind)))?;
    let bound = |column: &'static str, text: &str| match text {
        "" => Ok(None),
        text if text.starts_with("cpus*") => Ok(None),
        text => kind.read_text(text).map(Some).map_err(|error| wrong(column, error.to_string())),
    };
    let (min, max) = (bound("min", &row.min)?, bound("max", &row.max)?);
    let default = match store.default {
        "auto" => ConfigDefault::Computed,
        "unset" => ConfigDefault::Unset,
        text => ConfigDefault::Is(kind.read_text(text).map_err(|error| wrong("default", error.to_string()))?),
    };
    let max_by_cpus = row.max.strip_prefix("cpus*").and_then(|factor| factor.parse().ok());
    let (name, meaning) = (row.key.clone(), store.meaning.to_owned());
    Ok(StoreKey { name, kind, default, online: store.online, min, max, max_by_cpus, meaning })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_reads() {
        let keys = keys().unwrap();
        assert_eq!(keys.len(), KEYS_BY_NAME.len(), "a key is there twice");
        assert!(keys.iter().all(|key| !key.meaning.is_empty()));
    }

    #[test]
    fn block_size_is_32_kib_and_not_changed_online() {
        let key = &KEYS_BY_NAME["rocksdb.defaultcf.block-size"];
        assert_eq!(key.default, ConfigDefault::Is(ConfigValue::Size(32 << 10)));
        assert!(!key.online);
        assert_eq!(KEYS_BY_NAME["rocksdb.lockcf.block-size"].default, ConfigDefault::Is(ConfigValue::Size(16 << 10)));
    }
}
