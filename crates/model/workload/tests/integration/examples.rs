//! The examples are read, and say what their sources say.

use std::path::Path;

use diskwright_workload::{Engine, Workload, WorkloadKind};

fn example(name: &str) -> Workload {
    Workload::read(Path::new("../../../examples").join(name)).unwrap()
}

#[test]
fn tpcc_5000_is_350_gigabytes_and_waits_for_512_clients() {
    let task = example("tpcc-5000.toml").middle().unwrap();
    assert_eq!(task.profile.data.0, 350_000_000_000);
    assert_eq!((task.clients, task.profile.unit.name), (Some(512.0), "tpmC"));
    assert_eq!(task.targets.throughput / task.profile.unit.per_operation, 50_000.0 / 27.0);
    assert!(example("tpcc-5000.toml").inputs().is_empty());
}

#[test]
fn the_rds_table_ends_at_eleven_gigabytes() {
    let task = example("rds-inserts.toml").middle().unwrap();
    assert_eq!(task.engine, Engine::InnoDb);
    assert_eq!(task.profile.data.0, 25_000_000 * (176 + 4 * 68));
    assert_eq!(task.targets.capacity, Some(units::Bytes::gib(400)));
}

#[test]
fn social_inserts_are_rows_large_enough_for_value_separation() {
    let task = example("social-inserts.toml").middle().unwrap();
    assert!(task.profile.row > units::Bytes(512) && task.profile.inserts == 1.0);
}

#[test]
fn the_iostat_lines_become_counters() {
    let workload = example("tikv-node-iostat.toml");
    let task = workload.middle().unwrap();
    let measured = task.measured.unwrap();
    assert_eq!((measured.data.reads, measured.log.flushes), (1649.0, 571.0));
    assert_eq!(measured.data.write_bytes, 304_644.0 * 1024.0);
    assert_eq!((task.profile.unit.name, task.targets.throughput), ("x measured", 1.0));
}

#[test]
fn uncertain_numbers_are_asked_for_by_their_keys() {
    let workload = example("mix.toml");
    let keys: Vec<String> = workload.inputs().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["mix.rows", "mix.theta", "targets.throughput"]);
    let low = workload.task(&mut |_, interval| interval.low()).unwrap();
    let high = workload.task(&mut |_, interval| interval.high()).unwrap();
    assert_eq!(high.profile.data.0, 2 * low.profile.data.0);
    assert_eq!((low.targets.throughput, high.targets.throughput), (5_000.0, 20_000.0));
    let hottest = |task: &diskwright_workload::Task| task.profile.popularity[0].accesses;
    assert!(hottest(&high) > hottest(&low));
}

#[test]
fn the_mean_operation_of_the_mix_is_weighted() {
    let profile = example("mix.toml").middle().unwrap().profile;
    assert!((profile.point_reads - (0.8 * 4.0 + 0.15 * 2.0 + 0.05 * 6.0)).abs() < 1e-12);
    assert!((profile.updates - (0.15 + 0.05 * 3.0)).abs() < 1e-12);
    // One statement a row; begin and commit around the two that write.
    assert!((profile.statements - (0.8 * 5.0 + 0.15 * 5.0 + 0.05 * 15.0)).abs() < 1e-12);
}

#[test]
fn every_example_of_a_workload_is_sound() {
    let folder = Path::new("../../../examples");
    let mut kinds = Vec::new();
    for name in ["mix", "rds-inserts", "social-inserts", "tikv-node-iostat", "tpcc-5000", "ycsb-a-uniform"] {
        let workload = Workload::read(folder.join(format!("{name}.toml"))).unwrap();
        let bands = workload.middle().unwrap().profile.popularity;
        let (data, accesses) = bands.iter().fold((0.0, 0.0), |(d, a), band| (d + band.data, a + band.accesses));
        assert!((data - 1.0f64).abs() < 1e-9 && (accesses - 1.0f64).abs() < 1e-6, "{name}");
        kinds.push(workload.kind);
    }
    assert!(matches!(kinds[5], WorkloadKind::Ycsb(_)));
}
