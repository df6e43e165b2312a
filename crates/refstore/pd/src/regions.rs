//! Regions, and what their leaders say of them.

use std::collections::HashMap;
use std::time::Duration;

use proto::metapb::{Peer, Region};
use proto::pdpb::{PeerStats, RegionHeartbeatRequest};

use crate::record::RegionRecord;

/// A region as it was last heard of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    pub(crate) meta: Region,
    pub(crate) leader: Option<Peer>,
    pub(crate) term: u64,
    pub(crate) pending: Vec<Peer>,
    pub(crate) down: Vec<PeerStats>,
    pub(crate) written_bytes: u64,
    pub(crate) read_bytes: u64,
    pub(crate) written_keys: u64,
    pub(crate) read_keys: u64,
    /// In MiB, at least 1 once it was heard of.
    pub(crate) size: u64,
    pub(crate) keys: u64,
    /// When, since the epoch.
    pub(crate) heard: Option<Duration>,
}

impl Watched {
    /// The store of its leader.
    pub(crate) fn leads(&self) -> Option<u64> {
        self.leader.as_ref().map(|leader| leader.store_id)
    }

    /// The peer on a store.
    pub(crate) fn peer_on(&self, store: u64) -> Option<&Peer> {
        self.meta.peers.iter().find(|peer| peer.store_id == store)
    }

    /// Whether a peer keeps up.
    pub(crate) fn is_healthy(&self, peer: &Peer) -> bool {
        let down = self.down.iter().filter_map(|stats| stats.peer.as_ref());
        self.pending.iter().chain(down).all(|other| other.id != peer.id)
    }
}

/// All regions, by start key, without gaps.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    all: Vec<Watched>,
    by_id: HashMap<u64, usize>,
}

impl Regions {
    /// Of which nothing was heard yet.
    pub(crate) fn of(records: &[RegionRecord]) -> Self {
        let watch = |record: &RegionRecord| Watched { meta: record.wire(), ..Watched::default() };
        let by_id = records.iter().enumerate().map(|(i, record)| (record.id, i)).collect();
        Self { all: records.iter().map(watch).collect(), by_id }
    }

    /// By start key.
    pub(crate) fn all(&self) -> &[Watched] {
        &self.all
    }

    /// By its id.
    pub(crate) fn by_id(&self, id: u64) -> Option<&Watched> {
        self.by_id.get(&id).map(|&i| &self.all[i])
    }

    /// The one that a key belongs to.
    pub(crate) fn by_key(&self, key: &[u8]) -> Option<&Watched> {
        self.position(key).map(|i| &self.all[i])
    }

    /// The one before that which a key belongs to.
    pub(crate) fn before_key(&self, key: &[u8]) -> Option<&Watched> {
        self.position(key)?.checked_sub(1).map(|i| &self.all[i])
    }

    /// Those that meet `[start, end)`; an empty end is the end of the key space, and a limit of 0 is none.
    pub(crate) fn scan(&self, start: &[u8], end: &[u8], limit: usize) -> &[Watched] {
        let first = self.position(start).unwrap_or(0);
        let rest = &self.all[first.min(self.all.len())..];
        let beyond = |region: &Watched| !end.is_empty() && region.meta.start_key.as_ref() >= end;
        let count = rest.partition_point(|region| !beyond(region)).max(usize::from(start < end && !rest.is_empty()));
        &rest[..if limit == 0 { count } else { count.min(limit) }]
    }

    fn position(&self, key: &[u8]) -> Option<usize> {
        self.all.partition_point(|region| region.meta.start_key.as_ref() <= key).checked_sub(1)
    }

