use deployment::{BlockCompression, ClusteredIndex, EngineSettings, LockMode};
use proptest::prelude::*;
use units::Bytes;
use workload::Engine;

use crate::testing::{reads, three_nodes, updates};
use crate::{ClusterMachines, EngineCalibration, OperationDemand, PreparedTask};

fn demand(task: &workload::Task, settings: EngineSettings) -> OperationDemand {
    PreparedTask::new(EngineCalibration::embedded(), task).demand(&three_nodes(), &settings)
}

#[test]
fn a_write_heavy_node_writes_about_ten_times_its_log() {
    // iostat of a write-heavy TiKV node (PingCAP docs, Best Practices on Public Cloud): 304,644 kB/s against 31,685 kB/s.
    let demand = demand(&updates(Engine::TiKv), EngineSettings::default());
    let ratio = demand.data.write_bytes / demand.log.write_bytes;
    assert!((7.0..13.0).contains(&ratio), "{ratio}");
    let reads = demand.data.read_bytes / demand.data.write_bytes;
    assert!((0.55..0.85).contains(&reads), "compaction reads {reads} of its writes");
}

#[test]
fn value_separation_saves_compaction_for_large_rows_only() {
    let separated = EngineSettings { value_separation: Some(Bytes::kib(1)), ..EngineSettings::default() };
    let large = updates(Engine::TiKv);
    assert!(
        demand(&large, separated).data.write_bytes < 0.6 * demand(&large, EngineSettings::default()).data.write_bytes
    );
    let mut small = updates(Engine::TiKv);
    small.profile.row = Bytes(200);
    assert_eq!(demand(&small, separated), demand(&small, EngineSettings::default()));
}

#[test]
fn a_row_whose_lock_is_written_goes_through_the_log_three_times_and_only_who_waits_for_that_waits() {
    let mut task = updates(Engine::TiKv);
    (task.profile.transactional, task.profile.statements, task.profile.locking) = (true, 4.0, 1.0);
    let of = |locks| demand(&task, EngineSettings { locks: Some(locks), ..EngineSettings::default() });
    let [memory, pipelined, written] = [LockMode::Memory, LockMode::Pipelined, LockMode::Written].map(of);
    assert_eq!(memory, demand(&task, EngineSettings::default()));
    assert!(pipelined.cpu > 1.2 * memory.cpu && pipelined.log.write_bytes > memory.log.write_bytes);
    assert_eq!((pipelined.cpu, pipelined.log), (written.cpu, written.log));
    assert_eq!((memory.path.syncs, pipelined.path.syncs, written.path.syncs), (2.0, 2.0, 3.0));
    // A statement that is a transaction by itself locks nothing.
    task.profile.locking = 0.0;
    let alone = |locks| demand(&task, EngineSettings { locks: Some(locks), ..EngineSettings::default() });
    assert_eq!(alone(LockMode::Written), alone(LockMode::Memory));
}

#[test]
fn a_smaller_block_reads_fewer_bytes() {
    let with = |block| {
        demand(&reads(Engine::TiKv), EngineSettings { block_size: Some(block), ..EngineSettings::default() }).data
    };
    assert!(with(Bytes::kib(4)).read_bytes < 0.5 * with(Bytes::kib(64)).read_bytes);
}

#[test]
fn a_smaller_block_cache_leaves_more_memory_to_compressed_pages() {
    // 32 GB machine, data larger than memory: 4 GB of block cache against 16 GB (PingCAP, TiDB on AWS best practices).
    let machine = ClusterMachines { memory: Bytes::gib(32), vcpu: 8, ..three_nodes() };
    let task = reads(Engine::TiKv);
    let prepared = PreparedTask::new(EngineCalibration::embedded(), &task);
    let with = |gib| {
        prepared.demand(&machine, &EngineSettings { block_cache: Some(Bytes::gib(gib)), ..EngineSettings::default() })
    };
    assert!(with(4).data.reads < with(16).data.reads);
}

