//! Why nothing was validated.

use std::path::PathBuf;

use deployment::DeploymentError;
use engine::ConstantsError;
use reference_store::ReferenceStoreError;
use simulate::SimulateError;
use textfile::InputError;
use workload::WorkloadError;

/// Why nothing was validated.
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
    /// A row of the grid that is none.
    #[error("row `{row}` of the grid {fault}")]
    Row {
        /// The row's name.
        row: String,
        /// What is wrong with it, as a clause.
        fault: String,
    },
    /// A row that the grid does not have.
    #[error("--only {row}: expected one of {}", .known.join(", "))]
    NoRow {
        /// The row's name.
        row: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// No row of the half that calibrates was measured.
    #[error("no row of the calibrating half was measured: run it without --only")]
    NothingToFit,
    /// A measurement or a fit of an earlier run that cannot be read or written.
    #[error("{}: {source}; remove it, and it is made again", .path.display())]
    Kept {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Figures that JSON cannot write.
    #[error("the figures: {0}")]
    Json(#[from] serde_json::Error),
    /// A table of constants that is none.
    #[error(transparent)]
    Constants(#[from] ConstantsError),
    /// A table of constants that is no TOML.
    #[error("the table of constants: {0}")]
    Table(#[from] toml_edit::TomlError),
    /// A table without a constant that is fitted.
    #[error("the table of constants has no `{name}`: give it one to fit")]
    NoConstant {
        /// The constant.
        name: String,
    },
    /// A document without a mark between which results are written.
    #[error("{} has no line {mark}", .path.display())]
    NoMark {
        /// The document.
        path: PathBuf,
        /// The mark.
        mark: &'static str,
    },
    /// A disk of a row that cannot be had.
    #[error(transparent)]
    Disk(#[from] disk::DiskError),
    /// The state of the machine cannot be read.
    #[error("{what}: {source}: run it on a Linux machine with /proc")]
    Machine {
        /// What was read or begun.
        what: String,
        /// Why it cannot be.
        source: std::io::Error,
    },
    /// `/proc/stat` in an unknown form.
    #[error("/proc/stat does not begin with the processors: run it on a Linux machine with /proc")]
    NoProcessors,
}

impl ValidateError {
    /// The state of the machine cannot be read.
    pub fn machine(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Machine { what, source }
    }

    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Trial(error) => error.exit_code(),
            Self::Machine { .. } | Self::NoProcessors => 3,
            _ => 2,
        }
    }
}
