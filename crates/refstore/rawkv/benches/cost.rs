//! What the client costs: processor time a request, of its own thread and of the thread that asks, against a store in memory.
//!
//! `cargo bench -p diskwright-rawkv [-- CASE]`, of which a part of its name is enough; threads' times are from `/proc/self/task/*/schedstat`.

#[allow(dead_code, reason = "a benchmark needs only some of what tests need")]
#[path = "../tests/client/fake/mod.rs"]
mod fake;

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use bytes::Bytes;
use rawkv::{RawClientOptions, RawRequest, ReplicaRead};

use fake::Fake;

/// How long each case is measured, after a tenth of it to warm up.
const MEASURED: Duration = Duration::from_secs(3);
/// Keys that are written and read.
const KEYS: u64 = 4096;

/// Processor time of the threads whose name begins so.
fn cpu(name: &str) -> Duration {
    let tasks = fs::read_dir("/proc/self/task").expect("Linux has /proc").flatten();
    let named =
        tasks.filter(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.starts_with(name)));
    named
        .filter_map(|task| fs::read_to_string(task.path().join("schedstat")).ok()?.split(' ').next()?.parse().ok())
        .map(Duration::from_nanos)
        .sum()
}

struct Case {
    name: &'static str,
    depth: usize,
    put: bool,
    /// Whether the session works in the thread that asks.
    own: bool,
    zones: &'static [&'static str],
    options: RawClientOptions,
}

fn measure(case: Case) {
    let fake = Fake::start(case.zones, &["", "key1", "key2", "key3", ""]);
    for (index, store) in (0..4).zip((0..case.zones.len()).cycle()) {
        fake.shared.lock().truth[index].1 = store;
        fake.shared.lock().told[index].1 = store;
    }
    let client = fake.client(case.options);
    let mut session = if case.own { client.own_session().expect("a session") } else { client.session() };
    let value = Bytes::from(vec![7; 1024]);
    let mut tag = 0;
    let mut next = |session: &mut rawkv::RawSession, put| {
        // An odd multiplier visits all keys in an order that mixes regions.
        let key = Bytes::from(format!("key{:04}", tag * 2531 % KEYS));
        session.submit(tag, if put { RawRequest::Put(key, value.clone()) } else { RawRequest::Get(key) });
        tag += 1;
    };
    for _ in 0..KEYS {
        next(&mut session, true);
    }
    session.flush();
    fake::collect(&mut session, KEYS as usize);
    for _ in 0..case.depth {
        next(&mut session, case.put);
    }
    session.flush();
    let mut done = Vec::new();
    let mut turn = |session: &mut rawkv::RawSession, length: Duration| {
        let (start, mut count, mut waits) = (Instant::now(), 0, Vec::new());
        while start.elapsed() < length {
            let asked = Instant::now();
            session.poll(Duration::from_secs(1), &mut done);
            waits.push(asked.elapsed());
            for (_, result) in done.drain(..) {
                result.expect("the fake store does what it is asked");
                count += 1;
                next(session, case.put);
            }
            session.flush();
        }
        waits.sort();
        (count, start.elapsed(), waits[waits.len() / 2])
    };
    turn(&mut session, MEASURED / 10);
    fake.shared.lock().seen.clear();
    let before = (cpu("rawkv-"), cpu("asks"));
    let (count, time, wait) = turn(&mut session, MEASURED);
    let after = (cpu("rawkv-"), cpu("asks"));
    let messages = fake.seen().iter().map(|seen| seen.message).collect::<BTreeSet<_>>().len();
    let each = |before: Duration, after: Duration| (after - before).as_secs_f64() * 1e6 / f64::from(count);
    println!(
        "{:34} {} {:7.0} requests/s  {:5.2} µs client + {:5.2} µs session  {:6.1} requests a message  median wait {:?}",
        case.name,
        if case.own { "own" } else { "   " },
        f64::from(count) / time.as_secs_f64(),
        each(before.0, after.0),
        each(before.1, after.1),
        fake.seen().len() as f64 / messages.max(1) as f64,
        wait,
    );
}

fn main() {
    let plain = RawClientOptions::default;
    let far = RawClientOptions {
        zone: Some("b".into()),
        zone_round_trip: Duration::from_millis(1),
        replica_read: ReplicaRead::Leader,
        ..plain()
    };
    let (one, three): (&[_], &[_]) = (&["a"], &["a", "b", "c"]);
    let case = |name, depth, put, zones, options: RawClientOptions| {
        [false, true].map(|own| Case { name, depth, put, own, zones, options: options.clone() })
    };
    let cases = [
        case("put 1 KiB, depth 256, 1 store", 256, true, one, plain()),
        case("get 1 KiB, depth 256, 1 store", 256, false, one, plain()),
        case("put 1 KiB, depth 256, 3 stores", 256, true, three, plain()),
        case("get 1 KiB, depth 256, 3 stores", 256, false, three, plain()),
        case("get 1 KiB, depth 256, 1 ms away", 256, false, one, far.clone()),
        case("get 1 KiB, depth 16, 1 store", 16, false, one, plain()),
        case("get 1 KiB, depth 1, 1 store", 1, false, one, plain()),
        case("get 1 KiB, depth 1, 1 ms away", 1, false, one, far),
    ];
    // Threads inherit the name of the one that begins them; those of the fake are called otherwise.
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    let cases = cases.into_iter().flatten().filter(move |case| case.name.contains(&wanted));
    let asks = std::thread::Builder::new().name("asks".into()).spawn(move || cases.for_each(measure));
    asks.expect("a thread").join().expect("it ends in peace");
}
