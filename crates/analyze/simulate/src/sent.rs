//! Who sends operations, and what became of them.

use engine::{OfferedLoad as Asked, target_rate};
use workload::{MOST_CLIENTS, Task};

use crate::{SimulateError, SimulationOptions};

/// Who sends operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sent {
    /// So many a second, whatever becomes of them.
    Open(f64),
    /// So many clients, each waiting for its answer.
    Closed(u32),
}

/// The most operations a second: one each nanosecond, the grain of virtual time.
const FASTEST: f64 = 1e9;

impl Sent {
    /// What is sent from the beginning on.
    pub(crate) fn of(task: &Task, options: &SimulationOptions) -> Result<Self, SimulateError> {
        let asked = options.load.unwrap_or(task.clients.map_or(Asked::Open(target_rate(task)), Asked::Closed));
        match asked {
            Asked::Open(rate) => Self::Open(rate),
            Asked::Closed(clients) => Self::Closed(clients.round().max(1.0) as u32),
        }
        .times(1.0)
    }

    /// So many times as much.
    pub(crate) fn times(self, factor: f64) -> Result<Self, SimulateError> {
        match self {
            Self::Open(rate) if rate * factor > FASTEST => {
                Err(SimulateError::TooFast { rate: rate * factor, most: FASTEST })
            }
            Self::Open(rate) => Ok(Self::Open(rate * factor)),
            Self::Closed(clients) => {
                let clients = (f64::from(clients) * factor).round();
                let too_many = SimulateError::TooManyClients { clients, most: MOST_CLIENTS };
                if clients > f64::from(MOST_CLIENTS) { Err(too_many) } else { Ok(Self::Closed(clients as u32)) }
            }
        }
    }
}

/// What clients saw since the last sample.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) latencies: timeline::LatencyHistogram,
    pub(crate) done: u64,
    pub(crate) arrived: u64,
    pub(crate) dropped: u64,
    pub(crate) busy: u64,
    pub(crate) user_bytes: f64,
}

impl Seen {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self { latencies: timeline::latencies(), done: 0, arrived: 0, dropped: 0, busy: 0, user_bytes: 0.0 }
    }
}
