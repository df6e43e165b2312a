//! How fast flushes and compactions may write (`rocksdb.rate-bytes-per-sec`): from what they have to do and from what the disk
//! and the instance have left. A state machine that is told the time and the counters; it touches no store.

#![forbid(unsafe_code)]

mod budget;
mod constants;
mod demand;
#[cfg(test)]
mod laws;
mod limiter;
mod signals;
mod supply;

pub use constants::Constants;
pub use limiter::{CompactionLimiter, RateBounds, RateReason, WriteRate};
pub use signals::{
    BackgroundWork, CompactionBacklog, CompletedIo, CreditState, DiskAllowance, LimiterSignals, StallThresholds,
};
