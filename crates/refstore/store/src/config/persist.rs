//! Online changes into the file that people wrote: its comments and order stay.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use toml_edit::{DocumentMut, Item, Table, value};

use super::{ConfigDuration, ConfigSize, ConfigValue, ConfigValues};

/// Sets keys in a TOML file, aside and renamed, so that it is never half written.
pub(crate) fn write(file: &Path, changes: &ConfigValues) -> io::Result<()> {
    let invalid = |error: String| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut document: DocumentMut =
        fs::read_to_string(file)?.parse().map_err(|error: toml_edit::TomlError| invalid(error.to_string()))?;
    for (name, change) in changes {
        let (path, leaf) = name.rsplit_once('.').unwrap_or(("", name));
        let mut table = document.as_table_mut() as &mut dyn toml_edit::TableLike;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let fresh = || {
                let mut table = Table::new();
                // No header for a table that only holds tables.
                table.set_implicit(true);
                Item::Table(table)
            };
            let item = table.entry(part).or_insert_with(fresh);
            table = item.as_table_like_mut().ok_or_else(|| invalid(format!("{part} is not a table")))?;
        }
        match (table.get_mut(leaf), item(change)) {
            // Only the value changes: what stands around it, such as a comment, stays.
            (Some(Item::Value(old)), Item::Value(mut new)) => {
                *new.decor_mut() = old.decor().clone();
                *old = new;
            }
            (_, new) => drop(table.insert(leaf, new)),
        }
    }
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let aside = file.with_file_name(name);
    let mut tmp = File::create(&aside)?;
    tmp.write_all(document.to_string().as_bytes())?;
    tmp.sync_all()?;
    fs::rename(&aside, file)
}

fn item(change: &ConfigValue) -> Item {
    match change {
        ConfigValue::Bool(v) => value(*v),
        ConfigValue::Int(v) => value(*v),
        ConfigValue::Float(v) => value(*v),
        ConfigValue::Size(bytes) => value(ConfigSize(*bytes).to_string()),
        ConfigValue::Percent(percent) => value(format!("{percent}%")),
        ConfigValue::Duration(time) => value(ConfigDuration(*time).to_string()),
        ConfigValue::Text(text) => value(text.clone()),
        ConfigValue::Texts(texts) => value(texts.iter().collect::<toml_edit::Array>()),
        ConfigValue::Labels(labels) => {
            value(labels.iter().map(|(k, v)| (k, v.as_str())).collect::<toml_edit::InlineTable>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_stay_and_values_change() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tikv.toml");
        fs::write(&file, "# ours\n[rocksdb]\nmax-background-jobs = 3 # few\n\n[server]\naddr = \"x\"\n").unwrap();
        let changes = ConfigValues::from([
            ("rocksdb.max-background-jobs".to_owned(), ConfigValue::Int(2)),
            ("rocksdb.defaultcf.write-buffer-size".to_owned(), ConfigValue::Size(64 << 20)),
        ]);
        write(&file, &changes).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# ours\n[rocksdb]\nmax-background-jobs = 2 # few\n"), "{text}");
        assert!(text.contains("[rocksdb.defaultcf]\nwrite-buffer-size = \"64MiB\"\n"), "{text}");
        assert!(text.contains("[server]\naddr = \"x\"\n"), "{text}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside the file");
    }
}
