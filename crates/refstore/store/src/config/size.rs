//! Sizes as TiKV writes them: `512MB`, `1.5GiB`; KB is KiB, and case counts.

use std::fmt;
use std::str::FromStr;

/// Names of the units and their powers of 1024 (tikv components/tikv_util/src/config.rs, `ReadableSize`).
const UNITS: [(&str, u32); 17] = [
    ("", 0),
    ("B", 0),
    ("K", 1),
    ("KB", 1),
    ("KiB", 1),
    ("M", 2),
    ("MB", 2),
    ("MiB", 2),
    ("G", 3),
    ("GB", 3),
    ("GiB", 3),
    ("T", 4),
    ("TB", 4),
    ("TiB", 4),
    ("P", 5),
    ("PB", 5),
    ("PiB", 5),
];

/// A number of bytes in TiKV's notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigSize(pub u64);

impl FromStr for ConfigSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '-' | '+')).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let power = UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, power)| *power).ok_or_else(|| {
            let hint = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()));
            let hint = hint.map(|(name, _)| format!(": write {name}")).unwrap_or_default();
            format!("unit `{}` is none of B, KB, KiB, MB, MiB, GB, GiB, TB, TiB, PB, PiB{hint}", unit.trim())
        })?;
        if let (Ok(whole), Some(scale)) = (number.parse::<u64>(), 1024_u64.checked_pow(power)) {
            return whole.checked_mul(scale).map(Self).ok_or_else(|| "a size beyond 16 EiB".to_owned());
        }
        let bytes = number.parse::<f64>().map_err(|_| format!("`{number}` is not a number; a size is like 512MB"))?
            * 1024_f64.powi(power.cast_signed());
        // 2^64 as a float: anything from there on does not fit.
        if bytes.is_finite() && (0.0..18_446_744_073_709_551_616.0).contains(&bytes) {
            Ok(Self(bytes as u64))
        } else {
            Err("a size is between 0 and 16 EiB".to_owned())
        }
    }
}

impl fmt::Display for ConfigSize {
    /// In the largest unit that leaves no fraction, as TiKV writes it: `512MiB`, `0KiB`, `1000B`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = [("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match exact.iter().find(|(_, shift)| self.0 > 0 && self.0.is_multiple_of(1_u64 << shift)) {
            Some((unit, shift)) => write!(f, "{}{unit}", self.0 >> shift),
            None if self.0 == 0 => f.write_str("0KiB"),
            None => write!(f, "{}B", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(text: &str) -> Result<u64, String> {
        text.parse::<ConfigSize>().map(|size| size.0)
    }

    #[test]
    fn decimal_and_binary_names_are_the_same_binary_units() {
        assert_eq!(bytes("2KB"), Ok(2048));
        assert_eq!(bytes("2KiB"), Ok(2048));
        assert_eq!(bytes(" 1.5 GB "), Ok(1536 << 20));
        assert_eq!(bytes("7"), Ok(7));
        assert_eq!(bytes("7B"), Ok(7));
    }

    #[test]
    fn case_counts_and_the_error_says_what_to_write() {
        assert!(bytes("64mb").is_err_and(|error| error.ends_with(": write MB")));
        assert!(bytes("5XB").is_err_and(|error| error.contains("`XB` is none of")));
        assert!(bytes("MB").is_err());
        assert!(bytes("-1GB").is_err());
        assert!(bytes("20000PB").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same_bytes(size: u64) {
            prop_assert_eq!(ConfigSize(size).to_string().parse(), Ok(ConfigSize(size)));
        }

        #[test]
        fn any_text_is_a_size_or_an_error(text in "\\PC{0,24}") {
            let _ = text.parse::<ConfigSize>();
        }
    }
}
