use std::path::Path;

use proptest::prelude::*;
use workload::operations::{OperationRecipe, WorkloadScale};

use super::*;

fn example(name: &str) -> Workload {
    Workload::read(Path::new("../../../examples").join(name)).unwrap()
}

#[test]
fn every_example_for_tikv_but_the_measured_one_can_be_run() {
    for name in ["mix.toml", "ycsb-a-uniform.toml", "social-inserts.toml", "tpcc-5000.toml"] {
        let raw = RawKeyWorkload::new(&example(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let scale = WorkloadScale { rows: Some(1000), ..WorkloadScale::default() };
        OperationRecipe::new(&raw.workload, scale).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(raw.notes[0].contains("no SQL layer"), "{name}: {:?}", raw.notes);
    }
}

#[test]
fn what_cannot_be_run_is_refused_as_input_with_what_to_do() {
    for (name, reason) in [("rds-inserts.toml", "InnoDB"), ("tikv-node-iostat.toml", "[measured]")] {
        let error = RawKeyWorkload::new(&example(name)).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{name}");
        let message = error.to_string();
        assert!(message.contains(reason) && message.contains("leave --prove out"), "{message}");
    }
}

#[test]
fn a_transaction_of_tpcc_reads_and_writes_as_much_as_its_profile() {
    let tpcc = example("tpcc-5000.toml");
    let (profile, raw) = (tpcc.middle().unwrap().profile, RawKeyWorkload::new(&tpcc).unwrap());
    let run = raw.workload.middle().unwrap().profile;
    let of =
        |p: &OperationProfile| [p.point_reads, p.scans, p.rows_per_scan, p.inserts, p.updates, p.indexes, p.compressed];
    for (planned, run) in of(&profile).into_iter().zip(of(&run)) {
        assert!((planned - run).abs() <= 1e-9 * planned, "{planned} became {run}");
    }
    // As large as TiKV keeps them.
    assert!(profile.encoded > 1.0);
    assert_eq!((profile.row.as_f64() * profile.encoded).round() as u64, run.row.0);
    assert!((profile.data.as_f64() * profile.encoded / run.data.as_f64() - 1.0).abs() < 1e-3);
    assert!(!run.transactional);
}

#[test]
fn an_operation_of_a_mix_sends_what_it_reads_and_writes_and_no_begin_or_commit() {
    let mix = example("mix.toml");
    let statements = |workload: &Workload| workload.middle().unwrap().profile.statements;
    let profile = mix.middle().unwrap().profile;
    let steps = profile.point_reads + profile.scans + profile.inserts + profile.updates;
    let raw = RawKeyWorkload::new(&mix).unwrap().workload;
    assert!((statements(&raw) - steps).abs() < 1e-9);
    assert!(statements(&mix) > statements(&raw));
}

#[test]
fn rows_that_are_asked_for_equally_often_have_no_hot_part() {
    assert_eq!(hotspot(&[SkewBand { data: 1.0, accesses: 1.0, clustered: true }]), None);
}

proptest! {
    #[test]
    fn two_bands_are_cut_where_they_meet(rows in 0.01..0.5f64, more in 0.1..0.49f64) {
        let accesses = rows + more;
        let hot = SkewBand { data: rows, accesses, clustered: false };
        let cold = SkewBand { data: 1.0 - rows, accesses: 1.0 - accesses, clustered: false };
        let (hot_rows, hot_accesses) = hotspot(&[cold, hot]).unwrap();
        prop_assert!((hot_rows - rows).abs() < 1e-12 && (hot_accesses - accesses).abs() < 1e-12);
    }
}
