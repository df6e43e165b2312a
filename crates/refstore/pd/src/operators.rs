//! Leader transfers under way: sent, repeated, and given up.

use std::collections::BTreeMap;
use std::time::Duration;

use proto::metapb::Peer;
use proto::pdpb::{OperatorStatus, RegionHeartbeatResponse, TransferLeader};

use crate::regions::{Regions, Watched};

/// A transfer that did not happen by then is given up. PD 8.5 waits 60 s (operator.go: FastStepWaitTime); a transfer that
/// works takes an election timeout at most, and one that hangs holds one of four places.
const TIMEOUT: Duration = Duration::from_secs(10);
/// A leader that did not transfer by then is asked again: the first message may have met another leader.
const AGAIN: Duration = Duration::from_secs(2);

/// Who wanted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Somebody, by hand.
    Admin,
    /// The evict-leader scheduler.
    Evict,
    /// The evict-slow-store scheduler.
    Slow,
    /// The balance-leader scheduler.
    Balance,
}

impl Kind {
    /// As PD names the operator.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin-transfer-leader",
            Self::Evict => "evict-leader",
            Self::Slow => "evict-slow-store",
            Self::Balance => "balance-leader",
        }
    }

    /// As PD classifies it.
    pub(crate) fn classes(self) -> &'static str {
        if self == Self::Admin { "leader,admin" } else { "leader" }
    }
}

/// One transfer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Operator {
    pub(crate) region_id: u64,
    /// The store that led when it was made.
    pub(crate) from: u64,
    pub(crate) to: Peer,
    pub(crate) kind: Kind,
    /// Since the epoch.
    pub(crate) created: Duration,
    sent: Option<Duration>,
}

impl Operator {
    /// A transfer to be made.
    pub(crate) fn new(region: &Watched, to: &Peer, kind: Kind, now: Duration) -> Self {
        let from = region.leads().unwrap_or(0);
        Self { region_id: region.meta.id, from, to: *to, kind, created: now, sent: None }
    }

    /// What the leader is told.
    fn order(&self, region: &Watched) -> RegionHeartbeatResponse {
        RegionHeartbeatResponse {
            region_id: self.region_id,
            region_epoch: region.meta.region_epoch,
            target_peer: region.leader,
            transfer_leader: Some(TransferLeader { peer: Some(self.to), peers: Vec::new() }),
            ..Default::default()
        }
    }
}

/// An order and the store it goes to.
pub(crate) type Dispatch = (u64, RegionHeartbeatResponse);

/// Those under way, and how the last of each region ended.
#[derive(Debug, Default)]
pub(crate) struct Operators {
    running: BTreeMap<u64, Operator>,
    ended: BTreeMap<u64, (Operator, OperatorStatus)>,
    counts: BTreeMap<(&'static str, &'static str), u64>,
}

impl Operators {
    /// By region.
    pub(crate) fn running(&self) -> &BTreeMap<u64, Operator> {
        &self.running
    }

    /// The running or last one of a region.
    pub(crate) fn of(&self, region: u64) -> Option<(&Operator, OperatorStatus)> {
        let running = self.running.get(&region).map(|operator| (operator, OperatorStatus::Running));
        running.or_else(|| self.ended.get(&region).map(|(operator, how)| (operator, *how)))
    }

    /// How often what happened to which kind.
    pub(crate) fn counts(&self) -> &BTreeMap<(&'static str, &'static str), u64> {
        &self.counts
    }

    /// Takes one on; one by hand replaces another.
    pub(crate) fn add(&mut self, operator: Operator) {
        *self.counts.entry((operator.kind.name(), "create")).or_default() += 1;
        let id = operator.region_id;
        if let Some(before) = self.running.insert(id, operator) {
            self.end(before, OperatorStatus::Replace);
        }
    }

    /// Gives up that of a region.
    pub(crate) fn cancel(&mut self, region: u64) -> bool {
        let cancelled = self.running.remove(&region);
        cancelled.map(|operator| self.end(operator, OperatorStatus::Cancel)).is_some()
    }

    /// Ends those that succeeded or failed, and answers what is to be sent.
    pub(crate) fn progress(&mut self, regions: &Regions, now: Duration) -> Vec<Dispatch> {
        let mut orders = Vec::new();
        let mut over = Vec::new();
        for (&id, operator) in &mut self.running {
            let region = regions.by_id(id);
            let leads = region.and_then(Watched::leads);
            let how = match leads {
                Some(store) if store == operator.to.store_id => Some(OperatorStatus::Success),
                _ if now.saturating_sub(operator.created) >= TIMEOUT => Some(OperatorStatus::Timeout),
                // Somebody else leads: what a scheduler wanted may not be needed any more.
                Some(store) if store != operator.from && operator.kind != Kind::Admin => Some(OperatorStatus::Cancel),
                _ => None,
            };
            match (how, region, leads) {
                (Some(how), ..) => over.push((id, how)),
                (None, Some(region), Some(store))
                    if operator.sent.is_none_or(|sent| now.saturating_sub(sent) >= AGAIN) =>
                {
                    operator.sent = Some(now);
                    orders.push((store, operator.order(region)));
                }
                _ => {}
            }
        }
        for (id, how) in over {
            if let Some(operator) = self.running.remove(&id) {
                self.end(operator, how);
            }
        }
        orders
    }

    fn end(&mut self, operator: Operator, how: OperatorStatus) {
        let event = match how {
            OperatorStatus::Success => "finish",
            OperatorStatus::Timeout => "timeout",
            OperatorStatus::Cancel => "cancel",
            OperatorStatus::Replace => "replace",
            OperatorStatus::Running => return,
        };
        *self.counts.entry((operator.kind.name(), event)).or_default() += 1;
        self.ended.insert(operator.region_id, (operator, how));
    }
}
