//! Time: instants and spans of virtual time in nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use crate::parse::{Grammar, ParseError, exact_decimal, serde_as_text};

/// A span of time, or an instant counted from the start of a run, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

const SPANS: Grammar = Grammar {
    what: "a time span",
    example: "50ms",
    unit_names: "ns, us, ms, s, m (minutes), h or d",
    units: &[
        ("s", 1e9),
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("m", 60e9),
        ("min", 60e9),
        ("h", 3600e9),
        ("d", 86400e9),
        ("", 1e9),
    ],
};

impl Nanos {
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// Whole seconds.
    pub const fn secs(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// Whole milliseconds.
    pub const fn millis(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    /// Whole microseconds.
    pub const fn micros(n: u64) -> Self {
        Self(n * 1_000)
    }

    /// Seconds with a fraction; negative spans become zero, those past the range the longest.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e9).round() as u64)
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// In milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Nanos {
    /// The largest unit in which three decimals are exact, else nanoseconds: parses back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1 << 50 {
            let units = [("d", 86400e9), ("h", 3600e9), ("m", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3)];
            for (name, factor) in units.into_iter().filter(|(_, factor)| self.0 as f64 >= *factor) {
                if let Some(text) = exact_decimal(self.0 as f64 / factor, 3) {
                    return write!(f, "{text}{name}");
                }
            }
        }
        write!(f, "{}ns", self.0)
    }
}

impl FromStr for Nanos {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        if let Some(Ok(nanos)) = text.trim().strip_suffix("ns").map(|n| n.trim().parse()) {
            return Ok(Self(nanos));
        }
        let nanos = SPANS.parse(text)?.round();
        if nanos < u64::MAX as f64 { Ok(Self(nanos as u64)) } else { Err(SPANS.out_of_range(text, "584 years")) }
    }
}

serde_as_text!(Nanos, "a time span such as \"50ms\"");

impl Add for Nanos {
    type Output = Self;
    /// Saturates.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    /// Saturates at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_bare_number_is_seconds_and_m_is_minutes() {
        assert_eq!("2".parse::<Nanos>().unwrap(), Nanos::secs(2));
        assert_eq!("5m".parse::<Nanos>().unwrap(), Nanos::secs(300));
        assert_eq!("1.5ms".parse::<Nanos>().unwrap(), Nanos::micros(1500));
        assert_eq!(Nanos::millis(50).to_string(), "50ms");
    }

    proptest! {
        #[test]
        fn printed_spans_parse_back(nanos: u64) {
            prop_assert_eq!(Nanos(nanos).to_string().parse::<Nanos>().unwrap(), Nanos(nanos));
        }
    }
}
