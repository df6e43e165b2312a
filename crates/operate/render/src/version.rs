//! The lines of TiKV that are maintained for years, whose keys and defaults are known, and their patches.

use std::fmt;
use std::str::FromStr;

use catalog::{Release, ReleaseSet};

/// A release of TiKV whose line is known. Of a patch newer than the tables what the newest known one has is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TikvVersion(Release);

impl TikvVersion {
    /// The newest known of 7.5.
    pub const V7_5: Self = Self(Release::new(7, 5, 7));
    /// The newest known of 8.1.
    pub const V8_1: Self = Self(Release::new(8, 1, 2));
    /// The newest known of 8.5.
    pub const V8_5: Self = Self(Release::NEWEST);
    /// The newest known of each line, oldest first.
    pub const ALL: [Self; 3] = [Self::V7_5, Self::V8_1, Self::V8_5];

    /// The newest known of a line.
    fn newest(line: (u16, u16)) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.0.line() == line)
    }

    /// As people write it: of the newest known patch its line, of another all of it.
    pub fn name(self) -> String {
        if Self::ALL.contains(&self) { self.line() } else { self.0.to_string() }
    }

    /// The line: `8.5`.
    pub fn line(self) -> String {
        format!("{}.{}", self.0.major, self.0.minor)
    }

    /// Whether it is a patch of the same line as another.
    pub fn is_of_line(self, other: Self) -> bool {
        self.0.line() == other.0.line()
    }

    /// As it is tagged: `v8.5.7`.
    pub fn tag(self) -> String {
        format!("v{}", self.0)
    }

    /// The release.
    pub fn release(self) -> Release {
        self.0
    }

    /// What is taken for true of it without being known; `None` of a patch that the tables know.
    pub fn assumption(self) -> Option<String> {
        let newest = Self::newest(self.0.line()).filter(|newest| *newest < self)?;
        Some(format!("nothing is known of {} yet: what {} has is taken", self.0, newest.0))
    }

    /// Whether it is among some releases.
    pub(crate) fn is_of(self, releases: &ReleaseSet) -> bool {
        releases.contains(self.0)
    }
}

impl Default for TikvVersion {
    fn default() -> Self {
        Self::V8_5
    }
}

impl serde::Serialize for TikvVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl fmt::Display for TikvVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

/// A text that names no version whose keys are known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no keys are known of TiKV `{text}`; expected one of {}, with or without its patch", TikvVersion::ALL.map(TikvVersion::line).join(", "))]
pub struct UnknownVersion {
    /// What was written.
    pub text: String,
}

impl FromStr for TikvVersion {
    type Err = UnknownVersion;

    /// A line, which is its newest known patch, or a release.
    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        let word = text.trim().trim_start_matches('v');
        let line = Self::ALL.into_iter().find(|known| known.line() == word);
        let release = || word.parse::<Release>().ok().filter(|release| Self::newest(release.line()).is_some());
        line.or_else(|| release().map(Self)).ok_or_else(|| UnknownVersion { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_newest_patch_and_a_patch_is_itself() {
        assert_eq!("8.5".parse(), Ok(TikvVersion::V8_5));
        assert_eq!("v8.5.7".parse(), Ok(TikvVersion::V8_5));
        let old: TikvVersion = "v8.5.3-20250805".parse().unwrap();
        assert!(old < TikvVersion::V8_5 && old > TikvVersion::V8_1);
        assert_eq!((old.name(), old.tag(), old.line()), ("8.5.3".into(), "v8.5.3".into(), "8.5".into()));
        assert_eq!((TikvVersion::V8_5.name(), TikvVersion::V8_5.tag()), ("8.5".into(), "v8.5.7".into()));
    }

    #[test]
    fn a_patch_newer_than_the_tables_is_told() {
        assert_eq!(TikvVersion::V7_5.assumption(), None);
        assert_eq!("8.5.3".parse::<TikvVersion>().unwrap().assumption(), None);
        let told = "8.5.99".parse::<TikvVersion>().unwrap().assumption().unwrap();
        assert_eq!(told, "nothing is known of 8.5.99 yet: what 8.5.7 has is taken");
    }

    #[test]
    fn an_unknown_version_is_refused_with_the_known_ones() {
        for text in ["6.5", "6.5.3", "9.0.0", "8.5.x", ""] {
            let message = text.parse::<TikvVersion>().unwrap_err().to_string();
            assert!(message.contains(&format!("`{text}`")) && message.contains("7.5, 8.1, 8.5"), "{message}");
        }
        for version in TikvVersion::ALL {
            assert_eq!(version.name().parse(), Ok(version));
        }
    }
}
