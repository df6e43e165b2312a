//! What a turn of the loops costs, without a database: the driver's share of the machine begins here.

use std::ops::Range;
use std::sync::Arc;

use bench::{ArrivalSpacing, DatabaseTwin, LoadCourse, LoadWorker, LoopKind, OperationSource, VirtualClock, constant};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use textfile::Text;
use units::Nanos;
use workload::Workload;
use workload::operations::{Operation, OperationRecipe, PlannedOperation, WorkloadScale};

/// Reads of one key: the loop alone.
struct Same;

impl OperationSource for Same {
    type Operation = Operation;

    fn draw(&mut self) -> Option<PlannedOperation> {
        Some(PlannedOperation { kind: 0, adds: 0..0, operation: Operation::Scan { from: Default::default(), rows: 1 } })
    }

    fn finished(&mut self, _: Range<u64>) {}
}

fn recipe(core: &str) -> Arc<OperationRecipe> {
    let text = format!(
        "engine = \"tikv\"\nregion = \"us-west-2\"\n[ycsb]\nworkload = \"{core}\"\nrecords = \"1M\"\n[targets]\n\
         throughput = 1\n"
    );
    let none = &mut |_: &std::path::Path| unreachable!("the text names no file");
    let workload = Workload::from_text(&Text::new("bench.toml", text), none).expect("a sound workload");
    Arc::new(OperationRecipe::new(&workload, WorkloadScale::default()).expect("raw keys"))
}

fn turn(criterion: &mut Criterion) {
    const CLIENTS: u32 = 256;
    let closed = LoopKind::Closed { clients: CLIENTS, think: Nanos(0) };
    let arrivals = ArrivalSpacing::Poisson;
    // In virtual time a turn of an open loop starts one operation, up to this rate.
    let open = LoopKind::Open { rate: 1e4, arrivals, in_flight: 1000, backlog: 1000 };
    let mut group = criterion.benchmark_group("one operation");
    let mut measure = |name: &str, load: LoopKind, core: Option<&str>, of_a_turn: u32| {
        let source: Box<dyn OperationSource<Operation = Operation>> = match core {
            Some(core) => Box::new(recipe(core).generator(1, 0)),
            None => Box::new(Same),
        };
        let clock = VirtualClock::default();
        let twin = DatabaseTwin::unlimited(clock.clone(), constant(Nanos::micros(100)));
        let window = Nanos::millis(200);
        let mut worker = LoadWorker::new((clock, twin, source), (load, &LoadCourse::default()), (0, 1), 1, window, 5);
        group.throughput(Throughput::Elements(of_a_turn.into()));
        group.bench_function(name, |bencher| bencher.iter(|| worker.turn(&mut |slice| drop(slice))));
    };
    measure("closed, the loop alone", closed, None, CLIENTS);
    measure("closed, YCSB C", closed, Some("C"), CLIENTS);
    measure("closed, YCSB A", closed, Some("A"), CLIENTS);
    measure("open, the loop alone", open, None, 1);
}

criterion_group!(benches, turn);
criterion_main!(benches);
