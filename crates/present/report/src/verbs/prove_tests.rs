use std::path::Path;

use bench::{CpuUsage, RunLimits, RunReport, SteadyStateJudge};
use deployment::Deployment;
use reference_store::prove::{DiskShares, MachineBudget, PlanScaling, StagedPlan};
use units::{Bytes, BytesPerSec};
use workload::Workload;

use super::*;

fn disk(role: DiskRole, iops: f64, throughput: f64) -> DiskFigures {
    DiskFigures { role, iops, throughput, read: BytesPerSec(1.25e6), written: BytesPerSec(3.5e6) }
}

fn figures(throughput: f64, millis: f64, log: f64) -> ProofFigures {
    ProofFigures {
        throughput,
        p50: Some(Nanos::from_secs_f64(millis / 1e3)),
        p99: Some(Nanos::from_secs_f64(millis / 250.0)),
        disks: vec![disk(DiskRole::Data, 0.35, 0.4), disk(DiskRole::Log, log, 0.07)],
        write_amplification: Some(12.8),
        cache_misses: Some(3.1),
        cache_hit_rate: Some(0.375),
    }
}

/// A proof with numbers made by hand: those of the tables may change.
fn proof(carried: f64, bound: Option<f64>) -> PlanProof {
    let examples = Path::new("../../../examples");
    let workload = Workload::read(examples.join("mix.toml")).unwrap();
    let deployment = Deployment::read(examples.join("raft-dedicated.toml")).unwrap();
    let view = catalog::Catalog::embedded().at(None);
    let machine = MachineBudget { processors: 2.0 };
    let staged = StagedPlan::new(&workload, &deployment, &view, &machine, &Default::default()).unwrap();
    let scaling = PlanScaling {
        planned_nodes: 6,
        nodes: 3,
        load: 0.16,
        data: 0.0023,
        tree: 1.0 / 64.0,
        rate: 1600.0,
        rows: 650_538,
        block_cache: Bytes::mib(9),
        memory: Bytes::mib(224),
    };
    let shares = DiskShares { data: 0.12, log: Some(0.73) };
    let (planned, predicted) = (figures(20_000.0, 20.08, 0.795), figures(1600.0, 7.99, 0.795));
    let simulated = Some(figures(1600.0, 9.1, 0.64));
    let mut measured = figures(carried, 9.5, 0.61);
    measured.cache_hit_rate = None;
    let log = |limit| DiskLimit { role: DiskRole::Log, limit };
    PlanProof {
        staged: StagedPlan { scaling, shares, planned, predicted, simulated, ..staged },
        measured,
        bound: bound.map(|share| (log(BindingLimit::VolumeIops), share)),
        run: RunReport::of(
            1,
            &SteadyStateJudge::new(RunLimits::default(), 1),
            &[],
            &RunLimits::default(),
            CpuUsage::default(),
            None,
        ),
        notes: vec!["a node had to be stopped by force".to_owned()],
    }
}

#[test]
fn a_run_is_told_with_its_scaling_its_table_and_its_limit() {
    let text = text(&[proof(1597.0, None), proof(456.0, Some(0.86))]);
    let plain = crate::text::plain(&text);
    assert!(plain.lines().all(|line| line.chars().count() <= line_width()), "{plain}");
    insta::assert_snapshot!(plain);
}

#[test]
fn a_run_that_cannot_be_simulated_is_told_without_what_simulation_says() {
    let mut proof = proof(1597.0, None);
    proof.staged.simulated = None;
    assert_eq!(
        crate::verbs::prove_json::document(std::slice::from_ref(&proof))[0]["simulated"],
        serde_json::Value::Null
    );
    let text = text(&[proof]);
    let plain = crate::text::plain(&text);
    let row = plain.lines().find(|line| line.starts_with("operations/s")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[cells.len() - 3..], ["-", "-", "1,597"], "{row}");
}

#[test]
fn the_keys_of_a_proof_stay() {
    let document = crate::verbs::prove_json::document(&[proof(456.0, Some(0.86))]);
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let one = &document[0];
    assert_eq!(
        keys(one),
        "bound carried fullest_measured fullest_predicted measured notes planned predicted run scaling simulated title"
    );
    assert_eq!(
        keys(&one["measured"]),
        "cache_hit_rate cache_misses_per_operation disks operations_per_s p50_ms p99_ms write_amplification"
    );
    assert_eq!(
        keys(&one["measured"]["disks"][0]),
        "iops_used read_bytes_per_s role throughput_used written_bytes_per_s"
    );
    assert_eq!(keys(&one["bound"]), "limit role share");
    assert_eq!(one["carried"], false);
}

#[test]
fn what_is_off_is_told_in_per_cent_and_far_off_in_times() {
    assert_eq!(off(Some(100.0), Some(97.0)), "-3 %");
    assert_eq!(off(Some(2.0), Some(5.0)), "+150 %");
    assert_eq!(off(Some(2.0), Some(50.0)), "25 times");
    assert_eq!(off(Some(0.0), Some(5.0)), "-");
    assert_eq!(off(None, Some(5.0)), "-");
}
