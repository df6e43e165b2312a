//! How requests end, or are tried again.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Worker;
use crate::pending::{Owner, Place};
use crate::{RawResponse, RequestError};

impl Worker {
    /// Tries a request again after a wait, of at least `least`. Nothing of it has been carried out since the last try.
    pub(super) fn retry(&mut self, id: u64, reason: String, least: Option<Duration>) {
        let tries = self.table.get_mut(id).map_or(0, |pending| pending.tries);
        let wait = self.backoff.wait(tries + 1, least.unwrap_or_default());
        self.retry_after(id, reason, wait);
    }

    /// Tries a request again at once.
    pub(super) fn retry_now(&mut self, id: u64, reason: String) {
        self.retry_after(id, reason, Duration::ZERO);
    }

    fn retry_after(&mut self, id: u64, reason: String, wait: Duration) {
        let Some(pending) = self.table.get_mut(id) else { return };
        pending.place = Place::Here;
        pending.tries += 1;
        pending.reason = reason;
        self.meter.retries.fetch_add(1, Ordering::Relaxed);
        self.later.push(Reverse((self.now + wait, id)));
    }

    /// Nobody knows whether a request that was sent is carried out.
    pub(super) fn lost(&mut self, id: u64, reason: &str) {
        let Some(pending) = self.table.get_mut(id) else { return };
        if pending.reads() {
            pending.leader_only = true;
        } else if pending.repeatable() && self.options.retry_unknown {
            pending.unknown = true;
        } else {
            self.finish(id, Err(RequestError::Unknown(reason.to_owned())));
            return;
        }
        self.retry(id, reason.to_owned(), None);
    }

    /// Requests have not left, for their store cannot be reached.
    pub(super) fn not_sent(&mut self, store: u64, ids: Vec<u64>, reason: &str) {
        self.want_stores = true;
        for id in ids {
            self.ask_elsewhere(id);
            if let Some(pending) = self.table.get_mut(id) {
                pending.leader_only = true;
                self.retry(id, format!("store {store}: {reason}"), None);
            }
        }
    }

    /// The peer that was asked is gone: perhaps another leads.
    pub(super) fn ask_elsewhere(&mut self, id: u64) {
        let Some(pending) = self.table.get_mut(id) else { return };
        self.routes.try_next(pending.region, pending.peer);
        self.want(id);
    }

    /// Ends the requests that have had their time.
    pub(super) fn expire(&mut self) {
        if self.now < self.sweep {
            return;
        }
        self.sweep = self.now + self.sweep_interval();
        let now = self.now;
        for id in self.table.all(|pending| pending.deadline <= now) {
            self.want(id);
            let Some(pending) = self.table.get_mut(id) else { continue };
            let sent = pending.place != Place::Here;
            let unknown = pending.unknown || (sent && !pending.reads());
            let mut reason = format!("not done within {:?}", self.options.timeout);
            if sent {
                reason = format!("no answer within {:?}", self.options.timeout);
            }
            if !pending.reason.is_empty() {
                reason = format!("{reason}; the last try failed: {}", pending.reason);
            }
            self.finish(id, Err(if unknown { RequestError::Unknown(reason) } else { RequestError::Refused(reason) }));
        }
    }

    /// Ends a request.
    pub(super) fn finish(&mut self, id: u64, result: Result<RawResponse, RequestError>) {
        let Some(pending) = self.table.remove(id) else { return };
        match pending.owner {
            Owner::Session(session, tag) => self.tell(session, tag, result),
            Owner::Batch(index) => {
                let Some(batch) = self.batches.get_mut(index) else { return };
                batch.left -= 1;
                match result {
                    Ok(_) => batch.done = true,
                    Err(RequestError::Refused(reason)) => batch.refused = Some(reason),
                    Err(RequestError::Unknown(reason)) => batch.unknown = Some(reason),
                }
                if batch.left == 0 {
                    let batch = self.batches.remove(index);
                    let result = match (batch.unknown, batch.refused) {
                        (Some(reason), _) => Err(RequestError::Unknown(reason)),
                        (None, Some(reason)) if batch.done => {
                            Err(RequestError::Unknown(format!("done only in part: {reason}")))
                        }
                        (None, Some(reason)) => Err(RequestError::Refused(reason)),
                        (None, None) => Ok(RawResponse::Done),
                    };
                    self.tell(batch.session, batch.tag, result);
                }
            }
        }
    }

    fn tell(&mut self, session: u32, tag: u64, result: Result<RawResponse, RequestError>) {
        if let Some(end) = self.ends.get_mut(&session) {
            end.fresh.push((tag, result));
        }
    }
}
