//! From the chain to what people ask: how likely, how long, and what brings the data back.

use std::collections::BTreeMap;

use crate::chain::Chain;
use crate::process::{Event, Process, Zone};
use crate::{ClusterShape, FailureRates, ScenarioError};

const HOURS_PER_YEAR: f64 = 8760.0;

/// What gives a range its quorum back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecoveryPath {
    /// A volume hangs on a new node.
    VolumeReattached,
    /// People restored the data from the surviving copy, or from a backup.
    DataRebuiltByHand,
    /// The zone came back, its data with it.
    ZoneReturned,
}

impl std::fmt::Display for RecoveryPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::VolumeReattached => "volume re-attached",
            Self::DataRebuiltByHand => "data rebuilt by hand",
            Self::ZoneReturned => "zone returned",
        })
    }
}

/// How a quorum is lost and found again.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct QuorumExposure {
    /// Losses of the quorum a year, in the long run.
    pub losses_per_year: f64,
    /// Probability of at least one in a year: `1 - exp(-losses_per_year)`, losses being rare and independent.
    pub probability_per_year: f64,
    /// Mean minutes until the quorum is back; `None` if it is never lost.
    pub minutes_to_recover: Option<f64>,
    /// What brings it back most often; `None` if it is never lost.
    pub recovery: Option<RecoveryPath>,
    /// Mean minutes a year without quorum.
    pub unavailable_minutes_per_year: f64,
}

/// One zone away and a node elsewhere failed: the loss that zones alone do not prevent.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ZoneAndNode {
    /// Such losses of a range's quorum a year.
    pub losses_per_year: f64,
    /// Mean minutes until the quorum is back.
    pub minutes_to_recover: f64,
    /// What brings it back most often.
    pub recovery: RecoveryPath,
    /// How often it is that.
    pub recovery_share: f64,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct AvailabilityAssessment {
    /// A given range.
    pub range: QuorumExposure,
    /// Any range of the cluster, there being so many that every allowed choice of nodes holds one.
    pub cluster: QuorumExposure,
    /// Ranges of the cluster.
    pub ranges: f64,
    /// How many of them lose their quorum in a year, on average.
    pub ranges_lost_per_year: f64,
    /// A given range when a zone and a node elsewhere are away; `None` if that alone never costs the quorum.
    pub zone_and_node: Option<ZoneAndNode>,
    /// Probability that all copies of a given range are gone at once in a year.
    pub data_loss_per_year: f64,
}

/// Solves the chain of failures and repairs.
///
/// # Errors
/// When a count, a rate or a time is outside what is modelled.
pub fn assess(scenario: &ClusterShape, rates: &FailureRates) -> Result<AvailabilityAssessment, ScenarioError> {
    scenario.validate()?;
    validate(rates)?;
    let range = Solved::new(Process::of_range(scenario, rates));
    let cluster = Solved::new(Process::of_cluster(scenario, rates));
    let exposure = range.exposure();
    Ok(AvailabilityAssessment {
        range: exposure,
        cluster: cluster.exposure(),
        ranges: scenario.ranges(),
        ranges_lost_per_year: exposure.losses_per_year * scenario.ranges(),
        zone_and_node: range.zone_and_node(),
        data_loss_per_year: range.data_loss(),
    })
}

fn validate(rates: &FailureRates) -> Result<(), ScenarioError> {
    let FailureRates { node_failures, device_failures, volume_failures, zone_outages, .. } = *rates;
    let yearly = [
        ("the rate of node failures", node_failures),
        ("the rate of local device failures", device_failures),
        ("the rate of volume failures", volume_failures),
        ("the rate of zone outages", zone_outages),
    ];
    if let Some((what, rate)) = yearly.into_iter().find(|(_, rate)| !(0.0..=1e6).contains(rate)) {
        return Err(ScenarioError::new(what, rate, "0 or more a year"));
    }
    if !(0.0..=1.0).contains(&rates.zone_wipes_local) {
        let what = "the share of zone outages that wipe local data";
        return Err(ScenarioError::new(what, rates.zone_wipes_local, "0 to 1"));
    }
    let times = [
        ("the time of a zone outage", rates.zone_outage),
        ("the time until a store counts as down", rates.store_down),
        ("the time to re-attach a volume", rates.reattach),
        ("the time to rebuild by hand", rates.by_hand),
    ];
    match times.into_iter().find(|(_, time)| time.0 == 0) {
        Some((what, time)) => Err(ScenarioError::new(what, time, "more than 0, such as 10m")),
        None => Ok(()),
    }
}

