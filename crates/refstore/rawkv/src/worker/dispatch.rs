//! From a request to the store that it is for.

use std::collections::BTreeMap;

use bytes::Bytes;
use proto::kvrpcpb::Context;

use super::{Batch, Worker};
use crate::codec::{self, Command};
use crate::pending::{Owner, Pending, Place};
use crate::{RawRequest, RawResponse, ReplicaRead};

impl Worker {
    /// Puts a request in the queue of its store. Until its region is known it waits.
    pub(super) fn dispatch(&mut self, id: u64) {
        let Some(pending) = self.table.get_mut(id) else { return };
        pending.place = Place::Here;
        if let Some(response) = nothing_to_do(pending) {
            self.finish(id, Ok(response));
            return;
        }
        let Some(route) = self.routes.find(pending.key()) else {
            self.wanted.insert(pending.key().clone());
            self.parked.push(id);
            return;
        };
        if let RawRequest::BatchPut(pairs) = &pending.request
            && !pairs.iter().all(|(key, _)| route.holds(key))
        {
            self.split(id);
            return;
        }
        let leader = route.leader();
        let closest = self.options.replica_read == ReplicaRead::Closest && !pending.leader_only && pending.reads();
        let peer = if closest { route.nearest() } else { leader };
        pending.region = route.region.id;
        pending.peer = peer.id;
        pending.replica = peer.id != leader.id;
        let Some(store) = self.stores.get_mut(&peer.store_id) else {
            self.want_stores = true;
            let reason = format!("store {} is not known to the placement driver", peer.store_id);
            self.retry(id, reason, None);
            return;
        };
        let context = Context {
            region_id: pending.region,
            region_epoch: Some(route.epoch()),
            peer: Some(*peer),
            replica_read: pending.replica,
            ..Context::default()
        };
        let due = if store.far { self.now + self.options.zone_round_trip / 2 } else { self.now };
        match codec::encode(&pending.request, context, &route.region.end_key, self.options.atomic) {
            Command::Batched(command) => store.queue(id, command, codec::size(&pending.request), due),
            Command::Single(request) => store.send_one(id, request, due),
        }
    }

    /// Makes one request a region of a batch of puts.
    fn split(&mut self, id: u64) {
        let Some(mut whole) = self.table.remove(id) else { return };
        let RawRequest::BatchPut(pairs) = std::mem::replace(&mut whole.request, RawRequest::BatchPut(Vec::new()))
        else {
            return;
        };
        // Keys whose region is not known yet stay together under its number 0: they are split when it is.
        let mut parts: BTreeMap<u64, Vec<(Bytes, Bytes)>> = BTreeMap::new();
        for pair in pairs {
            let region = self.routes.find(&pair.0).map_or(0, |route| route.region.id);
            parts.entry(region).or_default().push(pair);
        }
        let batch = match whole.owner {
            Owner::Session(session, tag) => {
                let left = parts.len();
                self.batches.insert(Batch { session, tag, left, done: false, refused: None, unknown: None })
            }
            Owner::Batch(batch) => {
                self.batches[batch].left += parts.len() - 1;
                batch
            }
        };
        for pairs in parts.into_values() {
            let part = Pending {
                tries: whole.tries,
                unknown: whole.unknown,
                reason: whole.reason.clone(),
                ..Pending::new(Owner::Batch(batch), RawRequest::BatchPut(pairs), whole.deadline)
            };
            let id = self.table.insert(part);
            self.dispatch(id);
        }
    }
}

/// The answer to a request that asks for nothing.
fn nothing_to_do(pending: &mut Pending) -> Option<RawResponse> {
    match &pending.request {
        RawRequest::BatchPut(pairs) if pairs.is_empty() => Some(RawResponse::Done),
        RawRequest::Scan { from, until, limit } if *limit == 0 || (!until.is_empty() && from >= until) => {
            Some(RawResponse::Pairs(std::mem::take(&mut pending.found)))
        }
        _ => None,
    }
}
