//! The keys of the configuration: one table that the file, the status server and the tests share.

use std::collections::HashMap;
use std::sync::LazyLock;

use raftstore::ColumnFamily;

use super::{ConfigValue, StoreKeyKind};

/// Keys of the node. Sources are files of tikv/tikv at v8.5.7.
const KEYS: &str = include_str!("../../tables/keys.csv");
/// Keys that each column family has: `rocksdb.defaultcf.` and so on.
const CF_KEYS: &str = include_str!("../../tables/cf-keys.csv");

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

/// Reads both tables.
fn keys() -> Result<Vec<StoreKey>, String> {
    let mut keys = Vec::new();
    for row in rows(KEYS)? {
        keys.push(key(row.get("key").cloned().unwrap_or_default(), &row, "default")?);
    }
    for row in rows(CF_KEYS)? {
        let has = |cf: &&str| row.get(*cf).is_some_and(|default| default != "-");
        for cf in ColumnFamily::ALL.map(section).into_iter().filter(has) {
            keys.push(key(format!("rocksdb.{cf}.{}", row.get("key").map_or("", String::as_str)), &row, cf)?);
        }
    }
    Ok(keys)
}

type Row = HashMap<String, String>;

fn rows(table: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().collect::<Result<_, _>>().map_err(|error| error.to_string())
}

fn key(name: String, row: &Row, default: &str) -> Result<StoreKey, String> {
    let cell = |column: &str| row.get(column).map(String::as_str).ok_or_else(|| format!("{name}: no column {column}"));
    let kind = StoreKeyKind::named(cell("kind")?).ok_or_else(|| format!("{name}: unknown kind"))?;
    let bound = |column: &str| match cell(column)? {
        "" => Ok(None),
        text if text.starts_with("cpus*") => Ok(None),
        text => kind.read_text(text).map(Some).map_err(|error| format!("{name}: {column}: {error}")),
    };
    let (min, max) = (bound("min")?, bound("max")?);
    let default = match cell(default)? {
        "auto" => ConfigDefault::Computed,
        "unset" => ConfigDefault::Unset,
        text => ConfigDefault::Is(kind.read_text(text).map_err(|error| format!("{name}: {error}"))?),
    };
    let online = match cell("online")? {
        "yes" => true,
        "no" => false,
        other => return Err(format!("{name}: online is `{other}`")),
    };
    if cell("source")?.is_empty() {
        return Err(format!("{name}: no source"));
    }
    let max_by_cpus = cell("max")?.strip_prefix("cpus*").and_then(|factor| factor.parse().ok());
    let meaning = cell("meaning")?.to_owned();
    Ok(StoreKey { name, kind, default, online, min, max, max_by_cpus, meaning })
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
