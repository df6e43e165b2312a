#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bytes;
mod interval;
mod money;
mod parse;
mod rate;
mod ratio;
mod time;

pub use bytes::{BinaryBytes, Bytes};
pub use interval::{Interval, Uncertain};
pub use money::Usd;
pub use parse::ParseError;
pub use rate::{BytesPerSec, Iops};
pub use ratio::{Ratio, ShareError};
pub use time::Nanos;
