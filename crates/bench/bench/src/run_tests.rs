//! Whole runs against the twin, in real time: what is there in the end, not how long it took.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use textfile::Text;
use units::{Nanos, Usd};
use workload::Workload;
use workload::operations::{Operation, OperationRecipe, WorkloadScale};

use crate::compare::{compare, read};
use crate::*;

fn recipe(table: &str) -> Arc<OperationRecipe> {
    let text = format!("engine = \"tikv\"\nregion = \"us-west-2\"\n{table}\n[targets]\nthroughput = 1\n");
    let none = &mut |_: &Path| unreachable!("the text names no file");
    let workload = Workload::from_text(&Text::new("test.toml", text), none).unwrap();
    Arc::new(OperationRecipe::new(&workload, WorkloadScale::default()).unwrap())
}

fn plan(threads: u32) -> RunPlan {
    RunPlan {
        threads,
        limits: RunLimits {
            window: Nanos::millis(20),
            warm_least: Nanos::millis(100),
            warm_most: Nanos::millis(200),
            measure_least: Nanos::millis(300),
            measure_most: Nanos::millis(600),
            within: 0.5,
        },
        monthly: Some(Usd(730.0)),
        ..RunPlan::new("twin", "YCSB A", LoopKind::Closed { clients: 4, think: Nanos(0) }, Duration::from_secs(4))
    }
}

fn sleeper(_: u32) -> Result<Box<dyn Driver>, BenchError> {
    Ok(Box::new(DatabaseTwin::unlimited(MonotonicClock::start(), constant(Nanos::millis(1)))))
}

#[test]
fn a_run_gives_a_report_and_a_timeline_that_agree() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let mut seen = 0;
    let stop = AtomicBool::new(false);
    let run = run(&recipe, &plan(2), 1, &mut sleeper, &mut |_, _| Ok(()), &mut |_| seen += 1, &stop).unwrap();
    let report = &run.report;
    assert!(matches!(report.end, RunPhase::Precise | RunPhase::OutOfTime) && seen > 2);
    assert!(report.operations > 0 && report.failures == 0);
    assert_eq!(report.kinds.iter().map(|kind| kind.kind.as_str()).collect::<Vec<_>>(), ["read", "update"]);
    // The twin takes a millisecond; the loop adds, and never takes away.
    assert!(report.kinds.iter().all(|kind| kind.latency.unwrap().min_ns >= 998_000), "{report:?}");
    let throughput = report.throughput.unwrap();
    // 4000 a second, and four that were in flight when the measuring began.
    assert!(throughput.low <= throughput.mean && throughput.mean <= throughput.high && throughput.mean <= 4020.0);
    assert!(report.usd_per_million.unwrap() > 1e6 / 4000.0 / 3600.0);
    let sample = compare::RunSample::of_timeline(&run.timeline).unwrap();
    assert!((sample.throughput / throughput.mean - 1.0).abs() < 0.2, "{} {}", sample.throughput, throughput.mean);
    assert_eq!(run.timeline.about.notes["run"], "1");
}

#[test]
fn reports_and_timelines_are_read_from_files_and_compared() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let (plan, stop) = (plan(1), AtomicBool::new(false));
    let one = run(&recipe, &plan, 1, &mut sleeper, &mut |_, _| Ok(()), &mut |_| {}, &stop).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (json, parquet) = (folder.path().join("a.json"), folder.path().join("b.parquet"));
    let report = plan.report(&recipe, vec![one.report.clone()]);
    std::fs::write(&json, serde_json::to_vec(&report).unwrap()).unwrap();
    one.timeline.write(&parquet).unwrap();
    let ((a, a_runs), (b, b_runs)) = (read(&json).unwrap(), read(&parquet).unwrap());
    let found = compare((&a, &a_runs), (&b, &b_runs), 1).unwrap();
    assert_eq!(found.pairs, 1);
    assert!((found.throughput.ratio - 1.0).abs() < 0.2, "{}", found.throughput.ratio);
    // The report beside it is not read: it holds the same run.
    assert_eq!(read(folder.path()).unwrap(), (b, b_runs));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(read(empty.path()).unwrap_err().exit_code(), 2);
    let wrong = folder.path().join("none.csv");
    std::fs::write(&wrong, "no,timeline\n").unwrap();
    assert_eq!(read(&wrong).unwrap_err().exit_code(), 2);
}

#[test]
fn a_stop_ends_a_run_at_once_and_keeps_what_was_measured() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let mut plan = plan(1);
    plan.limits = RunLimits { within: 1e-6, measure_most: Nanos::secs(3600), ..plan.limits };
    let stop = AtomicBool::new(false);
    let mut tell = |told: &RunProgress| {
        if told.estimate.is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let run = run(&recipe, &plan, 1, &mut sleeper, &mut |_, _| Ok(()), &mut tell, &stop).unwrap();
    assert_eq!(run.report.end, RunPhase::Interrupted);
    assert!(run.report.operations > 0);
}

