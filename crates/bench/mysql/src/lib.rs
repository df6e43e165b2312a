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
#[cfg(feature = "cloud")]
mod iam;
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

pub use class::ErrorClass;
pub use counters::ServerStatus;
pub use error::SqlError;
pub use found::{ConsistencyCheck, SqlRunResult};
pub use ground::SqlTestBed;
#[cfg(feature = "cloud")]
pub use iam::{IamError, iam_password};
pub use load::{SqlLoad, load};
pub use mariadb::{MariaDb, MariadbPrograms};
pub use order::{ExistingTables, SqlDatabase, SqlRunSpec, SqlStage};
pub use retries::RetryBudget;
pub use settings::{ServerMemory, settings};
pub use sysbench::SysbenchTest;
pub use target::{Password, SqlTarget};
pub use used::{SqlResourceUse, TiDbUse, TiKvUse};
pub use variables::GlobalVariables;
pub use work::{JobKind, SqlJob, SqlWork, SqlWorkSource};
