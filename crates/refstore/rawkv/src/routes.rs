//! Which region a key is in, and which of its peers to ask.

use std::collections::HashSet;

use proto::metapb::{Peer, Region, RegionEpoch};

/// A region as it is known here.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) region: Region,
    /// Index of the leader among the peers: known, or tried next.
    leader: usize,
    /// The leader that the driver told last: only news from it weigh more than what stores say.
    told: Option<u64>,
    /// Index of the peer in the client's own zone that reads go to.
    near: Option<usize>,
}

impl Route {
    pub(crate) fn epoch(&self) -> RegionEpoch {
        self.region.region_epoch.unwrap_or_default()
    }

    /// The peer that leads, as far as is known. A region has peers: `insert` sees to it.
    pub(crate) fn leader(&self) -> &Peer {
        &self.region.peers[self.leader]
    }

    /// The peer to read from that is closest.
    pub(crate) fn nearest(&self) -> &Peer {
        &self.region.peers[self.near.unwrap_or(self.leader)]
    }

    pub(crate) fn holds(&self, key: &[u8]) -> bool {
        self.region.start_key <= key && self.ends_after(key)
    }

    fn ends_after(&self, key: &[u8]) -> bool {
        self.region.end_key.is_empty() || key < self.region.end_key
    }

    fn overlaps(&self, other: &Region) -> bool {
        (other.end_key.is_empty() || self.region.start_key < other.end_key)
            && (self.region.end_key.is_empty() || other.start_key < self.region.end_key)
    }

    /// Peers of a zone share its reads by region; the leader spares asking another.
    fn find_near(&mut self, near: &HashSet<u64>) {
        let close = |index: &usize| near.contains(&self.region.peers[*index].store_id);
        self.near = if close(&self.leader) {
            Some(self.leader)
        } else {
            let found: Vec<_> = (0..self.region.peers.len()).filter(close).collect();
            (!found.is_empty()).then(|| found[self.region.id as usize % found.len()])
        };
    }
}

/// Regions in the order of their keys.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    sorted: Vec<Route>,
    /// Stores in the client's own zone.
    near: HashSet<u64>,
}

impl Routes {
    /// The region of a key, if it is known.
    pub(crate) fn find(&self, key: &[u8]) -> Option<&Route> {
        let after = self.sorted.partition_point(|route| route.region.start_key <= key);
        self.sorted[..after].last().filter(|route| route.ends_after(key))
    }

    /// Learns of a region, and forgets what contradicts it. What is older than what is known is not learnt.
    pub(crate) fn insert(&mut self, region: Region, leader: Option<&Peer>) {
        if region.peers.is_empty() {
            return;
        }
        let age = |region: &Region| region.region_epoch.map(|epoch| (epoch.version, epoch.conf_ver));
        let known = self.sorted.iter().find(|route| route.region.id == region.id);
        if known.is_some_and(|known| age(&known.region) > age(&region)) {
            return;
        }
        let (known, told) = known.map_or((None, None), |known| (Some(known.leader().id), known.told));
        let news = leader.map(|leader| leader.id).filter(|leader| told != Some(*leader));
        let place = |id: u64| region.peers.iter().position(|peer| peer.id == id);
        let leader = news.and_then(place).or_else(|| known.and_then(place)).unwrap_or(0);
        self.sorted.retain(|route| route.region.id != region.id && !route.overlaps(&region));
        let mut route = Route { region, leader, told: news.or(told), near: None };
        route.find_near(&self.near);
        let at = self.sorted.partition_point(|other| other.region.start_key < route.region.start_key);
        self.sorted.insert(at, route);
    }

    /// Learns who leads a region; returns whether that peer is known.
    pub(crate) fn lead(&mut self, region: u64, leader: u64) -> bool {
        self.change(region, |route| {
            let found = route.region.peers.iter().position(|peer| peer.id == leader);
            route.leader = found.unwrap_or(route.leader);
            found.is_some()
        })
    }

    /// Tries the next peer of a region, if `failed` is the one that is tried now.
    pub(crate) fn try_next(&mut self, region: u64, failed: u64) {
        self.change(region, |route| {
            if route.leader().id == failed {
                route.leader = (route.leader + 1) % route.region.peers.len();
            }
            true
        });
    }

    fn change(&mut self, region: u64, change: impl FnOnce(&mut Route) -> bool) -> bool {
        let near = &self.near;
        self.sorted.iter_mut().find(|route| route.region.id == region).is_some_and(|route| {
            let changed = change(route);
            route.find_near(near);
            changed
        })
    }

