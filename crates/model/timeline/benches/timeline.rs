//! How fast a million points are resampled, written and read.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use diskwright_timeline::{
    LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineFormat, TimelineInfo,
    latencies,
};
use units::Nanos;

/// Series of one disk, and their points, a second each.
const SERIES: u64 = 40;
const POINTS: u64 = 25_000;

fn second(at: u64) -> (Nanos, Nanos) {
    (Nanos::secs(at), Nanos::secs(at + 1))
}

fn series(number: u64) -> Series {
    let merge = MergeRule::ALL[number as usize % MergeRule::ALL.len()];
    let points = (0..POINTS).map(|at| {
        let (from, until) = second(at);
        SeriesPoint { from, until, value: ((at * 2_654_435_761 + number) % 16_000) as f64 }
    });
    let labels = BTreeMap::from([("disk".to_owned(), format!("data{number}"))]);
    Series {
        name: "ops".into(),
        labels,
        unit: SeriesUnit::Count,
        points: SeriesPoints::Values(merge, points.collect()),
    }
}

fn numbers() -> Timeline {
    Timeline { about: TimelineInfo::default(), series: (0..SERIES).map(series).collect() }
}

/// An hour of latencies of a gp3 at its limit, a histogram a second.
fn histograms() -> Timeline {
    let points = (0..3600).map(|at| {
        let mut histogram = latencies();
        for io in 0..3000u64 {
            histogram.record(400_000 + (io * 2_654_435_761 + at * 97) % 400_000).expect("it grows");
        }
        let (from, until) = second(at);
        LatencyPoint { from, until, histogram }
    });
    let points = SeriesPoints::Latencies(points.collect());
    let series = Series { name: "read_latency".into(), labels: BTreeMap::new(), unit: SeriesUnit::None, points };
    Timeline { about: TimelineInfo::default(), series: vec![series] }
}

fn timelines(c: &mut Criterion) {
    for (what, all, points) in [("1 M numbers", numbers(), SERIES * POINTS), ("3600 histograms", histograms(), 3600)] {
        let mut group = c.benchmark_group(what);
        group.throughput(Throughput::Elements(points)).sample_size(10);
        group.bench_function("resample to minutes", |b| b.iter(|| black_box(all.resample(Nanos::secs(60)))));
        for format in [TimelineFormat::Parquet, TimelineFormat::Csv, TimelineFormat::Json] {
            let bytes = format.encode(&all).expect("the timeline is valid");
            println!("{what}: {} bytes as {format:?}", bytes.len());
            group.bench_function(format!("write {format:?}"), |b| b.iter(|| black_box(format.encode(&all))));
            group.bench_function(format!("read {format:?}"), |b| {
                b.iter_batched(|| bytes.clone(), |bytes| black_box(format.decode(bytes, "t")), BatchSize::LargeInput);
            });
        }
        group.finish();
    }
}

criterion_group!(benches, timelines);
criterion_main!(benches);
