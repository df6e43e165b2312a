//! How sure one is: when a run is steady, how far its mean may be off, and what a difference between runs is worth.

mod batch;
mod bootstrap;
mod mean;
mod mser;
mod power;
#[cfg(test)]
pub(crate) mod testing;

pub use batch::{BatchMeans, batch_means};
pub use bootstrap::{HistogramBlocks, percentile_interval};
pub use mean::{MeanEstimate, mean, t_quantile};
pub use mser::{JOINED, WarmUpTruncation, mser5};
pub use power::pairs_needed;
