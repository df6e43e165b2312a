//! What a setting takes.

use std::collections::BTreeMap;

use units::Bytes;

use super::SettingValue;

/// Compressions that TiKV knows by name (tikv components/engine_rocks/src/config.rs).
const COMPRESSIONS: [&str; 9] = ["no", "snappy", "zlib", "bzip2", "lz4", "lz4hc", "zstd", "zstd-not-final", "disable"];
/// Levels of RocksDB under TiKV: the list of compressions has one of each.
const LEVELS: usize = 7;
/// Units of 1024 under TiKV's decimal-looking names (tikv components/tikv_util/src/config.rs, `ReadableSize`).
const UNITS: [(&str, u32); 9] =
    [("KB", 10), ("MB", 20), ("GB", 30), ("TB", 40), ("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("B", 0)];

/// What a setting takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingKind {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// Bytes.
    Size,
    /// A time.
    Duration,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A compression.
    Compression,
    /// Seven compressions, one a level.
    Levels,
    /// Names with values.
    Labels,
    /// One of these.
    Choice(Vec<String>),
}

impl SettingKind {
    /// Reads the name of a kind as tables write it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            // A percentage is a size to TiKV from 9.0 on only.
            "size" | "size-or-percent" => Self::Size,
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

    /// What it takes, in words.
    pub fn expected(&self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Int => "a whole number".to_owned(),
            Self::Float => "a number".to_owned(),
            Self::Size => "a size".to_owned(),
            Self::Duration => "a time".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Compression => format!("one of {}", COMPRESSIONS.join(", ")),
            Self::Levels => format!("{LEVELS} of {}", COMPRESSIONS.join(", ")),
            Self::Labels => "names with texts".to_owned(),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
        }
    }

    /// Whether it takes a value; the error says what it takes.
    pub(crate) fn admits(&self, value: &SettingValue) -> Result<(), String> {
        let known = |name: &String| COMPRESSIONS.contains(&name.as_str());
        let fits = match (self, value) {
            (Self::Bool, SettingValue::Bool(_))
            | (Self::Int, SettingValue::Int(_))
            | (Self::Size, SettingValue::Size(_))
            | (Self::Duration, SettingValue::Duration(_))
            | (Self::Text, SettingValue::Text(_))
            | (Self::Texts, SettingValue::Texts(_)) => true,
            (Self::Float, SettingValue::Float(number)) => number.is_finite(),
            (Self::Compression, SettingValue::Text(name)) => known(name),
            (Self::Levels, SettingValue::Texts(names)) => names.len() == LEVELS && names.iter().all(known),
            (Self::Labels, SettingValue::Labels(labels)) => labels.iter().all(|(name, value)| is_label(name, value)),
            (Self::Choice(names), SettingValue::Text(name)) => names.contains(name),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.expected()) }
    }

    /// Reads a value as files and tables write it.
    ///
    /// # Errors
    /// When it is none of this kind, in words.
    pub fn read(&self, text: &str) -> Result<SettingValue, String> {
        let wrong = || format!("`{text}` is not {}", self.expected());
        let value = match self {
            Self::Bool => text.parse().map(SettingValue::Bool).map_err(|_| wrong())?,
            Self::Int => text.parse().map(SettingValue::Int).map_err(|_| wrong())?,
            Self::Float => text.parse().map(SettingValue::Float).map_err(|_| wrong())?,
            Self::Size => size(text).map(SettingValue::Size).ok_or_else(wrong)?,
            Self::Duration => text.parse().map(SettingValue::Duration).map_err(|_| wrong())?,
            Self::Text | Self::Compression | Self::Choice(_) => SettingValue::text(text),
            Self::Texts => SettingValue::Texts(text.split_whitespace().map(str::to_owned).collect()),
            Self::Levels => SettingValue::Texts(text.split_whitespace().map(str::to_owned).collect()),
            Self::Labels => SettingValue::Labels(BTreeMap::new()),
        };
        self.admits(&value).map_err(|_| wrong())?;
        Ok(value)
    }
}

/// A size as TiKV writes it, where a KB has 1024 bytes.
fn size(text: &str) -> Option<Bytes> {
    if let Ok(bytes) = text.parse() {
        return Some(Bytes(bytes));
    }
    let (unit, shift) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    number.checked_mul(1 << shift).map(Bytes)
}

/// Whether TiKV takes it for a label (tikv src/server/config.rs: the regular expressions of keys and values).
fn is_label(name: &str, value: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let bare = name.strip_prefix('$').unwrap_or(name);
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    ends(bare.chars().next()) && ends(bare.chars().last()) && bare.chars().all(inner) && value.chars().all(inner)
}
