//! The whole AWS catalogue of a region, and how time grows with the number of layouts.

use std::hint::black_box;
use std::path::Path;

use catalog::Catalog;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine::EngineCalibration;
use plan::{Market, PlanOptions, Planner};
use textfile::Text;
use workload::{Task, Workload};

const TPCC: &str = r#"
engine = "tikv"
region = "us-east-1"

[tpcc]
warehouses = 5000
clients = 1000

[targets]
throughput = 50000
p99 = "300ms"
growth = "30%"
availability = "zone"
"#;

fn task(targets: impl FnOnce(&mut Task)) -> Task {
    let mut open = |path: &Path| panic!("no file is named: {}", path.display());
    let workload = Workload::from_text(&Text::new("tpcc.toml", TPCC), &mut open).expect("the workload is sound");
    let mut task = workload.task(&mut |_, interval| interval.middle()).expect("the workload is sound");
    targets(&mut task);
    task
}

fn plan(c: &mut Criterion) {
    let market = Market::from_view(&Catalog::embedded().at(None), "us-east-1").expect("a region with prices");
    let calibration = EngineCalibration::embedded();

    let mut region = c.benchmark_group("region");
    region.sample_size(10);
    let planner = Planner::new(calibration, &market);
    for (name, task) in [
        ("zone", task(|_| ())),
        ("node", task(|t| t.targets.availability = workload::AvailabilityTarget::Node)),
        ("large", task(|t| t.targets.throughput *= 20.0)),
    ] {
        region.bench_function(name, |b| b.iter(|| planner.plan(black_box(&task), &PlanOptions::default())));
    }
    region.finish();

    let mut layouts = c.benchmark_group("layouts");
    layouts.sample_size(10);
    let task = task(|_| ());
    for parts in [8, 4, 2, 1] {
        let mut part = market.clone();
        let mut index = 0;
        part.instances.retain(|_| {
            index += 1;
            index % parts == 0
        });
        let planner = Planner::new(calibration, &part);
        let answer = planner.plan(&task, &PlanOptions::default()).expect("a plan");
        let size = answer.considered + answer.pruned;
        layouts.throughput(Throughput::Elements(size));
        layouts.bench_function(BenchmarkId::from_parameter(size), |b| {
            b.iter(|| planner.plan(black_box(&task), &PlanOptions::default()));
        });
    }
    layouts.finish();
}

criterion_group!(benches, plan);
criterion_main!(benches);