    /// Learns which stores are in the client's own zone.
    pub(crate) fn set_near(&mut self, near: HashSet<u64>) {
        self.near = near;
        for route in &mut self.sorted {
            route.find_near(&self.near);
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    fn region(id: u64, version: u64, start: &[u8], end: &[u8]) -> Region {
        let peers = (1..=3).map(|store_id| Peer { id: id * 10 + store_id, store_id, role: 0 }).collect();
        Region {
            id,
            start_key: Bytes::copy_from_slice(start),
            end_key: Bytes::copy_from_slice(end),
            region_epoch: Some(RegionEpoch { conf_ver: 1, version }),
            peers,
        }
    }

    fn routes() -> Routes {
        let mut routes = Routes::default();
        routes.insert(region(1, 1, b"", b"m"), None);
        routes.insert(region(2, 1, b"m", b""), None);
        routes
    }

    #[test]
    fn a_key_is_in_the_region_that_begins_at_or_before_it() {
        let found = |key: &[u8]| routes().find(key).map(|route| route.region.id);
        assert_eq!([found(b""), found(b"lzz"), found(b"m"), found(b"\xff")], [Some(1), Some(1), Some(2), Some(2)]);
    }

    #[test]
    fn a_newer_region_puts_away_what_it_overlaps() {
        let mut routes = routes();
        routes.insert(region(3, 2, b"k", b"p"), None);
        let found = |key: &[u8]| routes.find(key).map(|route| route.region.id);
        assert_eq!([found(b"a"), found(b"k"), found(b"q")], [None, Some(3), None]);
    }

    #[test]
    fn an_older_region_is_not_learnt() {
        let mut routes = Routes::default();
        routes.insert(region(1, 5, b"a", b"c"), None);
        routes.insert(region(1, 4, b"a", b"z"), None);
        assert!(routes.find(b"d").is_none());
    }

    #[test]
    fn the_leader_is_kept_when_the_driver_does_not_know_it() {
        let mut routes = routes();
        assert!(routes.lead(1, 13));
        routes.insert(region(1, 1, b"", b"m"), None);
        assert_eq!(routes.find(b"").unwrap().leader().store_id, 3);
        assert!(!routes.lead(1, 99) && !routes.lead(9, 13));
    }

    #[test]
    fn the_driver_is_believed_when_it_has_news_and_not_when_it_repeats_itself() {
        let mut routes = Routes::default();
        let told = |routes: &mut Routes, id| {
            routes.insert(region(1, 1, b"", b""), Some(&Peer { id, store_id: id - 10, role: 0 }));
            routes.find(b"").unwrap().leader().store_id
        };
        assert_eq!(told(&mut routes, 12), 2);
        routes.lead(1, 13);
        assert_eq!(told(&mut routes, 12), 3);
        assert_eq!(told(&mut routes, 11), 1);
    }

    #[test]
    fn peers_are_tried_in_turn_and_only_away_from_the_one_that_failed() {
        let mut routes = routes();
        let mut stores = Vec::new();
        for _ in 0..4 {
            let leader = *routes.find(b"").unwrap().leader();
            stores.push(leader.store_id);
            routes.try_next(1, leader.id);
            routes.try_next(1, leader.id);
        }
        assert_eq!(stores, [1, 2, 3, 1]);
    }

    #[test]
    fn the_nearest_is_the_leader_if_it_is_near_and_the_leader_if_nobody_is() {
        let mut routes = routes();
        assert_eq!(routes.find(b"").unwrap().nearest().store_id, 1);
        routes.set_near([2, 3].into());
        assert_eq!(routes.find(b"").unwrap().nearest().store_id, 3);
        routes.lead(1, 12);
        assert_eq!(routes.find(b"").unwrap().nearest().store_id, 2);
    }

    proptest! {
        /// However regions come, no two overlap, and what is found holds its key.
        #[test]
        fn regions_never_overlap(
            bounds in prop::collection::vec((1..8u64, 1..5u64, any::<u8>(), any::<u8>()), 1..30),
            key: u8,
        ) {
            let mut routes = Routes::default();
            for (id, version, one, other) in bounds {
                let (start, end) = (one.min(other), one.max(other).saturating_add(1));
                routes.insert(region(id, version, &[start], &[end]), None);
            }
            for pair in routes.sorted.windows(2) {
                prop_assert!(pair[0].region.end_key <= pair[1].region.start_key);
            }
            let linear = routes.sorted.iter().find(|route| route.holds(&[key])).map(|route| route.region.id);
            prop_assert_eq!(routes.find(&[key]).map(|route| route.region.id), linear);
        }
    }
}
