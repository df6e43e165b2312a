//! Why nothing was held against anything.

use deployment::DeploymentError;
use reference_store::ReferenceStoreError;
use simulate::SimulateError;
use textfile::InputError;
use workload::WorkloadError;

/// Why nothing was held against anything.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// A file cannot be read or written, or the grid is none.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A row of the grid makes no workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A row of the grid makes no deployment.
    #[error(transparent)]
    Deployment(#[from] DeploymentError),
    /// The reference store.
    #[error(transparent)]
    Trial(#[from] ReferenceStoreError),
    /// The simulation.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// The grid, a table of constants or what was kept does not fit together.
    #[error("{0}")]
    Wrong(String),
    /// What the machine did cannot be seen.
    #[error("{0}: run it on a Linux machine with /proc")]
    Machine(String),
}

impl ValidateError {
    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Trial(error) => error.exit_code(),
            Self::Machine(_) => 3,
            _ => 2,
        }
    }
}
