//! Operations as requests of raw keys.

use std::time::Duration;

use rawkv::{RawRequest, RawResponse, RawSession, RequestError};
use workload::operations::{KeyEncoder, Operation};

use crate::{Driver, FinishedOperation, OperationAnswer, OperationFailure};

/// What the driver needs of a client's session.
pub trait RequestSession: Send {
    /// As [`Session::submit`].
    fn submit(&mut self, tag: u64, request: RawRequest);
    /// As [`Session::flush`].
    fn flush(&mut self);
    /// As [`Session::poll`].
    fn poll(&mut self, wait: Duration, done: &mut Vec<(u64, Result<RawResponse, RequestError>)>);
    /// As [`Session::rest`].
    fn rest(&mut self, span: Duration);
}

impl RequestSession for RawSession {
    fn submit(&mut self, tag: u64, request: RawRequest) {
        self.submit(tag, request);
    }

    fn flush(&mut self) {
        self.flush();
    }

    fn poll(&mut self, wait: Duration, done: &mut Vec<(u64, Result<RawResponse, RequestError>)>) {
        self.poll(wait, done);
    }

    fn rest(&mut self, span: Duration) {
        self.rest(span);
    }
}

/// Drives TiKV, or the reference store, through a session of its client.
#[derive(Debug)]
pub struct RawDriver<S = RawSession> {
    session: S,
    flights: Vec<Flight>,
    free: Vec<usize>,
    answers: Vec<(u64, Result<RawResponse, RequestError>)>,
    /// Whether operations have had statements that follow others.
    follows: bool,
}

/// An operation on its way. The tag of each of its requests is its place among the flights.
#[derive(Debug, Default)]
struct Flight {
    tag: u64,
    /// Requests that are not answered yet.
    open: usize,
    /// Statements that follow when they are, the last first.
    later: Vec<Vec<Operation>>,
    answer: OperationAnswer,
    failure: Option<OperationFailure>,
    /// Whether an earlier request may have written.
    wrote: bool,
}

impl<S: RequestSession> RawDriver<S> {
    /// Takes over the session.
    pub fn new(session: S) -> Self {
        Self { session, flights: Vec::new(), free: Vec::new(), answers: Vec::new(), follows: false }
    }

    /// Sends one statement of the operation at `slot`.
    fn send(&mut self, slot: usize, operation: Operation) {
        let request = match operation {
            Operation::Read { key } => RawRequest::Get(key),
            Operation::Update { key, value } | Operation::Insert { key, value } => RawRequest::Put(key, value),
            Operation::InsertMany(pairs) => RawRequest::BatchPut(pairs),
            Operation::Scan { from, rows } => RawRequest::Scan { from, until: KeyEncoder::end(), limit: rows },
            Operation::ReadModifyWrite { key, value } => {
                let update = Operation::Update { key: key.clone(), value };
                self.flights[slot].later.push(vec![update]);
                RawRequest::Get(key)
            }
            Operation::InTurn(statements) => {
                // Deeper down statements join those that follow: generators do not nest them.
                self.flights[slot].later.extend(statements.into_iter().rev());
                return;
            }
        };
        self.flights[slot].open += 1;
        self.session.submit(slot as u64, request);
    }

    /// Sends statements until one waits for an answer; whether any does.
    fn proceed(&mut self, slot: usize) -> bool {
        while self.flights[slot].open == 0 && self.flights[slot].failure.is_none() {
            let Some(statement) = self.flights[slot].later.pop() else { return false };
            statement.into_iter().for_each(|operation| self.send(slot, operation));
        }
        self.flights[slot].open > 0
    }

    fn finish(&mut self, slot: usize, done: &mut Vec<FinishedOperation>) {
        let flight = std::mem::take(&mut self.flights[slot]);
        self.free.push(slot);
        let outcome = match flight.failure {
            // Part of the operation has happened.
            Some(OperationFailure::Refused(reason)) if flight.wrote => Err(OperationFailure::Unknown(reason)),
            Some(failure) => Err(failure),
            None => Ok(flight.answer),
        };
        done.push(FinishedOperation { tag: flight.tag, outcome });
    }
}

impl<S: RequestSession> Driver for RawDriver<S> {
    fn submit(&mut self, tag: u64, operation: Operation) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.flights.push(Flight::default());
            self.flights.len() - 1
        });
        self.flights[slot].tag = tag;
        self.send(slot, operation);
        if self.flights[slot].open == 0 && !self.proceed(slot) {
            // Nothing to do: answered like any other, by the next poll.
            self.answers.push((slot as u64, Ok(RawResponse::Pairs(Vec::new()))));
            self.flights[slot].open = 1;
        }
        self.follows |= !self.flights[slot].later.is_empty();
    }

    fn flush(&mut self) {
        self.session.flush();
    }

    fn poll(&mut self, wait: Duration, done: &mut Vec<FinishedOperation>) {
        let mut answers = std::mem::take(&mut self.answers);
        self.session.poll(if answers.is_empty() { wait } else { Duration::ZERO }, &mut answers);
        for (slot, answer) in answers.drain(..) {
            let slot = slot as usize;
            let flight = &mut self.flights[slot];
            flight.open -= 1;
            flight.take(answer);
            if flight.open == 0 && !self.proceed(slot) {
                self.finish(slot, done);
            }
        }
        self.answers = answers;
        self.session.flush();
    }

    /// Each statement that follows another would wait for the end of a rest.
    fn rest(&mut self, span: Duration) {
        if !self.follows {
            self.session.rest(span);
        }
    }
}

