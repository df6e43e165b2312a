//! The value of a setting, printed as its program reads it.

use std::collections::BTreeMap;
use std::fmt;

use super::{Bytes, Nanos};

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Bytes.
    Size(Bytes),
    /// A time.
    Duration(Nanos),
    /// A text, a choice or a compression.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// Names with values.
    Labels(BTreeMap<String, String>),
}

impl SettingValue {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number to compare with bounds: bytes, nanoseconds, or the number itself.
    pub(crate) fn magnitude(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            Self::Size(bytes) => Some(bytes.as_f64()),
            Self::Duration(time) => Some(time.as_secs_f64() * 1e9),
            Self::Bool(_) | Self::Text(_) | Self::Texts(_) | Self::Labels(_) => None,
        }
    }
}

impl fmt::Display for SettingValue {
    /// As in a configuration file, without quotes. A unit such as KiB means 1024 to TiKV, as here.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Size(value) => write!(f, "{value}"),
            Self::Duration(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
            Self::Texts(values) => write!(f, "{}", values.join(", ")),
            Self::Labels(labels) => {
                let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
                f.write_str(&pairs.join(","))
            }
        }
    }
}
