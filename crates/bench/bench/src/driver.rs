//! The seam between the loops and a database.

use std::time::Duration;

use workload::operations::Operation;

/// Sends operations and gives their outcomes, in any order. Each thread has one of its own; nothing in it blocks but
/// `poll`. Operations are those of raw keys unless `O` says otherwise.
pub trait Driver<O = Operation>: Send {
    /// Takes an operation, which may wait for `flush`. Tags in flight differ from each other.
    fn submit(&mut self, tag: u64, operation: O);
    /// Sends what was submitted.
    fn flush(&mut self);
    /// Appends what has finished; waits for at least one, but not longer than `wait`.
    fn poll(&mut self, wait: Duration, done: &mut Vec<FinishedOperation>);

    /// Lets so long pass without looking for what has finished, if that spares the thread a wake-up for each; else returns at once.
    fn rest(&mut self, _span: Duration) {}
}

impl<O, D: Driver<O> + ?Sized> Driver<O> for Box<D> {
    fn submit(&mut self, tag: u64, operation: O) {
        (**self).submit(tag, operation);
    }

    fn flush(&mut self) {
        (**self).flush();
    }

    fn poll(&mut self, wait: Duration, done: &mut Vec<FinishedOperation>) {
        (**self).poll(wait, done);
    }

    fn rest(&mut self, span: Duration) {
        (**self).rest(span);
    }
}

/// What is sent, as far as the loops must know it.
pub trait SentOperation {
    /// Bytes of user data that it writes; 0 where nobody counts them.
    fn written(&self) -> u64;
}

impl SentOperation for Operation {
    fn written(&self) -> u64 {
        self.written()
    }
}

/// An operation that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedOperation {
    /// As submitted.
    pub tag: u64,
    /// How it ended.
    pub outcome: Result<OperationAnswer, OperationFailure>,
}

/// What a successful operation found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OperationAnswer {
    /// Rows that were read.
    pub found: u32,
    /// Rows that were asked for by key and are not there.
    pub missing: u32,
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OperationFailure {
    /// It has certainly not been done.
    #[error("{0}")]
    Refused(String),
    /// It may have been done, in part or whole.
    #[error("{0}")]
    Unknown(String),
}