impl Flight {
    fn take(&mut self, answer: Result<RawResponse, RequestError>) {
        match answer {
            Ok(RawResponse::Value(Some(_))) => self.answer.found += 1,
            Ok(RawResponse::Value(None)) => self.answer.missing += 1,
            Ok(RawResponse::Pairs(pairs)) => self.answer.found += pairs.len() as u32,
            Ok(RawResponse::Done | RawResponse::Swapped { .. }) => self.wrote = true,
            // What is unknown stays unknown, whatever else failed.
            Err(RequestError::Unknown(reason)) => self.failure = Some(OperationFailure::Unknown(reason)),
            Err(RequestError::Refused(reason)) if self.failure.is_none() => {
                self.failure = Some(OperationFailure::Refused(reason));
            }
            Err(RequestError::Refused(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    /// Remembers what was asked, and answers in the order of asking as it was told.
    #[derive(Default)]
    struct Twin {
        asked: Vec<RawRequest>,
        flushed: usize,
        open: Vec<u64>,
        answers: Vec<Result<RawResponse, RequestError>>,
        rests: u32,
    }

    impl RequestSession for Twin {
        fn submit(&mut self, tag: u64, request: RawRequest) {
            self.asked.push(request);
            self.open.push(tag);
        }

        fn flush(&mut self) {
            self.flushed = self.asked.len();
        }

        fn poll(&mut self, _: Duration, done: &mut Vec<(u64, Result<RawResponse, RequestError>)>) {
            assert_eq!(self.flushed, self.asked.len(), "what was asked is sent before anybody waits");
            let answers = self.answers.drain(..self.open.len());
            done.extend(self.open.drain(..).zip(answers));
        }

        fn rest(&mut self, _: Duration) {
            self.rests += 1;
        }
    }

    const KEY: Bytes = Bytes::from_static(b"k");

    fn read() -> Operation {
        Operation::Read { key: KEY }
    }

    fn update() -> Operation {
        Operation::Update { key: KEY, value: KEY }
    }

    /// Drives one operation to its end: what was asked, and how it ended.
    fn driven(
        operation: Operation,
        answers: Vec<Result<RawResponse, RequestError>>,
    ) -> (Vec<RawRequest>, Result<OperationAnswer, OperationFailure>) {
        let mut driver = RawDriver::new(Twin { answers, ..Twin::default() });
        driver.submit(77, operation);
        driver.flush();
        let mut done = Vec::new();
        for _ in 0..5 {
            driver.poll(Duration::ZERO, &mut done);
        }
        assert!(driver.session.answers.is_empty(), "not all answers were asked for");
        let [finished] = &done[..] else { panic!("expected one outcome: {done:?}") };
        assert_eq!(finished.tag, 77);
        (driver.session.asked, finished.outcome.clone())
    }

    #[test]
    fn a_read_modify_write_writes_once_it_has_read() {
        let operation = Operation::ReadModifyWrite { key: KEY, value: KEY };
        let (asked, outcome) = driven(operation, vec![Ok(RawResponse::Value(Some(KEY))), Ok(RawResponse::Done)]);
        assert_eq!(asked, [RawRequest::Get(KEY), RawRequest::Put(KEY, KEY)]);
        assert_eq!(outcome, Ok(OperationAnswer { found: 1, missing: 0 }));
    }

    #[test]
    fn statements_follow_each_other_and_count_all_that_was_found() {
        let operation = Operation::InTurn(vec![vec![read(), read()], vec![update()]]);
        let answers = vec![Ok(RawResponse::Value(None)), Ok(RawResponse::Value(Some(KEY))), Ok(RawResponse::Done)];
        let (asked, outcome) = driven(operation, answers);
        assert_eq!(asked, [RawRequest::Get(KEY), RawRequest::Get(KEY), RawRequest::Put(KEY, KEY)]);
        assert_eq!(outcome, Ok(OperationAnswer { found: 1, missing: 1 }));
    }

    #[test]
    fn what_follows_a_failure_is_not_sent() {
        let refused = || Err(RequestError::Refused("busy".to_owned()));
        let (asked, outcome) = driven(Operation::InTurn(vec![vec![read()], vec![update()]]), vec![refused()]);
        assert_eq!((asked.len(), outcome), (1, Err(OperationFailure::Refused("busy".to_owned()))));
    }

    #[test]
    fn an_operation_refused_after_it_wrote_is_of_unknown_fate() {
        let answers = vec![Ok(RawResponse::Done), Err(RequestError::Refused("busy".to_owned()))];
        let (_, outcome) = driven(Operation::InTurn(vec![vec![update()], vec![update()]]), answers);
        assert_eq!(outcome, Err(OperationFailure::Unknown("busy".to_owned())));
    }

    #[test]
    fn an_operation_of_nothing_succeeds() {
        assert_eq!(
            driven(Operation::InTurn(vec![Vec::new()]), Vec::new()),
            (Vec::new(), Ok(OperationAnswer::default()))
        );
    }

    #[test]
    fn scans_end_with_the_rows() {
        let operation = Operation::Scan { from: KEY, rows: 9 };
        let (asked, outcome) = driven(operation, vec![Ok(RawResponse::Pairs(vec![(KEY, KEY); 4]))]);
        assert_eq!(asked, [RawRequest::Scan { from: KEY, until: KeyEncoder::end(), limit: 9 }]);
        assert_eq!(outcome.unwrap().found, 4);
    }

    #[test]
    fn statements_that_follow_others_are_not_kept_waiting() {
        let mut driver = RawDriver::new(Twin::default());
        driver.submit(1, Operation::InTurn(vec![vec![Operation::Read { key: KEY }]]));
        driver.rest(Duration::from_millis(1));
        assert_eq!(driver.session.rests, 1);
        driver.submit(2, Operation::ReadModifyWrite { key: KEY, value: KEY });
        driver.rest(Duration::from_millis(1));
        assert_eq!(driver.session.rests, 1);
    }
}
