//! Zones: who is asked, how long the way takes, and what is counted.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rawkv::{RawClient, RawClientOptions, RawRequest, RawResponse, ReplicaRead, ZoneTraffic};

use crate::fake::{Fake, Fault, ask, get, put};

fn in_zone(zone: &str) -> RawClientOptions {
    RawClientOptions { zone: Some(zone.to_owned()), replica_read: ReplicaRead::Closest, ..RawClientOptions::default() }
}

fn last(fake: &Fake) -> (u64, bool) {
    let seen = fake.seen();
    let last = seen.last().expect("something was asked");
    (last.store, last.replica_read)
}

#[test]
fn reads_go_to_the_replica_of_the_zone_and_writes_to_the_leader() {
    let fake = Fake::start(&["a", "b", "c"], &["", ""]);
    let mut session = fake.client(in_zone("b")).session();
    ask(&mut session, put("k", "1")).unwrap();
    assert_eq!(last(&fake), (1, false));
    ask(&mut session, get("k")).unwrap();
    assert_eq!(last(&fake), (2, true));
    ask(&mut session, RawRequest::Scan { from: "".into(), until: "".into(), limit: 1 }).unwrap();
    assert_eq!(last(&fake), (2, true));
}

#[test]
fn reads_in_the_leaders_zone_and_in_no_zone_go_to_the_leader() {
    let fake = Fake::start(&["a", "b", "c"], &["", ""]);
    for options in [in_zone("a"), in_zone("elsewhere"), RawClientOptions { zone: None, ..in_zone("") }] {
        ask(&mut fake.client(options).session(), get("k")).unwrap();
        assert_eq!(last(&fake), (1, false));
    }
}

#[test]
fn the_leader_is_asked_at_once_when_a_replica_refuses() {
    let fake = Fake::start(&["a", "b", "c"], &["", ""]);
    let mut session = fake.client(in_zone("b")).session();
    let not_ready = proto::errorpb::ReadIndexNotReady::default();
    let not_ready = proto::errorpb::Error { read_index_not_ready: Some(not_ready), ..Default::default() };
    fake.fail_next(Fault::region(not_ready));
    assert_eq!(ask(&mut session, get("k")), Ok(RawResponse::Value(None)));
    assert_eq!(last(&fake), (1, false));
    ask(&mut session, get("k")).unwrap();
    assert_eq!(last(&fake), (2, true), "the next read tries the replica again");
}

#[test]
fn the_leader_is_asked_when_the_replica_is_gone() {
    let mut fake = Fake::start(&["a", "b", "c"], &["", ""]);
    let mut session = fake.client(in_zone("b")).session();
    fake.stores[1].kill();
    assert_eq!(ask(&mut session, get("k")), Ok(RawResponse::Value(None)));
    assert_eq!(last(&fake), (1, false));
}

/// How long a put and a swap take that are alone, and when the first of them arrives.
fn times(client: &RawClient, fake: &Fake) -> Vec<(Duration, Duration)> {
    let mut session = client.session();
    ask(&mut session, get("k")).unwrap();
    let swap = || RawRequest::CompareAndSwap { key: "k".into(), expected: None, value: "1".into() };
    let timed = (0..40).map(|turn| if turn % 2 == 0 { put("k", "1") } else { swap() });
    timed
        .map(|request| {
            let start = Instant::now();
            ask(&mut session, request).unwrap();
            let took = start.elapsed();
            (fake.seen().last().expect("it was seen").at - start, took)
        })
        .collect()
}

#[test]
fn the_way_to_another_zone_takes_half_the_round_trip_each_way() {
    let fake = Fake::start(&["a"], &["", ""]);
    let round_trip = Duration::from_millis(6);
    let client = fake.client(RawClientOptions { zone_round_trip: round_trip, ..in_zone("b") });
    let mut late = Vec::new();
    for (there, took) in times(&client, &fake) {
        assert!(there >= round_trip / 2, "there {there:?}");
        assert!(took - there >= round_trip / 2, "back {:?}", took - there);
        late.push(took - round_trip);
    }
    late.sort();
    // A delay is at least what it should be, always. That it is little more depends on the machine: 30 ms are its tolerance.
    assert!(late[late.len() / 2] < Duration::from_millis(30), "{late:?}");
}