#[test]
fn zstandard_everywhere_trades_space_and_writes_against_nothing_that_disks_see() {
    let task = updates(Engine::TiKv);
    let zstd = demand(&task, EngineSettings { compression: Some(BlockCompression::Zstd), ..EngineSettings::default() });
    let default = demand(&task, EngineSettings::default());
    assert!(zstd.data.write_bytes < default.data.write_bytes && zstd.stored < default.stored);
}

#[test]
fn follower_reads_and_compression_save_traffic_between_zones() {
    let mut task = reads(Engine::TiKv);
    task.profile.updates = 1.0;
    let plain = demand(&task, EngineSettings::default()).cross_zone;
    let follower = demand(&task, EngineSettings { follower_read: Some(true), ..EngineSettings::default() }).cross_zone;
    let gzip = demand(&task, EngineSettings { grpc_compression: Some(true), ..EngineSettings::default() }).cross_zone;
    assert!(follower < plain && gzip < plain && plain > 0.0);
}

proptest! {
    #[test]
    fn more_nodes_never_ask_more_of_each(nodes in 3_u32..29, share in 0.0..1.0f64) {
        let mut task = reads(Engine::TiKv);
        task.profile.updates = share;
        let prepared = PreparedTask::new(EngineCalibration::embedded(), &task);
        let with = |nodes| prepared.demand(&ClusterMachines { nodes, ..three_nodes() }, &EngineSettings::default());
        let (few, many) = (with(nodes), with(nodes + 1));
        prop_assert!(many.cpu <= few.cpu && many.stored <= few.stored);
        prop_assert!(many.data.reads <= few.data.reads * 1.000_001);
    }

    #[test]
    fn every_demand_is_a_finite_number_and_not_negative(
        row in 16_u64..100_000, gib in 1_u64..10_000, compressed in 0.1..1.0f64, rate in 1.0..1e6f64, memory in 4_u64..512
    ) {
        let mut task = reads(Engine::TiKv);
        task.profile.updates = 1.0;
        task.profile.row = Bytes(row);
        task.profile.data = Bytes::gib(gib);
        task.profile.compressed = compressed;
        task.targets.throughput = rate;
        let d = PreparedTask::new(EngineCalibration::embedded(), &task)
            .demand(&ClusterMachines { memory: Bytes::gib(memory), ..three_nodes() }, &EngineSettings::default());
        for value in [d.cpu, d.data.reads, d.data.read_bytes, d.data.writes, d.data.write_bytes, d.log.writes, d.syncs, d.cross_zone] {
            prop_assert!(value.is_finite() && value >= 0.0, "{:?}", d);
        }
    }
}

#[test]
fn a_key_that_is_kept_beside_its_row_costs_reads_records_and_time() {
    let mut task = reads(Engine::TiKv);
    (task.profile.transactional, task.profile.statements) = (true, 4.0);
    (task.profile.inserts, task.profile.point_reads) = (1.0, 2.0);
    task.profile.index_entry = Bytes(40);
    let apart = workload::OperationProfile { lookups: 2.0, point_reads: 4.0, indexes: 1.0, ..task.profile.clone() };
    task.profile.keys_apart = Some(Box::new(apart));
    let of = |clustered_index| demand(&task, EngineSettings { clustered_index, ..EngineSettings::default() });
    let (on, int_only) = (of(None), of(Some(ClusteredIndex::IntOnly)));
    assert!(int_only.cpu > 1.5 * on.cpu && int_only.log.write_bytes > on.log.write_bytes);
    assert!(int_only.data.reads > on.data.reads && int_only.path.delay > on.path.delay);
    // Where nothing is known of keys, nothing changes.
    task.profile.keys_apart = None;
    let settings = EngineSettings { clustered_index: Some(ClusteredIndex::IntOnly), ..EngineSettings::default() };
    assert_eq!(demand(&task, settings), on);
}