#[test]
fn inserts_end_with_their_rows() {
    let recipe = recipe("[inserts]\nrow = \"100B\"\nrows-added = 50");
    let stop = AtomicBool::new(false);
    let run = run(&recipe, &plan(2), 1, &mut sleeper, &mut |_, _| Ok(()), &mut |_| {}, &stop).unwrap();
    assert_eq!(run.report.end, RunPhase::OutOfOperations);
    assert_eq!(recipe.rows().there(), 50);
}

#[test]
fn a_driver_that_cannot_be_made_ends_the_run() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let mut none = |_| Err(BenchError::database("a session", "no cluster at 127.0.0.1:1"));
    let error =
        run(&recipe, &plan(1), 1, &mut none, &mut |_, _| Ok(()), &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    assert_eq!((error.exit_code(), error.to_string()), (3, "a session: no cluster at 127.0.0.1:1".to_owned()));
}

#[test]
fn a_driver_that_panics_ends_the_run_of_all_threads() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let mut drivers = |thread| {
        let broken: ServiceModel = Box::new(move |number, _, _| match (thread, number) {
            (1, 20..) => panic!("as the test wants"),
            _ => (Nanos::millis(1), Ok(OperationAnswer::default())),
        });
        Ok(Box::new(DatabaseTwin::unlimited(MonotonicClock::start(), broken)) as Box<dyn Driver>)
    };
    let error =
        run(&recipe, &plan(2), 1, &mut drivers, &mut |_, _| Ok(()), &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, BenchError::Thread));
}

#[test]
fn the_load_sends_every_key_again_until_it_is_taken() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 2000");
    let taken = Arc::new(Mutex::new(BTreeMap::<_, u32>::new()));
    let mut drivers = |_| {
        let taken = taken.clone();
        // Every third batch fails at first.
        let service: ServiceModel = Box::new(move |number, _, operation| {
            if number % 3 == 0 {
                return (Nanos(0), Err(OperationFailure::Unknown("no leader".to_owned())));
            }
            let Operation::InsertMany(pairs) = operation else { panic!("the load inserts") };
            pairs.iter().for_each(|(key, _)| *taken.lock().unwrap().entry(key.clone()).or_default() += 1);
            (Nanos(0), Ok(OperationAnswer::default()))
        });
        Ok(Box::new(DatabaseTwin::unlimited(MonotonicClock::start(), service)) as Box<dyn Driver>)
    };
    let how = RowLoad { threads: 2, in_flight: 2, tries: 20, seed: 1 };
    let told = AtomicU32::new(0);
    let mut tell = |_: &LoadProgress| {
        told.fetch_add(1, Ordering::Relaxed);
    };
    let done = load(&recipe, &how, &mut drivers, &mut tell, &AtomicBool::new(false)).unwrap();
    assert_eq!((done.rows, done.all), (2000, 2000));
    let taken = taken.lock().unwrap();
    assert!(taken.len() == 2000 && taken.values().all(|times| *times == 1) && told.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_load_that_fails_for_good_says_why() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 2000");
    let mut drivers = |_| {
        let full: ServiceModel =
            Box::new(|_, _, _| (Nanos(0), Err(OperationFailure::Refused("data disk full".to_owned()))));
        Ok(Box::new(DatabaseTwin::unlimited(MonotonicClock::start(), full)) as Box<dyn Driver>)
    };
    let how = RowLoad { tries: 2, ..RowLoad::default() };
    let error = load(&recipe, &how, &mut drivers, &mut |_| {}, &AtomicBool::new(false)).unwrap_err();
    let expected = "the load stopped after 0 of 2000 rows: data disk full (tried 2 times); see the log of the stores";
    assert_eq!((error.to_string().as_str(), error.exit_code()), (expected, 1));
}

#[test]
fn what_is_done_beside_a_run_has_its_clock_and_is_told_of_its_end() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let mut seen = Vec::new();
    let mut beside = |clock: MonotonicClock, over: &AtomicBool| {
        while !over.load(Ordering::Relaxed) {
            seen.push(clock.now());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(())
    };
    let stop = AtomicBool::new(false);
    let run = run(&recipe, &plan(1), 1, &mut sleeper, &mut beside, &mut |_| {}, &stop).unwrap();
    let lasted = run.report.warm_up_s + run.report.measured_s;
    assert!(seen.is_sorted() && seen.last().unwrap().as_secs_f64() >= 0.9 * lasted, "{lasted} s");
}

#[test]
fn a_run_beside_which_something_fails_is_over_and_says_why() {
    let recipe = recipe("[ycsb]\nworkload = \"A\"\nrecords = 1000");
    let mut plan = plan(1);
    plan.limits.measure_most = Nanos::secs(3600);
    plan.limits.measure_least = plan.limits.measure_most;
    let mut beside = |_: MonotonicClock, _: &AtomicBool| Err(BenchError::database("a change", "no"));
    let stop = AtomicBool::new(false);
    let error = run(&recipe, &plan, 1, &mut sleeper, &mut beside, &mut |_| {}, &stop).unwrap_err();
    assert_eq!(error.to_string(), "a change: no");
}
