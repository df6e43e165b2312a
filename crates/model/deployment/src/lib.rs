//! Nodes with their disks by role and their settings, and the check of what they can deliver.

#![forbid(unsafe_code)]

mod asks;
mod burst;
mod check;
mod error;
mod noun;
mod price;
mod report;
mod rules;
mod settings;
mod validate;

pub use asks::{AsksError, NodeDemand};
pub use check::check;
pub use error::{DeploymentError, DeploymentFault};
pub use noun::{Deployment, NodeGroup, NodeRole};
pub use price::DeploymentCosts;
pub use report::{CheckReport, LimitLine};
pub use settings::{BlockCompression, ClusteredIndex, EngineSettings, LockMode};
