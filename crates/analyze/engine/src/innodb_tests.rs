use deployment::EngineSettings;
use units::Bytes;
use workload::Engine;

use crate::testing::{reads, updates};
use crate::{ClusterMachines, EngineCalibration, OperationDemand, PreparedTask};

fn demand(task: &workload::Task, memory: Bytes, settings: EngineSettings) -> OperationDemand {
    let cluster = ClusterMachines { nodes: 1, vcpu: 8, memory, zones: 1 };
    PreparedTask::new(EngineCalibration::embedded(), task).demand(&cluster, &settings)
}

#[test]
fn data_that_fit_the_buffer_pool_are_not_read() {
    let mut task = reads(Engine::InnoDb);
    task.profile.data = Bytes::gib(10);
    assert!(demand(&task, Bytes::gib(64), EngineSettings::default()).data.reads < 1e-9);
    task.profile.data = Bytes::gib(1000);
    let missed = demand(&task, Bytes::gib(64), EngineSettings::default()).data.reads;
    assert!((0.9..1.0).contains(&missed), "{missed}");
}

#[test]
fn the_doublewrite_buffer_doubles_bytes_but_hardly_requests() {
    let task = updates(Engine::InnoDb);
    let with =
        |on| demand(&task, Bytes::gib(32), EngineSettings { doublewrite: Some(on), ..EngineSettings::default() }).data;
    assert!((with(true).write_bytes / with(false).write_bytes - 2.0).abs() < 1e-9);
    assert!(with(true).writes < 1.1 * with(false).writes);
}

#[test]
fn random_secondary_indexes_dirty_more_pages_than_ordered_ones() {
    let mut task = updates(Engine::InnoDb);
    task.profile.inserts = 1.0;
    task.profile.updates = 0.0;
    task.profile.indexes = 4.0;
    task.profile.index_entry = Bytes(80);
    let with = |random: f64| {
        let mut task = task.clone();
        task.profile.random_indexes = random;
        demand(&task, Bytes::gib(32), EngineSettings::default()).data.writes
    };
    assert!(with(4.0) > 2.0 * with(1.0) && with(1.0) > with(0.0));
}

#[test]
fn busy_commits_share_their_syncs() {
    let with = |rate| {
        let mut task = updates(Engine::InnoDb);
        task.targets.throughput = rate;
        demand(&task, Bytes::gib(32), EngineSettings::default()).syncs
    };
    assert!((with(1.0) - 2.0).abs() < 0.01, "binary log and redo log");
    assert!(with(5000.0) < 0.2);
}

#[test]
fn a_smaller_buffer_pool_never_writes_fewer_pages() {
    let task = updates(Engine::InnoDb);
    let writes = |gib| demand(&task, Bytes::gib(gib), EngineSettings::default()).data.writes;
    assert!(writes(2) > writes(64) && writes(64) >= writes(1024), "{} {} {}", writes(2), writes(64), writes(1024));
}
