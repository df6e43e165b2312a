//! What the deployment must reach.

use units::{Bytes, Interval, Nanos, Ratio, Uncertain};

use crate::WorkloadError;
use crate::pick::{Bounds, Choose, Pick};

/// Loss that a deployment survives without losing a range's quorum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AvailabilityTarget {
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
    /// Loss that the cluster survives.
    pub availability: AvailabilityTarget,
    /// Least share of each disk's data alive after a year.
    pub durability: Option<Ratio>,
    /// Least share of the time in which a disk delivers what was provisioned.
    pub consistency: Option<Ratio>,
    /// Least size of the data disk of each storage node, whatever the data need.
    pub capacity: Option<Bytes>,
}

/// The `[targets]` table: any number may be an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TargetIntervals {
    /// Throughput in the unit of the workload's kind; for `measured` a multiple of the measured load.
    pub throughput: Option<Uncertain>,
    /// Largest 99th percentile of an operation's latency.
    pub p99: Option<Interval<Nanos>>,
    /// Growth of load and data to leave room for.
    pub growth: Option<Interval<Ratio>>,
    /// Loss that the cluster survives: a node, a zone, or a zone and a node elsewhere.
    #[serde(default)]
    pub availability: AvailabilityTarget,
    /// Least share of each disk's data alive after a year.
    pub durability: Option<Interval<Ratio>>,
    /// Least share of the time in which a disk delivers what was provisioned.
    pub consistency: Option<Interval<Ratio>>,
    /// Least size of the data disk of each storage node.
    pub capacity: Option<Interval<Bytes>>,
}

/// Growth above this is taken for a percentage without its sign.
const LARGEST_GROWTH: f64 = 10.0;

impl TargetIntervals {
    /// Fixes every number; `throughput` is the one to use if none is given.
    pub(crate) fn fix(&self, throughput: Option<f64>, choose: Choose<'_>) -> Result<Targets, WorkloadError> {
        let mut pick = Pick::new("targets", choose);
        let Some(throughput) = self.throughput.or(throughput.map(Interval::certain)) else {
            let message = "is missing; expected what the database must serve, such as `throughput = 50000`";
            return Err(WorkloadError::new("targets.throughput", message));
        };
        let throughput = pick.number("throughput", throughput, Bounds::Positive)?;
        let growth = self.growth.map_or(Ok(0.0), |growth| pick.share("growth", growth, Bounds::Any))?;
        if growth > LARGEST_GROWTH {
            let message = format!("is {growth}, which is {} % more; did you mean \"{growth}%\"?", growth * 100.0);
            return Err(WorkloadError::new("targets.growth", message));
        }
        Ok(Targets {
            throughput,
            p99: self.p99.map(|p99| pick.span("p99", p99, Bounds::Positive)).transpose()?,
            growth,
            availability: self.availability,
            durability: self.durability.map(|d| pick.share("durability", d, Bounds::Share).map(Ratio)).transpose()?,
            consistency: self
                .consistency
                .map(|c| pick.share("consistency", c, Bounds::Share).map(Ratio))
                .transpose()?,
            capacity: self.capacity.map(|c| pick.bytes("capacity", c, Bounds::Positive)).transpose()?,
        })
    }
}
