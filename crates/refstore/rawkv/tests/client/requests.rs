//! What a healthy cluster answers.

use rawkv::{RawClientOptions, RawRequest, RawResponse, RequestError};

use crate::fake::{Fake, ask, collect, found, get, put};

fn swap(expected: Option<&'static str>, value: &'static str) -> RawRequest {
    RawRequest::CompareAndSwap { key: "k".into(), expected: expected.map(Into::into), value: value.into() }
}

fn scan(from: &'static str, until: &'static str, limit: u32) -> RawRequest {
    RawRequest::Scan { from: from.into(), until: until.into(), limit }
}

fn keys(result: Result<RawResponse, RequestError>) -> String {
    let Ok(RawResponse::Pairs(pairs)) = result else { panic!("not pairs: {result:?}") };
    pairs.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_was_put_is_there_until_it_is_deleted() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    assert_eq!(ask(&mut session, get("a")), Ok(RawResponse::Value(None)));
    assert_eq!(ask(&mut session, put("a", "1")), Ok(RawResponse::Done));
    assert_eq!(ask(&mut session, get("a")), found("1"));
    assert_eq!(ask(&mut session, put("a", "")), Ok(RawResponse::Done));
    assert_eq!(ask(&mut session, get("a")), found(""));
    assert_eq!(ask(&mut session, RawRequest::Delete("a".into())), Ok(RawResponse::Done));
    assert_eq!(ask(&mut session, get("a")), Ok(RawResponse::Value(None)));
}

#[test]
fn a_swap_happens_only_if_the_value_is_what_is_expected() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    let swapped = |succeeded, previous: Option<&'static str>| {
        Ok(RawResponse::Swapped { succeeded, previous: previous.map(Into::into) })
    };
    assert_eq!(ask(&mut session, swap(Some("0"), "1")), swapped(false, None));
    assert_eq!(ask(&mut session, swap(None, "1")), swapped(true, None));
    assert_eq!(ask(&mut session, swap(None, "2")), swapped(false, Some("1")));
    assert_eq!(ask(&mut session, swap(Some("1"), "2")), swapped(true, Some("1")));
    assert_eq!(fake.value("k").unwrap(), "2");
}

#[test]
fn a_scan_goes_on_over_regions_and_ends_where_it_should() {
    let fake = Fake::start(&[""], &["", "c", "e", ""]);
    let mut session = fake.client(RawClientOptions::default()).session();
    for key in ["a", "b", "c", "d", "e", "f"] {
        ask(&mut session, put(key, "v")).unwrap();
    }
    assert_eq!(keys(ask(&mut session, scan("", "", 100))), "a b c d e f");
    assert_eq!(keys(ask(&mut session, scan("b", "", 3))), "b c d");
    assert_eq!(keys(ask(&mut session, scan("b", "e", 100))), "b c d");
    assert_eq!(keys(ask(&mut session, scan("ca", "", 100))), "d e f");
    assert_eq!(keys(ask(&mut session, scan("a", "", 0))), "");
    assert_eq!(keys(ask(&mut session, scan("d", "b", 9))), "");
}

#[test]
fn a_batch_of_puts_reaches_all_its_regions_and_is_answered_once() {
    let fake = Fake::start(&[""], &["", "c", "e", ""]);
    let mut session = fake.client(RawClientOptions::default()).session();
    let pairs = ["f", "a", "d", "b"].map(|key| (key.into(), "v".into()));
    assert_eq!(ask(&mut session, RawRequest::BatchPut(pairs.to_vec())), Ok(RawResponse::Done));
    assert_eq!(keys(ask(&mut session, scan("", "", 100))), "a b d f");
    assert_eq!(ask(&mut session, RawRequest::BatchPut(Vec::new())), Ok(RawResponse::Done));
}

#[test]
fn requests_of_a_flush_travel_together_and_keep_their_tags() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    // The first request waits for a connection; it would let others gather.
    ask(&mut session, get("a")).unwrap();
    let before = fake.seen().len();
    for tag in 0..500u64 {
        session.submit(tag, RawRequest::Put(format!("{tag:03}").into(), tag.to_string().into()));
    }
    session.flush();
    let mut tags: Vec<_> = collect(&mut session, 500).into_iter().map(|(tag, result)| result.map(|_| tag)).collect();
    tags.sort_by_key(|tag| tag.clone().unwrap());
    assert_eq!(tags, (0..500).map(Ok).collect::<Vec<_>>());
    let messages = fake.seen()[before..].iter().map(|seen| seen.message).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(messages.len(), 2, "256 requests are the most in a message");
}

#[test]
fn sessions_get_their_own_answers() {
    let fake = Fake::single();
    let client = fake.client(RawClientOptions { threads: 2, ..RawClientOptions::default() });
    let mut sessions: Vec<_> = (0..4).map(|_| client.session()).collect();
    for (tag, session) in (0..).zip(&mut sessions) {
        session.submit(tag, get("a"));
        session.flush();
    }
    drop(client);
    for (tag, session) in (0..).zip(&mut sessions) {
        assert_eq!(collect(session, 1), [(tag, Ok(RawResponse::Value(None)))]);
    }
}

#[test]
fn a_large_value_comes_back_whole_with_and_without_compression() {
    let fake = Fake::single();
    for gzip in [false, true] {
        let mut session = fake.client(RawClientOptions { gzip, ..RawClientOptions::default() }).session();
        let value: bytes::Bytes = (0..6_000_000u32).map(|byte| (byte >> 4) as u8).collect();
        assert_eq!(ask(&mut session, RawRequest::Put("a".into(), value.clone())), Ok(RawResponse::Done));
        assert_eq!(ask(&mut session, get("a")), Ok(RawResponse::Value(Some(value))));
    }
}
