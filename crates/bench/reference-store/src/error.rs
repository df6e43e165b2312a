//! Why a trial came to nothing.

use bench::BenchError;
use cluster::ClusterError;
use rawkv::ClientError;
use workload::WorkloadError;

/// Why a trial came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The client.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The load.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// What was seen makes no Timeline.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// An event that cannot be made to happen.
    #[error(transparent)]
    Events(#[from] textfile::InputError),
    /// The pilot beside a run.
    #[error("the pilot: {0}")]
    Pilot(String),
    /// A plan that cannot be run here.
    #[error("{0}")]
    Unprovable(String),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl TrialError {
    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Cluster(error) => error.exit_code(),
            Self::Client(error) => error.exit_code(),
            Self::Bench(error) => error.exit_code(),
            Self::Workload(_) | Self::Events(_) | Self::Unprovable(_) => 2,
            Self::Timeline(_) | Self::Pilot(_) => 3,
            // What a shell tells of a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}
