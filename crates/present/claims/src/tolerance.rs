//! How near a result must be to the published one for the claim to hold.

use std::str::FromStr;

/// How near a result must be to the published one.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(try_from = "String")]
pub enum Tolerance {
    /// `15%`: relative, of each number.
    Share(f64),
    /// `0.03`: in the published unit.
    Difference(f64),
    /// `at least`: not less than published.
    AtLeast,
    /// `greater than`, or `greater than 1.5`: more than published, or than the number given.
    GreaterThan(Option<f64>),
    /// `less than`, or `less than 0.8`.
    LessThan(Option<f64>),
    /// `0.9 to 1.3`: between the two.
    Between(f64, f64),
    /// `direction and half the size`: of the same sign, and at least half as large.
    HalfTheSize,
    /// `same`, `read it`: equal; numbers in the digits published.
    Same,
}

/// A tolerance that the comparator does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tolerance `{text}` is not understood; expected `15%`, `0.03`, `at least`, `greater than`, `less than`, `0.9 to 1.3`, \
     `direction and half the size`, `read it` or `same`"
)]
pub struct UnknownTolerance {
    /// The text as given.
    pub text: String,
}

impl Tolerance {
    /// Whether a whole range of results holds, on one side of a threshold or between two: a distance from such a claim is no
    /// error of the model, and the weaker the effect, the smaller it would be.
    pub fn is_threshold(self) -> bool {
        match self {
            Self::Share(_) | Self::Difference(_) | Self::Same => false,
            Self::AtLeast | Self::GreaterThan(_) | Self::LessThan(_) | Self::Between(..) | Self::HalfTheSize => true,
        }
    }
}

impl FromStr for Tolerance {
    type Err = UnknownTolerance;

    fn from_str(text: &str) -> Result<Self, UnknownTolerance> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let than = |rest: &str| if rest.trim().is_empty() { Some(None) } else { number(rest).map(Some) };
        let parsed = if text == "same" || text == "read it" {
            Some(Self::Same)
        } else if text == "at least" {
            Some(Self::AtLeast)
        } else if text == "direction and half the size" {
            Some(Self::HalfTheSize)
        } else if let Some(rest) = text.strip_prefix("greater than") {
            than(rest).map(Self::GreaterThan)
        } else if let Some(rest) = text.strip_prefix("less than") {
            than(rest).map(Self::LessThan)
        } else if let Some((low, high)) = text.split_once(" to ") {
            number(low).zip(number(high)).map(|(low, high)| Self::Between(low, high))
        } else if let Some(percent) = text.strip_suffix('%') {
            number(percent).map(|percent| Self::Share(percent / 100.0))
        } else {
            number(text).map(Self::Difference)
        };
        parsed.ok_or_else(|| UnknownTolerance { text: text.to_owned() })
    }
}

impl TryFrom<String> for Tolerance {
    type Error = UnknownTolerance;

    fn try_from(text: String) -> Result<Self, UnknownTolerance> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_tolerance_is_an_error_that_lists_the_known() {
        let message = "about right".parse::<Tolerance>().unwrap_err().to_string();
        assert!(message.starts_with("the tolerance `about right` is not understood"), "{message}");
        assert!("1 to x".parse::<Tolerance>().is_err() && "%".parse::<Tolerance>().is_err());
    }

    #[test]
    fn thresholds_are_those_that_a_range_of_results_meets() {
        let threshold = |text: &str| text.parse::<Tolerance>().unwrap().is_threshold();
        for text in
            ["at least", "greater than", "greater than 1.5", "less than", "0.9 to 1.3", "direction and half the size"]
        {
            assert!(threshold(text), "{text}");
        }
        for text in ["15%", "0.03", "0", "same", "read it"] {
            assert!(!threshold(text), "{text}");
        }
    }
}
