//! Rates: operations and bytes per second.

use std::fmt;
use std::ops::{Add, Div, Mul};
use std::str::FromStr;

use crate::parse::{Grammar, ParseError, exact_decimal, serde_as_text};

/// I/O operations per second, as the cloud counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Iops(pub f64);

/// Bytes per second.
///
/// AWS prints volume throughput in MiB/s and instance throughput in MB/s: both parse to this.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct BytesPerSec(pub f64);

const OPERATIONS: Grammar = Grammar {
    what: "an I/O rate",
    example: "6000iops",
    unit_names: "iops, k or kiops (1000)",
    units: &[("", 1.0), ("iops", 1.0), ("k", 1e3), ("kiops", 1e3), ("k iops", 1e3), ("/s", 1.0)],
};

const THROUGHPUT: Grammar = Grammar {
    what: "a throughput",
    example: "250MiB/s",
    unit_names: "B/s, KiB/s, MiB/s, GiB/s (1024) or kB/s, MB/s, GB/s (1000)",
    units: &[
        ("", 1.0),
        ("B/s", 1.0),
        ("KiB/s", 1024.0),
        ("MiB/s", 1048576.0),
        ("GiB/s", 1073741824.0),
        ("kB/s", 1e3),
        ("MB/s", 1e6),
        ("GB/s", 1e9),
    ],
};

impl BytesPerSec {
    /// `n` MiB/s, the unit of volume throughput.
    pub const fn mib(n: f64) -> Self {
        Self(n * 1048576.0)
    }

    /// `n` MB/s, the unit of instance throughput.
    pub const fn mb(n: f64) -> Self {
        Self(n * 1e6)
    }

    /// In MiB/s.
    pub fn as_mib(self) -> f64 {
        self.0 / 1048576.0
    }

    /// In MB/s.
    pub fn as_mb(self) -> f64 {
        self.0 / 1e6
    }
}

impl fmt::Display for Iops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision() {
            Some(decimals) => write!(f, "{:.decimals$}iops", self.0),
            None => write!(f, "{}iops", self.0),
        }
    }
}

impl fmt::Display for BytesPerSec {
    /// MiB/s or MB/s, whichever is exact and shorter, else bytes per second: parses back.
    /// With a precision (`{:.1}`), MiB/s rounded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(decimals) = f.precision() {
            return write!(f, "{:.decimals$}MiB/s", self.as_mib());
        }
        let candidates = [("MiB/s", 1048576.0), ("MB/s", 1e6)];
        let exact = candidates.iter().filter_map(|(name, factor)| {
            let text = exact_decimal(self.0 / factor, 3)?;
            (text.parse::<f64>().ok()? * factor == self.0).then(|| format!("{text}{name}"))
        });
        match exact.min_by_key(String::len) {
            Some(text) if self.0 != 0.0 => f.write_str(&text),
            _ => write!(f, "{}B/s", self.0),
        }
    }
}

impl FromStr for Iops {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        OPERATIONS.parse(text).map(Self)
    }
}

impl FromStr for BytesPerSec {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        THROUGHPUT.parse(text).map(Self)
    }
}

serde_as_text!(Iops, "an I/O rate such as \"6000iops\"");
serde_as_text!(BytesPerSec, "a throughput such as \"250MiB/s\"");

macro_rules! rate_arithmetic {
    ($type:ident) => {
        impl $type {
            /// The smaller of two rates: the limit that binds.
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// The larger of two rates.
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }
        }
        impl Add for $type {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl Mul<f64> for $type {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl Div for $type {
            /// A utilisation.
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }
    };
}
rate_arithmetic!(Iops);
rate_arithmetic!(BytesPerSec);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instance_and_volume_units_are_kept_apart() {
        let instance: BytesPerSec = "593.75MB/s".parse().unwrap();
        let volume: BytesPerSec = "593.75MiB/s".parse().unwrap();
        assert_eq!(instance.0, 593_750_000.0);
        assert!(volume.0 > instance.0);
        assert_eq!(instance.to_string(), "593.75MB/s");
        assert_eq!(volume.to_string(), "593.75MiB/s");
    }

    #[test]
    fn operations_may_be_counted_in_thousands() {
        assert_eq!("6k".parse::<Iops>().unwrap(), Iops(6000.0));
        assert_eq!("6000iops".parse::<Iops>().unwrap(), Iops(6000.0));
        assert!("6000 iopps".parse::<Iops>().is_err());
    }

    proptest! {
        #[test]
        fn printed_throughput_parses_back(rate in 0.0..1e12f64) {
            let rate = BytesPerSec(rate);
            prop_assert_eq!(rate.to_string().parse::<BytesPerSec>().unwrap(), rate);
        }

        #[test]
        fn printed_io_rates_parse_back(rate in 0.0..1e9f64) {
            prop_assert_eq!(Iops(rate).to_string().parse::<Iops>().unwrap(), Iops(rate));
        }
    }
}
