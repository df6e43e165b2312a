//! Quantities with their units in their types: bytes, rates, time, money and intervals of them.
//!
//! Every quantity parses what people write (`1TB`, `250MiB/s`, `6k iops`, `50ms`) and prints text
//! that parses back to the same value.

#![forbid(unsafe_code)]

mod bytes;
mod interval;
mod money;
mod parse;
mod rate;
mod ratio;
mod time;

pub use bytes::Bytes;
pub use interval::{Interval, Uncertain};
pub use money::Usd;
pub use parse::ParseError;
pub use rate::{BytesPerSec, Iops};
pub use ratio::{Ratio, ShareError};
pub use time::Nanos;
