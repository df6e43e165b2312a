//! What is counted of disks: as rates, as a Timeline, as the cloud would show it, and as Prometheus reads it.

#![forbid(unsafe_code)]

mod between;
mod cloudwatch;
mod collect;
mod exposition;
mod limit;
mod prometheus;
mod rates;
mod sample;
mod series;
#[cfg(test)]
mod testing;
mod thresholds;

pub use cloudwatch::{CloudWatch, Listed, Row as Published, cloudwatch, listed, published};
pub use exposition::{Exposition, ExpositionError};
pub use limit::{Limit, LimitShares};
pub use prometheus::{CONTENT_TYPE, prometheus};
pub use rates::{BurstRate, DiskRates, Flow, NodeRates, rates};
pub use sample::{Bounds, Cache, Credit, DiskSample, Done, Modification, NodeSample};
pub use series::{Latencies, timeline};
