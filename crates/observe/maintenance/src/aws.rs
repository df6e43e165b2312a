//! EC2's metadata server, version 2: a token first, then scheduled events, spot notices and rebalance recommendations. What
//! is absent is a 404.

mod imds;
mod read;

pub use imds::Imds;
pub use read::{ScheduledEvent, instance_action, rebalance, scheduled};

/// Where tokens are given out.
pub(crate) const TOKEN: &str = "/latest/api/token";
/// Where everything else is.
pub(crate) const DATA: &str = "/latest/meta-data/";
/// With which a token is asked for, and how long it lasts in seconds, 1 to 21600.
pub(crate) const TTL_HEADER: &str = "x-aws-ec2-metadata-token-ttl-seconds";
/// With which a token is shown.
pub(crate) const TOKEN_HEADER: &str = "x-aws-ec2-metadata-token";
/// Scheduled events.
pub(crate) const SCHEDULED: &str = "events/maintenance/scheduled";
/// The notice of a spot machine.
pub(crate) const ACTION: &str = "spot/instance-action";
/// The recommendation to move away.
pub(crate) const REBALANCE: &str = "events/recommendations/rebalance";
