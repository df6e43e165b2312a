//! How long it takes until a planner can ask the catalogue.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use diskwright_catalog::{Catalog, Cloud};

fn load(c: &mut Criterion) {
    let day = diskwright_catalog::parse_date("2020-11-25").ok();
    // Reading every table, which `embedded` does once and only for the clouds asked for.
    c.bench_function("read and check all tables", |b| b.iter(|| Catalog::embedded().problems()));
    c.bench_function("view of AWS on a day", |b| {
        b.iter(|| Catalog::embedded().at(black_box(day)).instances(Cloud::Aws).count());
    });
    let view = Catalog::embedded().at(day);
    c.bench_function("price of an instance", |b| {
        b.iter(|| view.instance_price(black_box("us-west-2"), black_box("m5.2xlarge")));
    });
}

criterion_group!(benches, load);
criterion_main!(benches);
