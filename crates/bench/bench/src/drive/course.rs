//! How the load changes while a run lasts.

use units::Nanos;

use super::LoopKind;
use crate::BenchError;

/// How the load changes while a run lasts; it begins as the plan says. Without turns it stays so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadCourse {
    turns: Vec<LoadTurn>,
}

/// What holds from an instant on.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadTurn {
    /// From when, counted from the start of the warm-up.
    pub at: Nanos,
    /// So many times the clients, or the operations a second, that the run begins with.
    pub load: f64,
    /// How often each kind of operation comes, in proportion; empty for the workload's own.
    pub weights: Vec<f64>,
}

impl LoadCourse {
    /// In order of time; of turns at one instant the last holds.
    ///
    /// # Errors
    /// When a load is none.
    pub fn new(mut turns: Vec<LoadTurn>) -> Result<Self, BenchError> {
        if let Some(turn) = turns.iter().find(|turn| !(turn.load >= 0.0 && turn.load.is_finite())) {
            let given = format!("{} times the load at {}", turn.load, turn.at);
            return Err(BenchError::out_of_range(given, "a number from 0 on"));
        }
        turns.sort_by_key(|turn| turn.at);
        Ok(Self { turns })
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The turns, in order of time.
    pub fn turns(&self) -> &[LoadTurn] {
        &self.turns
    }

    /// What a thread is to do from each turn on, of a load and its part of it.
    pub(crate) fn shares(&self, load: LoopKind, (thread, threads): (u32, u32)) -> Vec<(Nanos, LoopKind)> {
        self.turns.iter().map(|turn| (turn.at, load.times(turn.load).share(thread, threads))).collect()
    }
}
