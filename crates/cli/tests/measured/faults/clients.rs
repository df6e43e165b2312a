//! Clients that read, write, delete and swap the same few registers at once, and write things down: what they asked and were
//! told, and keys of their own that they wrote once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use histories::{CallOutcome, HistoryRecorder, RegisterCall};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rawkv::{RawClient, RawRequest, RawResponse, RawSession, RequestError};

use crate::faults::value::{key, name, value};

/// A register: where it is, and what its history calls it.
#[derive(Debug, Clone)]
pub(crate) struct Register {
    pub(crate) key: Bytes,
    pub(crate) name: String,
}

/// A key that was written once, and acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) key: Bytes,
    pub(crate) name: String,
}

/// What a client did beside its history.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) written: Vec<Written>,
    pub(crate) done: u64,
    pub(crate) refused: u64,
    pub(crate) unknown: u64,
}

/// Asks one thing and waits for the answer. A client gives one after its time-out; that it does not is a defect of its own.
pub(crate) fn ask(session: &mut RawSession, request: RawRequest) -> Result<RawResponse, RequestError> {
    session.submit(0, request);
    session.flush();
    let from = Instant::now();
    let mut answers = Vec::new();
    while answers.is_empty() {
        assert!(from.elapsed() < Duration::from_secs(60), "a client did not answer within a minute");
        session.poll(Duration::from_millis(200), &mut answers);
    }
    answers.pop().expect("the loop ended with an answer").1
}

/// One client until it is told to stop.
pub(crate) struct Worker<'a> {
    pub(crate) number: u32,
    pub(crate) window: u64,
    pub(crate) client: &'a RawClient,
    pub(crate) registers: &'a [Register],
    pub(crate) recorder: &'a HistoryRecorder,
    pub(crate) stop: &'a AtomicBool,
}

impl Worker<'_> {
    pub(crate) fn run(&self, seed: u64) -> Tally {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut session = self.client.session();
        let mut tally = Tally::default();
        let mut known: Vec<Option<String>> = vec![None; self.registers.len()];
        for count in 0u64.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let name = format!("h{}c{}-{count}", self.window, self.number);
            if random.random_bool(0.15) {
                self.write_once(&mut session, name, random.random(), &mut tally);
                continue;
            }
            let place = random.random_range(0..self.registers.len());
            let call = match random.random_range(0..100) {
                0..45 => RegisterCall::Get,
                45..75 => RegisterCall::Put(name),
                75..92 => RegisterCall::CompareAndSwap { expected: known[place].clone(), value: name },
                _ => RegisterCall::Delete,
            };
            let outcome = operate(&mut session, self.recorder, self.number, &self.registers[place], call);
            tally.count(&outcome);
            if let CallOutcome::Found(held) | CallOutcome::Swapped { previous: held, .. } = outcome {
                known[place] = held;
            }
        }
        tally
    }

    fn write_once(&self, session: &mut RawSession, name: String, first: u8, tally: &mut Tally) {
        let key = key(first, &name);
        if let Ok(RawResponse::Done) = ask(session, RawRequest::Put(key.clone(), value(&name))) {
            tally.written.push(Written { key, name });
        }
    }
}

impl Tally {
    fn count(&mut self, outcome: &CallOutcome) {
        match outcome {
            CallOutcome::Refused => self.refused += 1,
            CallOutcome::Unknown => self.unknown += 1,
            _ => self.done += 1,
        }
    }

    /// Both together.
    pub(crate) fn add(&mut self, other: Self) {
        self.written.extend(other.written);
        self.done += other.done;
        self.refused += other.refused;
        self.unknown += other.unknown;
    }
}

/// Does one operation on a register and records it.
pub(crate) fn operate(
    session: &mut RawSession,
    recorder: &HistoryRecorder,
    client: u32,
    register: &Register,
    call: RegisterCall,
) -> CallOutcome {
    let key = register.key.clone();
    let request = match &call {
        RegisterCall::Get => RawRequest::Get(key),
        RegisterCall::Put(name) => RawRequest::Put(key, value(name)),
        RegisterCall::Delete => RawRequest::Delete(key),
        RegisterCall::CompareAndSwap { expected, value: name } => {
            RawRequest::CompareAndSwap { key, expected: expected.as_deref().map(value), value: value(name) }
        }
    };
    let named = |held: Option<Bytes>| held.map(|held| name(&held));
    let token = recorder.invoke(client, register.name.clone(), call);
    let outcome = match ask(session, request) {
        Ok(RawResponse::Value(held)) => CallOutcome::Found(named(held)),
        Ok(RawResponse::Done) => CallOutcome::Done,
        Ok(RawResponse::Swapped { succeeded, previous }) => {
            CallOutcome::Swapped { succeeded, previous: named(previous) }
        }
        Ok(RawResponse::Pairs(_)) => panic!("nobody asked for pairs"),
        Err(RequestError::Refused(_)) => CallOutcome::Refused,
        Err(RequestError::Unknown(_)) => CallOutcome::Unknown,
    };
    recorder.complete(token, outcome.clone());
    outcome
}

/// Reads keys that were written once; tells those that do not hold what was acknowledged.
pub(crate) fn lost(client: &RawClient, written: &[Written]) -> Vec<String> {
    let mut session = client.session();
    let mut lost = Vec::new();
    for some in written.chunks(256) {
        for (tag, Written { key, .. }) in (0..).zip(some) {
            session.submit(tag, RawRequest::Get(key.clone()));
        }
        session.flush();
        let mut answers = Vec::new();
        let from = Instant::now();
        while answers.len() < some.len() {
            assert!(from.elapsed() < Duration::from_secs(60), "a client did not answer within a minute");
            session.poll(Duration::from_millis(200), &mut answers);
        }
        for (tag, answer) in answers {
            let Written { name: expected, .. } = &some[tag as usize];
            match answer {
                Ok(RawResponse::Value(Some(held))) if name(&held) == *expected => {}
                Ok(RawResponse::Value(Some(held))) => lost.push(format!("{expected} holds {}", name(&held))),
                Ok(_) => lost.push(format!("{expected} is gone")),
                Err(error) => lost.push(format!("{expected} cannot be read: {error}")),
            }
        }
    }
    lost
}
