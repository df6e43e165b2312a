//! The Timeline: series of values and latency histograms, each with its unit, over intervals of time. Verbs that measure
//! or simulate write one, verbs that judge read one; [`Timeline::write`] and [`Timeline::read`] keep it as Parquet, CSV
//! or JSON.

#![forbid(unsafe_code)]

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
mod window;

pub use error::TimelineError;
pub use file::TimelineFormat;
pub use histogram::latencies;
pub use names::UnknownWord;
pub use series::{
    LatencyHistogram, LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo,
};
