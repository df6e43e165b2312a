//! Releases of TiKV, PD and TiDB, which have their numbers in common, and sets of them: from which patch on a fact holds, and until
//! which.

use std::fmt;
use std::str::FromStr;

/// A release: `8.5.4`. Ordered as time has it within a line, and by line otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// 8 of 8.5.4.
    pub major: u16,
    /// 5 of 8.5.4.
    pub minor: u16,
    /// 4 of 8.5.4.
    pub patch: u16,
}

/// Text that is no release, or no set of releases.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {expected}")]
pub struct ReleaseError {
    text: String,
    expected: &'static str,
}

impl Release {
    /// The newest whose facts are in the tables; it is assumed where nobody tells which one runs.
    pub const NEWEST: Self = Self::new(8, 5, 7);

    /// By its numbers.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Major and minor number: the line that gets patches.
    pub fn line(self) -> (u16, u16) {
        (self.major, self.minor)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}.{}", self.major, self.minor, self.patch))
    }
}

impl FromStr for Release {
    type Err = ReleaseError;

    /// Reads a release: `8.5.4`, `v8.5.4`, `v8.5.4-20251208-g1234567`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = || ReleaseError { text: text.to_owned(), expected: "release like 8.5.4" };
        match numbers(text.trim().trim_start_matches('v').split(['-', '+']).next().unwrap_or_default()) {
            Some((major, minor, Some(patch))) => Ok(Self { major, minor, patch }),
            _ => Err(fault()),
        }
    }
}

/// Major, minor and, where it is there, patch.
fn numbers(text: &str) -> Option<(u16, u16, Option<u16>)> {
    let mut parts = text.split('.');
    let mut next = || parts.next().map(|part| part.parse::<u16>().ok());
    let (major, minor, patch) = (next()??, next()??, next());
    match (patch, parts.next()) {
        (None, _) => Some((major, minor, None)),
        (Some(Some(patch)), None) => Some((major, minor, Some(patch))),
        _ => None,
    }
}

/// A set of releases, as tables write it: `all`, or ranges with spaces between. `8.5` is a whole line, `8.5.4..` all from that patch
/// on, `..8.5.3` all up to it, `7.5.7..7.5` that patch and later ones of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseSet(Vec<(Release, Release)>);

impl ReleaseSet {
    /// Every release.
    pub fn all() -> Self {
        Self(vec![(FIRST, LAST)])
    }

    /// Whether a release is among them.
    pub fn contains(&self, release: Release) -> bool {
        self.0.iter().any(|(from, until)| (*from..=*until).contains(&release))
    }
}

const FIRST: Release = Release::new(0, 0, 0);
const LAST: Release = Release::new(u16::MAX, u16::MAX, u16::MAX);

impl FromStr for ReleaseSet {
    type Err = ReleaseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = || ReleaseError { text: text.to_owned(), expected: "set of releases like `7.5.7..7.5 8.4..`" };
        let ends = |text: &str| {
            let (major, minor, patch) = numbers(text)?;
            let at = |patch| Release { major, minor, patch };
            Some(patch.map_or((at(0), at(u16::MAX)), |patch| (at(patch), at(patch))))
        };
        let range = |word: &str| match word.split_once("..") {
            _ if word == "all" => Some((FIRST, LAST)),
            None => ends(word),
            Some(("", "")) => None,
            Some(("", until)) => Some((FIRST, ends(until)?.1)),
            Some((from, "")) => Some((ends(from)?.0, LAST)),
            Some((from, until)) => Some((ends(from)?.0, ends(until)?.1)),
        };
        let ranges: Option<Vec<_>> = text.split_whitespace().map(range).collect();
        match ranges {
            Some(ranges) if !ranges.is_empty() && ranges.iter().all(|(from, until)| from <= until) => Ok(Self(ranges)),
            _ => Err(fault()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(set: &str, release: &str) -> bool {
        set.parse::<ReleaseSet>().unwrap().contains(release.parse().unwrap())
    }

    #[test]
    fn a_release_is_read_as_programs_tell_it() {
        for text in ["8.5.4", "v8.5.4", " v8.5.4-20251208-g1234567 ", "8.5.4+nightly"] {
            assert_eq!(text.parse(), Ok(Release::new(8, 5, 4)), "{text}");
        }
        for text in ["", "8.5", "nightly", "8.5.x", "8.5.4.1", "v", "8..4", "99999.1.1"] {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
        assert_eq!(Release::new(8, 5, 4).to_string(), "8.5.4");
    }

    #[test]
    fn a_set_of_releases_has_both_its_ends() {
        assert!(holds("8.5.4..", "8.5.4") && holds("8.5.4..", "9.0.0") && !holds("8.5.4..", "8.5.3"));
        assert!(holds("..8.5.3", "8.5.3") && holds("..8.5.3", "7.5.7") && !holds("..8.5.3", "8.5.4"));
        assert!(holds("8.5", "8.5.0") && holds("8.5", "8.5.99") && !holds("8.5", "8.4.0") && !holds("8.5", "9.0.0"));
        let flow = "7.5.7..7.5 8.4..";
        let online =
            ["7.5.6", "7.5.7", "7.5.9", "7.6.0", "8.1.2", "8.4.0", "8.5.0"].map(|release| holds(flow, release));
        assert_eq!(online, [false, true, true, false, false, true, true]);
        assert!(holds("all", "0.0.0") && holds("all", "9.9.9"));
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for text in ["", "..", "8", "8.5.4..8.5.3", "8.5 x", "8.5.4...", "no"] {
            assert!(text.parse::<ReleaseSet>().is_err(), "{text}");
        }
    }
}
