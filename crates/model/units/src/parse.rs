//! The grammar shared by all quantities: a decimal number, optional space, a unit.

/// Why a text is not a quantity. Its message says what was expected and what to try.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// No number where one must be.
    #[error("`{text}` is not {what}: expected a number and a unit, such as `{example}`")]
    NotANumber {
        /// The text as given.
        text: String,
        /// The quantity asked for, with its article.
        what: &'static str,
        /// A text that would have been right.
        example: &'static str,
    },
    /// The number is fine, the unit is not one of this quantity's.
    #[error("`{text}` has the unknown unit `{unit}`: {what} is written in {units}")]
    UnknownUnit {
        /// The text as given.
        text: String,
        /// The unit found in it.
        unit: String,
        /// The quantity asked for, with its article.
        what: &'static str,
        /// The units that it may have.
        units: &'static str,
    },
    /// Negative, infinite, or too large for the type.
    #[error("`{text}` is out of range: {what} is between 0 and {max}")]
    OutOfRange {
        /// The text as given.
        text: String,
        /// The quantity asked for, with its article.
        what: &'static str,
        /// The largest value, as text.
        max: String,
    },
    /// An interval whose ends are the wrong way round.
    #[error("the interval `{text}` is empty: write the lower end first, as in `{lower}..{upper}`")]
    EmptyInterval {
        /// The text as given.
        text: String,
        /// The smaller end.
        lower: String,
        /// The larger end.
        upper: String,
    },
}

/// Grammar of a quantity: names for messages, and units with their factors.
pub(crate) struct Grammar {
    /// With article: "a size".
    pub(crate) what: &'static str,
    pub(crate) example: &'static str,
    /// For messages.
    pub(crate) unit_names: &'static str,
    /// Case-sensitive first, then without case. The empty unit is that of a bare number.
    pub(crate) units: &'static [(&'static str, f64)],
}

impl Grammar {
    /// The value of `text` in the base unit.
    pub(crate) fn parse(&self, text: &str) -> Result<f64, ParseError> {
        let trimmed = text.trim();
        let digits = number_length(trimmed);
        let number: f64 = trimmed[..digits].replace('_', "").parse().map_err(|_| ParseError::NotANumber {
            text: text.to_owned(),
            what: self.what,
            example: self.example,
        })?;
        let unit = trimmed[digits..].trim();
        let factor = self.factor(unit).ok_or_else(|| ParseError::UnknownUnit {
            text: text.to_owned(),
            unit: unit.to_owned(),
            what: self.what,
            units: self.unit_names,
        })?;
        let value = number * factor;
        if value.is_finite() && value >= 0.0 && value.is_sign_positive() {
            Ok(value)
        } else {
            Err(self.out_of_range(text, "the largest number"))
        }
    }

    pub(crate) fn out_of_range(&self, text: &str, max: &str) -> ParseError {
        ParseError::OutOfRange { text: text.to_owned(), what: self.what, max: max.to_owned() }
    }

    fn factor(&self, unit: &str) -> Option<f64> {
        let exact = self.units.iter().find(|(name, _)| *name == unit);
        exact.or_else(|| self.units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))).map(|(_, f)| *f)
    }
}

/// How many leading bytes of `text` belong to a decimal number (sign, digits, `_`, point, exponent).
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut at = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    while let Some(&b) = bytes.get(at) {
        let point = b == b'.' && digit(at + 1);
        if !(b.is_ascii_digit() || b == b'_' || point) {
            break;
        }
        at += 1;
    }
    if at > 0 && matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        if digit(at + 1 + sign) {
            at += 1 + sign;
            while digit(at) {
                at += 1;
            }
        }
    }
    at
}

/// `value` with at most `decimals` digits after the point and no trailing zeros, if that is exact.
pub(crate) fn exact_decimal(value: f64, decimals: usize) -> Option<String> {
    let text = format!("{value:.decimals$}");
    let back: f64 = text.parse().ok()?;
    (back == value)
        .then(|| if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text })
}

/// Implements `Serialize` as text and `Deserialize` from text or from a number in the base unit.
macro_rules! serde_as_text {
    ($type:ty, $what:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Self::Value, E> {
                        v.parse().map_err(E::custom)
                    }
                    fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Self::Value, E> {
                        v.to_string().parse().map_err(E::custom)
                    }
                    fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Self::Value, E> {
                        v.to_string().parse().map_err(E::custom)
                    }
                    fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Self::Value, E> {
                        v.to_string().parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }
    };
}
pub(crate) use serde_as_text;
