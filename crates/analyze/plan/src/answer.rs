//! What the planner answers.

use std::collections::BTreeMap;

use deployment::Deployment;
use engine::Resource;
use units::{Nanos, Usd};

/// The whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanResult {
    /// Layouts with settings that were provisioned and held against every target.
    pub considered: u64,
    /// Layouts with settings that were ruled out by a bound, one or many at a time, without being provisioned.
    pub pruned: u64,
    /// Cheapest first. Empty if the targets are out of reach.
    pub plans: Vec<Plan>,
    /// For each disk type and family that the cheapest plan does not use: what ruled it out, or what more it costs.
    pub why_not: Vec<WhyNot>,
    /// If nothing reaches the targets: the plan that misses one of them by the smallest share.
    pub closest: Option<Plan>,
    /// What falls short, and what would have to give, each target taken alone; for people.
    pub shortfalls: Vec<String>,
    /// Families that the region offers without a price in the catalogue: no plan with them was looked at.
    pub not_considered: Vec<String>,
    /// What the plans stand on that no source tells, for people: the speed of a processor without a benchmark.
    pub assumed: Vec<String>,
    /// For a workload with intervals: how the plans fare over sampled futures.
    pub uncertainty: Option<PlanUncertainty>,
}

/// A deployment that meets the targets, with its price and what to expect.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What it costs a month.
    pub usd: MonthlyCosts,
    /// What to expect at the target.
    pub predicted: PredictedRun,
    /// What gives first as load grows.
    pub bottleneck: Resource,
    /// Share of the bottleneck still free at the target load.
    pub headroom: f64,
    /// Share of every resource in use at the target load.
    pub utilisation: Vec<(Resource, f64)>,
    /// The deployment.
    pub deployment: Deployment,
}

impl Plan {
    /// The price of a month.
    pub fn monthly(&self) -> Usd {
        self.usd.compute + self.usd.disks + self.usd.transfer
    }
}

/// A month's price by what it pays for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MonthlyCosts {
    /// Instances.
    pub compute: Usd,
    /// Volumes.
    pub disks: Usd,
    /// Traffic between zones.
    pub transfer: Usd,
}

/// What to expect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedRun {
    /// The most it sustains, in `unit`.
    pub throughput: f64,
    /// `tpmC`, `ops/s`, …
    pub unit: &'static str,
    /// Median latency of an operation at the target load.
    pub p50: Nanos,
    /// 99th percentile at the target load.
    pub p99: Nanos,
}

/// What was not chosen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RejectedCandidate {
    /// A disk type for data.
    Disk(String),
    /// An instance family.
    Family(String),
}

/// Why it was not chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum RejectionReason {
    /// The best deployment with it costs this much more than the cheapest plan.
    Costs {
        /// More a month.
        more: Usd,
        /// Its best deployment.
        best: Box<Plan>,
    },
    /// No deployment with it meets the targets: what stood in the way of the one that came furthest, for people.
    RuledOut {
        /// "volume throughput: 125 MiB/s of the 209 MiB/s asked".
        constraint: String,
    },
}

/// A disk type or a family, and why it is not in the cheapest plan.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyNot {
    /// What.
    pub subject: RejectedCandidate,
    /// Why.
    pub reason: RejectionReason,
}

/// How candidate plans fare when the workload's intervals are sampled.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanUncertainty {
    /// Number of futures sampled.
    pub futures: u32,
    /// The plan that is cheapest in the middle future (index into `plans`).
    pub cheapest: usize,
    /// The plan of least regret (index into `plans`).
    pub least_regret: usize,
    /// For each plan: the share of futures in which it misses a target.
    pub odds_of_missing: Vec<f64>,
    /// For each plan: mean regret a month.
    pub regret: Vec<Usd>,
    /// The sampled inputs: key and its interval as text.
    pub inputs: BTreeMap<String, String>,
}
