//! Sizes.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

use crate::parse::{Grammar, ParseError, exact_decimal, serde_as_text};

/// A size in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// The binary units, largest first.
const BINARY: [(&str, u64); 5] =
    [("PiB", 1 << 50), ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// The binary and the decimal units, largest first.
const EITHER: [(&str, u64); 10] = [
    ("PiB", 1 << 50),
    ("PB", 1_000_000_000_000_000),
    ("TiB", 1 << 40),
    ("TB", 1_000_000_000_000),
    ("GiB", 1 << 30),
    ("GB", 1_000_000_000),
    ("MiB", 1 << 20),
    ("MB", 1_000_000),
    ("KiB", 1 << 10),
    ("kB", 1_000),
];

/// A size in the largest of `units` in which it is whole, else in bytes.
fn write_whole(f: &mut fmt::Formatter<'_>, bytes: u64, units: &[(&str, u64)]) -> fmt::Result {
    match units.iter().find(|(_, factor)| bytes != 0 && bytes.is_multiple_of(*factor)) {
        Some((name, factor)) => write!(f, "{}{name}", bytes / factor),
        None => write!(f, "{bytes}B"),
    }
}

/// A size as programs read it that take `GB` for 1024³ bytes, such as TiKV: in binary units alone.
#[derive(Debug, Clone, Copy)]
pub struct BinaryBytes(Bytes);

impl fmt::Display for BinaryBytes {
    /// The largest binary unit in which the size is whole, else bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(f, self.0.0, &BINARY)
    }
}

pub(crate) const SIZES: Grammar = Grammar {
    what: "a size",
    example: "100GiB",
    unit_names: "B, KiB, MiB, GiB, TiB, PiB (1024) or kB, MB, GB, TB, PB (1000)",
    units: &[
        ("", 1.0),
        ("B", 1.0),
        ("KiB", 1024.0),
        ("MiB", 1048576.0),
        ("GiB", 1073741824.0),
        ("TiB", 1099511627776.0),
        ("PiB", 1125899906842624.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("PB", 1e15),
    ],
};

impl Bytes {
    /// `n` binary kilobytes.
    pub const fn kib(n: u64) -> Self {
        Self(n << 10)
    }

    /// `n` binary megabytes.
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }

    /// `n` binary gigabytes, the unit in which clouds sell volumes.
    pub const fn gib(n: u64) -> Self {
        Self(n << 30)
    }

    /// The size in GiB, with a fraction.
    pub fn as_gib(self) -> f64 {
        self.0 as f64 / f64::from(1 << 30)
    }

    /// The size in bytes, for arithmetic with rates.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// The size as text in binary units alone, for files that other programs read.
    pub fn binary(self) -> BinaryBytes {
        BinaryBytes(self)
    }

    /// Rounded up to a whole number of GiB; the largest size where that is no size any more.
    pub fn ceil_gib(self) -> Self {
        Self(1 << 30) * self.0.div_ceil(1 << 30)
    }
}

impl fmt::Display for Bytes {
    /// The largest unit, binary or decimal, in which the size is whole, else bytes: exact, and parses back. So `100GiB` and `100GB`
    /// print as they were given.
    /// With a precision (`{:.1}`), the largest binary unit not over the size, rounded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(decimals) = f.precision() {
            let (name, factor) = BINARY.iter().find(|(_, b)| self.0 >= *b).copied().unwrap_or(("B", 1));
            let rounded = format!("{:.decimals$}", self.0 as f64 / factor as f64);
            let text = exact_decimal(rounded.parse().unwrap_or_default(), decimals).unwrap_or(rounded);
            return write!(f, "{text}{name}");
        }
        write_whole(f, self.0, &EITHER)
    }
}

