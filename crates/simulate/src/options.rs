//! What can be chosen of a simulation.

use disk::StartCredits;
use units::{Bytes, Nanos};

use crate::{Constants, Machine};

use crate::Script;

/// Choices of a simulation, beside the deployment and the workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Decides all that is left to chance: the same seed gives the same bytes.
    pub seed: u64,
    /// How long the load lasts, in virtual time.
    pub span: Nanos,
    /// From the start, not part of the summary.
    pub warm_up: Nanos,
    /// Between two points of the Timeline; longer where the span would make more than some ten thousand points of it.
    pub step: Nanos,
    /// Who sends operations, where not the workload's clients or its target rate.
    pub load: Option<engine::Load>,
    /// Burst credits of disks and instances at the start.
    pub credits: StartCredits,
    /// Whether disks have their degraded minutes, as often as their type's promise leaves room for.
    pub degraded_minutes: bool,
    /// TiKV's flow control; without it RocksDB stalls writes by its own rules.
    pub flow_control: bool,
    /// Threads of the pools that requests go through, times TiKV's defaults.
    pub pools: u32,
    /// What happens while it runs.
    pub script: Script,
    /// Most operations in flight of an open loop; those that come on top are dropped and counted.
    pub most_in_flight: u32,
    /// What the model reckons with.
    pub constants: Constants,
    /// One machine on which everything runs, as the reference store's; else each node has an instance of its own.
    pub machine: Option<Machine>,
}

/// Points of a series at most.
const MOST_STEPS: u64 = 21_600;

impl Default for Options {
    /// Ten minutes, of which the first is for warming up, second by second, with full credits.
    fn default() -> Self {
        Self {
            seed: 0,
            span: Nanos::secs(600),
            warm_up: Nanos::secs(60),
            step: Nanos::secs(1),
            load: None,
            credits: StartCredits::Full,
            degraded_minutes: false,
            flow_control: true,
            pools: 1,
            script: Script::default(),
            most_in_flight: 10_000,
            constants: *Constants::embedded(),
            machine: None,
        }
    }
}

impl Options {
    /// What a node may take of the memory, on an instance with so much.
    pub(crate) fn memory(&self, instance: Bytes) -> f64 {
        self.machine.map_or(instance, |machine| machine.memory).as_f64()
    }

    /// The step that is used: whole multiples of the one asked for.
    pub(crate) fn actual_step(&self) -> Nanos {
        let asked = self.step.0.max(1_000_000);
        Nanos(asked * self.span.0.div_ceil(asked).div_ceil(MOST_STEPS).max(1))
    }
}