/// A process with its chain in the long run.
struct Solved {
    process: Process,
    chain: Chain<Vec<Zone>, Event>,
    share: Vec<f64>,
}

impl Solved {
    fn new(process: Process) -> Self {
        let chain = process.chain();
        let share = chain.stationary();
        Self { process, chain, share }
    }

    fn marked(&self, test: impl Fn(&[Zone]) -> bool) -> Vec<bool> {
        self.chain.states.iter().map(|state| test(state)).collect()
    }

    /// Transitions an hour into each state from states that `outside` marks.
    fn entries(&self, outside: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut entries = vec![0.0; self.chain.states.len()];
        for (from, to, rate, _) in &self.chain.transitions {
            if outside(*from) && !outside(*to) {
                entries[*to] += self.share[*from] * rate;
            }
        }
        entries
    }

    fn exposure(&self) -> QuorumExposure {
        let lost = self.marked(|state| self.process.quorum_lost(state));
        let entries: f64 = self.entries(|i| !lost[i]).iter().sum();
        let away: f64 = lost.iter().zip(&self.share).filter(|(lost, _)| **lost).map(|(_, share)| share).sum();
        let mut ways = BTreeMap::new();
        for (from, to, rate, event) in &self.chain.transitions {
            if let (true, false, Some(way)) = (lost[*from], lost[*to], recovery(*event)) {
                *ways.entry(way).or_insert(0.0) += self.share[*from] * rate;
            }
        }
        let losses_per_year = entries * HOURS_PER_YEAR;
        QuorumExposure {
            losses_per_year,
            probability_per_year: -(-losses_per_year).exp_m1(),
            minutes_to_recover: (entries > 0.0).then(|| away / entries * 60.0),
            recovery: most(&ways).map(|(way, _)| way),
            unavailable_minutes_per_year: away * HOURS_PER_YEAR * 60.0,
        }
    }

    fn zone_and_node(&self) -> Option<ZoneAndNode> {
        let lost = self.marked(|state| self.process.quorum_lost(state));
        let mut start = self.entries(|i| !lost[i]);
        for (weight, state) in start.iter_mut().zip(&self.chain.states) {
            if !Process::zone_and_node(state) {
                *weight = 0.0;
            }
        }
        let total: f64 = start.iter().sum();
        if total == 0.0 {
            return None;
        }
        start.iter_mut().for_each(|weight| *weight /= total);
        let (hours, events) = self.chain.leave(&lost, &start);
        let ways = events.into_iter().filter_map(|(event, share)| Some((recovery(event)?, share))).collect();
        let (recovery, recovery_share) = most(&ways)?;
        Some(ZoneAndNode {
            losses_per_year: total * HOURS_PER_YEAR,
            minutes_to_recover: hours * 60.0,
            recovery,
            recovery_share: recovery_share.min(1.0),
        })
    }

    fn data_loss(&self) -> f64 {
        let gone = self.marked(|state| self.process.data_lost(state));
        let losses: f64 = self.entries(|i| !gone[i]).iter().sum();
        -(-losses * HOURS_PER_YEAR).exp_m1()
    }
}

fn recovery(event: Event) -> Option<RecoveryPath> {
    match event {
        Event::VolumeReattached => Some(RecoveryPath::VolumeReattached),
        Event::RebuiltByHand => Some(RecoveryPath::DataRebuiltByHand),
        Event::ZoneReturned => Some(RecoveryPath::ZoneReturned),
        Event::Failure | Event::ReplicaRebuilt => None,
    }
}

fn most(ways: &BTreeMap<RecoveryPath, f64>) -> Option<(RecoveryPath, f64)> {
    ways.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(way, share)| (*way, *share))
}
