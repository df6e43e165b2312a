//! Writes down what clients do while they do it.

use std::time::Instant;

use parking_lot::Mutex;

use crate::{CallOutcome, History, RegisterCall, TimedCall};

/// Enough that clients on a handful of processors rarely wait for each other.
const SHELVES: u32 = 16;

/// Records calls and answers from many threads. Each takes the clock once and a lock that it shares with one client in
/// sixteen. Times are those of [`Instant`], which is one clock for all threads of a machine.
#[derive(Debug)]
pub struct HistoryRecorder {
    begun: Instant,
    shelves: Vec<Mutex<Vec<TimedCall>>>,
}

/// An operation under way; without a [`Recorder::complete`] its outcome is unknown.
#[derive(Debug)]
#[must_use = "an operation that is never completed counts as one of unknown outcome"]
pub struct CallToken {
    shelf: usize,
    place: usize,
}

impl HistoryRecorder {
    /// A recorder with nothing in it; its time begins now.
    pub fn new() -> Self {
        Self { begun: Instant::now(), shelves: (0..SHELVES).map(|_| Mutex::default()).collect() }
    }

    /// A client is about to call: to be asked before anything is sent.
    pub fn invoke(&self, client: u32, key: impl Into<String>, call: RegisterCall) -> CallToken {
        let shelf = (client % SHELVES) as usize;
        let key = key.into();
        let mut operations = self.shelves[shelf].lock();
        let called = self.now();
        operations.push(TimedCall { client, key, call, outcome: CallOutcome::Unknown, called, answered: called });
        CallToken { shelf, place: operations.len() - 1 }
    }

    /// A client was answered: to be told after the answer is there.
    pub fn complete(&self, token: CallToken, outcome: CallOutcome) {
        let answered = self.now();
        let Some(shelf) = self.shelves.get(token.shelf) else { return };
        // A token of another recorder may point to nothing here.
        if let Some(operation) = shelf.lock().get_mut(token.place) {
            operation.outcome = outcome;
            operation.answered = answered;
        }
    }

    /// Time since the recorder began, in nanoseconds: the clock of the history.
    pub fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// All that was called until now; what is still under way has an unknown outcome.
    pub fn history(&self) -> History {
        self.shelves.iter().flat_map(|shelf| shelf.lock().clone()).collect()
    }
}

impl Default for HistoryRecorder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_called_and_not_answered_is_unknown() {
        let recorder = HistoryRecorder::new();
        let answered = recorder.invoke(3, "k", RegisterCall::Put("a".to_owned()));
        let open = recorder.invoke(3 + SHELVES, "k", RegisterCall::Get);
        recorder.complete(answered, CallOutcome::Done);
        let history = recorder.history();
        let outcomes: Vec<_> = history.operations().iter().map(|o| (o.client, o.outcome.clone())).collect();
        assert_eq!(outcomes, [(3, CallOutcome::Done), (3 + SHELVES, CallOutcome::Unknown)]);
        recorder.complete(open, CallOutcome::Found(None));
        assert_eq!(recorder.history().operations()[1].outcome, CallOutcome::Found(None));
        assert_eq!(history.operations()[1].outcome, CallOutcome::Unknown, "a history that was taken stays as it is");
    }

    #[test]
    fn an_operation_lies_between_the_instants_at_which_its_client_began_and_ended() {
        let recorder = HistoryRecorder::new();
        std::thread::scope(|scope| {
            for client in 0..40 {
                let recorder = &recorder;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let before = recorder.now();
                        let token = recorder.invoke(client, before.to_string(), RegisterCall::Get);
                        let within = recorder.now();
                        recorder.complete(token, CallOutcome::Found(Some(within.to_string())));
                    }
                });
            }
        });
        let history = recorder.history();
        assert_eq!(history.operations().len(), 40 * 50);
        for operation in history.operations() {
            let CallOutcome::Found(Some(within)) = &operation.outcome else { panic!("{operation}") };
            let (before, within): (u64, u64) = (operation.key.parse().unwrap(), within.parse().unwrap());
            assert!(before <= operation.called && operation.called <= within && within <= operation.answered);
        }
    }
}
