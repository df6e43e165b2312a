//! What an AWS account knows of its disks: EBS volumes, EC2 instances and RDS databases as facts, and their CloudWatch metrics
//! as Timelines, with the very series that `observe` writes of mounted disks. It reads, and [`policy`] says
//! what; it changes nothing but volumes, by [`Session::modify_volume`].

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

pub use action::IamAction;
pub use error::AwsError;
pub use facts::{DbFacts, EbsModification, InstanceEvent, InstanceFacts, VolumeAttachment, VolumeFacts};
pub use options::{AwsOptions, CallTimeouts};
pub use policy::{policy, policy_of_pilot, policy_to_assume};
pub use range::MetricRange;
pub use session::AwsSession;
