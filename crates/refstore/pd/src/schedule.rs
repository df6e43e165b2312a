//! Which leaders should move where: decisions only, on what is known at an instant.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proto::metapb::Peer;

use crate::operators::{Kind, Operator, Operators};
use crate::regions::{Regions, Watched};

/// Operators that the balance-leader scheduler makes a tick (PD 8.5, balance_leader.go: BalanceLeaderBatchSize).
pub(crate) const BALANCE_BATCH: usize = 4;
/// Nothing is balanced before this share of the regions has told who leads (PD 8.5, prepare_checker.go: collectFactor):
/// after a restart the first node to speak would seem to lead too many.
const KNOWN: f64 = 0.8;

/// What counts of a store.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    pub(crate) store: u64,
    /// Whether it may get leaders: it speaks, and nobody moves leaders away from it.
    pub(crate) takes: bool,
}

/// The leaders of each store once all transfers under way have happened.
struct Forecast(BTreeMap<u64, i64>);

impl Forecast {
    fn of(regions: &Regions, operators: &Operators) -> Self {
        let mut counts = BTreeMap::new();
        for region in regions.all() {
            let running = operators.running().get(&region.meta.id).map(|operator| operator.to.store_id);
            if let Some(store) = running.or(region.leads()) {
                *counts.entry(store).or_insert(0) += 1;
            }
        }
        Self(counts)
    }

    fn leads(&self, store: u64) -> i64 {
        self.0.get(&store).copied().unwrap_or(0)
    }

    fn moves(&mut self, from: u64, to: u64) {
        *self.0.entry(from).or_default() -= 1;
        *self.0.entry(to).or_default() += 1;
    }
}

/// Moves up to `most` leaders away from the stores in `from`, each to the peer whose store will lead fewest.
pub(crate) fn evict(
    regions: &Regions,
    seats: &[Seat],
    operators: &Operators,
    (from, kind): (&BTreeSet<u64>, Kind),
    most: usize,
    now: Duration,
) -> Vec<Operator> {
    let mut forecast = Forecast::of(regions, operators);
    let mut made = Vec::new();
    for region in regions.all() {
        if made.len() >= most {
            break;
        }
        let Some(leads) = region.leads().filter(|store| from.contains(store)) else { continue };
        // One by hand says where to; a balancing one may go to another that is evicted.
        if operators.running().get(&region.meta.id).is_some_and(|operator| operator.kind != Kind::Balance) {
            continue;
        }
        if let Some(to) = target(region, seats, &forecast) {
            forecast.moves(leads, to.store_id);
            made.push(Operator::new(region, to, kind, now));
        }
    }
    made
}

/// Moves up to `most` leaders from stores that lead more to stores that lead fewer, until counts differ by no more than is
/// `tolerated`, or by one where nothing is: a store that was cleared for a short time therefore regains a part of its leaders only.
pub(crate) fn balance(
    regions: &Regions,
    seats: &[Seat],
    operators: &Operators,
    (most, tolerated): (usize, i64),
    now: Duration,
) -> Vec<Operator> {
    let known = regions.all().iter().filter(|region| region.leader.is_some()).count();
    if (known as f64) < KNOWN * regions.all().len() as f64 {
        return Vec::new();
    }
    let mut forecast = Forecast::of(regions, operators);
    let mut made: Vec<Operator> = Vec::new();
    while made.len() < most {
        let taken = |region: &Watched| {
            let id = region.meta.id;
            operators.running().contains_key(&id) || made.iter().any(|operator| operator.region_id == id)
        };
        // The pair that differs most, of those between which some region can move.
        let mut best: Option<(i64, &Watched, &Peer)> = None;
        for region in regions.all().iter().filter(|region| !taken(region)) {
            let Some(from) = region.leads() else { continue };
            let Some(to) = target(region, seats, &forecast) else { continue };
            let gap = forecast.leads(from) - forecast.leads(to.store_id);
            // A gap of one would only change sides.
            if gap > tolerated.max(1) && best.is_none_or(|(widest, ..)| gap > widest) {
                best = Some((gap, region, to));
            }
        }
        let Some((_, region, to)) = best else { break };
        forecast.moves(region.leads().unwrap_or(0), to.store_id);
        made.push(Operator::new(region, to, Kind::Balance, now));
    }
    made
}

