#![doc = include_str!("../README.md")]
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
mod vain;
mod validate;

// Their types are part of the public surface here.
pub use asks::{AsksError, NodeDemand};
pub use catalog;
pub use check::check;
pub use disk;
pub use error::{DeploymentError, DeploymentFault};
pub use noun::{Deployment, NodeGroup, NodeRole};
pub use price::DeploymentCosts;
pub use report::{CheckReport, LimitLine};
pub use settings::{BlockCompression, ClusteredIndex, EngineSettings, LockMode};
pub use units;
pub use vain::{RatesInVain, rates_in_vain};
pub use workload;
