//! What makes operations start.

use units::Nanos;

use crate::BenchError;

/// How the arrivals of an open loop are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalSpacing {
    /// Evenly.
    Constant,
    /// By chance, as those of many independent users.
    #[default]
    Poisson,
}

/// Above so many operations a second of a thread, those of an open loop start in beats: to wake up for each would take a sixth of
/// two processors (docs/results/store.md).
pub(super) const DENSE: f64 = 10_000.0;

/// From one beat to the next. A beat costs the driver some 45 us, for waking up to send and again for the answers (docs/results/store.md): 3 %
/// of one processor. It is no part of a kernel's tick, nor a multiple: ticks would see the same part of every beat, and what is
/// counted by them be wrong.
pub(super) const BEAT: Nanos = Nanos::micros(1570);

/// From one instant to the next at which operations may start, when a thread has so many a second; 0 if they may at any.
pub(super) fn beat(rate: f64) -> Nanos {
    if rate > DENSE { BEAT } else { Nanos(0) }
}

/// A thread looks for the answers of clients so many times in their mean latency, where it has four operations or more on their way
/// for each: by Little's law four have their answer each time, and each has it late by half of that span, a 32nd of the mean. To be
/// woken by each answer, of reads that wait for a disk, took 15 us a read; with 32 looks it was 5.2 % of two processors, with 16 it is
/// 4.0 (docs/results/store.md).
pub(super) const LOOKS: u32 = 16;

/// As `LOOKS`, of an open loop in beats: its latencies have half a beat in them already.
pub(super) const LOOKS_IN_BEATS: u32 = 8;

/// Answers for each look, or more: fewer would come one by one as well.
const ANSWERS: u32 = 4;

/// How long a thread looks for no answers, with so many operations on their way that take so long in the mean; 0 if it waits for each.
pub(super) fn rest(mean: Nanos, in_flight: usize, looks: u32) -> Nanos {
    if in_flight >= (ANSWERS * looks) as usize { Nanos(mean.0 / u64::from(looks)) } else { Nanos(0) }
}

/// The rest next to `rest` of which a whole number passes until then, so that the last ends with it.
pub(super) fn evenly(rest: Nanos, until: Nanos) -> Nanos {
    if rest.0 == 0 { rest } else { Nanos(until.0 / ((until.0 as f64 / rest.0 as f64).round() as u64).max(1)) }
}

/// So much sooner may a client be done with thinking: an eighth of its mean, and no more than a millisecond. It starts when the
/// thread is awake for another; to be woken by the end of each is half of all wake-ups of a load of single operations.
pub(super) fn leeway(think: Nanos) -> Nanos {
    Nanos(think.0 / 8).min(Nanos::millis(1))
}

/// So many clients may start sooner each time: more that begin together would wait for each other, and be slower than if each had begun
/// by itself (docs/results/store.md).
pub(super) const TOGETHER: u32 = 2;

/// What makes operations start.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "loop")]
pub enum LoopKind {
    /// So many clients, each with one operation in flight at a time.
    Closed {
        /// Clients.
        clients: u32,
        /// Mean time that a client waits after an answer, by an exponential law (TPC-C 5.2.5.4); latency does not
        /// include it. Who is done within an eighth of it, or a millisecond, may start with another; the mean is kept.
        think: Nanos,
    },
    /// Arrivals at a rate, whether the database keeps up or not. Latency counts from when an operation was to start. Above 10,000 a
    /// second of a thread all that are due leave together, each millisecond and a half.
    Open {
        /// Operations a second.
        rate: f64,
        /// How they are spaced.
        arrivals: ArrivalSpacing,
        /// Operations that the database may have at a time; others wait.
        in_flight: u32,
        /// Arrivals that may wait; others are given up and counted.
        backlog: u32,
    },
}

/// The longest mean think time.
const LONGEST_THINK: Nanos = Nanos::secs(3600);

/// The most clients or operations in flight of one run: each takes some hundred bytes.
const MOST: u32 = workload::MOST_CLIENTS;

/// The highest rate: an arrival each nanosecond of 32 is beyond any driver.
const FASTEST: f64 = 3e7;

