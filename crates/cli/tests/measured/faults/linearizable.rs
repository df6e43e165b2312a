//! Histories under random faults are linearizable key by key, and every write that was acknowledged is there at the end.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use histories::{CallOutcome, CheckLimits, History, HistoryRecorder, HistoryVerdict, RegisterCall, check};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rawkv::{RawClient, ReplicaRead};

use crate::faults::clients::{Register, Tally, Worker, lost, operate};
use crate::faults::place::{Place, is_long, seed};
use crate::faults::plan::Plan;
use crate::faults::value::key;

/// As many clients read by lease as read from the replica of their own zone: a follower, or the leader by read index.
const CLIENTS: u32 = 12;
/// Few, so that clients meet; each in a region of its own.
const REGISTERS: u8 = 4;
/// A client knows after so long that it does not know.
const PATIENCE: Duration = Duration::from_secs(3);
/// So many operations a history must have been done on the whole, or it shows nothing.
const LEAST: u64 = 100;

/// Clients with caches of their own, so that some ask the old leader while others know the new one.
fn clients(place: &Place) -> Vec<RawClient> {
    let options = |replica_read, zone: &str| rawkv::RawClientOptions {
        replica_read,
        zone: Some(zone.to_owned()),
        timeout: PATIENCE,
        retry_unknown: false,
        ..rawkv::RawClientOptions::default()
    };
    let modes = [ReplicaRead::Leader, ReplicaRead::Closest];
    let all = modes.into_iter().flat_map(|mode| ["a", "b", "c"].map(|zone| options(mode, zone)));
    all.map(|options| place.client(options)).collect()
}

/// A client that waits until the cluster is well again.
fn patient(place: &Place) -> RawClient {
    place.client(rawkv::RawClientOptions { timeout: Duration::from_secs(30), ..rawkv::RawClientOptions::default() })
}

/// One history: clients at work while the plan happens, then a last look at every register.
fn history(
    place: &Place,
    clients: &[RawClient],
    window: u64,
    seed: u64,
    plan: &Plan,
) -> Result<(History, Tally), String> {
    let register = |number: u8| {
        let name = format!("h{window}r{number}");
        Register { key: key(number * (u8::MAX / REGISTERS), &name), name }
    };
    let registers: Vec<Register> = (0..REGISTERS).map(register).collect();
    let (recorder, stop) = (HistoryRecorder::new(), AtomicBool::new(false));
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let start = |number: u32| {
            let client = &clients[number as usize % clients.len()];
            let worker = Worker { number, window, client, registers: &registers, recorder: &recorder, stop: &stop };
            scope.spawn(move || worker.run(seed ^ u64::from(number) << 32))
        };
        let workers: Vec<_> = (0..CLIENTS).map(start).collect();
        let happened = plan.happen(place, seed);
        std::thread::sleep(Duration::from_millis(700));
        stop.store(true, Ordering::Relaxed);
        workers.into_iter().for_each(|worker| tally.add(worker.join().expect("a client does not panic")));
        happened
    })?;
    let last = patient(place);
    for register in &registers {
        let found = operate(&mut last.session(), &recorder, CLIENTS, register, RegisterCall::Get);
        if !matches!(found, CallOutcome::Found(_)) {
            return Err(format!("{} cannot be read half a minute after the last fault", register.name));
        }
    }
    Ok((recorder.history(), tally))
}

/// Where a history is kept that is not linearizable, for people to look at.
fn keep(history: &History, window: u64) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("history-{window}.jsonl"));
    match std::fs::File::create(&path).map(std::io::BufWriter::new).map(|file| history.write(file)) {
        Ok(Ok(())) => format!("kept in {}", path.display()),
        Ok(Err(error)) => error.to_string(),
        Err(error) => format!("{}: {error}", path.display()),
    }
}

#[test]
fn histories_under_faults_are_linearizable_and_no_acknowledged_write_is_lost() {
    let (windows, longest) = if is_long() { (200, Duration::from_secs(10)) } else { (20, Duration::from_secs(2)) };
    let place = Place::start("unlimited:2GiB", "unlimited:1GiB", "");
    let clients = clients(&place);
    let mut all = Tally::default();
    for window in 0..windows {
        let seed = seed().wrapping_add(window);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let plan = Plan::draw(longest, &mut random);
        let begun = Instant::now();
        let what = format!("history {window} of DISKWRIGHT_SEED={seed}: {plan}");
        let (history, tally) = history(&place, &clients, window, seed, &plan).unwrap_or_else(|e| panic!("{what}\n{e}"));
        let verdict = check(&history, CheckLimits::default());
        eprintln!(
            "{what}: {} done, {} refused, {} unknown, {} written once, {:.1?}",
            tally.done,
            tally.refused,
            tally.unknown,
            tally.written.len(),
            begun.elapsed()
        );
        assert!(verdict == HistoryVerdict::Linearizable, "{what}\n{verdict}\n{}", keep(&history, window));
        let lost = lost(&patient(&place), &tally.written);
        assert!(lost.is_empty(), "{what}\n{} of {} lost: {lost:?}", lost.len(), tally.written.len());
        all.add(tally);
    }
    assert!(all.done >= LEAST * windows, "only {} operations were done in {windows} histories", all.done);
    // What earlier faults left alone, later ones must too.
    let lost = lost(&patient(&place), &all.written);
    assert!(lost.is_empty(), "at the end {} of {} lost: {lost:?}", lost.len(), all.written.len());
    drop(clients);
    place.end();
}
