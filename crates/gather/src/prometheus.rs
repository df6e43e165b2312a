//! What a Prometheus, a Thanos or a Mimir knows of TiKV, PD, TiDB, machines and our own mounts, as a Timeline. Sums over
//! devices, families and threads are made by the server, and several series come in one answer.
//!
//! A point covers the step that ends at its time: counters come as their growth in it (through restarts), levels as their
//! mean, largest or smallest. A step without samples is a gap.

mod answer;
mod ask;
mod batch;
mod buckets;
mod clock;
mod names;
mod run;
mod server;
mod step;
mod table;

pub use run::{Options, gather};
pub use server::{Auth, Server};
pub use step::Range;
pub use table::{Group, SeriesRow, series};

#[cfg(test)]
mod twin;