#[test]
fn the_way_within_a_zone_is_not_held_back() {
    let fake = Fake::start(&["a"], &["", ""]);
    let round_trip = Duration::from_millis(500);
    for options in [in_zone("a"), RawClientOptions { zone: None, ..in_zone("") }] {
        let client = fake.client(RawClientOptions { zone_round_trip: round_trip, ..options });
        let mut times: Vec<_> = times(&client, &fake).into_iter().map(|(_, took)| took).collect();
        times.sort();
        assert!(times[times.len() / 2] < round_trip / 2, "{times:?}");
    }
}

#[test]
fn a_stream_that_breaks_far_away_is_heard_of_after_the_answers_before_it() {
    let fake = Fake::start(&["a"], &["", ""]);
    let client = fake.client(RawClientOptions { zone_round_trip: Duration::from_millis(40), ..in_zone("b") });
    let mut session = client.session();
    ask(&mut session, get("k")).unwrap();
    session.submit(1, put("k", "1"));
    session.flush();
    while fake.value("k").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    fake.fail_next(Fault::Break);
    session.submit(2, get("k"));
    session.flush();
    let answers = crate::fake::collect(&mut session, 2);
    assert!(answers.contains(&(1, Ok(RawResponse::Done))), "{answers:?}");
    assert!(answers.contains(&(2, Ok(RawResponse::Value(Some("1".into()))))), "{answers:?}");
}

#[test]
fn bytes_are_counted_as_the_stores_count_them() {
    let fake = Fake::start(&["a", "b"], &["", "m", ""]);
    fake.shared.lock().truth[1].1 = 1;
    fake.shared.lock().told[1].1 = 1;
    let client = fake.client(RawClientOptions { zone: Some("a".to_owned()), ..RawClientOptions::default() });
    let mut session = client.session();
    let mut random = 1u32;
    let value: bytes::Bytes = std::iter::repeat_with(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 24) as u8
    })
    .take(100_000)
    .collect();
    ask(&mut session, RawRequest::Put("b".into(), value.clone())).unwrap();
    ask(&mut session, RawRequest::Put("n".into(), value.clone())).unwrap();
    ask(&mut session, get("n")).unwrap();
    // What is still under way when the last answer is there (acknowledgements of HTTP/2) arrives soon.
    let counted = || {
        let traffic = client.traffic();
        let at = |store: usize| {
            let bill = &fake.stores[store].bill;
            ZoneTraffic { sent: bill.read.load(Ordering::SeqCst), received: bill.written.load(Ordering::SeqCst) }
        };
        (traffic.zones["a"] == at(0) && traffic.zones["b"] == at(1), traffic)
    };
    let end = Instant::now() + Duration::from_secs(30);
    while !counted().0 {
        assert!(Instant::now() < end, "the counts stay apart: {:?}", counted().1);
        std::thread::sleep(Duration::from_millis(5));
    }
    let crossing = client.traffic().crossing();
    assert_eq!(crossing, client.traffic().zones["b"]);
    // A value each way, and no more than 3 % and 2 KiB around it.
    for bytes in [crossing.sent, crossing.received] {
        assert!((100_000..105_000).contains(&bytes), "{crossing:?}");
    }
}

#[test]
fn compression_saves_bytes_on_the_wire() {
    let fake = Fake::start(&["a"], &["", ""]);
    let client = fake.client(RawClientOptions { gzip: true, ..RawClientOptions::default() });
    let mut session = client.session();
    ask(&mut session, RawRequest::Put("k".into(), vec![7; 100_000].into())).unwrap();
    ask(&mut session, get("k")).unwrap();
    let traffic = client.traffic().zones["a"];
    assert!(traffic.sent < 10_000 && traffic.received < 10_000, "{traffic:?}");
}
