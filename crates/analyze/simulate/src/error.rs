//! Why a deployment is not simulated.

use catalog::CatalogError;
use deployment::DeploymentError;
use disk::DiskError;
use textfile::InputError;
use units::{Bytes, Nanos};

/// Why nothing was simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulateError {
    /// The deployment cannot be had.
    #[error(transparent)]
    Deployment(#[from] DeploymentError),
    /// The catalogue lacks a fact.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A disk cannot be had.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// An event that cannot happen.
    #[error(transparent)]
    Events(#[from] InputError),
    /// The deployment runs another database than the workload is for.
    #[error("the workload is for {workload}, but the deployment runs {deployment}; name a workload for {deployment}")]
    OtherEngine {
        /// The workload's.
        workload: &'static str,
        /// The deployment's.
        deployment: &'static str,
    },
    /// A workload of InnoDB without an event form.
    #[error(
        "of InnoDB only [inserts] are simulated yet: what reads and updates touch is not; `diskwright check` holds every load against every limit"
    )]
    OnlyInserts,
    /// Something that InnoDB's simulation has not.
    #[error("{what} cannot be simulated for InnoDB yet")]
    NotInnodb {
        /// What.
        what: &'static str,
    },
    /// A buffer pool that the memory has no room for.
    #[error("the buffer pool is {pool}, the instance has {memory}; expected less, as three quarters of it")]
    PoolTooLarge {
        /// As asked for.
        pool: Bytes,
        /// Of the instance.
        memory: Bytes,
    },
    /// A log disk without room for the redo log.
    #[error("the redo log is {needs}, its disk holds {size}; take a disk of more, or a smaller innodb_log_file_size")]
    RedoDiskTooSmall {
        /// The node's group, by its place among `nodes`.
        group: usize,
        /// All files of the redo log.
        needs: Bytes,
        /// Of the log disk.
        size: Bytes,
    },
    /// A workload that was measured at the disks.
    #[error(
        "a [measured] workload says what disks did, not what clients ask; expected [tpcc], [ycsb], [mix] or another kind"
    )]
    Measured,
    /// More data than disk.
    #[error(
        "the data of a node are {stored:.1}, its data disk holds {size:.1}; take a larger disk, more nodes or fewer rows"
    )]
    TooMuchData {
        /// The node's group, by its place among `nodes`.
        group: usize,
        /// Of a node, files and the log if it is there.
        stored: Bytes,
        /// Of its data disk.
        size: Bytes,
    },
    /// A log disk that is too small.
    #[error("the raft log grows to {needs}, its disk holds {size}; take a disk of {needs} or more")]
    LogDiskTooSmall {
        /// The node's group, by its place among `nodes`.
        group: usize,
        /// What it grows to before it is purged.
        needs: Bytes,
        /// Of the log disk.
        size: Bytes,
    },
    /// More storage nodes than are simulated.
    #[error(
        "{nodes} storage nodes are more than the {most} that are simulated; simulate a part of them under its part of the load"
    )]
    TooManyNodes {
        /// As asked for.
        nodes: u32,
        /// The most.
        most: u32,
    },
    /// More clients than there is room for.
    #[error("{clients:.0} clients are more than the {most} that there is room for; simulate fewer")]
    TooManyClients {
        /// As asked for.
        clients: f64,
        /// The most.
        most: u32,
    },
    /// A rate that the grain of virtual time cannot tell from others.
    #[error(
        "{rate:.1e} operations a second are more than {most:.0e}, one each nanosecond of virtual time; simulate less"
    )]
    TooFast {
        /// As asked for.
        rate: f64,
        /// The most.
        most: f64,
    },
    /// Whoever watched had enough before time zero.
    #[error("the simulation was ended before its time began")]
    Ended,
    /// A span that is not one.
    #[error("the simulated time is {span}; expected {least} or more, and at most a hundred years")]
    Span {
        /// As asked for.
        span: Nanos,
        /// The least.
        least: Nanos,
    },
}

impl SimulateError {
    /// The key of the deployment at which it stands, written with dots, if it stands at one.
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Deployment(error) => Some(error.key.clone()),
            Self::TooManyNodes { .. } => Some("nodes".to_owned()),
            Self::TooMuchData { group, .. } => Some(format!("nodes.{group}.data")),
            Self::PoolTooLarge { .. } => Some("settings.block-cache".to_owned()),
            Self::LogDiskTooSmall { group, .. } | Self::RedoDiskTooSmall { group, .. } => {
                Some(format!("nodes.{group}.log"))
            }
            _ => None,
        }
    }
}
