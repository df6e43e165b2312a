//! Money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

use crate::parse::{Grammar, ParseError, serde_as_text};

/// US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Usd(pub f64);

const DOLLARS: Grammar = Grammar {
    what: "an amount of money",
    example: "1500usd",
    unit_names: "usd or k (1000)",
    units: &[("", 1.0), ("usd", 1.0), ("k", 1e3)],
};

impl fmt::Display for Usd {
    /// Cents under $100, whole dollars with thousands apart above; with a precision, that many decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(if self.0.abs() < 100.0 { 2 } else { 0 });
        let text = format!("{:.decimals$}", self.0.abs());
        let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
        let sign = if self.0 < 0.0 { "-" } else { "" };
        write!(f, "{sign}$")?;
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        f.write_str(fraction)
    }
}

impl FromStr for Usd {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        DOLLARS.parse(&text.trim().trim_start_matches('$').replace(',', "")).map(Self)
    }
}

serde_as_text!(Usd, "an amount of money such as \"1500usd\"");

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Usd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<f64> for Usd {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0.0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_amounts_are_grouped_and_small_ones_keep_their_cents() {
        assert_eq!(Usd(1234567.0).to_string(), "$1,234,567");
        assert_eq!(Usd(99.5).to_string(), "$99.50");
        assert_eq!(Usd(-1200.0).to_string(), "-$1,200");
    }

    #[test]
    fn dollars_are_read_with_sign_and_separators() {
        assert_eq!("$1,500".parse::<Usd>().unwrap(), Usd(1500.0));
        assert_eq!("1.5k".parse::<Usd>().unwrap(), Usd(1500.0));
    }
}
