//! What it costs to make an operation: it comes off the driver's share of the machine.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use diskwright_workload::Workload;
use diskwright_workload::operations::{OperationRecipe, WorkloadScale};
use textfile::Text;

fn recipe(table: &str) -> Arc<OperationRecipe> {
    let text = format!("engine = \"tikv\"\nregion = \"us-west-2\"\n{table}\n[targets]\nthroughput = 1\n");
    let none = &mut |_: &std::path::Path| unreachable!("the text names no file");
    let workload = Workload::from_text(&Text::new("bench.toml", text), none).expect("a sound workload");
    Arc::new(OperationRecipe::new(&workload, WorkloadScale::default()).expect("raw keys"))
}

fn operations(criterion: &mut Criterion) {
    let tables = [
        ("C, uniform", "[ycsb]\nworkload = \"C\"\nrecords = \"10M\"\ndistribution = \"uniform\""),
        ("C, zipfian", "[ycsb]\nworkload = \"C\"\nrecords = \"10M\""),
        ("D, latest", "[ycsb]\nworkload = \"D\"\nrecords = \"10M\""),
        ("A, 1000 random bytes", "[ycsb]\nworkload = \"A\"\nrecords = \"10M\""),
        ("A, half compressible", "[ycsb]\nworkload = \"A\"\nrecords = \"10M\"\ncompressed = 0.5"),
        ("inserts, 1 KiB", "[inserts]\nrow = \"1KiB\"\nrows-added = \"100G\"\ncompressed = 0.5"),
    ];
    for (name, table) in tables {
        let recipe = recipe(table);
        let mut generator = recipe.generator(1, 0);
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                let planned = generator.draw().expect("enough rows");
                generator.finished(planned.adds.clone());
                planned
            });
        });
    }
}

criterion_group!(benches, operations);
criterion_main!(benches);
