//! Shares of one, written as percentages or as fractions.

use std::fmt;
use std::str::FromStr;

use crate::parse::{Grammar, ParseError, serde_as_text};

/// A dimensionless number, most often a share between 0 and 1: `99.9%` is `Ratio(0.999)`.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Ratio(pub f64);

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
    fn percent_and_fraction_are_the_same_share() {
        assert_eq!("99.9%".parse::<Ratio>().unwrap(), "0.999".parse::<Ratio>().unwrap());
    }
}
