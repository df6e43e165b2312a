//! When the operations of one thread start.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rand::{RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use super::arrivals::{beat, leeway};
use super::{ArrivalSpacing, LoopKind};

/// A client whose operation failed waits so long: a database that refuses at once must not be asked in a tight loop.
pub(crate) const AFTER_FAILURE: Nanos = Nanos::millis(10);

/// The schedule of one thread.
#[derive(Debug)]
pub(crate) enum Pace {
    Closed {
        /// When clients that wait start their next operation at the latest.
        due: BinaryHeap<Reverse<Nanos>>,
        think: Nanos,
        /// What clients thought too little, which the next thinks longer: so the mean is kept.
        owed: Nanos,
        random: Xoshiro256PlusPlus,
        /// How many clients leave, and when.
        leave: VecDeque<(Nanos, u32)>,
        /// Those that have not left yet and are to.
        leaving: u32,
    },
    Open {
        arriving: Arriving,
        in_flight: usize,
        /// When those that wait were to start.
        waiting: VecDeque<Nanos>,
        most_waiting: usize,
    },
}

/// The arrivals of an open loop.
#[derive(Debug)]
pub(crate) struct Arriving {
    /// The next arrival, in nanoseconds with a fraction: a rate of 30,000 has no whole interval. Infinite while none come.
    next: f64,
    /// Mean nanoseconds from one to the next; infinite while none come.
    gap: f64,
    poisson: bool,
    random: Xoshiro256PlusPlus,
    /// When the gap becomes another.
    turns: VecDeque<(Nanos, f64)>,
}

