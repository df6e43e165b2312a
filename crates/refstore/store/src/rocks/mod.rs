//! The state on RocksDB: TiKV's four column families with TiKV's settings, stock RocksDB underneath.
//!
//! What differs from TiKV's fork: the rate limiter is RocksDB's own (its auto-tuning follows the drain of the bucket, not write
//! amplification); `rocksdb.titan.*` is BlobDB, which collects garbage only when compactions meet it, so space comes back later
//! than with Titan; and files do not end at the borders of regions.

mod database;
mod error;
mod options;
mod pressure;
mod state;

pub use state::{ReconfigureError, RocksState};
