#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod builder;
mod error;
mod file;
mod find;
mod histogram;
mod merge;
mod names;
mod resample;
mod series;
#[cfg(test)]
mod testing;
mod validate;
pub mod vocabulary;
mod window;

pub use builder::{SeriesLabels, TimelineBuilder, labels};
pub use error::TimelineError;
pub use file::TimelineFormat;
pub use histogram::latencies;
pub use names::UnknownWord;
pub use series::{
    LatencyHistogram, LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo,
};
// Their types are part of the public surface here.
pub use units;
pub use vocabulary::{SeriesForm, SeriesSpec};
