//! Settings as a tree of YAML or TOML, flattened to keys with dots, each with its place in a file.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use textfile::{InputError, Text, TextPosition};

/// A value of YAML or TOML.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TreeValue {
    /// A text, a number or a truth, as it was written.
    Scalar(String),
    List(Vec<TreeNode>),
    Map(Vec<(String, TreeNode)>),
}

/// A value and the line where it stands; 0 where that is not known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeNode {
    pub(crate) value: TreeValue,
    pub(crate) line: usize,
}

impl TreeNode {
    /// The value of a key of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            TreeValue::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            TreeValue::Scalar(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Self] {
        match &self.value {
            TreeValue::List(list) => list,
            _ => &[],
        }
    }

    pub(crate) fn map(&self) -> &[(String, Self)] {
        match &self.value {
            TreeValue::Map(entries) => entries,
            _ => &[],
        }
    }
}

impl<'de> Deserialize<'de> for TreeNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<TreeValue>::deserialize(deserializer)?;
        let line = usize::try_from(spanned.referenced.line()).unwrap_or(0);
        Ok(Self { value: spanned.value, line })
    }
}

impl<'de> Deserialize<'de> for TreeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = TreeValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(String::new()))
    }

    fn visit_none<E>(self) -> Result<TreeValue, E> {
        Ok(TreeValue::Scalar(String::new()))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<TreeValue, D::Error> {
        TreeValue::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<TreeValue, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = seq.next_element()? {
            list.push(node);
        }
        Ok(TreeValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TreeValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<TreeKey>()? {
            entries.push((key.0, map.next_value()?));
        }
        Ok(TreeValue::Map(entries))
    }
}

/// A key, which YAML may take for a number or a truth.
struct TreeKey(String);

impl<'de> Deserialize<'de> for TreeKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match TreeValue::deserialize(deserializer)? {
            TreeValue::Scalar(text) => Ok(Self(text)),
            _ => Err(serde::de::Error::custom("a key is no text")),
        }
    }
}

/// The documents of a YAML file.
pub(super) fn of_yaml(text: &Text) -> Result<Vec<TreeNode>, InputError> {
    serde_saphyr::from_multiple(text.content()).map_err(|error| {
        let input = InputError::new(text.path(), format!("is not YAML: {}", first_line(&error.to_string())));
        match error.location() {
            Some(at) => {
                let (line, column) =
                    (usize::try_from(at.line()).unwrap_or(1), usize::try_from(at.column()).unwrap_or(1));
                input.at(TextPosition { line, column })
            }
            None => input,
        }
    })
}

fn first_line(message: &str) -> &str {
    message.lines().find(|line| !line.trim().is_empty()).unwrap_or("it cannot be read").trim()
}

/// Settings by keys with dots.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SettingTree {
    /// The value as it was written, lists with spaces between, and its place.
    pub(crate) values: BTreeMap<String, (String, String)>,
}

impl SettingTree {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(|(value, _)| value.as_str())
    }

    pub(crate) fn place(&self, key: &str) -> &str {
        self.values.get(key).map_or("", |(_, place)| place.as_str())
    }

    /// A label of a TiKV, however it is written: a map, keys with dots, or `zone=z1,host=h1`.
    pub(crate) fn label(&self, name: &str) -> Option<String> {
        if let Some(value) = self.get(&format!("server.labels.{name}")) {
            return Some(value.to_owned());
        }
        let all = self.get("server.labels")?;
        let pair =
            |pair: &str| pair.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
        all.split(',').filter_map(pair).find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Adds settings, which take precedence.
    pub(crate) fn extend(&mut self, more: &Self) {
        self.values.extend(more.values.clone());
    }

    /// Flattens a tree of a file.
    pub(super) fn of_node(node: &TreeNode, file: &str) -> Self {
        let mut tree = Self::default();
        tree.add("", node, file, 0);
        tree
    }

    fn add(&mut self, key: &str, node: &TreeNode, file: &str, depth: u32) {
        // No program nests its settings deeper.
        if depth > 16 {
            return;
        }
        let place = if node.line > 0 { format!("{file}:{}", node.line) } else { file.to_owned() };
        match &node.value {
            TreeValue::Scalar(text) => drop(self.values.insert(key.to_owned(), (text.clone(), place))),
            TreeValue::List(list) => {
                let texts: Vec<&str> = list.iter().filter_map(TreeNode::text).collect();
                self.values.insert(key.to_owned(), (texts.join(" "), place));
            }
            TreeValue::Map(entries) => {
                for (name, node) in entries {
                    let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                    self.add(&key, node, file, depth + 1);
                }
            }
        }
    }
}

/// Settings of a TOML file.
pub(super) fn of_toml(text: &Text) -> Result<SettingTree, InputError> {
    let table: toml::Table = textfile::from_toml(text)?;
    let mut tree = SettingTree::default();
    add_toml(&mut tree, "", &toml::Value::Table(table), text);
    Ok(tree)
}

fn add_toml(tree: &mut SettingTree, key: &str, value: &toml::Value, text: &Text) {
    let place = || {
        let at = text.error_at_key(key, "").position.map(|at| at.line);
        at.map_or_else(|| text.path().display().to_string(), |line| format!("{}:{line}", text.path().display()))
    };
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                add_toml(tree, &key, value, text);
            }
        }
        toml::Value::Array(list) => {
            let texts: Vec<String> = list.iter().map(plain).collect();
            tree.values.insert(key.to_owned(), (texts.join(" "), place()));
        }
        value => drop(tree.values.insert(key.to_owned(), (plain(value), place()))),
    }
}

/// A value without its quotes.
fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
