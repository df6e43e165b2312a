//! Why a run on the reference store cannot be made.

use std::process::ExitStatus;

use bench::{BenchError, DatabaseError};
use catalog::CatalogError;
use cluster::ClusterError;
use disk::DiskError;
use private_dir::FolderError;
use rawkv::ClientError;
use workload::WorkloadError;

/// Why a run on the reference store cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceStoreError {
    /// The cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The client.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The load.
    #[error(transparent)]
    Bench(BenchError),
    /// The workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Samples that make no Timeline.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// An event that cannot be made to happen.
    #[error(transparent)]
    Events(#[from] textfile::InputError),
    /// The pilot beside a run.
    #[error("the pilot: {0}")]
    Pilot(#[from] PilotFault),
    /// A plan that cannot be run on this machine.
    #[error(transparent)]
    Unprovable(#[from] UnprovablePlan),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What went wrong with the pilot that runs beside the load.
#[derive(Debug, thiserror::Error)]
pub enum PilotFault {
    /// There is no cluster that was launched for the run.
    #[error("is run beside clusters that are launched for it only: start a deployment with --on")]
    NoCluster,
    /// Its folder cannot be had.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its process cannot be started or waited for.
    #[error("{doing}: {source}")]
    Process {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A node lacks what the pilot must be told of it.
    #[error("not started: {node} has no {what}")]
    NodeWithout {
        /// The node's name.
        node: String,
        /// What it lacks.
        what: &'static str,
    },
    /// It ended by itself, or not well.
    #[error("ended with {status}: {last_line}")]
    Ended {
        /// How.
        status: ExitStatus,
        /// The last line of its output.
        last_line: String,
    },
}

/// Why a plan cannot be run on the reference store.
#[derive(Debug, thiserror::Error)]
pub enum UnprovablePlan {
    /// The workload is for another engine.
    #[error("the reference store is shaped like TiKV, and this workload is for {engine}: leave --prove out")]
    OtherEngine {
        /// The workload's engine.
        engine: &'static str,
    },
    /// The workload was measured at disks.
    #[error(
        "[measured] tells what disks did, not which operations: only [ycsb], [inserts], [mix], [tpcc] and [sysbench] can be run; \
         leave --prove out"
    )]
    Measured,
    /// The plan has no storage node.
    #[error("the plan has no storage node")]
    NoStorageNode,
    /// Its storage nodes have no data disk.
    #[error("the plan's storage nodes have no data disk")]
    NoDataDisk,
    /// Its storage nodes differ.
    #[error("a plan is run if all its storage nodes are equal; this one's are not")]
    UnequalNodes,
    /// A fact that the catalogue lacks.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A disk without limits to scale.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl From<BenchError> for ReferenceStoreError {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Interrupted => Self::Interrupted,
            other => Self::Bench(other),
        }
    }
}

impl DatabaseError for ReferenceStoreError {
    fn is_interrupted(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Cluster(ClusterError::Interrupted))
    }
}

impl ReferenceStoreError {
    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Cluster(error) => error.exit_code(),
            Self::Client(error) => error.exit_code(),
            Self::Bench(error) => error.exit_code(),
            Self::Workload(_) | Self::Events(_) | Self::Unprovable(_) => 2,
            Self::Timeline(_) | Self::Pilot(_) => 3,
            // A shell's code of a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}