/// A rate that no driver sends.
fn beyond(rate: f64) -> BenchError {
    let expected = format!("more than 0 and at most {FASTEST:.0}");
    BenchError::out_of_range(format!("a rate of {rate} operations a second"), expected)
}

impl LoopKind {
    /// # Errors
    /// When a number cannot be.
    pub fn check(&self) -> Result<(), BenchError> {
        let (given, expected) = match self {
            Self::Closed { clients: 0, .. } => ("0 clients".to_owned(), format!("1 to {MOST}")),
            Self::Closed { think, .. } if *think > LONGEST_THINK => {
                (format!("a think time of {think}"), format!("at most {LONGEST_THINK}"))
            }
            Self::Open { rate, .. } if *rate <= 0.0 || rate.is_nan() => return Err(beyond(*rate)),
            Self::Open { in_flight, .. } if *in_flight == 0 || *in_flight > MOST => {
                (format!("{in_flight} operations in flight"), format!("1 to {MOST}"))
            }
            _ => return self.check_most(),
        };
        Err(BenchError::out_of_range(given, expected))
    }

    /// # Errors
    /// When it is more than one driver has room for.
    pub(crate) fn check_most(&self) -> Result<(), BenchError> {
        match self {
            Self::Closed { clients, .. } if *clients > MOST => {
                Err(BenchError::out_of_range(format!("{clients} clients"), format!("1 to {MOST}")))
            }
            Self::Open { rate, .. } if *rate > FASTEST => Err(beyond(*rate)),
            _ => Ok(()),
        }
    }

    /// So many times the clients, or the operations a second; the places for operations stay as they are.
    pub(crate) fn times(self, factor: f64) -> Self {
        match self {
            Self::Closed { clients, think } => {
                Self::Closed { clients: (f64::from(clients) * factor).round() as u32, think }
            }
            Self::Open { rate, arrivals, in_flight, backlog } => {
                Self::Open { rate: rate * factor, arrivals, in_flight, backlog }
            }
        }
    }

    /// How far apart the instants are at which operations leave together, with so many threads; 0 where each leaves when it is due.
    pub fn beat(&self, threads: u32) -> Nanos {
        match self {
            Self::Closed { .. } => Nanos(0),
            Self::Open { rate, .. } => beat(rate / f64::from(threads)),
        }
    }

    /// So much less may a client think where another starts, which the next thinks longer; 0 in an open loop.
    pub fn leeway(&self) -> Nanos {
        match self {
            Self::Closed { think, .. } => leeway(*think),
            Self::Open { .. } => Nanos(0),
        }
    }

    /// How often in their mean latency answers are looked for, with so many threads, while each has four times as many operations or
    /// more on their way, of which in an open loop fewer come at a time than a look finds; `None` where each is taken when it comes.
    pub fn looks(&self, threads: u32) -> Option<u32> {
        match self {
            Self::Closed { clients, think: Nanos(0) } if clients / threads >= ANSWERS * LOOKS => Some(LOOKS),
            Self::Open { .. } if self.beat(threads).0 > 0 => Some(LOOKS_IN_BEATS),
            _ => None,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_divide_what_is_left_of_a_beat() {
        let (rest, left) = (Nanos::micros(625), Nanos::micros(1570));
        assert_eq!(evenly(rest, left), Nanos(1_570_000 / 3));
        assert_eq!(evenly(rest, Nanos::micros(900)), Nanos::micros(900));
        // Less than half of one is left: it ends with the beat all the same.
        assert_eq!(evenly(rest, Nanos::micros(100)), Nanos::micros(100));
        assert_eq!(evenly(Nanos(0), left), Nanos(0), "who waits for each answer does not rest");
    }

    #[test]
    fn who_has_few_operations_on_their_way_waits_for_each_answer() {
        let mean = Nanos::millis(16);
        assert_eq!(rest(mean, 63, LOOKS), Nanos(0));
        assert_eq!(rest(mean, 64, LOOKS), Nanos::millis(1));
        assert_eq!(rest(mean, 32, LOOKS_IN_BEATS), Nanos::millis(2));
    }
}
