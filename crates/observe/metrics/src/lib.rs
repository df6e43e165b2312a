//! What is counted of disks: as rates, as a Timeline, as the cloud would show it, and as Prometheus reads it.

#![forbid(unsafe_code)]

mod between;
mod cloudwatch;
mod exposition;
mod limit;
mod prometheus;
mod rates;
mod sample;
mod series;
#[cfg(test)]
mod testing;
mod thresholds;

pub use cloudwatch::{CloudWatch, CloudWatchMetric as Published, ListedMetric, cloudwatch, listed, published};
pub use exposition::{ExpositionError, MetricsExposition};
pub use limit::LimitShares;
pub use prometheus::{CONTENT_TYPE, prometheus};
pub use rates::{BurstRate, DiskRates, NodeRates, RequestFlow, rates};
pub use sample::{CacheCounters, CreditGauge, DiskSample, LimitTimes, ModificationStage, NodeSample, RequestCounters};
pub use series::{DiskLatencies, timeline};
