//! Which nodes get a replica of which region.

use std::collections::BTreeMap;

/// A node to place on.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) store: u64,
    pub(crate) zone: String,
}

/// For each of `regions` regions, the stores of its replicas: distinct, in as many zones as there are, and so that stores
/// hold equally many. The first of each region is spread evenly too: it may lead first. `replicas` must not exceed the
/// number of spots.
pub(crate) fn spread(spots: &[Spot], regions: usize, replicas: usize) -> Vec<Vec<u64>> {
    let mut held: BTreeMap<u64, usize> = BTreeMap::new();
    let mut leads: BTreeMap<u64, usize> = BTreeMap::new();
    let mut placed = Vec::with_capacity(regions);
    for _ in 0..regions {
        let mut chosen: Vec<&Spot> = Vec::with_capacity(replicas);
        for _ in 0..replicas {
            let in_zone = |spot: &Spot| chosen.iter().filter(|other| other.zone == spot.zone).count();
            let free = spots.iter().filter(|spot| chosen.iter().all(|other| other.store != spot.store));
            let best = free.min_by_key(|spot| (in_zone(spot), held.get(&spot.store).copied().unwrap_or(0), spot.store));
            chosen.extend(best);
        }
        chosen.sort_by_key(|spot| (leads.get(&spot.store).copied().unwrap_or(0), spot.store));
        chosen.iter().for_each(|spot| *held.entry(spot.store).or_default() += 1);
        if let Some(first) = chosen.first() {
            *leads.entry(first.store).or_default() += 1;
        }
        placed.push(chosen.iter().map(|spot| spot.store).collect());
    }
    placed
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn spots(zones: &[u8]) -> Vec<Spot> {
        (1..).zip(zones).map(|(store, zone)| Spot { store, zone: format!("z{zone}") }).collect()
    }

    proptest! {
        #[test]
        fn replicas_are_on_distinct_stores_in_as_many_zones_as_there_are(
            zones in prop::collection::vec(0u8..4, 1..9),
            regions in 1usize..40,
            replicas in 1usize..9,
        ) {
            let (spots, replicas) = (spots(&zones), replicas.min(zones.len()));
            let all: BTreeSet<_> = zones.iter().collect();
            for stores in spread(&spots, regions, replicas) {
                let distinct: BTreeSet<_> = stores.iter().collect();
                prop_assert_eq!(distinct.len(), replicas);
                let zones: BTreeSet<_> = stores.iter().map(|&store| &spots[store as usize - 1].zone).collect();
                prop_assert_eq!(zones.len(), all.len().min(replicas));
            }
        }

        #[test]
        fn without_zones_stores_hold_equally_many(stores in 1usize..9, regions in 1usize..60, replicas in 1usize..9) {
            let replicas = replicas.min(stores);
            let placed = spread(&spots(&vec![0; stores]), regions, replicas);
            let count = |store: u64| placed.iter().filter(|region| region.contains(&store)).count();
            let counts: Vec<_> = (1..=stores as u64).map(count).collect();
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
        }
    }

    #[test]
    fn each_of_three_comes_first_equally_often() {
        let placed = spread(&spots(&[0, 1, 2]), 30, 3);
        let firsts = |store| placed.iter().filter(|region| region[0] == store).count();
        assert_eq!([firsts(1), firsts(2), firsts(3)], [10, 10, 10]);
    }
}
