//! What the deployment must reach.

use units::{Nanos, Ratio};

/// What the deployment must survive without losing a range's quorum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Availability {
    /// One node.
    #[default]
    Node,
    /// One zone.
    Zone,
    /// One zone, and a node elsewhere while it is away.
    ZoneAndNode,
}

/// Targets with every number fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Targets {
    /// In the profile's unit, a second or a minute as the unit says.
    pub throughput: f64,
    /// Largest 99th percentile of an operation's latency.
    pub p99: Option<Nanos>,
    /// Growth of load and data to leave room for: 0.3 is 30 % more.
    pub growth: f64,
    /// What it must survive.
    pub availability: Availability,
    /// Least share of each disk's data alive after a year.
    pub durability: Option<Ratio>,
    /// Least share of the time in which a disk delivers what was provisioned.
    pub consistency: Option<Ratio>,
}
