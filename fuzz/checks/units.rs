//! Quantities: whatever parses prints text that parses to the same value.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use units::{Bytes, BytesPerSec, Interval, Iops, Nanos, Ratio, Usd};

/// Reads the bytes as every quantity.
pub(crate) fn units(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    round_trip::<Bytes>(text);
    round_trip::<BytesPerSec>(text);
    round_trip::<Iops>(text);
    round_trip::<Nanos>(text);
    round_trip::<Ratio>(text);
    round_trip::<Interval<f64>>(text);
    round_trip::<Interval<Bytes>>(text);
    // Money prints rounded to cents.
    if let Ok(money) = text.parse::<Usd>() {
        assert!(money.to_string().parse::<Usd>().is_ok());
    }
}

fn round_trip<T: FromStr<Err: Display + Debug> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string().parse::<T>().unwrap(), value),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
