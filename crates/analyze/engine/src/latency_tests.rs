use deployment::EngineSettings;
use proptest::prelude::*;
use workload::Engine;

use crate::testing::{reads, shared, three_nodes, updates, volume};
use crate::{
    EngineCalibration, NodeCapacity, OfferedLoad, OperationDemand, PreparedTask, Resource, ceiling, latency, predict,
};

fn demand(task: &workload::Task) -> OperationDemand {
    PreparedTask::new(EngineCalibration::embedded(), task).demand(&three_nodes(), &EngineSettings::default())
}

#[test]
fn below_its_limit_more_iops_buy_no_latency() {
    let demand = demand(&reads(Engine::TiKv));
    assert_eq!(latency(&demand, &shared(6000.0, 250.0), 3000.0), latency(&demand, &shared(12_000.0, 250.0), 3000.0));
}

#[test]
fn more_throughput_buys_latency() {
    let demand = demand(&updates(Engine::TiKv));
    assert!(
        latency(&demand, &shared(6000.0, 500.0), 3000.0).p99 < latency(&demand, &shared(6000.0, 250.0), 3000.0).p99
    );
}

#[test]
fn a_read_of_flash_waits_for_writes_as_long_as_the_disk_says_and_less_when_the_log_is_elsewhere() {
    let mut demand = demand(&updates(Engine::TiKv));
    demand.path.reads = 1.0;
    let network = shared(6000.0, 250.0);
    let mut flash = network;
    flash.data.service.program = units::Nanos::micros(200);
    let rate = ceiling(&demand, &network).0 / 2.0;
    let waited = |flash: &NodeCapacity, network: &NodeCapacity| {
        latency(&demand, flash, rate).mean.as_secs_f64() - latency(&demand, network, rate).mean.as_secs_f64()
    };
    let ios = rate * demand.data.plus(&demand.log).writes / 6000.0;
    let bytes = rate * demand.data.plus(&demand.log).write_bytes / network.data.throughput.0;
    let together = waited(&flash, &network);
    let expected = flash.data.service.mean_wait_for_writes(ios.max(bytes));
    assert!(expected > 1e-6 && (together / expected - 1.0).abs() < 0.01, "{together}, not {expected}");
    let log = Some(network.data);
    assert!(waited(&NodeCapacity { log, ..flash }, &NodeCapacity { log, ..network }) < together);
}

#[test]
fn a_log_of_its_own_is_faster_than_one_behind_compaction() {
    let demand = demand(&updates(Engine::TiKv));
    let shared = shared(6000.0, 300.0);
    let dedicated = NodeCapacity { log: Some(volume(6000.0, 250.0)), ..shared };
    let rate = ceiling(&demand, &shared).0 * 0.9;
    assert!(latency(&demand, &dedicated, rate).mean < latency(&demand, &shared, rate).mean);
    assert!(ceiling(&demand, &dedicated).0 > ceiling(&demand, &shared).0);
}

#[test]
fn clients_that_cannot_fill_a_resource_are_the_bottleneck_themselves() {
    let demand = demand(&updates(Engine::TiKv));
    let few = predict(&demand, &shared(16_000.0, 1000.0), OfferedLoad::Closed(4.0));
    assert_eq!(few.bottleneck, Resource::Clients);
    let law = few.throughput * few.mean.as_secs_f64();
    assert!((law - 4.0).abs() < 0.01, "response law: N = X R, here {law}");
}

#[test]
fn many_clients_saturate_the_first_resource_and_wait() {
    let demand = demand(&updates(Engine::TiKv));
    let capacity = shared(3000.0, 125.0);
    let many = predict(&demand, &capacity, OfferedLoad::Closed(2000.0));
    let (most, first) = ceiling(&demand, &capacity);
    assert_eq!((many.throughput, many.bottleneck), (most, first));
    assert!((many.mean.as_secs_f64() - 2000.0 / most).abs() < 1e-3);
}

proptest! {
    #[test]
    fn percentiles_are_in_order_and_latency_grows_with_load(a in 0.01..0.95f64, b in 0.01..0.95f64) {
        let demand = demand(&updates(Engine::TiKv));
        let capacity = shared(6000.0, 400.0);
        let most = ceiling(&demand, &capacity).0;
        let (low, high) = (latency(&demand, &capacity, most * a.min(b)), latency(&demand, &capacity, most * a.max(b)));
        prop_assert!(low.p50 <= low.p99 && low.mean <= high.mean && low.p99 <= high.p99);
    }

    #[test]
    fn more_clients_never_lower_throughput(clients in 1.0..3000.0f64) {
        let demand = demand(&updates(Engine::TiKv));
        let with = |n| predict(&demand, &shared(6000.0, 400.0), OfferedLoad::Closed(n)).throughput;
        prop_assert!(with(clients) <= with(clients + 1.0) + 1e-6);
    }
}

#[test]
fn operations_of_unequal_length_widen_the_tail_and_not_the_mean() {
    let even = demand(&updates(Engine::TiKv));
    let mixed = OperationDemand { path: crate::OperationPath { spread: 0.5, ..even.path }, ..even };
    let capacity = shared(6000.0, 400.0);
    let (even, mixed) = (latency(&even, &capacity, 1000.0), latency(&mixed, &capacity, 1000.0));
    assert!(mixed.p99 > even.p99 && mixed.mean == even.mean);
}
