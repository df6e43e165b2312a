//! Deployments and tasks for tests.

use catalog::{Catalog, CatalogView};
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use units::{Bytes, Nanos};
use workload::{Engine, OperationProfile, Task};

use crate::{Constants, RunSummary, SharedMachine, SimulationOptions, simulate};

/// Point updates of 1 KiB rows, uniform over 60 GB, raw keys, an open loop at a rate.
pub(crate) fn task(rate: f64) -> Task {
    let profile =
        OperationProfile { updates: 1.0, ..OperationProfile::raw_keys(Bytes::kib(1), Bytes(60_000_000_000), 0.6) };
    Task::open_loop(Engine::TiKv, profile, rate)
}

/// The same with so many clients, each waiting for its answer.
pub(crate) fn clients(clients: f64) -> Task {
    Task { clients: Some(clients), ..task(1000.0) }
}

/// Three nodes in three zones, on disks as people write them.
pub(crate) fn deployment(data: &str, log: Option<&str>) -> Deployment {
    Deployment {
        name: String::new(),
        engine: Engine::TiKv,
        region: "us-west-2".to_owned(),
        as_of: None,
        zones: 3,
        nodes: vec![NodeGroup {
            role: NodeRole::Storage,
            count: 3,
            instance: "m5.2xlarge".to_owned(),
            data: Some(data.parse().expect("a disk")),
            log: log.map(|log| log.parse().expect("a disk")),
        }],
        settings: EngineSettings::default(),
        asks: None,
    }
}

pub(crate) fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

/// So many seconds, a fifth of them for warming up.
pub(crate) fn seconds(seconds: u64) -> SimulationOptions {
    SimulationOptions {
        span: Nanos::secs(seconds),
        warm_up: Nanos::millis(seconds * 200),
        ..SimulationOptions::default()
    }
}

/// One that holds all nodes and binds by its processors at most.
pub(crate) fn machine(processors: f64) -> SharedMachine {
    SharedMachine { processors, memory: Bytes::gib(32), shares: [1.0; 2], regions: 0 }
}

/// Ten seconds of 16 clients with memtables of 2 MB, so that flushes come every second and a compaction for each four of them;
/// with some other constants.
pub(crate) fn small_tree(data: &str, log: Option<&str>, changes: &[(&str, f64)]) -> RunSummary {
    let small = [("memtable", 2e6), ("level_base", 8e6), ("file_size", 1e6), ("compaction_write_size", 1e6)];
    let constants = small.iter().chain(changes).fold(*Constants::embedded(), |constants, (name, value)| {
        constants.with(name, *value).expect("there are such constants")
    });
    let options = SimulationOptions { constants, ..seconds(10) };
    simulate(&deployment(data, log), &clients(16.0), &view(), &options).expect("it can start").summary
}