    /// Takes in what a leader says. What one of an older term says is refused.
    pub(crate) fn hear(&mut self, said: RegionHeartbeatRequest, now: Duration) -> Result<&Watched, String> {
        let id = said.region.as_ref().map_or(0, |region| region.id);
        let Some(&i) = self.by_id.get(&id) else {
            return Err(format!("region {id} is not of this cluster"));
        };
        let region = &mut self.all[i];
        let Some(leader) = said.leader else {
            return Err(format!("invalid request leader, region {id}: none"));
        };
        if region.peer_on(leader.store_id).is_none_or(|peer| peer.id != leader.id) {
            return Err(format!("region {id} has no peer {} on store {}", leader.id, leader.store_id));
        }
        if said.term < region.term {
            return Err(format!("region {id} is stale: term {}, heard of {}", said.term, region.term));
        }
        region.leader = Some(leader);
        region.term = said.term;
        region.pending = said.pending_peers;
        region.down = said.down_peers;
        region.written_bytes = said.bytes_written;
        region.read_bytes = said.bytes_read;
        region.written_keys = said.keys_written;
        region.read_keys = said.keys_read;
        region.size = said.approximate_size.div_ceil(1 << 20).max(1);
        region.keys = said.approximate_keys;
        region.heard = Some(now);
        Ok(region)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn regions() -> Regions {
        let record = |id: u64, start: &'static str, end: &'static str| RegionRecord {
            id,
            start: start.into(),
            end: end.into(),
            peers: vec![(id * 10, 1), (id * 10 + 1, 2)],
        };
        Regions::of(&[record(1, "", "b"), record(2, "b", "d"), record(3, "d", "")])
    }

    fn ids(regions: &[Watched]) -> Vec<u64> {
        regions.iter().map(|region| region.meta.id).collect()
    }

    fn said(region: u64, peer: u64, store_id: u64, term: u64) -> RegionHeartbeatRequest {
        RegionHeartbeatRequest {
            region: Some(Region { id: region, ..Default::default() }),
            leader: Some(Peer { id: peer, store_id, ..Default::default() }),
            term,
            ..Default::default()
        }
    }

    #[test]
    fn a_key_belongs_to_the_region_that_starts_at_or_before_it() {
        let regions = regions();
        let of = |key: &str| regions.by_key(key.as_bytes()).map(|region| region.meta.id);
        assert_eq!([of(""), of("a"), of("b"), of("c"), of("d"), of("z")], [1, 1, 2, 2, 3, 3].map(Some));
        assert_eq!(regions.before_key(b"a").map(|region| region.meta.id), None);
        assert_eq!(regions.before_key(b"d").map(|region| region.meta.id), Some(2));
    }

    proptest! {
        #[test]
        fn a_scan_gives_what_meets_the_range(start in "[a-e]{0,2}", end in "[a-e]{0,2}") {
            prop_assume!(end.is_empty() || start < end);
            let regions = regions();
            let meets = |region: &&Watched| {
                let (from, until) = (&region.meta.start_key[..], &region.meta.end_key[..]);
                (until.is_empty() || start.as_bytes() < until) && (end.is_empty() || from < end.as_bytes())
            };
            let expected: Vec<u64> = regions.all().iter().filter(meets).map(|region| region.meta.id).collect();
            prop_assert_eq!(ids(regions.scan(start.as_bytes(), end.as_bytes(), 0)), expected.clone());
            let one = &expected[..1];
            prop_assert_eq!(ids(regions.scan(start.as_bytes(), end.as_bytes(), 1)), one);
        }
    }

    #[test]
    fn the_leader_of_the_highest_term_counts() {
        let mut regions = regions();
        regions.hear(said(2, 20, 1, 5), Duration::ZERO).unwrap();
        regions.hear(said(2, 21, 2, 6), Duration::ZERO).unwrap();
        assert!(regions.hear(said(2, 20, 1, 5), Duration::ZERO).unwrap_err().contains("stale"));
        assert_eq!(regions.by_id(2).unwrap().leads(), Some(2));
    }

    #[test]
    fn a_leader_that_has_no_peer_is_refused() {
        let mut regions = regions();
        assert!(regions.hear(said(2, 99, 1, 5), Duration::ZERO).is_err());
        assert!(regions.hear(said(9, 90, 1, 5), Duration::ZERO).is_err());
        assert_eq!(regions.by_id(2).unwrap().leads(), None);
    }

    #[test]
    fn without_regions_there_is_nothing_to_find() {
        let none = Regions::of(&[]);
        assert!(none.by_key(b"a").is_none() && none.before_key(b"a").is_none() && none.scan(b"", b"", 0).is_empty());
    }
}
