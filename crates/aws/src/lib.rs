//! What an AWS account knows of its disks: EBS volumes, EC2 instances and RDS databases as facts, and their CloudWatch metrics
//! as Timelines, with the very series that `observe` writes of mounted disks. It only reads; [`policy`] says what it may read.

#![forbid(unsafe_code)]

mod action;
mod api;
mod assemble;
mod error;
mod facts;
mod fetch;
mod fleet;
mod metrics;
mod options;
mod policy;
mod range;
mod sdk;
mod session;
#[cfg(test)]
mod twin;

pub use action::Action;
pub use error::AwsError;
pub use facts::{Attachment, DbFacts, InstanceFacts, Modification, VolumeFacts};
pub use options::Options;
pub use policy::{policy, policy_to_assume};
pub use range::Range;
pub use session::Session;
