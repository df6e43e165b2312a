//! SQL databases that speak MySQL's protocol: driven with TPC-C or inserts on the loops of crate `bench`, started on a
//! deployment's mounted disks, and watched.

#![forbid(unsafe_code)]

mod class;
mod client;
mod clients;
mod conclude;
mod connection;
mod counters;
mod counts;
mod error;
mod found;
mod ground;
mod inserts;
mod load;
mod mariadb;
mod note;
mod order;
mod prepare;
mod retries;
mod schema;
mod settings;
pub mod study;
mod sysbench;
mod target;
mod tidb;
mod used;
mod variables;
mod watch;
mod work;

pub use class::Class;
pub use counters::Status;
pub use error::SqlError;
pub use found::{Checked, Found};
pub use ground::Ground;
pub use load::{Load, load};
pub use mariadb::{MariaDb, Programs};
pub use order::{Database, Order, Stage, Table};
pub use retries::Retries;
pub use settings::{Memory, settings};
pub use sysbench::Oltp;
pub use target::{Password, Target};
pub use used::{TiDbUse, TiKvUse, Use};
pub use variables::Variables;
pub use work::{Job, JobKind, Work, Works};
