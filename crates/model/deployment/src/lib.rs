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

pub use asks::{Asks, AsksError};
pub use check::check;
pub use error::{DeploymentError, Fault};
pub use noun::{Deployment, NodeGroup, Role};
pub use price::Costs;
pub use report::{Limit, Line, Report};
pub use settings::{ClusteredIndex, Compression, Locks, Settings};
