//! When operations start.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::{RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use crate::BenchError;

/// How the arrivals of an open loop are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// Evenly.
    Constant,
    /// By chance, as those of many independent users.
    #[default]
    Poisson,
}

/// What makes operations start.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "loop")]
pub enum Loop {
    /// So many clients, each with one operation in flight at a time.
    Closed {
        /// Clients.
        clients: u32,
        /// Mean time that a client waits after an answer, by an exponential law (TPC-C 5.2.5.4); latency does not
        /// include it.
        think: Nanos,
    },
    /// Arrivals at a rate, whether the database keeps up or not. Latency counts from when an operation was to start.
    Open {
        /// Operations a second.
        rate: f64,
        /// How they are spaced.
        arrivals: Arrivals,
        /// Operations that the database may have at a time; others wait.
        in_flight: u32,
        /// Arrivals that may wait; others are given up and counted.
        backlog: u32,
    },
}

/// The longest mean think time.
const LONGEST_THINK: Nanos = Nanos::secs(3600);

/// The most clients or operations in flight of one run: each takes some hundred bytes.
const MOST: u32 = 1_000_000;

/// The highest rate: an arrival each nanosecond of 32 is beyond any driver.
const FASTEST: f64 = 3e7;

/// A client whose operation failed waits so long: a database that refuses at once must not be asked in a tight loop.
pub(crate) const AFTER_FAILURE: Nanos = Nanos::millis(10);

impl Loop {
    /// # Errors
    /// When a number cannot be.
    pub fn check(&self) -> Result<(), BenchError> {
        let wrong = match self {
            Self::Closed { clients, .. } if *clients == 0 || *clients > MOST => {
                format!("{clients} clients: expected 1 to {MOST}")
            }
            Self::Closed { think, .. } if *think > LONGEST_THINK => {
                format!("a think time of {think}: expected at most {LONGEST_THINK}")
            }
            Self::Open { rate, .. } if !(*rate > 0.0 && *rate <= FASTEST) => {
                format!("a rate of {rate} operations a second: expected more than 0 and at most {FASTEST:.0}")
            }
            Self::Open { in_flight, .. } if *in_flight == 0 || *in_flight > MOST => {
                format!("{in_flight} operations in flight: expected 1 to {MOST}")
            }
            _ => return Ok(()),
        };
        Err(BenchError::Input(wrong))
    }

    /// The part of thread `thread` of `threads`, when there are at least as many clients as threads.
    pub fn share(&self, thread: u32, threads: u32) -> Self {
        let part = |all: u32| all / threads + u32::from(thread < all % threads);
        match *self {
            Self::Closed { clients, think } => Self::Closed { clients: part(clients), think },
            Self::Open { rate, arrivals, in_flight, backlog } => Self::Open {
                rate: rate / f64::from(threads),
                arrivals,
                in_flight: part(in_flight).max(1),
                backlog: part(backlog),
            },
        }
    }
}

/// The schedule of one thread.
#[derive(Debug)]
pub(crate) enum Pace {
    Closed {
        /// When clients that wait start their next operation.
        due: BinaryHeap<Reverse<Nanos>>,
        think: Nanos,
        random: Xoshiro256PlusPlus,
    },
    Open {
        /// The next arrival, in nanoseconds with a fraction: a rate of 30,000 has no whole interval.
        next: f64,
        gap: f64,
        poisson: bool,
        random: Xoshiro256PlusPlus,
        in_flight: usize,
        /// When those that wait were to start.
        waiting: VecDeque<Nanos>,
        most_waiting: usize,
    },
}

impl Pace {
    /// The schedule from `now` on. Constant arrivals of `threads` threads alternate.
    pub(crate) fn new(share: Loop, now: Nanos, seed: u64, thread: u32, threads: u32) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5851_F42D_4C95_7F2D);
        (0..thread).for_each(|_| random.jump());
        match share {
            Loop::Closed { clients, think } => {
                let mut pace = Self::Closed { due: BinaryHeap::new(), think, random };
                (0..clients).for_each(|_| pace.answered(now, true));
                pace
            }
            Loop::Open { rate, arrivals, in_flight, backlog } => {
                let (gap, poisson) = (1e9 / rate, arrivals == Arrivals::Poisson);
                let first = if poisson {
                    gap * random.sample::<f64, _>(Exp1)
                } else {
                    gap * f64::from(thread) / f64::from(threads)
                };
                Self::Open {
                    next: now.0 as f64 + first,
                    gap,
                    poisson,
                    random,
                    in_flight: in_flight as usize,
                    waiting: VecDeque::new(),
                    most_waiting: backlog as usize,
                }
            }
        }
    }

    /// When the next operation is to start, having `in_flight` on their way; `None` if that depends on answers.
    pub(crate) fn next(&self, flights: usize) -> Option<Nanos> {
        match self {
            Self::Closed { due, .. } => due.peek().map(|Reverse(at)| *at),
            Self::Open { waiting, in_flight, next, .. } if flights < *in_flight => {
                Some(waiting.front().copied().unwrap_or(Nanos(*next as u64)))
            }
            // Arrivals that wait for a place are counted when there is one, or when a window ends.
            Self::Open { .. } => None,
        }
    }

    /// Takes the operation that is to start by `now`: when it was to.
    pub(crate) fn take(&mut self, now: Nanos, flights: usize) -> Option<Nanos> {
        match self {
            Self::Closed { due, .. } => {
                let first = due.peek_mut()?;
                (first.0 <= now).then(|| std::collections::binary_heap::PeekMut::pop(first).0)
            }
            Self::Open { in_flight, .. } if flights >= *in_flight => None,
            Self::Open { waiting, next, .. } => {
                if waiting.is_empty() && *next as u64 <= now.0 {
                    let at = Nanos(*next as u64);
                    self.step();
                    return Some(at);
                }
                waiting.pop_front()
            }
        }
    }

    /// Lets those queue that should have started by `now` and could not. Returns how many were given up.
    pub(crate) fn queue(&mut self, now: Nanos) -> u64 {
        let mut dropped = 0;
        loop {
            match self {
                Self::Open { next, waiting, most_waiting, .. } if *next as u64 <= now.0 => {
                    if waiting.len() < *most_waiting {
                        waiting.push_back(Nanos(*next as u64));
                    } else {
                        dropped += 1;
                    }
                }
                _ => return dropped,
            }
            self.step();
        }
    }

    fn step(&mut self) {
        if let Self::Open { next, gap, poisson, random, .. } = self {
            *next += if *poisson { *gap * random.sample::<f64, _>(Exp1) } else { *gap };
        }
    }

    /// A client has its answer, at `now`.
    pub(crate) fn answered(&mut self, now: Nanos, succeeded: bool) {
        if let Self::Closed { due, think, random } = self {
            let think = if think.0 == 0 { 0 } else { (think.0 as f64 * random.sample::<f64, _>(Exp1)) as u64 };
            let after = if succeeded { Nanos(think) } else { Nanos(think).max(AFTER_FAILURE) };
            due.push(Reverse(now + after));
        }
    }

    /// Arrivals that wait.
    pub(crate) fn backlog(&self) -> u64 {
        match self {
            Self::Closed { .. } => 0,
            Self::Open { waiting, .. } => waiting.len() as u64,
        }
    }
}

#[cfg(test)]
#[path = "arrivals_tests.rs"]
mod tests;
