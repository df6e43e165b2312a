//! What answers and broken connections mean for the requests that wait for them.

use std::time::Duration;

use bytes::Bytes;
use proto::errorpb;

use super::Worker;
use super::link::Arrival;
use crate::codec::{self, Outcome};
use crate::pending::Place;
use crate::remedy::{Remedy, remedy};
use crate::{RawRequest, RawResponse, RequestError};

/// What a store says, in words, of a write that it may yet carry out.
const FATE_UNKNOWN: &str = "fate unknown";

impl Worker {
    /// Takes what a store says.
    pub(super) fn receive(&mut self, store: u64, arrival: Arrival) {
        match arrival {
            Arrival::Answers(connection, answer) => {
                let place = Place::Sent { store, connection };
                for (id, response) in answer.request_ids.into_iter().zip(answer.responses) {
                    // An answer to an earlier try of a request, or from an earlier connection, is not one to this try.
                    if self.table.get_mut(id).is_none_or(|pending| pending.place != place) {
                        continue;
                    }
                    match response.cmd.and_then(codec::decode) {
                        Some(outcome) => self.answered(id, outcome),
                        None => self.lost(id, "the store's answer is not to what was asked"),
                    }
                }
            }
            Arrival::Swapped(connection, id, answer) => {
                if self.table.get_mut(id).is_none_or(|pending| pending.place != (Place::Sent { store, connection })) {
                    return;
                }
                match *answer {
                    Ok(answer) => self.answered(id, codec::decode_swap(answer)),
                    Err(reason) => self.lost(id, &reason),
                }
            }
            Arrival::Broken(connection, reason) => {
                for id in self.table.all(|pending| pending.place == Place::Sent { store, connection }) {
                    self.ask_elsewhere(id);
                    self.lost(id, &reason);
                }
            }
        }
    }

    fn answered(&mut self, id: u64, outcome: Outcome) {
        match outcome {
            Outcome::Done(RawResponse::Pairs(pairs)) => self.scanned(id, pairs),
            Outcome::Done(response) => self.finish(id, Ok(response)),
            Outcome::Region(error) => self.region_error(id, *error),
            Outcome::Failed(reason) if reason.contains(FATE_UNKNOWN) => self.lost(id, &reason),
            Outcome::Failed(reason) => {
                let Some(pending) = self.table.get_mut(id) else { return };
                let reads = pending.reads();
                self.finish(id, Err(if reads { RequestError::Refused(reason) } else { RequestError::Unknown(reason) }));
            }
        }
    }

    /// A region has been scanned; the next one follows if there is more to find.
    fn scanned(&mut self, id: u64, mut pairs: Vec<(Bytes, Bytes)>) {
        let Some(pending) = self.table.get_mut(id) else { return };
        let RawRequest::Scan { from, limit, .. } = &mut pending.request else { return };
        let end = self.routes.find(from).filter(|route| route.region.id == pending.region);
        let end = end.map(|route| route.region.end_key.clone());
        *limit = limit.saturating_sub(u32::try_from(pairs.len()).unwrap_or(u32::MAX));
        pending.found.append(&mut pairs);
        match end {
            Some(end) if !end.is_empty() && *limit > 0 => {
                *from = end;
                self.dispatch(id);
            }
            // It has changed under the scan: behind the last that was found it goes on, or from the same place again.
            None if *limit > 0 => {
                if let Some((last, _)) = pending.found.last() {
                    *from = [last, &[0][..]].concat().into();
                }
                self.dispatch(id);
            }
            _ => {
                let found = std::mem::take(&mut pending.found);
                self.finish(id, Ok(RawResponse::Pairs(found)));
            }
        }
    }

    fn region_error(&mut self, id: u64, error: errorpb::Error) {
        let (what, reason) = remedy(error);
        let Some(pending) = self.table.get_mut(id) else { return };
        let (region, peer, first) = (pending.region, pending.peer, pending.tries == 0);
        // The leader is the one to ask, and at once.
        let replica = std::mem::replace(&mut pending.leader_only, true) != pending.replica && pending.replica;
        let mut wait = if replica { None } else { Some(Duration::ZERO) };
        match what {
            Remedy::Leader(Some(leader)) => {
                if !self.routes.lead(region, leader.id) {
                    self.want(id);
                } else if first {
                    wait = None;
                }
            }
            Remedy::Leader(None) => {
                self.routes.try_next(region, peer);
                self.want(id);
            }
            Remedy::Regions(regions) => {
                if regions.is_empty() {
                    self.want(id);
                } else if first {
                    wait = None;
                }
                for region in regions {
                    self.routes.insert(region, None);
                }
            }
            Remedy::Stores => {
                self.want_stores = true;
                self.want(id);
            }
            Remedy::Wait(least) => {
                // A store whose disk is broken is busy for good, and others lead by then.
                if !replica && !first {
                    self.routes.try_next(region, peer);
                }
                self.want(id);
                wait = wait.map(|_| least);
            }
            Remedy::Stay => {}
            Remedy::Never => {
                let unknown = pending.unknown;
                self.finish(
                    id,
                    Err(if unknown { RequestError::Unknown(reason) } else { RequestError::Refused(reason) }),
                );
                return;
            }
        }
        match wait {
            None => self.retry_now(id, reason),
            Some(least) => self.retry(id, reason, Some(least)),
        }
    }
}
