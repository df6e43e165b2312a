//! Durations as TiKV writes them: `1h30m`, `100ms`, `0s`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Units from the largest down, in microseconds (tikv components/tikv_util/src/config.rs, `ReadableDuration`).
const UNITS: [(&str, u64); 6] =
    [("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000), ("us", 1)];

/// A time in TiKV's notation: numbers with units, the larger unit first. No finer than microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigDuration(pub Duration);

impl FromStr for ConfigDuration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "a duration is like 1h30m, 10s or 100ms";
        let mut rest = text.trim();
        let (mut total, mut units) = (0.0_f64, UNITS.iter());
        if rest.is_empty() {
            return Err(EXPECTED.to_owned());
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !matches!(c, '0'..='9' | '.')).unwrap_or(rest.len());
            let (number, after) = rest.split_at(digits);
            let letters = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
            let (unit, after) = after.split_at(letters);
            // The search goes on behind the last unit: each may come once, and only in this order.
            let (_, scale) = units
                .find(|(name, _)| *name == unit)
                .ok_or_else(|| format!("`{unit}` is no unit in its place (d, h, m, s, ms, us); {EXPECTED}"))?;
            let number: f64 = number.parse().map_err(|_| format!("`{number}` is not a number; {EXPECTED}"))?;
            total += number * *scale as f64;
            rest = after;
        }
        if total.is_finite() && total < u64::MAX as f64 {
            Ok(Self(Duration::from_micros(total as u64)))
        } else {
            Err("a duration beyond what can be waited".to_owned())
        }
    }
}

impl fmt::Display for ConfigDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = u64::try_from(self.0.as_micros()).unwrap_or(u64::MAX);
        if left == 0 {
            return f.write_str("0s");
        }
        for (unit, scale) in UNITS {
            if left >= scale {
                write!(f, "{}{unit}", left / scale)?;
                left %= scale;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn millis(text: &str) -> Option<u128> {
        text.parse::<ConfigDuration>().ok().map(|period| period.0.as_millis())
    }

    #[test]
    fn units_come_from_the_largest_down() {
        assert_eq!(millis("1h30m"), Some(5_400_000));
        assert_eq!(millis("100ms"), Some(100));
        assert_eq!(millis("0.5s"), Some(500));
        assert_eq!(millis("0s"), Some(0));
        assert_eq!(millis("30m1h"), None);
        assert_eq!(millis("5"), None);
        assert_eq!(millis(""), None);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same_time(micros in 0_u64..1 << 50) {
            let period = ConfigDuration(Duration::from_micros(micros));
            prop_assert_eq!(period.to_string().parse(), Ok(period));
        }

        #[test]
        fn any_text_is_a_duration_or_an_error(text in "\\PC{0,24}") {
            let _ = text.parse::<ConfigDuration>();
        }
    }
}
