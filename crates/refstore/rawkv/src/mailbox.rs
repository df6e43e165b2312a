//! Where the answers of a session wait for it.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::{RawResponse, RequestError};

/// An answer, with the tag of its request.
pub(crate) type Tagged = (u64, Result<RawResponse, RequestError>);

/// Where the answers of a session wait for it. One lock and at most one wake-up for a whole batch.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    answers: Mutex<Vec<Tagged>>,
    some: Condvar,
}

impl Mailbox {
    /// Moves all of `fresh` in.
    pub(crate) fn put(&self, fresh: &mut Vec<Tagged>) {
        self.answers.lock().append(fresh);
        self.some.notify_one();
    }

    /// Moves everything to `done`; waits for something first, `wait` at most.
    pub(crate) fn take(&self, wait: Duration, done: &mut Vec<Tagged>) {
        let mut answers = self.answers.lock();
        if answers.is_empty() && !wait.is_zero() {
            self.some.wait_while_for(&mut answers, |answers| answers.is_empty(), wait);
        }
        done.append(&mut answers);
    }
}
