//! What is told of requests whose answer never comes: a write that may have happened is unknown, and nothing else is.

use std::time::Duration;

use rawkv::{RawClientOptions, RawRequest, RawResponse, RequestError};

use crate::fake::{Fake, Fault, ask, found, get, put};

fn short() -> RawClientOptions {
    RawClientOptions { timeout: Duration::from_millis(400), ..RawClientOptions::default() }
}

fn is_unknown(result: &Result<RawResponse, RequestError>) -> bool {
    matches!(result, Err(RequestError::Unknown(_)))
}

#[test]
fn a_put_whose_stream_breaks_is_unknown_and_may_have_happened() {
    let fake = Fake::single();
    let client = fake.client(RawClientOptions::default());
    fake.fail_next(Fault::Break);
    let result = ask(&mut client.session(), put("a", "1"));
    assert!(is_unknown(&result), "{result:?}");
    assert_eq!((fake.value("a").unwrap(), fake.seen().len()), ("1".into(), 1));
    assert_eq!(ask(&mut client.session(), get("a")), found("1"), "the next one gets a new stream");
}

#[test]
fn a_put_that_may_be_repeated_is() {
    let fake = Fake::single();
    let client = fake.client(RawClientOptions { retry_unknown: true, ..RawClientOptions::default() });
    fake.fail_next(Fault::Break);
    assert_eq!(ask(&mut client.session(), put("a", "1")), Ok(RawResponse::Done));
    assert_eq!(fake.seen().len(), 2);
}

#[test]
fn a_put_that_may_have_happened_stays_unknown_though_its_last_try_was_refused() {
    let fake = Fake::single();
    let client = fake.client(RawClientOptions { retry_unknown: true, ..short() });
    fake.fail_next(Fault::Break);
    let busy = proto::errorpb::ServerIsBusy { reason: "stall".to_owned(), ..Default::default() };
    let busy = proto::errorpb::Error { server_is_busy: Some(busy), ..Default::default() };
    fake.fail_always(Some(Fault::region(busy)));
    let result = ask(&mut client.session(), put("a", "1"));
    assert!(is_unknown(&result), "{result:?}");
    assert!(result.unwrap_err().to_string().contains("the store is busy: stall"));
}

#[test]
fn a_swap_is_never_repeated() {
    let fake = Fake::single();
    let client = fake.client(RawClientOptions { retry_unknown: true, ..RawClientOptions::default() });
    fake.fail_next(Fault::Break);
    let result =
        ask(&mut client.session(), RawRequest::CompareAndSwap { key: "a".into(), expected: None, value: "1".into() });
    assert!(is_unknown(&result), "{result:?}");
    assert_eq!((fake.value("a").unwrap(), fake.seen().len()), ("1".into(), 1));
}

#[test]
fn a_get_is_asked_again_whatever_happened() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    fake.fail_next(Fault::Break);
    assert_eq!(ask(&mut session, get("a")), Ok(RawResponse::Value(None)));
    fake.fail_next(Fault::Words("fate unknown"));
    assert_eq!(ask(&mut session, get("a")), Ok(RawResponse::Value(None)));
}

#[test]
fn silence_makes_writes_unknown_and_refuses_reads() {
    let fake = Fake::single();
    let mut session = fake.client(short()).session();
    fake.fail_always(Some(Fault::Silence));
    let result = ask(&mut session, put("a", "1"));
    assert!(is_unknown(&result), "{result:?}");
    assert!(result.unwrap_err().to_string().contains("no answer within 400ms"));
    assert!(matches!(ask(&mut session, get("a")), Err(RequestError::Refused(_))));
}

#[test]
fn a_fault_in_words_is_unknown_for_writes_and_a_refusal_for_reads() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    fake.fail_next(Fault::Words("disk on fire"));
    assert_eq!(ask(&mut session, put("a", "1")), Err(RequestError::Unknown("disk on fire".to_owned())));
    fake.fail_next(Fault::Words("disk on fire"));
    assert_eq!(ask(&mut session, get("a")), Err(RequestError::Refused("disk on fire".to_owned())));
}

#[test]
fn a_batch_that_is_refused_in_one_region_only_is_unknown() {
    let fake = Fake::start(&[""], &["", "m", ""]);
    let mut session = fake.client(short()).session();
    let large = proto::errorpb::RaftEntryTooLarge { region_id: 1, entry_size: 9 };
    let large = proto::errorpb::Error { raft_entry_too_large: Some(large), ..Default::default() };
    let both = || RawRequest::BatchPut(vec![("a".into(), "1".into()), ("z".into(), "1".into())]);
    fake.fail_next(Fault::region(large.clone()));
    let result = ask(&mut session, both());
    assert!(is_unknown(&result), "{result:?}");
    fake.fail_always(Some(Fault::region(large)));
    assert!(matches!(ask(&mut session, both()), Err(RequestError::Refused(_))));
}

#[test]
fn what_never_left_is_refused_and_does_not_happen_later() {
    let mut fake = Fake::single();
    let mut session = fake.client(short()).session();
    fake.stores[0].kill();
    let result = ask(&mut session, put("a", "1"));
    let Err(RequestError::Refused(reason)) = result else { panic!("{result:?}") };
    assert!(reason.contains("store 1: 127.0.0.1:"), "{reason}");
    fake.move_store(1);
    assert_eq!(ask(&mut session, get("a")), Ok(RawResponse::Value(None)));
    assert_eq!(fake.seen().len(), 1);
}

#[test]
fn a_store_that_moves_is_found_again() {
    let mut fake = Fake::single();
    let client = fake.client(RawClientOptions { retry_unknown: true, ..RawClientOptions::default() });
    let mut session = client.session();
    ask(&mut session, put("a", "1")).unwrap();
    fake.stores[0].kill();
    fake.move_store(1);
    assert_eq!(ask(&mut session, put("a", "2")), Ok(RawResponse::Done));
}

#[test]
fn another_leader_takes_over_from_a_killed_store() {
    let mut fake = Fake::start(&["", "", ""], &["", ""]);
    let client = fake.client(RawClientOptions { retry_unknown: true, ..RawClientOptions::default() });
    let mut session = client.session();
    ask(&mut session, put("a", "1")).unwrap();
    fake.stores[0].kill();
    fake.shared.lock().truth[0].1 = 1;
    assert_eq!(ask(&mut session, put("a", "2")), Ok(RawResponse::Done));
    assert_eq!(fake.seen().last().unwrap().store, 2);
}
