//! The failures and repairs of nodes, volumes and zones as states and transitions.

use units::Nanos;

use crate::chain::Chain;
use crate::{ClusterShape, FailureRates, NodeStorage};

const HOURS_PER_YEAR: f64 = 8760.0;

/// What has happened to a zone as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Condition {
    /// Running.
    Up,
    /// Away; what its nodes had is kept.
    Away,
    /// Away, and its nodes' data gone.
    AwayAndWiped,
    /// Back without data.
    Empty,
}

/// A zone: zones that look alike are interchangeable, which keeps the chain small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Zone {
    nodes: u32,
    condition: Condition,
    /// Nodes that failed, their volume intact.
    detached: u32,
    /// Nodes whose data is gone.
    lost: u32,
}

impl Zone {
    /// Nodes whose data cannot be reached.
    fn missing(&self) -> u32 {
        if self.condition == Condition::Up { self.detached + self.lost } else { self.nodes }
    }

    /// Nodes whose data is gone.
    fn gone(&self) -> u32 {
        match self.condition {
            Condition::Up | Condition::Away => self.lost,
            Condition::AwayAndWiped | Condition::Empty => self.nodes,
        }
    }

    fn away(&self) -> bool {
        matches!(self.condition, Condition::Away | Condition::AwayAndWiped)
    }

    fn faults(&self) -> u32 {
        self.detached + self.lost + u32::from(self.condition != Condition::Up)
    }
}

/// Why the state changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    Failure,
    VolumeReattached,
    ReplicaRebuilt,
    ZoneReturned,
    RebuiltByHand,
}

/// The process for one range, or for the whole of a cluster with so many ranges that any choice of nodes holds one.
#[derive(Debug)]
pub(crate) struct Process {
    zones: Vec<u32>,
    replicas: u32,
    storage: NodeStorage,
    /// States with more faults than this are left out.
    most_faults: u32,
    // All rates an hour.
    node_failure: f64,
    disk_failure: f64,
    zone_keeps: f64,
    zone_wipes: f64,
    zone_return: f64,
    reattach: f64,
    rebuild: f64,
    by_hand: f64,
}

impl Process {
    /// One range: a zone's nodes are those that hold its replicas.
    pub(crate) fn of_range(scenario: &ClusterShape, rates: &FailureRates) -> Self {
        let zones = spread(scenario.replicas, scenario.zones.min(scenario.replicas));
        Self::new(scenario, rates, zones, u32::MAX)
    }

    /// The whole cluster: it has lost a quorum when the worst-placed range has. Left out are states with more faults
    /// than one beyond what costs a quorum, which are rarer by a repair time over a time between failures.
    pub(crate) fn of_cluster(scenario: &ClusterShape, rates: &FailureRates) -> Self {
        let zones = spread(scenario.nodes, scenario.zones);
        let most_faults = if scenario.nodes == scenario.replicas { u32::MAX } else { scenario.replicas / 2 + 2 };
        Self::new(scenario, rates, zones, most_faults)
    }

    fn new(scenario: &ClusterShape, rates: &FailureRates, zones: Vec<u32>, most_faults: u32) -> Self {
        let each_hour = |each_year: f64| each_year / HOURS_PER_YEAR;
        let rate = |time: Nanos| 3600.0 / time.as_secs_f64();
        let local = scenario.storage == NodeStorage::Local;
        let wipes = if local { rates.zone_wipes_local } else { 0.0 };
        let failures = if local { rates.device_failures } else { rates.volume_failures };
        let copy = Nanos::from_secs_f64(scenario.data_per_node.as_f64() / scenario.rebuild_bandwidth.0);
        Self {
            zones,
            replicas: scenario.replicas,
            storage: scenario.storage,
            most_faults,
            node_failure: each_hour(rates.node_failures),
            disk_failure: each_hour(failures) * f64::from(scenario.volumes),
            zone_keeps: each_hour(rates.zone_outages) * (1.0 - wipes),
            zone_wipes: each_hour(rates.zone_outages) * wipes,
            zone_return: rate(rates.zone_outage),
            reattach: rate(rates.reattach),
            rebuild: rate(rates.store_down + copy),
            by_hand: rate(rates.by_hand),
        }
    }

    /// The chain that starts with everything up.
    pub(crate) fn chain(&self) -> Chain<Vec<Zone>, Event> {
        let up = |nodes: &u32| Zone { nodes: *nodes, condition: Condition::Up, detached: 0, lost: 0 };
        Chain::explore(self.zones.iter().map(up).collect(), |state| self.transitions(state))
    }

    /// Whether the worst-placed range has no quorum.
    pub(crate) fn quorum_lost(&self, state: &[Zone]) -> bool {
        self.worst_range(state, Zone::missing) > (self.replicas - 1) / 2
    }

    /// Whether all copies of the worst-placed range are gone.
    pub(crate) fn data_lost(&self, state: &[Zone]) -> bool {
        self.worst_range(state, Zone::gone) == self.replicas
    }

    /// Whether one zone is away, and a node elsewhere besides.
    pub(crate) fn zone_and_node(state: &[Zone]) -> bool {
        let away = state.iter().filter(|zone| zone.away()).count();
        away == 1 && state.iter().any(|zone| zone.condition == Condition::Up && zone.missing() > 0)
    }

