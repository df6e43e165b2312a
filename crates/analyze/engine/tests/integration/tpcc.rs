//! The analytic model against published TPC-C runs. Processor costs were read off this study's 55,730 tpmC, as if its processors had
//! been full; no other constant was fitted to a throughput.
//! `cargo test -p diskwright-engine --test tpcc -- --nocapture` prints the table.

use catalog::{Catalog, InstanceType};
use deployment::{ClusteredIndex, Deployment, LockMode};
use diskwright_engine::{
    ClusterMachines, DiskCapacity, EngineCalibration, EnginePrediction, NodeCapacity, OfferedLoad, PreparedTask,
    predict,
};
use workload::Workload;

/// Deployment, clients, tpmC. Source: PingCAP, TiDB on AWS best practices (2020), read from its charts, ±1 %.
const PUBLISHED: [(&str, f64, f64); 6] = [
    ("tpcc-5000-m5.2xlarge", 512.0, 31_160.0),
    ("tpcc-5000-m5.4xlarge", 512.0, 55_730.0),
    ("tpcc-5000-m5.4xlarge", 64.0, 20_000.0),
    ("tpcc-5000-raid0", 64.0, 19_760.0),
    ("tpcc-5000-m5.4xlarge", 512.0, 50_290.0),
    ("tpcc-5000-raid0", 512.0, 50_290.0),
];

fn example(name: &str) -> String {
    format!("../../../examples/{name}.toml")
}

fn run(name: &str, clients: f64, published: f64) -> (EnginePrediction, f64) {
    let mut deployment = Deployment::read(example(name)).unwrap();
    // TiDB and TiKV of 2020.
    deployment.settings.locks = Some(LockMode::Written);
    deployment.settings.clustered_index = Some(ClusteredIndex::IntOnly);
    let view = Catalog::embedded().at(deployment.as_of);
    let (_, group) = deployment.storage().next().unwrap();
    let instance: &InstanceType = view.instance(&group.instance).unwrap();
    let disk = |disk: &disk::Disk| DiskCapacity::from(&disk.limits(&view, Some(instance)).unwrap());
    let mut task = Workload::read(example("tpcc-5000")).unwrap().middle().unwrap();
    // Group commit is linearised at the rate of interest.
    (task.targets.throughput, task.targets.growth) = (published, 0.0);
    let cluster =
        ClusterMachines { nodes: group.count, vcpu: instance.vcpu, memory: instance.memory, zones: deployment.zones };
    let demand = PreparedTask::new(EngineCalibration::embedded(), &task).demand(&cluster, &deployment.settings);
    let capacity = NodeCapacity {
        data: disk(group.data.as_ref().unwrap()),
        log: group.log.as_ref().map(disk),
        instance: instance.caps.map(|caps| (caps.iops, caps.throughput)),
        cores: f64::from(instance.vcpu) * instance.thread_speed(),
    };
    let prediction = predict(&demand, &capacity, OfferedLoad::Closed(clients));
    let tpmc = prediction.throughput * task.profile.unit.per_operation;
    (prediction, tpmc)
}

#[test]
fn published_tpcc_throughput_is_met_within_a_half() {
    for (name, clients, published) in PUBLISHED {
        let (prediction, tpmc) = run(name, clients, published);
        let error = tpmc / published - 1.0;
        println!(
            "{name:22} {clients:4} clients: published {published:6.0}, ours {tpmc:6.0} ({:+.0} %), {:?}",
            error * 100.0,
            prediction.bottleneck
        );
        assert!(error.abs() < 0.5, "{name} with {clients} clients: {tpmc:.0} against {published}");
    }
}

#[test]
fn the_larger_instance_nearly_doubles_throughput_on_the_same_disk() {
    let ratio = run("tpcc-5000-m5.4xlarge", 512.0, 55_730.0).1 / run("tpcc-5000-m5.2xlarge", 512.0, 31_160.0).1;
    assert!((1.4..2.1).contains(&ratio), "published 1.79, ours {ratio:.2}");
}
