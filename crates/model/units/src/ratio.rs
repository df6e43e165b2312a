//! Shares of one, written as percentages or as fractions.

use std::fmt;
use std::str::FromStr;

use crate::parse::{Grammar, ParseError, serde_as_text};

/// A dimensionless number, most often a share between 0 and 1: `99.9%` is `Ratio(0.999)`.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Ratio(pub f64);

/// Why a text is no share of a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// Not a number.
    #[error(transparent)]
    Unreadable(#[from] ParseError),
    /// Below 0 % or above 100 %.
    #[error("`{text}` is not a share: expected 0 % to 100 %")]
    OutOfRange {
        /// Text as written.
        text: String,
    },
}

impl Ratio {
    /// Reads a share of a whole, from 0 to 1: `40%`, `0.4`.
    ///
    /// # Errors
    /// When it is no number, or out of range.
    pub fn share(text: &str) -> Result<Self, ShareError> {
        match text.parse::<Self>()? {
            share if (0.0..=1.0).contains(&share.0) => Ok(share),
            _ => Err(ShareError::OutOfRange { text: text.to_owned() }),
        }
    }

    /// The share as a percentage for a sentence, with so many decimals: `23 %`.
    pub fn percent(self, decimals: usize) -> String {
        format!("{:.decimals$} %", self.0 * 100.0)
    }
}

const SHARES: Grammar =
    Grammar { what: "a share", example: "99.9%", unit_names: "% or nothing (0.999)", units: &[("", 1.0), ("%", 0.01)] };

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision() {
            Some(decimals) => write!(f, "{:.decimals$}%", self.0 * 100.0),
            None => write!(f, "{}", self.0),
        }
    }
}

impl FromStr for Ratio {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        // Shifting the point in the text keeps `99.9%` equal to `0.999`; arithmetic would not.
        match text.trim().strip_suffix('%').map(str::trim_end) {
            Some(percent) if percent.parse::<f64>().is_ok() => SHARES.parse(&format!("{percent}e-2")).map(Self),
            _ => SHARES.parse(text).map(Self),
        }
    }
}

serde_as_text!(Ratio, "a share such as \"99.9%\"");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_whole_is_neither_negative_nor_above_all() {
        assert_eq!(Ratio::share("40%"), Ok(Ratio(0.4)));
        assert_eq!(Ratio::share("1"), Ok(Ratio(1.0)));
        assert!(Ratio::share("-1%").is_err());
        for text in ["101%", "1.5"] {
            assert_eq!(Ratio::share(text), Err(ShareError::OutOfRange { text: text.to_owned() }));
        }
        assert!(matches!(Ratio::share("much"), Err(ShareError::Unreadable(_))));
    }

    #[test]
    fn a_percentage_is_rounded_to_its_decimals() {
        assert_eq!((Ratio(0.2345).percent(0), Ratio(0.2345).percent(1)), ("23 %".to_owned(), "23.4 %".to_owned()));
    }

    #[test]
    fn percent_and_fraction_are_the_same_share() {
        assert_eq!("99.9%".parse::<Ratio>().unwrap(), "0.999".parse::<Ratio>().unwrap());
    }
}
