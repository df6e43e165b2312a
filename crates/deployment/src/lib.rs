//! Nodes with their disks by role and their settings, and the check of what they can deliver.

#![forbid(unsafe_code)]

mod noun;
mod settings;

pub use noun::{Deployment, NodeGroup, Role};
pub use settings::{Compression, Settings};
