//! Other people's metrics as Timelines: what iostat printed, /proc/diskstats live, CloudWatch's exports, and what a
//! Prometheus knows of TiKV, PD, TiDB, node_exporter and our own mounts. What was not measured is a gap, never zero.
//!
//! Disks and engines come out under the names that crates `observe` and `cluster` write, CloudWatch's exports under
//! CloudWatch's own (crate `observe`, `cloudwatch`), RDS's among them. Labels are `node` and `disk`, beside those named below.
//! These series are made only here:
//!
//! | series | unit | merge | is |
//! |---|---|---|---|
//! | `io_time` | Seconds | Sum | latencies of reads and writes together, where the source does not tell them apart |
//! | `read_merges` `write_merges` | Count | Sum | requests that the kernel merged into others |
//! | `discard_ops` `discard_bytes` `discard_time` | as of reads | Sum | discards |
//!
//! And from Prometheus, as `tables/*.toml` say with their sources: [`prometheus::series`] lists them.

#![forbid(unsafe_code)]

pub mod diskstats;
mod error;
pub mod export;
mod fio;
mod format;
pub mod formats;
mod input;
pub mod iostat;
pub mod mysql;
mod nvme;
pub mod prometheus;
mod report_stream;
mod sar;
pub mod stack;
mod stamp;
mod strangers;
mod stream;
mod timeline_file;
mod volume;

pub use error::GatherError;
pub use format::{InputFormat, LARGEST, ReadOptions};
pub use formats::FORMATS;
pub use input::{Glimpse, InputFile};
pub use report_stream::ReportStream;
pub use strangers::{Stranger, seems};
