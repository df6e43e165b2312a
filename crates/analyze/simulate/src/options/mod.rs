//! What can be chosen of a simulation.

mod innodb;
mod server;
mod tuner;

use catalog::{CatalogView, InstanceType};
use deployment::NodeGroup;
use disk::{DiskError, StartCredits};
use units::{Bytes, Nanos};

use crate::disks::Disks;
use crate::{Constants, EventScript, SharedMachine};

pub use innodb::InnodbConstants;
pub use server::{ServerFlavour, ServerVariables, VariableError};
pub use tuner::{UnknownTuner, WriteRateTuner};

/// Choices of a simulation, beside the deployment and the workload.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationOptions {
    /// Decides all that is left to chance: the same seed gives the same bytes.
    pub seed: u64,
    /// How long the load lasts, in virtual time.
    pub span: Nanos,
    /// From the start, not part of the summary.
    pub warm_up: Nanos,
    /// Between two points of the Timeline; longer where the span would make more than some ten thousand points of it.
    pub step: Nanos,
    /// Who sends operations, where not the workload's clients or its target rate.
    pub load: Option<engine::OfferedLoad>,
    /// Burst credits of disks and instances at the start.
    pub credits: StartCredits,
    /// Whether disks have their degraded minutes, as often as their type's promise leaves room for.
    pub degraded_minutes: bool,
    /// TiKV's flow control; without it RocksDB stalls writes by its own rules.
    pub flow_control: bool,
    /// Threads of the pools that requests go through, times TiKV's defaults.
    pub pools: u32,
    /// What happens while it runs.
    pub script: EventScript,
    /// Most operations in flight of an open loop; those that come on top are dropped and counted.
    pub most_in_flight: u32,
    /// InnoDB: what the clients' program takes for each statement, one after the other, whatever the number of its clients: a
    /// script whose threads share one interpreter.
    pub driver: Nanos,
    /// InnoDB: the server's variables.
    pub server: ServerVariables,
    /// What InnoDB's model reckons with.
    pub innodb: InnodbConstants,
    /// What the model reckons with.
    pub constants: Constants,
    /// Who tunes the limit on what flushes and compactions write; `None` is TiKV, and nobody on one machine for all.
    pub tuner: Option<WriteRateTuner>,
    /// What the pilot's limiter reckons with, where it tunes.
    pub pilot: compaction_control::Constants,
    /// One machine on which everything runs, as the reference store's; else each node has an instance of its own.
    pub machine: Option<SharedMachine>,
}

/// Points of a series at most.
const MOST_STEPS: u64 = 21_600;

/// Nodes beyond which a series has the fewer points, and the fewer histograms, the more nodes there are: a run of a thousand nodes takes
/// no more memory for its series than one of these.
pub(crate) const FEW_NODES: u64 = 6;

/// The most storage nodes that are simulated. Each takes half a megabyte, and its part of the time: a second of a thousand takes
/// seconds.
pub(crate) const MOST_NODES: u32 = 1000;

impl Default for SimulationOptions {
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
            script: EventScript::default(),
            most_in_flight: 10_000,
            driver: Nanos(0),
            server: ServerVariables::of(ServerFlavour::Mysql),
            innodb: *InnodbConstants::embedded(),
            constants: *Constants::embedded(),
            tuner: None,
            pilot: *compaction_control::Constants::embedded(),
            machine: None,
        }
    }
}

impl SimulationOptions {
    /// The disks of a node of a group at time zero, one of so many nodes.
    pub(crate) fn disks(
        &self,
        group: &NodeGroup,
        instance: &InstanceType,
        view: &CatalogView,
        (seed, nodes): (u64, u32),
    ) -> Result<Disks, DiskError> {
        let step = self.actual_step(nodes);
        let mut disks = Disks::new(group.disks(), instance, view, (seed, self.degraded_minutes), step)?;
        if self.credits == StartCredits::Spent {
            disks.exhaust();
        }
        if let Some(machine) = self.machine {
            disks.degrade(machine.shares);
        }
        Ok(disks)
    }

    /// What a node may take of the memory, on an instance with so much.
    pub(crate) fn memory(&self, instance: Bytes) -> f64 {
        self.machine.map_or(instance, |machine| machine.memory).as_f64()
    }

    /// Who tunes the limit on what flushes and compactions write.
    pub(crate) fn tuner(&self) -> WriteRateTuner {
        self.tuner.unwrap_or(if self.machine.is_some() { WriteRateTuner::Fixed } else { WriteRateTuner::Tikv })
    }

    /// The step that is used for so many nodes: whole multiples of the one asked for.
    pub(crate) fn actual_step(&self, nodes: u32) -> Nanos {
        let asked = self.step.0.max(1_000_000);
        let most = MOST_STEPS * FEW_NODES / u64::from(nodes).max(FEW_NODES);
        Nanos(asked * self.span.0.div_ceil(asked).div_ceil(most).max(1))
    }
}
