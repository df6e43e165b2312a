//! How fast events come off the agenda, against the standard library's heap and a calendar queue, and how many simulated
//! I/Os and events a second a run does.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hint::black_box;

use catalog::Catalog;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use deployment::Deployment;
use simulate::{EventAgenda, SimulationOptions, simulate};
use units::Nanos;
use workload::Workload;

/// Events taken in one measured round.
const ROUND: u64 = 4096;

/// Delays like those of a simulation: mostly under a millisecond, some of seconds.
fn delays() -> Vec<u64> {
    let mut state = 1u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..ROUND).map(|_| if random() % 16 == 0 { random() % 1_000_000_000 } else { random() % 1_000_000 }).collect()
}

/// A queue of events.
trait Queue {
    fn add(&mut self, at: u64, what: u64);
    fn take(&mut self) -> (u64, u64);
}

impl Queue for EventAgenda<u64> {
    fn add(&mut self, at: u64, what: u64) {
        EventAgenda::add(self, Nanos(at), what);
    }

    fn take(&mut self) -> (u64, u64) {
        let (at, what) = EventAgenda::take(self).expect("never empty");
        (at.0, what)
    }
}

#[derive(Default)]
struct Binary {
    heap: BinaryHeap<Reverse<(u64, u64, u64)>>,
    added: u64,
}

impl Queue for Binary {
    fn add(&mut self, at: u64, what: u64) {
        self.added += 1;
        self.heap.push(Reverse((at, self.added, what)));
    }

    fn take(&mut self) -> (u64, u64) {
        let Reverse((at, _, what)) = self.heap.pop().expect("never empty");
        (at, what)
    }
}

/// R. Brown's calendar queue (1988) with days of fixed length; events of later years wait in their day.
struct Calendar {
    days: Vec<VecDeque<(u64, u64)>>,
    today: u64,
}

impl Calendar {
    /// Nanoseconds.
    const DAY: u64 = 1 << 14;

    fn new() -> Self {
        Self { days: vec![VecDeque::new(); 4096], today: 0 }
    }
}

impl Queue for Calendar {
    fn add(&mut self, at: u64, what: u64) {
        let count = self.days.len() as u64;
        let day = &mut self.days[(at / Self::DAY % count) as usize];
        let place = day.partition_point(|(other, _)| *other <= at);
        day.insert(place, (at, what));
    }

    fn take(&mut self) -> (u64, u64) {
        loop {
            let count = self.days.len() as u64;
            let day = &mut self.days[(self.today % count) as usize];
            if let Some(first) = day.front().copied().filter(|(at, _)| at / Self::DAY <= self.today) {
                day.pop_front();
                return first;
            }
            self.today += 1;
        }
    }
}

fn hold(queue: &mut impl Queue, delays: &[u64]) {
    for delay in delays {
        let (at, what) = queue.take();
        queue.add(at + delay, black_box(what));
    }
}

fn agenda(c: &mut Criterion) {
    let delays = delays();
    let mut group = c.benchmark_group("agenda");
    group.throughput(Throughput::Elements(ROUND));
    for waiting in [64u64, 1024, 16_384] {
        let fill = |queue: &mut dyn FnMut(u64)| (0..waiting).for_each(|i| queue(delays[(i % ROUND) as usize]));
        let mut own = EventAgenda::new();
        fill(&mut |at| Queue::add(&mut own, at, 0));
        group.bench_function(BenchmarkId::new("wheel and heap", waiting), |b| b.iter(|| hold(&mut own, &delays)));
        let mut binary = Binary::default();
        fill(&mut |at| binary.add(at, 0));
        group.bench_function(BenchmarkId::new("binary heap", waiting), |b| b.iter(|| hold(&mut binary, &delays)));
        let mut calendar = Calendar::new();
        fill(&mut |at| calendar.add(at, 0));
        group.bench_function(BenchmarkId::new("calendar", waiting), |b| b.iter(|| hold(&mut calendar, &delays)));
    }
    group.finish();
}

fn runs(c: &mut Criterion) {
    let examples = "../../../examples";
    let mut group = c.benchmark_group("run");
    group.sample_size(10);
    for (name, deployment, workload) in [
        ("inserts", "raft-dedicated.toml", "social-inserts.toml"),
        ("tpcc", "tpcc-5000-m5.4xlarge.toml", "tpcc-5000.toml"),
    ] {
        let deployment = Deployment::read(format!("{examples}/{deployment}")).expect("an example");
        let task = Workload::read(format!("{examples}/{workload}")).expect("an example").middle().expect("sound");
        let view = Catalog::embedded().at(deployment.as_of);
        let options = SimulationOptions { span: Nanos::secs(10), warm_up: Nanos(0), ..SimulationOptions::default() };
        let once = || simulate(&deployment, &task, &view, &options).expect("it can start");
        for (unit, count) in [("I/Os", once().summary.used.disk_ios as u64), ("events", once().summary.events)] {
            group.throughput(Throughput::Elements(count));
            group.bench_function(BenchmarkId::new(name, unit), |b| b.iter(once));
        }
    }
    group.finish();
}

criterion_group!(benches, agenda, runs);
criterion_main!(benches);