/// The follower that keeps up, on a store that takes leaders and will lead fewest.
fn target<'a>(region: &'a Watched, seats: &[Seat], forecast: &Forecast) -> Option<&'a Peer> {
    let takes = |store: u64| seats.iter().any(|seat| seat.store == store && seat.takes);
    let followers = region.meta.peers.iter().filter(|peer| Some(peer.store_id) != region.leads());
    let able = followers.filter(|peer| takes(peer.store_id) && region.is_healthy(peer));
    able.min_by_key(|peer| (forecast.leads(peer.store_id), peer.store_id))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proto::metapb::Region;
    use proto::pdpb::{OperatorStatus, RegionHeartbeatRequest};

    use super::*;
    use crate::record::RegionRecord;

    const STORES: u64 = 3;

    /// A 0 says that nobody is known to lead.
    fn led_by(leaders: &[u64]) -> Regions {
        let peers = |id: u64| (1..=STORES).map(|store| (id * 10 + store, store)).collect();
        let record = |id: u64| RegionRecord {
            id,
            start: id.to_be_bytes().to_vec().into(),
            end: (id + 1).to_be_bytes().to_vec().into(),
            peers: peers(id),
        };
        let mut regions = Regions::of(&(0..leaders.len() as u64).map(record).collect::<Vec<_>>());
        (0..).zip(leaders).filter(|(_, store)| **store != 0).for_each(|(id, &store)| lead(&mut regions, id, store, 5));
        regions
    }

    fn lead(regions: &mut Regions, id: u64, store_id: u64, term: u64) {
        let leader = Some(Peer { id: id * 10 + store_id, store_id, ..Default::default() });
        let region = Some(Region { id, ..Default::default() });
        regions.hear(RegionHeartbeatRequest { region, leader, term, ..Default::default() }, Duration::ZERO).unwrap();
    }

    fn seats(refuse: &[u64]) -> Vec<Seat> {
        (1..=STORES).map(|store| Seat { store, takes: !refuse.contains(&store) }).collect()
    }

    fn counts(regions: &Regions) -> Vec<usize> {
        let leads = |store| regions.all().iter().filter(|region| region.leads() == Some(store)).count();
        (1..=STORES).map(leads).collect()
    }

    /// Does what was decided, at once, as a healthy cluster would.
    fn obey(regions: &mut Regions, made: Vec<Operator>) {
        for operator in made {
            let term = regions.by_id(operator.region_id).unwrap().term + 1;
            lead(regions, operator.region_id, operator.to.store_id, term);
        }
    }

    #[test]
    fn eviction_makes_a_batch_a_tick_and_shares_the_leaders_among_the_others() {
        let mut regions = led_by(&[1, 1, 1, 1, 1, 1, 2, 3]);
        let (from, none) = (BTreeSet::from([1]), Operators::default());
        let made = evict(&regions, &seats(&[1]), &none, (&from, Kind::Evict), 3, Duration::ZERO);
        assert_eq!(made.len(), 3);
        obey(&mut regions, made);
        let made = evict(&regions, &seats(&[1]), &none, (&from, Kind::Evict), 3, Duration::ZERO);
        obey(&mut regions, made);
        assert_eq!(counts(&regions), [0, 4, 4]);
    }

    #[test]
    fn leaders_stay_if_nobody_takes_them() {
        let regions = led_by(&[1, 1, 1]);
        let (from, none) = (BTreeSet::from([1]), Operators::default());
        assert!(evict(&regions, &seats(&[1, 2, 3]), &none, (&from, Kind::Evict), 3, Duration::ZERO).is_empty());
    }

    #[test]
    fn a_peer_that_lags_gets_no_leader() {
        let mut regions = led_by(&[1]);
        let pending = vec![Peer { id: 2, store_id: 2, ..Default::default() }];
        let said = RegionHeartbeatRequest {
            region: Some(Region::default()),
            leader: Some(Peer { id: 1, store_id: 1, ..Default::default() }),
            term: 6,
            pending_peers: pending,
            ..Default::default()
        };
        regions.hear(said, Duration::ZERO).unwrap();
        let (from, none) = (BTreeSet::from([1]), Operators::default());
        let made = evict(&regions, &seats(&[1]), &none, (&from, Kind::Evict), 3, Duration::ZERO);
        assert_eq!(made[0].to.store_id, 3);
    }

    #[test]
    fn nothing_is_balanced_while_most_leaders_are_unknown() {
        let mut regions = led_by(&[0; 5]);
        (0..3).for_each(|id| lead(&mut regions, id, 1, 5));
        assert!(balance(&regions, &seats(&[]), &Operators::default(), (4, 0), Duration::ZERO).is_empty());
    }

    #[test]
    fn a_transfer_that_does_not_happen_is_repeated_and_then_given_up() {
        let regions = led_by(&[1]);
        let mut operators = Operators::default();
        let to = regions.all()[0].peer_on(2).unwrap();
        operators.add(Operator::new(&regions.all()[0], to, Kind::Balance, Duration::ZERO));
        let sent = |at| operators_at(&mut operators, &regions, at);
        assert_eq!([0, 1, 2, 3, 4].map(sent), [1, 0, 1, 0, 1]);
        assert_eq!(operators_at(&mut operators, &regions, 10), 0);
        assert_eq!(operators.of(0).unwrap().1, OperatorStatus::Timeout);
        assert!(operators.running().is_empty());
    }

    fn operators_at(operators: &mut Operators, regions: &Regions, second: u64) -> usize {
        operators.progress(regions, Duration::from_secs(second)).len()
    }

    proptest! {
        #[test]
        fn balancing_ends_with_counts_within_what_is_tolerated(
            leaders in prop::collection::vec(1..=STORES, 1..60),
            tolerated in 0_i64..12,
        ) {
            let mut regions = led_by(&leaders);
            for _ in 0..leaders.len() {
                let most = (BALANCE_BATCH, tolerated);
                let made = balance(&regions, &seats(&[]), &Operators::default(), most, Duration::ZERO);
                obey(&mut regions, made);
            }
            let counts = counts(&regions);
            let gap = (counts.iter().max().unwrap() - counts.iter().min().unwrap()) as i64;
            prop_assert!(gap <= tolerated.max(1), "{counts:?} with {tolerated}");
            prop_assert!(balance(&regions, &seats(&[]), &Operators::default(), (4, tolerated), Duration::ZERO).is_empty());
        }
    }
}