    /// Most replicas of one range on the nodes counted: each zone holds its even share of them, and some zones one more.
    fn worst_range(&self, state: &[Zone], count: impl Fn(&Zone) -> u32) -> u32 {
        let zones = self.zones.len() as u32;
        let (share, rest) = (self.replicas / zones, self.replicas % zones);
        let even: u32 = state.iter().map(|zone| count(zone).min(share)).sum();
        let more = state.iter().filter(|zone| count(zone) > share).count() as u32;
        even + more.min(rest)
    }

    fn transitions(&self, state: &[Zone]) -> Vec<(Vec<Zone>, f64, Event)> {
        let quorum = !self.quorum_lost(state);
        let mut next = Vec::new();
        for (i, zone) in state.iter().enumerate() {
            for (changed, rate, event) in self.zone_transitions(zone, quorum) {
                let mut to = state.to_vec();
                to[i] = changed;
                to.sort_unstable();
                if to.iter().map(Zone::faults).sum::<u32>() <= self.most_faults {
                    next.push((to, rate, event));
                }
            }
        }
        if !quorum && state.iter().any(|zone| !zone.away() && zone.gone() > 0) {
            let mut to: Vec<Zone> = state.iter().map(|zone| if zone.away() { *zone } else { refilled(zone) }).collect();
            to.sort_unstable();
            next.push((to, self.by_hand, Event::RebuiltByHand));
        }
        next
    }

    fn zone_transitions(&self, zone: &Zone, quorum: bool) -> Vec<(Zone, f64, Event)> {
        let Zone { nodes, detached, lost, .. } = *zone;
        let wiped = Zone { condition: Condition::AwayAndWiped, detached: 0, lost: 0, nodes };
        // Raft makes a replica anew only from a leader, and a leader needs the quorum.
        let rebuild = if quorum { self.rebuild } else { 0.0 };
        match zone.condition {
            Condition::Up => {
                let healthy = f64::from(nodes - detached - lost);
                let mut next = vec![
                    (Zone { condition: Condition::Away, ..*zone }, self.zone_keeps, Event::Failure),
                    (wiped, self.zone_wipes, Event::Failure),
                ];
                if healthy > 0.0 {
                    let failed = match self.storage {
                        NodeStorage::Local => Zone { lost: lost + 1, ..*zone },
                        NodeStorage::Reattachable => Zone { detached: detached + 1, ..*zone },
                    };
                    next.push((failed, healthy * self.node_failure, Event::Failure));
                    let broken = Zone { lost: lost + 1, ..*zone };
                    next.push((broken, healthy * self.disk_failure, Event::Failure));
                }
                if detached > 0 {
                    let attached = Zone { detached: detached - 1, ..*zone };
                    let broken = Zone { lost: lost + 1, ..attached };
                    next.push((attached, f64::from(detached) * self.reattach, Event::VolumeReattached));
                    next.push((broken, f64::from(detached) * self.disk_failure, Event::Failure));
                }
                if lost > 0 {
                    let rebuilt = Zone { lost: lost - 1, ..*zone };
                    next.push((rebuilt, f64::from(lost) * rebuild, Event::ReplicaRebuilt));
                }
                next
            }
            Condition::Away => {
                vec![(Zone { condition: Condition::Up, ..*zone }, self.zone_return, Event::ZoneReturned)]
            }
            Condition::AwayAndWiped => {
                vec![(Zone { condition: Condition::Empty, ..*zone }, self.zone_return, Event::ZoneReturned)]
            }
            Condition::Empty => vec![
                (refilled(zone), rebuild, Event::ReplicaRebuilt),
                (wiped, self.zone_keeps + self.zone_wipes, Event::Failure),
            ],
        }
    }
}

/// The zone with its lost data restored.
fn refilled(zone: &Zone) -> Zone {
    Zone { condition: Condition::Up, lost: 0, ..*zone }
}

/// `things` over `zones` as evenly as they go, in ascending order.
fn spread(things: u32, zones: u32) -> Vec<u32> {
    let (share, rest) = (things / zones, things % zones);
    (0..zones).map(|i| share + u32::from(i >= zones - rest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_spread_evenly() {
        assert_eq!(spread(5, 3), [1, 2, 2]);
        assert_eq!(spread(3, 3), [1, 1, 1]);
    }

    #[test]
    fn chains_stay_small_enough_to_solve_at_once() {
        for storage in [NodeStorage::Local, NodeStorage::Reattachable] {
            for (replicas, zones) in (1..=5).flat_map(|r| (1..=6).map(move |z| (r, z))) {
                let scenario = ClusterShape { replicas, zones, nodes: 300, storage, ..ClusterShape::default() };
                let rates = FailureRates { zone_wipes_local: 0.5, ..FailureRates::default() };
                let range = Process::of_range(&scenario, &rates).chain().states.len();
                let cluster = Process::of_cluster(&scenario, &rates).chain().states.len();
                assert!(range.max(cluster) <= 700, "{scenario:?}: {range} and {cluster} states");
            }
        }
    }

    #[test]
    fn a_range_with_two_of_three_replicas_in_one_zone_dies_with_that_zone_alone() {
        let scenario = ClusterShape { zones: 2, ..ClusterShape::default() };
        let process = Process::of_range(&scenario, &FailureRates::default());
        let away = |nodes, condition| Zone { nodes, condition, detached: 0, lost: 0 };
        assert!(process.quorum_lost(&[away(1, Condition::Up), away(2, Condition::Away)]));
        assert!(!process.quorum_lost(&[away(1, Condition::Away), away(2, Condition::Up)]));
    }
}
