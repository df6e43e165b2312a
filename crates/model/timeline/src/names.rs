//! The words for units and ways to merge, as files hold them.

use std::fmt;
use std::str::FromStr;

use crate::{MergeRule, Series, SeriesPoints, SeriesUnit};

/// A word that names nothing known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{}`, expected one of {}", .word.escape_debug(), .known.join(", "))]
pub struct UnknownWord {
    what: &'static str,
    word: String,
    known: Vec<&'static str>,
}

/// How files mark a series of histograms, where others have their [`Merge`].
pub(crate) const HISTOGRAM: &str = "histogram";

impl SeriesUnit {
    /// All units.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Count,
        Self::CountPerSecond,
        Self::Bytes,
        Self::BytesPerSecond,
        Self::Seconds,
        Self::Milliseconds,
        Self::Percent,
    ];

    /// Name in CloudWatch: `Count/Second`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Count => "Count",
            Self::CountPerSecond => "Count/Second",
            Self::Bytes => "Bytes",
            Self::BytesPerSecond => "Bytes/Second",
            Self::Seconds => "Seconds",
            Self::Milliseconds => "Milliseconds",
            Self::Percent => "Percent",
        }
    }
}

impl MergeRule {
    /// All ways.
    pub const ALL: [Self; 4] = [Self::Sum, Self::Mean, Self::Max, Self::Min];

    /// `sum`, `mean`, `max` or `min`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

macro_rules! words {
    ($type:ty, $what:literal) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                let known = || Self::ALL.iter().map(|one| one.name()).collect();
                let found = Self::ALL.iter().find(|one| one.name() == word).copied();
                found.ok_or_else(|| UnknownWord { what: $what, word: word.to_owned(), known: known() })
            }
        }
    };
}
words!(SeriesUnit, "unit");
words!(MergeRule, "way to merge");

impl SeriesPoints {
    /// The word for how they merge.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Values(merge, _) => merge.name(),
            Self::Latencies(_) => HISTOGRAM,
        }
    }
}

impl fmt::Display for Series {
    /// Name and labels as Prometheus writes them: `read_latency{disk="data"}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.labels.iter().enumerate() {
            write!(f, "{}{key}={value:?}", if index == 0 { '{' } else { ',' })?;
        }
        if self.labels.is_empty() { Ok(()) } else { f.write_str("}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for unit in SeriesUnit::ALL {
            assert_eq!(unit.to_string().parse::<SeriesUnit>().unwrap(), unit);
        }
        for merge in MergeRule::ALL {
            assert_eq!(merge.to_string().parse::<MergeRule>().unwrap(), merge);
        }
    }

    #[test]
    fn an_unknown_unit_names_the_known_ones() {
        let message = "Furlongs".parse::<SeriesUnit>().unwrap_err().to_string();
        assert!(message.starts_with("unknown unit `Furlongs`, expected one of None, Count, "), "{message}");
    }

    #[test]
    fn a_series_is_named_with_its_labels() {
        let labels = [("disk", "data"), ("zone", "a")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let mut series = Series {
            name: "ops".into(),
            labels,
            unit: SeriesUnit::Count,
            points: SeriesPoints::Values(MergeRule::Sum, vec![]),
        };
        assert_eq!(series.to_string(), r#"ops{disk="data",zone="a"}"#);
        series.labels.clear();
        assert_eq!(series.to_string(), "ops");
    }
}
