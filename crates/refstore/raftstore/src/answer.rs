//! An answer that is given exactly once, whatever happens to who owes it.

use crate::{Refusal, WriteCallback, refusals};

/// What an asker gets when whoever owed the answer is gone.
type Lost = fn() -> Refusal;

/// Owes an answer; dropped, it gives the one for lost requests.
pub(crate) struct Answer<T> {
    done: Option<WriteCallback<T>>,
    lost: Lost,
}

impl<T> Answer<T> {
    /// To a write: lost, its fate is unknown.
    pub(crate) fn to_write(done: WriteCallback<T>) -> Self {
        Self { done: Some(done), lost: || refusals::unknown("the node stopped while the write was on its way") }
    }

    /// To a read: lost, it did no harm.
    pub(crate) fn to_read(done: WriteCallback<T>) -> Self {
        Self { done: Some(done), lost: || refusals::busy("the node is stopping") }
    }

    /// Gives it.
    pub(crate) fn give(mut self, outcome: Result<T, Refusal>) {
        if let Some(done) = self.done.take() {
            done(outcome);
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            done(Err((self.lost)()));
        }
    }
}
