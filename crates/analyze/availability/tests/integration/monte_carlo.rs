//! The chain against a simulation of the same failures node by node, which shares none of its code.

use availability::{ClusterShape, FailureRates, NodeStorage, assess};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Bytes, Nanos};

/// Failures so frequent that a few thousand years hold enough of them.
fn hurried() -> FailureRates {
    FailureRates {
        node_failures: 12.0,
        device_failures: 3.0,
        volume_failures: 3.0,
        zone_outages: 3.0,
        zone_outage: Nanos::secs(90_000),
        zone_wipes_local: 0.5,
        store_down: Nanos::secs(7_200),
        reattach: Nanos::secs(50_000),
        by_hand: Nanos::secs(150_000),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Node {
    Up,
    Detached,
    Lost,
}

#[derive(Clone, Copy, Default, PartialEq)]
struct Zone {
    away: bool,
    wiped: bool,
}

/// What may happen next.
#[derive(Clone, Copy)]
enum Step {
    Fail(usize),
    Break(usize),
    Attach(usize),
    Rebuild(usize),
    Outage(usize, bool),
    Return(usize),
    Refill(usize),
    ByHand,
}

struct World {
    /// The zone of each node.
    zone_of: Vec<usize>,
    nodes: Vec<Node>,
    zones: Vec<Zone>,
    /// Sets of nodes, as bits, that may hold a range: at most one more in one zone than in another.
    ranges: Vec<u32>,
    replicas: usize,
}

impl World {
    fn new(nodes: usize, zones: usize, replicas: usize) -> Self {
        let zone_of: Vec<usize> = (0..nodes).map(|node| node % zones).collect();
        let even = |set: &u32| {
            let mut counts = vec![0; zones];
            (0..nodes).filter(|node| set >> node & 1 == 1).for_each(|node| counts[zone_of[node]] += 1);
            counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1
        };
        let sets = (0_u32..1 << nodes).filter(|set| set.count_ones() as usize == replicas);
        let ranges = sets.filter(even).collect();
        Self { zone_of, nodes: vec![Node::Up; nodes], zones: vec![Zone::default(); zones], ranges, replicas }
    }

    fn reachable(&self, node: usize) -> bool {
        self.nodes[node] == Node::Up && self.zones[self.zone_of[node]] == Zone::default()
    }

    fn quorum_lost(&self) -> bool {
        let reachable: u32 = (0..self.nodes.len()).map(|node| u32::from(self.reachable(node)) << node).sum();
        self.ranges.iter().any(|range| (range & reachable).count_ones() as usize <= self.replicas / 2)
    }

    fn steps(&self, storage: NodeStorage, rates: &FailureRates, rebuild_seconds: f64) -> Vec<(Step, f64)> {
        let year = 8760.0 * 3600.0;
        let lost = self.quorum_lost();
        let rebuild = if lost { 0.0 } else { year / rebuild_seconds };
        let (wipes, breaks) = match storage {
            NodeStorage::Local => (rates.zone_wipes_local, rates.device_failures),
            NodeStorage::Reattachable => (0.0, rates.volume_failures),
        };
        let mut steps = Vec::new();
        let mut by_hand = false;
        for (i, node) in self.nodes.iter().enumerate() {
            if self.zones[self.zone_of[i]] != Zone::default() {
                continue;
            }
            match node {
                Node::Up => steps.extend([(Step::Fail(i), rates.node_failures), (Step::Break(i), breaks)]),
                Node::Detached => {
                    steps.extend([(Step::Attach(i), year / rates.reattach.as_secs_f64()), (Step::Break(i), breaks)]);
                }
                Node::Lost => {
                    by_hand = true;
                    steps.push((Step::Rebuild(i), rebuild));
                }
            }
        }
        for (i, zone) in self.zones.iter().enumerate() {
            if zone.away {
                steps.push((Step::Return(i), year / rates.zone_outage.as_secs_f64()));
                continue;
            }
            if zone.wiped {
                by_hand = true;
                steps.push((Step::Refill(i), rebuild));
            }
            steps.push((Step::Outage(i, false), rates.zone_outages * (1.0 - wipes)));
            steps.push((Step::Outage(i, true), rates.zone_outages * wipes));
        }
        if lost && by_hand {
            steps.push((Step::ByHand, year / rates.by_hand.as_secs_f64()));
        }
        steps
    }

    fn take(&mut self, step: Step, storage: NodeStorage) {
        match step {
            Step::Fail(i) => {
                self.nodes[i] = if storage == NodeStorage::Local { Node::Lost } else { Node::Detached };
            }
            Step::Break(i) => self.nodes[i] = Node::Lost,
            Step::Attach(i) | Step::Rebuild(i) => self.nodes[i] = Node::Up,
            Step::Outage(i, wiped) => {
                self.zones[i].away = true;
                self.zones[i].wiped |= wiped;
                if self.zones[i].wiped {
                    self.set_zone(i);
                }
            }
            Step::Return(i) => self.zones[i].away = false,
            Step::Refill(i) => self.zones[i].wiped = false,
            Step::ByHand => {
                for i in 0..self.nodes.len() {
                    if !self.zones[self.zone_of[i]].away && self.nodes[i] == Node::Lost {
                        self.nodes[i] = Node::Up;
                    }
                }
                self.zones.iter_mut().filter(|zone| !zone.away).for_each(|zone| zone.wiped = false);
            }
        }
    }

    /// A wiped zone's nodes have no other fault.
    fn set_zone(&mut self, zone: usize) {
        for (node, _) in self.nodes.iter_mut().zip(&self.zone_of).filter(|(_, z)| **z == zone) {
            *node = Node::Up;
        }
    }
}

/// Losses of the quorum a year and minutes a year without it, in each of `batches` runs of `years`.
fn simulate(
    scenario: &ClusterShape,
    rates: &FailureRates,
    nodes: usize,
    zones: usize,
    rng: &mut impl Rng,
) -> Vec<[f64; 2]> {
    let (batches, years) = (40, 60.0);
    let rebuild = rates.store_down.as_secs_f64() + scenario.data_per_node.as_f64() / scenario.rebuild_bandwidth.0;
    let mut world = World::new(nodes, zones, scenario.replicas as usize);
    let mut batch = || {
        let (mut now, mut losses, mut away) = (0.0, 0.0, 0.0);
        while now < years {
            let lost = world.quorum_lost();
            let steps = world.steps(scenario.storage, rates, rebuild);
            let total: f64 = steps.iter().map(|(_, rate)| rate).sum();
            let wait = -(1.0 - rng.random::<f64>()).ln() / total;
            let mut pick = rng.random::<f64>() * total;
            let last = steps.len() - 1;
            let chosen = steps.iter().position(|(_, rate)| {
                pick -= rate;
                pick < 0.0
            });
            world.take(steps[chosen.unwrap_or(last)].0, scenario.storage);
            now += wait;
            away += if lost { wait } else { 0.0 };
            losses += f64::from(!lost && world.quorum_lost());
        }
        [losses / now, away / now * 8760.0 * 60.0]
    };
    (0..batches).map(|_| batch()).collect()
}

/// Whether `expected` is within 3.3 standard errors (99.9 %) of the mean.
fn agrees(samples: &[f64], expected: f64) -> Result<(), String> {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let error = (samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    if (mean - expected).abs() <= 3.3 * error && error < 0.05 * mean {
        Ok(())
    } else {
        Err(format!("simulated {mean:.4} ± {error:.4}, solved {expected:.4}"))
    }
}

#[test]
fn the_chain_of_a_range_agrees_with_a_simulation() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for storage in [NodeStorage::Local, NodeStorage::Reattachable] {
        for (replicas, zones) in [(3, 3), (3, 2), (3, 1), (5, 3), (2, 2)] {
            let data_per_node = Bytes::gib(4000);
            let scenario =
                ClusterShape { replicas, zones, nodes: replicas, storage, data_per_node, ..ClusterShape::default() };
            let solved = assess(&scenario, &hurried()).unwrap().range;
            let runs = simulate(&scenario, &hurried(), replicas as usize, zones as usize, &mut rng);
            let column = |i: usize| runs.iter().map(|run| run[i]).collect::<Vec<_>>();
            agrees(&column(0), solved.losses_per_year).unwrap_or_else(|e| panic!("{scenario:?} losses: {e}"));
            agrees(&column(1), solved.unavailable_minutes_per_year)
                .unwrap_or_else(|e| panic!("{scenario:?} minutes: {e}"));
        }
    }
}

#[test]
fn the_chain_of_a_cluster_agrees_with_a_simulation() {
    // Calmer than above: the cluster's chain leaves out states with more faults than one beyond a lost quorum.
    let rates =
        FailureRates { node_failures: 3.0, device_failures: 0.5, volume_failures: 0.5, zone_outages: 0.5, ..hurried() };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for storage in [NodeStorage::Local, NodeStorage::Reattachable] {
        let rates = FailureRates {
            reattach: Nanos::secs(8_000),
            by_hand: Nanos::secs(8_000),
            store_down: Nanos::secs(600),
            ..rates
        };
        let data_per_node = Bytes::gib(500);
        let scenario = ClusterShape { nodes: 6, storage, data_per_node, ..ClusterShape::default() };
        let solved = assess(&scenario, &rates).unwrap().cluster;
        let long = |rng: &mut Xoshiro256PlusPlus| {
            (0..4).flat_map(|_| simulate(&scenario, &rates, 6, 3, rng)).collect::<Vec<_>>()
        };
        let runs = long(&mut rng);
        let losses: Vec<f64> = runs.iter().map(|run| run[0]).collect();
        agrees(&losses, solved.losses_per_year).unwrap_or_else(|e| panic!("{storage:?}: {e}"));
    }
}
