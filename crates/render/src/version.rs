//! The lines of TiKV that are maintained for years, whose keys and defaults are known.

use std::fmt;
use std::str::FromStr;

/// A line of TiKV; its newest patch is meant where nothing else is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum Version {
    /// 7.5
    #[serde(rename = "7.5")]
    V7_5,
    /// 8.1
    #[serde(rename = "8.1")]
    V8_1,
    /// 8.5
    #[default]
    #[serde(rename = "8.5")]
    V8_5,
}

impl Version {
    /// All, oldest first.
    pub const ALL: [Self; 3] = [Self::V7_5, Self::V8_1, Self::V8_5];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::V7_5 => "7.5",
            Self::V8_1 => "8.1",
            Self::V8_5 => "8.5",
        }
    }

    /// The patch that files for a new cluster name: the one whose sources the tables were read from, or the newest known.
    pub fn patch(self) -> &'static str {
        match self {
            Self::V7_5 => "v7.5.2",
            Self::V8_1 => "v8.1.2",
            Self::V8_5 => "v8.5.7",
        }
    }

    /// Whether `since`, such as `4.0.8`, is not after this line.
    pub(crate) fn has(self, since: &str) -> bool {
        let numbers =
            |text: &str| text.split('.').filter_map(|part| part.parse::<u32>().ok()).take(2).collect::<Vec<_>>();
        numbers(since) <= numbers(self.name())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let line = text.trim().trim_start_matches('v');
        let known = Self::ALL.map(Self::name);
        Self::ALL.into_iter().find(|version| version.name() == line).ok_or_else(|| {
            format!(
                "no keys are known of TiKV `{text}`; expected one of {}: the line, without its patch",
                known.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_came_before_it_and_no_more() {
        assert!(Version::V8_1.has("4.0.8") && Version::V8_1.has("8.1") && !Version::V8_1.has("8.4"));
        assert!(!Version::V7_5.has("7.6") && Version::V8_5.has("8.4"));
    }

    #[test]
    fn an_unknown_version_is_refused_with_the_known_ones() {
        let message = "6.5".parse::<Version>().unwrap_err();
        assert!(message.contains("`6.5`") && message.contains("7.5, 8.1, 8.5"), "{message}");
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
        }
    }
}