impl Pace {
    /// The schedule from `now` on, and what it is from each turn on. Constant arrivals of `threads` threads alternate.
    pub(crate) fn new(
        (share, turns): (LoopKind, &[(Nanos, LoopKind)]),
        now: Nanos,
        seed: u64,
        (thread, threads): (u32, u32),
    ) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x5851_F42D_4C95_7F2D);
        (0..thread).for_each(|_| random.jump());
        match share {
            LoopKind::Closed { clients, think } => {
                let (due, leave) = (BinaryHeap::new(), VecDeque::new());
                let mut pace = Self::Closed { due, think, owed: Nanos(0), random, leave, leaving: 0 };
                (0..clients).for_each(|_| pace.answered(now, true));
                pace.clients_become(clients, turns);
                pace
            }
            LoopKind::Open { rate, arrivals, in_flight, backlog } => {
                let rates = turns.iter().filter_map(|(at, share)| match share {
                    LoopKind::Open { rate, .. } => Some((*at, 1e9 / rate)),
                    LoopKind::Closed { .. } => None,
                });
                let (next, gap, poisson) = (now.0 as f64, 1e9 / rate, arrivals == ArrivalSpacing::Poisson);
                let mut arriving = Arriving { next, gap, poisson, random, turns: rates.collect() };
                let first = if poisson { arriving.random.sample(Exp1) } else { f64::from(thread) / f64::from(threads) };
                arriving.step(first);
                let (in_flight, most_waiting) = (in_flight as usize, backlog as usize);
                Self::Open { arriving, in_flight, waiting: VecDeque::new(), most_waiting }
            }
        }
    }

    /// Those who come later are due when they come; who leaves is told apart when its next operation is due.
    fn clients_become(&mut self, clients: u32, turns: &[(Nanos, LoopKind)]) {
        let mut had = clients;
        for (at, share) in turns {
            let LoopKind::Closed { clients, .. } = *share else { continue };
            (had..clients).for_each(|_| self.answered(*at, true));
            if let (Self::Closed { leave, .. }, true) = (&mut *self, clients < had) {
                leave.push_back((*at, had - clients));
            }
            had = clients;
        }
    }

    /// When the next operation is to start at the latest, having `in_flight` on their way; `None` if that depends on answers.
    pub(crate) fn next(&self, flights: usize) -> Option<Nanos> {
        match self {
            Self::Closed { due, .. } => due.peek().map(|Reverse(at)| *at),
            Self::Open { waiting, in_flight, arriving, .. } if flights < *in_flight => {
                Some(waiting.front().copied().unwrap_or_else(|| arriving.start()))
            }
            // Arrivals that wait for a place are counted when there is one, or when a window ends.
            Self::Open { .. } => None,
        }
    }

    /// Takes the operation that is to start by `now`: when it was to.
    pub(crate) fn take(&mut self, now: Nanos, flights: usize) -> Option<Nanos> {
        match self {
            Self::Closed { .. } => self.take_client(now, now),
            Self::Open { in_flight, .. } if flights >= *in_flight => None,
            Self::Open { waiting, arriving, .. } => {
                if waiting.is_empty() && arriving.start() <= now {
                    return Some(arriving.take());
                }
                waiting.pop_front()
            }
        }
    }

    /// Takes the operation of a client that is about to be done with thinking: `now`.
    pub(crate) fn take_early(&mut self, now: Nanos) -> Option<Nanos> {
        match self {
            Self::Closed { think, .. } => {
                let until = now + leeway(*think);
                self.take_client(now, until)
            }
            Self::Open { .. } => None,
        }
    }

    /// Takes the operation of a client that is to start by `until`.
    fn take_client(&mut self, now: Nanos, until: Nanos) -> Option<Nanos> {
        let Self::Closed { due, leave, leaving, owed, .. } = self else { return None };
        loop {
            let Reverse(first) = *due.peek().filter(|first| first.0 <= until)?;
            while let Some((_, clients)) = leave.front().filter(|(at, _)| *at <= first) {
                *leaving += clients;
                leave.pop_front();
            }
            due.pop();
            if *leaving == 0 {
                *owed += Nanos(first.0.saturating_sub(now.0));
                return Some(first.min(now));
            }
            *leaving -= 1;
        }
    }

    /// Lets those queue that should have started by `now` and could not. Returns how many were given up.
    pub(crate) fn queue(&mut self, now: Nanos) -> u64 {
        let Self::Open { arriving, waiting, most_waiting, .. } = self else { return 0 };
        let mut dropped = 0;
        while arriving.start() <= now {
            let at = arriving.take();
            if waiting.len() < *most_waiting {
                waiting.push_back(at);
            } else {
                dropped += 1;
            }
        }
        dropped
    }

    /// A client has its answer, at `now`.
    pub(crate) fn answered(&mut self, now: Nanos, succeeded: bool) {
        if let Self::Closed { due, think, random, owed, .. } = self {
            let think = if think.0 == 0 { 0 } else { (think.0 as f64 * random.sample::<f64, _>(Exp1)) as u64 };
            let after = if succeeded { Nanos(think) } else { Nanos(think).max(AFTER_FAILURE) };
            due.push(Reverse(now + after + std::mem::take(owed)));
        }
    }

    /// Whether operations start when others end.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }

    /// Whether operations start in beats.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Self::Open { arriving, .. } if arriving.beat().0 > 0)
    }

    /// Arrivals that wait.
    pub(crate) fn backlog(&self) -> u64 {
        match self {
            Self::Closed { .. } => 0,
            Self::Open { waiting, .. } => waiting.len() as u64,
        }
    }
}

impl Arriving {
    /// The next arrival; the end of time if there is none.
    fn next(&self) -> Nanos {
        Nanos(self.next as u64)
    }

    /// From one instant at which arrivals may start to the next; 0 if they may at any.
    fn beat(&self) -> Nanos {
        beat(1e9 / self.gap)
    }

    /// When the next arrival may start: at once, or at the next beat.
    fn start(&self) -> Nanos {
        let (next, beat) = (self.next(), self.beat().0);
        if beat == 0 { next } else { Nanos(next.0.div_ceil(beat).saturating_mul(beat)) }
    }

    /// The next arrival, which is over then.
    fn take(&mut self) -> Nanos {
        let at = self.next();
        let gaps = if self.poisson { self.random.sample(Exp1) } else { 1.0 };
        self.step(gaps);
        at
    }

    /// Moves on by so many gaps. A gap in which the rate becomes another goes on with what is left of it at the new rate: that
    /// is exact for arrivals by chance, which have no memory, and keeps even ones even.
    fn step(&mut self, mut gaps: f64) {
        while let Some((at, gap)) = self.turns.front().copied() {
            let until = (at.0 as f64 - self.next).max(0.0) / self.gap;
            if until > gaps {
                break;
            }
            gaps -= until;
            self.next = self.next.max(at.0 as f64);
            self.gap = gap;
            self.turns.pop_front();
        }
        // No gap at all is no arrival either while none come.
        self.next = if self.gap.is_finite() { self.next + gaps * self.gap } else { f64::INFINITY };
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