impl FromStr for Bytes {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        // Whole numbers go through integers, so that no byte is lost above 2^53.
        let digits = text.trim().len() - text.trim().trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.trim().split_at(digits);
        let named = EITHER.iter().find(|(name, _)| *name == unit.trim()).map(|(_, factor)| *factor);
        let factor = if matches!(unit.trim(), "" | "B") { Some(1) } else { named };
        if let (Ok(number), Some(factor)) = (number.parse::<u64>(), factor) {
            return number.checked_mul(factor).map(Self).ok_or_else(|| SIZES.out_of_range(text, "16EiB"));
        }
        let value = SIZES.parse(text)?.round();
        if value < u64::MAX as f64 { Ok(Self(value as u64)) } else { Err(SIZES.out_of_range(text, "16EiB")) }
    }
}

serde_as_text!(Bytes, "a size such as \"100GiB\"");

impl Add for Bytes {
    type Output = Self;
    /// Saturates.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Self;
    /// Saturates at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    /// Saturates.
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Mul<f64> for Bytes {
    type Output = Self;
    /// Rounded to a byte.
    fn mul(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as u64)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimal_and_binary_units_differ() {
        assert_eq!("1TB".parse::<Bytes>().unwrap(), Bytes(1_000_000_000_000));
        assert_eq!("1TiB".parse::<Bytes>().unwrap(), Bytes(1 << 40));
        assert_eq!("1.5 GiB".parse::<Bytes>().unwrap(), Bytes::mib(1536));
        assert_eq!("4096".parse::<Bytes>().unwrap(), Bytes::kib(4));
    }

    #[test]
    fn sizes_print_in_the_unit_in_which_they_are_whole() {
        for given in
            ["100GB", "950GB", "3500GB", "100GiB", "1TB", "2TiB", "64MB", "8KiB", "4kB", "1536MiB", "1001B", "0B"]
        {
            assert_eq!(given.parse::<Bytes>().unwrap().to_string(), given);
        }
        assert_eq!("1000GB".parse::<Bytes>().unwrap().to_string(), "1TB");
        assert_eq!("1.5TB".parse::<Bytes>().unwrap().to_string(), "1500GB");
    }

    #[test]
    fn a_size_for_programs_that_take_gb_for_gib_has_binary_units() {
        assert_eq!("32kB".parse::<Bytes>().unwrap().binary().to_string(), "32000B");
        assert_eq!("100GB".parse::<Bytes>().unwrap().binary().to_string(), "97656250KiB");
        assert_eq!(Bytes::gib(4).binary().to_string(), "4GiB");
    }

    #[test]
    fn sizes_saturate_at_the_largest() {
        let most = Bytes(u64::MAX);
        let mut sum = most;
        sum += Bytes(1);
        assert_eq!([most + Bytes(1), most * 2, most.ceil_gib(), sum, [most, most].into_iter().sum()], [most; 5]);
        assert_eq!(Bytes(1).ceil_gib(), Bytes::gib(1));
    }

    #[test]
    fn an_unknown_unit_names_the_known_ones() {
        let message = "12 GiBs".parse::<Bytes>().unwrap_err().to_string();
        assert!(message.contains("unknown unit `GiBs`") && message.contains("TiB"), "{message}");
    }

    #[test]
    fn negative_sizes_are_refused() {
        assert!(matches!("-1GiB".parse::<Bytes>(), Err(ParseError::OutOfRange { .. })));
    }

    proptest! {
        #[test]
        fn printed_sizes_parse_back(bytes: u64) {
            prop_assert_eq!(Bytes(bytes).to_string().parse::<Bytes>().unwrap(), Bytes(bytes));
            prop_assert_eq!(Bytes(bytes).binary().to_string().parse::<Bytes>().unwrap(), Bytes(bytes));
        }

        #[test]
        fn whole_sizes_print_in_no_smaller_a_unit_than_they_were_given(
            number in 1u64..10_000,
            unit in prop::sample::select(EITHER.iter().map(|(name, _)| *name).collect::<Vec<_>>()),
        ) {
            let printed = format!("{number}{unit}").parse::<Bytes>().unwrap().to_string();
            let shown: u64 = printed.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap();
            prop_assert!(shown <= number, "{}{} printed as {}", number, unit, printed);
        }
    }
}
