//! What exists as a deployment: TiUP topologies, TidbCluster manifests, `tikv.toml`, `pd.toml` and `my.cnf` are read, their settings
//! are held against the tables of keys, and what a file does not say of instances and disks is a named hole.

#![forbid(unsafe_code)]

mod cluster;
mod error;
mod fill;
mod finding;
mod lint;
mod settings;
mod source;

pub use cluster::{ImportHole, ImportedCluster, ImportedGroup};
pub use error::ImportError;
pub use fill::{ImportOptions, import};
pub use finding::{ImportFinding, ImportSeverity};
pub use source::{SourceKind, recognise};
