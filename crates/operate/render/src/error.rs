//! Why there are no files.

use catalog::CatalogError;
use deployment::DeploymentError;
use disk::DiskError;
use textfile::InputError;

use crate::{FileFormat, SettingError};

/// Why a deployment cannot be rendered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// The deployment cannot be had.
    #[error(transparent)]
    Deployment(#[from] DeploymentError),
    /// A fact is not known.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A disk cannot be had.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The database would refuse a setting.
    #[error("{0}; change the deployment's [settings]")]
    Setting(#[from] SettingError),
    /// A format was asked for that says nothing of this deployment.
    #[error("{format} cannot be rendered: {why}; leave it out of --only")]
    Unfit {
        /// The format.
        format: FileFormat,
        /// Why.
        why: String,
    },
}

impl RenderError {
    /// The error at its line in the text that the deployment was read from, where it has one.
    pub fn locate(&self, text: &textfile::Text) -> InputError {
        match self {
            Self::Deployment(error) => error.locate(text),
            other => InputError::new(text.path(), other.to_string()),
        }
    }
}

/// Why files were not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Files are there that say something else.
    #[error("in {folder} {} there already and {} else: {}; look at them, then write with --force or into another folder",
        if .files.len() == 1 { "a file is" } else { "files are" },
        if .files.len() == 1 { "says something" } else { "say something" }, .files.join(", "))]
    Differs {
        /// The folder.
        folder: String,
        /// Their names.
        files: Vec<String>,
    },
    /// The folder or a file in it cannot be read or made.
    #[error("{path}: {source}; name a folder that can be written")]
    Folder {
        /// The path.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] InputError),
}
