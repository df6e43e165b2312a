//! TOML: sections from dotted keys, through the library, reasons as comments above their keys.

use textfile::is_hidden;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::{Map, Node};

impl Map {
    /// The document as TOML: the key `a.b.c` is `c` in the section `[a.b]`.
    pub(crate) fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        for entry in &self.0 {
            let (path, name) = entry.key.rsplit_once('.').unwrap_or(("", &entry.key));
            let path = path.split('.').filter(|part| !part.is_empty());
            let Some(table) = section(document.as_table_mut(), path) else { continue };
            table.insert(name, Item::Value(value(&entry.value)));
            if let (Some(why), Some(mut key)) = (&entry.why, table.key_mut(name)) {
                key.leaf_decor_mut().set_prefix(why.comment("#", 0));
            }
        }
        document.to_string().trim_start().to_owned()
    }
}

/// The section at a path, made where it is missing; `None` if a value is in the way.
fn section<'t, 'p>(table: &'t mut Table, path: impl Iterator<Item = &'p str>) -> Option<&'t mut Table> {
    let mut at = Some(table);
    for part in path {
        let made = at?.entry(part).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        at = made.as_table_mut();
    }
    at
}

fn value(node: &Node) -> Value {
    match node {
        Node::Text(text) | Node::Expression(text) => self::text(text),
        Node::Int(number) => (*number).into(),
        Node::Float(number) => (*number).into(),
        Node::Bool(value) => (*value).into(),
        Node::List(items) => Value::Array(items.iter().map(value).collect::<Array>()),
        Node::Map(map) => Value::InlineTable(
            map.0.iter().map(|entry| (entry.key.as_str(), value(&entry.value))).collect::<InlineTable>(),
        ),
    }
}

/// A text; hidden characters as escapes, which the library leaves as they are where TOML allows it.
fn text(text: &str) -> Value {
    if !text.contains(is_hidden) {
        return text.into();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // All of them are in Unicode's first plane.
            c if is_hidden(c) => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    // What is read keeps its form.
    quoted.parse().unwrap_or_else(|_| text.into())
}

#[cfg(test)]
mod tests {
    use super::super::Why;
    use super::*;

    #[test]
    fn dotted_keys_become_sections_with_their_reasons() {
        let why = Why::new("leaves room", "https://example.com");
        let document = Map::new()
            .with_why("rocksdb.rate-bytes-per-sec", "100MiB", &why)
            .with("rocksdb.defaultcf.block-size", "4KiB")
            .with("memory-usage-limit", "1GiB")
            .with("server.labels", Map::new().with("zone", "a"));
        let text = document.to_toml();
        assert_eq!(
            text,
            "memory-usage-limit = \"1GiB\"\n\n[rocksdb]\n# leaves room\n# See https://example.com\nrate-bytes-per-sec = \"100MiB\"\n\n\
             [rocksdb.defaultcf]\nblock-size = \"4KiB\"\n\n[server]\nlabels = { zone = \"a\" }\n"
        );
        let read: ::toml::Table = ::toml::from_str(&text).unwrap();
        assert_eq!(read["rocksdb"]["defaultcf"]["block-size"].as_str(), Some("4KiB"));
    }

    #[test]
    fn a_text_that_would_read_otherwise_than_it_is_has_escapes() {
        let hidden = "a\u{202e}\"b\"\\ \u{7f}\u{85}\n\u{1b}'";
        let text = Map::new().with("a.b", hidden).to_toml();
        assert!(!text.contains(|c| is_hidden(c) && c != '\n'), "{text:?}");
        let read: ::toml::Table = ::toml::from_str(&text).unwrap();
        assert_eq!(read["a"]["b"].as_str(), Some(hidden));
    }
}
