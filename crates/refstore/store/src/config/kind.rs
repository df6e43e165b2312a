//! What kind of value a key takes, and the reading of one.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value as Json;

use super::{ConfigDuration, ConfigSize};

/// Compressions that this build of RocksDB has.
pub(crate) const COMPRESSIONS: [&str; 5] = ["no", "lz4", "lz4hc", "zstd", "disable"];
/// TiKV's names of those it has not.
const FOREIGN: [&str; 4] = ["snappy", "zlib", "bzip2", "zstd-not-final"];

/// What kind of value a key takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreKeyKind {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// Bytes in TiKV's notation; a bare number is bytes.
    Size,
    /// Bytes, or a percentage of the memory.
    SizeOrPercent,
    /// A duration.
    Duration,
    /// Text.
    Text,
    /// A list of texts, or one with commas.
    Texts,
    /// One of these names.
    Choice(Vec<String>),
    /// A compression.
    Compression,
    /// Seven compressions, one a level.
    Levels,
    /// Names with values.
    Labels,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigValue {
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Int`].
    Int(i64),
    /// Of [`Kind::Float`].
    Float(f64),
    /// Of [`Kind::Size`], and of [`Kind::SizeOrPercent`] once the memory is known.
    Size(u64),
    /// A percentage that is not resolved yet.
    Percent(f64),
    /// Of [`Kind::Duration`].
    Duration(std::time::Duration),
    /// Of [`Kind::Text`], [`Kind::Choice`] and [`Kind::Compression`].
    Text(String),
    /// Of [`Kind::Texts`] and [`Kind::Levels`].
    Texts(Vec<String>),
    /// Of [`Kind::Labels`].
    Labels(BTreeMap<String, String>),
}

impl StoreKeyKind {
    /// Reads the name of a kind as the tables write it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            "size" => Self::Size,
            "size-or-percent" => Self::SizeOrPercent,
            "duration" => Self::Duration,
            "text" => Self::Text,
            "texts" => Self::Texts,
            "compression" => Self::Compression,
            "levels" => Self::Levels,
            "labels" => Self::Labels,
            _ => {
                let choices = name.strip_prefix("choice(")?.strip_suffix(')')?;
                Self::Choice(choices.split('|').map(str::to_owned).collect())
            }
        })
    }

    /// Reads a value from its JSON form, which TOML shares. The error says what was expected.
    pub(crate) fn read(&self, json: &Json) -> Result<ConfigValue, String> {
        match (self, json) {
            (Self::Bool, Json::Bool(value)) => Ok(ConfigValue::Bool(*value)),
            (Self::Int, Json::Number(value)) => {
                value.as_i64().map(ConfigValue::Int).ok_or_else(|| format!("{value} is not a whole number"))
            }
            (Self::Float, Json::Number(value)) => {
                value.as_f64().map(ConfigValue::Float).ok_or_else(|| format!("{value} is not a number"))
            }
            (Self::Size | Self::SizeOrPercent, Json::Number(value)) => value
                .as_u64()
                .map(ConfigValue::Size)
                .ok_or_else(|| format!("{value} is not a size; a size is like 512MB")),
            (Self::Texts | Self::Levels, Json::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(Json::as_str).collect();
                self.texts(&texts.ok_or("expected a list of texts")?)
            }
            (Self::Labels, Json::Object(labels)) => {
                let text = |(name, value): (&String, &Json)| {
                    let value = value.as_str().ok_or_else(|| format!("label `{name}` is not a text"))?;
                    Ok((name.clone(), value.to_owned()))
                };
                labels.iter().map(text).collect::<Result<_, String>>().map(ConfigValue::Labels)
            }
            (_, Json::String(text)) if !matches!(self, Self::Bool | Self::Int | Self::Float | Self::Labels) => {
                self.read_text(text)
            }
            _ => Err(format!("is {}, expected {}", noun(json), self.expected())),
        }
    }

    /// Reads a value from a text: a cell of the tables, an argument, or a text that was posted, where a number may be quoted.
    pub(crate) fn read_text(&self, text: &str) -> Result<ConfigValue, String> {
        let number = |_| format!("`{text}` is not {}", self.expected());
        match self {
            Self::Bool => {
                text.parse().map(ConfigValue::Bool).map_err(|_| format!("`{text}` is neither true nor false"))
            }
            Self::Int => text.parse().map(ConfigValue::Int).map_err(|_| number(())),
            Self::Float => {
                text.parse().ok().filter(|v: &f64| v.is_finite()).map(ConfigValue::Float).ok_or_else(|| number(()))
            }
            Self::SizeOrPercent if text.trim().ends_with('%') => {
                let percent = f64::from_str(text.trim().trim_end_matches('%')).map_err(|_| number(()));
                percent.and_then(|p| {
                    if (0.0..=100.0).contains(&p) {
                        Ok(ConfigValue::Percent(p))
                    } else {
                        Err("a percentage is 0 to 100".into())
                    }
                })
            }
            Self::Size | Self::SizeOrPercent => text.parse().map(|ConfigSize(bytes)| ConfigValue::Size(bytes)),
            Self::Duration => text.parse().map(|ConfigDuration(time)| ConfigValue::Duration(time)),
            Self::Text => Ok(ConfigValue::Text(text.to_owned())),
            Self::Choice(names) if names.iter().any(|name| name == text) => Ok(ConfigValue::Text(text.to_owned())),
            Self::Choice(names) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Err(format!("unknown value `{text}`; {}", textfile::did_you_mean(text, &names)))
            }
            Self::Compression => compression(text).map(ConfigValue::Text),
            Self::Texts => self.texts(&text.split(',').map(str::trim).collect::<Vec<_>>()),
            Self::Levels => self.texts(&text.split_whitespace().collect::<Vec<_>>()),
            Self::Labels => labels(text),
        }
    }

    fn texts(&self, items: &[&str]) -> Result<ConfigValue, String> {
        if *self != Self::Levels {
            return Ok(ConfigValue::Texts(items.iter().map(|&item| item.to_owned()).collect()));
        }
        if items.len() != 7 {
            return Err(format!("has {} compressions, expected 7: one a level", items.len()));
        }
        items.iter().map(|name| compression(name)).collect::<Result<_, _>>().map(ConfigValue::Texts)
    }

    /// What is expected, in words.
    pub fn expected(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Int => "a whole number".to_owned(),
            Self::Float => "a number".to_owned(),
            Self::Size => "a size like 512MB".to_owned(),
            Self::SizeOrPercent => "a size like 512MB or a share of memory like 40%".to_owned(),
            Self::Duration => "a duration like 10s".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
            Self::Compression => format!("one of {}", COMPRESSIONS.join(", ")),
            Self::Levels => format!("seven of {}", COMPRESSIONS.join(", ")),
            Self::Labels => "a table of texts".to_owned(),
        }
    }
}

fn noun(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a table",
    }
}

fn compression(name: &str) -> Result<String, String> {
    if COMPRESSIONS.contains(&name) {
        Ok(name.to_owned())
    } else if FOREIGN.contains(&name) {
        Err(format!("compression `{name}` is not built in; expected one of {}", COMPRESSIONS.join(", ")))
    } else {
        Err(format!("unknown compression `{name}`; {}", textfile::did_you_mean(name, &COMPRESSIONS)))
    }
}

/// Labels as the command line writes them: `zone=a,host=h1`.
fn labels(text: &str) -> Result<ConfigValue, String> {
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let label = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("label `{pair}` is not like zone=a"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    pairs.map(label).collect::<Result<_, String>>().map(ConfigValue::Labels)
}

impl ConfigValue {
    /// As `GET /config` shows it.
    pub(crate) fn json(&self) -> Json {
        match self {
            Self::Bool(value) => Json::from(*value),
            Self::Int(value) => Json::from(*value),
            Self::Float(value) => Json::from(*value),
            Self::Size(bytes) => Json::from(ConfigSize(*bytes).to_string()),
            Self::Percent(percent) => Json::from(format!("{percent}%")),
            Self::Duration(time) => Json::from(ConfigDuration(*time).to_string()),
            Self::Text(text) => Json::from(text.clone()),
            Self::Texts(texts) => Json::from(texts.clone()),
            Self::Labels(labels) => labels.iter().map(|(k, v)| (k.clone(), Json::from(v.clone()))).collect(),
        }
    }

    /// A number to compare with bounds: bytes, microseconds, or the number itself.
    pub(crate) fn magnitude(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Size(bytes) => Some(*bytes as f64),
            Self::Duration(time) => Some(time.as_micros() as f64),
            _ => None,
        }
    }
}
