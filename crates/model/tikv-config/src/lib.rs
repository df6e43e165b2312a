//! TiKV's configuration keys as a table: what each takes, its bounds, its default in each version, whether it changes online, what
//! goes wrong with it, and where all this is from. `render` writes files by it; the reference store reads its own file by the
//! rows that it knows. Cells are text here: each reader has a type of values of its own.

#![forbid(unsafe_code)]

use std::sync::LazyLock;

/// A row of a table of keys, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct KeyRow {
    /// Name with dots, as in the file: `rocksdb.defaultcf.block-size`.
    pub key: String,
    /// Kind of value: `bool`, `int`, `size`, `choice(a|b)` …. `size-or-percent` is a size to TiKV before 9.0, and both to the store.
    pub kind: String,
    /// Least value, if there is one.
    pub min: String,
    /// Greatest value, if there is one; `cpus*10` is a multiple of the hardware threads, though at least four.
    pub max: String,
    /// Default in 7.5; `-` where the version lacks the key, `auto` where the machine or other keys decide, `unset` for none. After
    /// a semicolon, the default from a patch on: `0;7.5.7:2MB`.
    #[serde(rename = "default_7.5")]
    pub default_7_5: String,
    /// Default in 8.1, likewise.
    #[serde(rename = "default_8.1")]
    pub default_8_1: String,
    /// Default in 8.5, likewise.
    #[serde(rename = "default_8.5")]
    pub default_8_5: String,
    /// Releases in which it changes while the program runs, or `no`.
    pub online: String,
    /// Trap of the key, behind the releases that have it.
    pub trap: String,
    /// Where all this is from.
    pub source: String,
    /// Whether the reference store changes it online, `yes` or `no`; empty where the store has no such key.
    #[serde(default)]
    store_online: String,
    /// The reference store's default, where it is not that of the newest 8.5.
    #[serde(default)]
    store_default: String,
    /// Meaning, for keys of the reference store.
    #[serde(default)]
    meaning: String,
}

/// Columns of the reference store for a key that it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreColumns<'a> {
    /// Its default, written as in [`KeyRow::default_8_5`] without patches.
    pub default: &'a str,
    /// Whether it changes while the store runs.
    pub online: bool,
    /// Meaning.
    pub meaning: &'a str,
}

impl KeyRow {
    /// Columns of the reference store, if it knows the key.
    pub fn store(&self) -> Option<StoreColumns<'_>> {
        let online = match self.store_online.as_str() {
            "" => return None,
            online => online == "yes",
        };
        let default = match self.store_default.as_str() {
            "" => newest(&self.default_8_5),
            default => default,
        };
        Some(StoreColumns { default, online, meaning: &self.meaning })
    }
}

/// The default of the newest patch in a cell.
fn newest(cell: &str) -> &str {
    cell.rsplit_once(';').map_or(cell, |(_, last)| last.split_once(':').map_or(last, |(_, default)| default))
}

/// Reads a table of keys.
///
/// # Errors
/// When it is no CSV, or a column is missing.
pub fn read(table: &str) -> Result<Vec<KeyRow>, csv::Error> {
    csv::Reader::from_reader(table.as_bytes()).into_deserialize().collect()
}

/// TiKV's keys, by name.
pub fn rows() -> &'static [KeyRow] {
    static ROWS: LazyLock<Vec<KeyRow>> =
        LazyLock::new(|| read(include_str!("../tables/keys.csv")).expect("tested: the embedded table reads"));
    &ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_once_in_order_and_has_its_source() {
        assert!(rows().len() > 200);
        assert!(rows().is_sorted_by(|a, b| a.key < b.key), "a key is there twice, or not in order");
        assert!(rows().iter().all(|row| !row.kind.is_empty() && !row.source.is_empty()));
    }

    #[test]
    fn the_stores_keys_have_a_meaning_and_are_those_of_8_5() {
        let known: Vec<_> = rows().iter().filter_map(|row| Some((row, row.store()?))).collect();
        assert!(known.len() > 100, "{}", known.len());
        for (row, store) in known {
            assert!(!store.meaning.is_empty(), "{}", row.key);
            assert!(matches!(row.store_online.as_str(), "yes" | "no"), "{}: {}", row.key, row.store_online);
            assert_ne!(row.default_8_5, "-", "{}", row.key);
            assert!(!store.online || row.online != "no", "{} changes online in the store and not in TiKV", row.key);
        }
    }

    #[test]
    fn a_default_that_changed_with_a_patch_is_that_of_the_newest() {
        assert_eq!(newest("0;8.5.7:2MB"), "2MB");
        assert_eq!(newest("127.0.0.1:2379"), "127.0.0.1:2379");
    }

    #[test]
    fn a_table_without_a_column_is_refused() {
        assert!(read("key,kind\na,int\n").is_err());
    }
}
