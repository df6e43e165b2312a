//! Numbers that are not known exactly.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use crate::parse::ParseError;

/// A quantity known to lie between two values; both are the same where it is certain.
/// Written `10000..100000`, or as one value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interval<T> {
    low: T,
    high: T,
}

/// A number from a workload that a sampled future fixes: text such as `0.7..0.9` or a plain number.
pub type Uncertain = Interval<f64>;

impl<T: Copy + PartialOrd> Interval<T> {
    /// A value known exactly.
    pub const fn certain(value: T) -> Self {
        Self { low: value, high: value }
    }

    /// Between `low` and `high`; `None` if they are the wrong way round.
    pub fn new(low: T, high: T) -> Option<Self> {
        (low <= high).then_some(Self { low, high })
    }

    /// The lower end.
    pub const fn low(&self) -> T {
        self.low
    }

    /// The upper end.
    pub const fn high(&self) -> T {
        self.high
    }

    /// Whether both ends are the same.
    pub fn is_certain(&self) -> bool {
        self.low == self.high
    }

    /// Both ends through `f`, which must be increasing.
    pub fn map<U: Copy + PartialOrd>(self, f: impl Fn(T) -> U) -> Interval<U> {
        Interval { low: f(self.low), high: f(self.high) }
    }
}

impl Interval<f64> {
    /// The geometric mean of the ends, the middle of a quantity known by its order of magnitude;
    /// the arithmetic mean if an end is zero.
    pub fn middle(&self) -> f64 {
        if self.low > 0.0 { (self.low * self.high).sqrt() } else { (self.low + self.high) / 2.0 }
    }

    /// The value at `quantile` (0 to 1) of a log-uniform distribution over the interval (uniform if an end is zero).
    pub fn at(&self, quantile: f64) -> f64 {
        if self.low > 0.0 {
            self.low * (self.high / self.low).powf(quantile)
        } else {
            self.low + (self.high - self.low) * quantile
        }
    }
}

impl<T: fmt::Display + PartialEq> fmt::Display for Interval<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low == self.high { self.low.fmt(f) } else { write!(f, "{}..{}", self.low, self.high) }
    }
}

/// Values that may stand in an [`Interval`].
pub trait Quantity: Copy + PartialOrd + Sized {
    /// Reads one end.
    ///
    /// # Errors
    /// When the text is not such a quantity.
    fn read(text: &str) -> Result<Self, ParseError>;
}

macro_rules! quantities {
    ($($type:ty),*) => {$(
        impl Quantity for $type {
            fn read(text: &str) -> Result<Self, ParseError> {
                text.parse()
            }
        }
    )*};
}
quantities!(crate::Bytes, crate::Iops, crate::BytesPerSec, crate::Nanos, crate::Usd, crate::Ratio);

impl Quantity for f64 {
    fn read(text: &str) -> Result<Self, ParseError> {
        const NUMBER: crate::parse::Grammar = crate::parse::Grammar {
            what: "a number",
            example: "10000",
            unit_names: "k, M or nothing",
            units: &[("", 1.0), ("k", 1e3), ("M", 1e6), ("/s", 1.0)],
        };
        NUMBER.parse(text)
    }
}

impl<T: Quantity + fmt::Display> FromStr for Interval<T> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let Some((low, high)) = text.split_once("..") else {
            return T::read(text).map(Self::certain);
        };
        let (low, high) = (T::read(low)?, T::read(high)?);
        Self::new(low, high).ok_or_else(|| ParseError::EmptyInterval {
            text: text.to_owned(),
            lower: high.to_string(),
            upper: low.to_string(),
        })
    }
}

impl<T: fmt::Display + PartialEq> serde::Serialize for Interval<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: Quantity + fmt::Display> serde::Deserialize<'de> for Interval<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<T: Quantity + fmt::Display> serde::de::Visitor<'_> for Visitor<T> {
            type Value = Interval<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or an interval such as \"10..20\"")
            }
            fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Self::Value, E> {
                v.parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Self::Value, E> {
                self.visit_str(&v.to_string())
            }
            fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Self::Value, E> {
                self.visit_str(&v.to_string())
            }
            fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Self::Value, E> {
                self.visit_str(&v.to_string())
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nanos;

    #[test]
    fn an_interval_may_be_one_value() {
        assert_eq!("10000..100000".parse::<Uncertain>().unwrap(), Interval::new(1e4, 1e5).unwrap());
        assert!("50ms".parse::<Interval<Nanos>>().unwrap().is_certain());
    }

    #[test]
    fn ends_the_wrong_way_round_are_refused_with_the_right_way() {
        let message = "20..10".parse::<Uncertain>().unwrap_err().to_string();
        assert!(message.contains("`10..20`"), "{message}");
    }

    #[test]
    fn a_negative_end_is_refused() {
        assert!("-5..10".parse::<Uncertain>().is_err());
    }

    #[test]
    fn toml_takes_numbers_and_text() {
        #[derive(serde::Deserialize)]
        struct Load {
            rate: Uncertain,
            clients: Uncertain,
        }
        let load: Load = toml::from_str("rate = 5000\nclients = \"1..64\"").unwrap();
        assert_eq!((load.rate.low(), load.clients.high()), (5000.0, 64.0));
    }
}
