//! SQL databases that speak MySQL's protocol: driven with TPC-C or inserts on the loops of crate `bench`, started on a
//! deployment's mounted disks, and watched.

#![forbid(unsafe_code)]

mod class;
mod client;
mod clients;
mod connection;
mod counters;
mod counts;
mod database;
mod error;
mod findings;
#[cfg(feature = "cloud")]
mod iam;
mod inserts;
mod load;
mod mariadb;
mod note;
mod prepare;
mod retries;
mod rows;
mod schema;
mod settings;
mod spec;
pub mod study;
mod sysbench;
mod target;
mod tidb;
mod variables;
mod watch;
mod work;

pub use class::ErrorClass;
pub use counters::{SqlCounters, TiDbUse, TiKvUse};
pub use database::{SqlDatabase, SqlWatch};
pub use error::SqlError;
pub use findings::{ConsistencyCheck, SqlFindings, SqlRun};
#[cfg(feature = "cloud")]
pub use iam::{IamError, iam_password};
pub use ingest::mysql::ServerStatus;
pub use load::{SqlLoad, load};
pub use mariadb::{MariaDb, MariadbPrograms};
pub use retries::RetryBudget;
pub use settings::{ServerMemory, settings};
pub use spec::{LaunchedMariaDb, PATIENCE, ServerMachine, SqlSettings, SqlSpec};
pub use sysbench::SysbenchTest;
pub use target::{Password, SqlTarget};
pub use variables::GlobalVariables;
pub use work::{JobKind, SqlJob, SqlWork, SqlWorkSource};
