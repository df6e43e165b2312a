//! Sessions that work in the thread that polls them.

use std::time::{Duration, Instant};

use rawkv::{ClientError, RawClientOptions, RawResponse, RawSession};

use crate::fake::{Fake, Fault, ask, collect, found, get, put};

fn own(fake: &Fake, options: RawClientOptions) -> RawSession {
    fake.client(options).own_session().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn what_was_put_is_there_for_every_session() {
    let fake = Fake::start(&["a", "b"], &["", "c", ""]);
    let client = fake.client(RawClientOptions::default());
    let (mut one, mut other) = (client.own_session().unwrap(), client.own_session().unwrap());
    for key in ["a", "b", "c", "d"] {
        assert_eq!(ask(&mut one, put(key, key)), Ok(RawResponse::Done));
        assert_eq!(ask(&mut other, get(key)), found(key));
        assert_eq!(ask(&mut client.session(), get(key)), found(key));
    }
    assert!(client.traffic().zones["a"].received > 0, "{:?}", client.traffic());
}

#[test]
fn answers_that_came_while_nobody_polled_are_not_lost() {
    let fake = Fake::single();
    let mut session = own(&fake, RawClientOptions::default());
    ask(&mut session, put("k", "1")).unwrap();
    for tag in 0..100 {
        session.submit(tag, get("k"));
    }
    session.flush();
    let mut done = Vec::new();
    // Nothing has come yet, and nobody is waited for: but all is sent.
    while fake.seen().len() < 100 {
        session.poll(Duration::ZERO, &mut done);
    }
    std::thread::sleep(Duration::from_millis(100));
    let left = 100 - done.len();
    done.extend(collect(&mut session, left));
    done.sort_by_key(|(tag, _)| *tag);
    assert_eq!(done, (0..100).map(|tag| (tag, found("1"))).collect::<Vec<_>>());
}

#[test]
fn a_poll_waits_as_long_as_it_is_told_and_no_longer() {
    let fake = Fake::single();
    let mut session = own(&fake, RawClientOptions::default());
    ask(&mut session, get("k")).unwrap();
    for wait in [Duration::from_micros(300), Duration::from_millis(20)] {
        let (begin, mut done) = (Instant::now(), Vec::new());
        session.poll(wait, &mut done);
        assert!(done.is_empty() && begin.elapsed() >= wait, "{:?}", begin.elapsed());
        // A machine may hold a thread up; not for a second.
        assert!(begin.elapsed() < wait + Duration::from_secs(1), "{:?}", begin.elapsed());
    }
}

#[test]
fn what_was_flushed_leaves_before_a_rest() {
    let fake = Fake::single();
    let mut session = own(&fake, RawClientOptions::default());
    ask(&mut session, get("k")).unwrap();
    session.submit(1, get("k"));
    session.flush();
    let begin = Instant::now();
    session.rest(Duration::from_secs(1));
    let (over, seen) = (begin.elapsed(), fake.seen());
    assert!(over >= Duration::from_secs(1), "{over:?}");
    assert!(seen.len() == 2 && seen[1].at - begin < Duration::from_millis(500), "{begin:?} {seen:?}");
    assert_eq!(collect(&mut session, 1), [(1, Ok(RawResponse::Value(None)))]);
}

#[test]
fn the_way_between_zones_takes_its_time() {
    const TRIP: Duration = Duration::from_millis(30);
    let fake = Fake::start(&["a"], &["", ""]);
    let mut session = own(
        &fake,
        RawClientOptions { zone: Some("b".to_owned()), zone_round_trip: TRIP, ..RawClientOptions::default() },
    );
    ask(&mut session, get("k")).unwrap();
    let begin = Instant::now();
    ask(&mut session, get("k")).unwrap();
    assert!(begin.elapsed() >= TRIP, "{:?}", begin.elapsed());
}

#[test]
fn a_request_that_was_refused_is_tried_again() {
    let fake = Fake::single();
    let client = fake.client(RawClientOptions::default());
    let mut session = client.own_session().unwrap();
    ask(&mut session, put("k", "1")).unwrap();
    let busy = proto::errorpb::ServerIsBusy { reason: "flow control".to_owned(), ..Default::default() };
    fake.fail_next(Fault::region(proto::errorpb::Error { server_is_busy: Some(busy), ..Default::default() }));
    assert_eq!(ask(&mut session, get("k")), found("1"));
    assert_eq!(client.retries(), 1);
}

#[test]
fn a_driver_that_is_gone_is_told() {
    let mut fake = Fake::single();
    let client = fake.client(RawClientOptions { timeout: Duration::from_millis(300), ..RawClientOptions::default() });
    fake.driver.kill();
    assert!(matches!(client.own_session(), Err(ClientError::Environment(_))));
}
