//! Requests that are not answered yet.

use std::time::Instant;

use bytes::Bytes;
use slab::Slab;

use crate::RawRequest;

/// Who waits for a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Owner {
    /// A session, by its number, and the tag that it gave.
    Session(u32, u64),
    /// A batch over several regions, by its index.
    Batch(usize),
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Here: its region is not known yet, or it waits for its next try, or for its store to be connected.
    Here,
    /// Handed to a connection of a store: which of its connections, and whether it is the leader that was asked.
    Sent { store: u64, connection: u64 },
}

/// A request that is not answered yet.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) owner: Owner,
    pub(crate) request: RawRequest,
    /// What a scan has found in earlier regions.
    pub(crate) found: Vec<(Bytes, Bytes)>,
    pub(crate) deadline: Instant,
    pub(crate) place: Place,
    /// The region and peer of the last try.
    pub(crate) region: u64,
    pub(crate) peer: u64,
    /// Tries that failed.
    pub(crate) tries: u32,
    /// Whether an earlier try may have been carried out.
    pub(crate) unknown: bool,
    /// Whether the last try went to a replica that need not lead.
    pub(crate) replica: bool,
    /// Whether only the leader is asked, since a replica refused.
    pub(crate) leader_only: bool,
    /// What the last failed try said.
    pub(crate) reason: String,
}

impl Pending {
    pub(crate) fn new(owner: Owner, request: RawRequest, deadline: Instant) -> Self {
        Self {
            owner,
            request,
            found: Vec::new(),
            deadline,
            place: Place::Here,
            region: 0,
            peer: 0,
            tries: 0,
            unknown: false,
            replica: false,
            leader_only: false,
            reason: String::new(),
        }
    }

    pub(crate) fn reads(&self) -> bool {
        matches!(self.request, RawRequest::Get(_) | RawRequest::Scan { .. })
    }

    /// Whether it does no harm to carry it out twice.
    pub(crate) fn repeatable(&self) -> bool {
        !matches!(self.request, RawRequest::CompareAndSwap { .. })
    }

    /// The key that decides which region comes next.
    pub(crate) fn key(&self) -> &Bytes {
        static NONE: Bytes = Bytes::new();
        match &self.request {
            RawRequest::Get(key) | RawRequest::Put(key, _) | RawRequest::Delete(key) => key,
            RawRequest::BatchPut(pairs) => pairs.first().map_or(&NONE, |(key, _)| key),
            RawRequest::Scan { from, .. } => from,
            RawRequest::CompareAndSwap { key, .. } => key,
        }
    }
}

/// Requests by number. Places are used again, numbers are not: an answer that comes too late finds nobody.
#[derive(Debug, Default)]
pub(crate) struct Table {
    slots: Slab<(u32, Pending)>,
    round: u32,
}

impl Table {
    pub(crate) fn insert(&mut self, pending: Pending) -> u64 {
        self.round = self.round.wrapping_add(1);
        let slot = self.slots.insert((self.round, pending));
        u64::from(self.round) << 32 | slot as u64
    }

    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut Pending> {
        let (round, pending) = self.slots.get_mut(slot(id))?;
        (u64::from(*round) == id >> 32).then_some(pending)
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Pending> {
        self.get_mut(id)?;
        Some(self.slots.remove(slot(id)).1)
    }

    /// The numbers of those for which `wanted` holds.
    pub(crate) fn all(&self, wanted: impl Fn(&Pending) -> bool) -> Vec<u64> {
        let wanted = self.slots.iter().filter(|(_, (_, pending))| wanted(pending));
        wanted.map(|(slot, (round, _))| u64::from(*round) << 32 | slot as u64).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

fn slot(id: u64) -> usize {
    (id & u64::from(u32::MAX)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(tag: u64) -> Pending {
        Pending::new(Owner::Session(0, tag), RawRequest::Get(Bytes::new()), Instant::now())
    }

    #[test]
    fn a_late_answer_finds_nobody_though_the_place_is_taken_again() {
        let mut table = Table::default();
        let first = table.insert(pending(1));
        assert!(table.remove(first).is_some());
        let second = table.insert(pending(2));
        assert_eq!(slot(first), slot(second));
        assert!(table.get_mut(first).is_none() && table.remove(first).is_none());
        assert!(table.get_mut(second).is_some());
        assert_eq!(table.all(|_| true), [second]);
    }
}
