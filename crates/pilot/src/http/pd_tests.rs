use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use super::*;

/// A PD that answers so, one after the other, and tells what it was asked.
fn pd(answers: &[(u16, &str)]) -> (PdHttp, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    let mut answers: VecDeque<(u16, String)> = answers.iter().map(|(code, text)| (*code, (*text).to_owned())).collect();
    let asked = thread::spawn(move || {
        let mut asked = Vec::new();
        while let Some((code, text)) = answers.pop_front() {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut first, mut length) = (String::new(), 0);
            reader.read_line(&mut first).unwrap();
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(told) = line.to_lowercase().strip_prefix("content-length:") {
                    length = told.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            asked.push(format!("{} {}", first.replace(" HTTP/1.1", "").trim(), String::from_utf8(body).unwrap()));
            let head = format!("HTTP/1.1 {code} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", text.len());
            stream.write_all(format!("{head}{text}").as_bytes()).unwrap();
        }
        asked
    });
    (PdHttp(Peer::new("PD", &place, &Access::default()).unwrap()), asked)
}

#[test]
fn what_is_no_pd_is_told_as_such() {
    for (code, text) in [(404, "404 page not found"), (200, "<html>"), (200, "{}")] {
        let (pd, asked) = pd(&[(code, text)]);
        let error = pd.cluster_id().unwrap_err().to_string();
        assert!(error.contains("PD?") || error.contains("the address of no PD"), "{error}");
        asked.join().unwrap();
    }
    // Numbers of clusters do not fit in a float.
    let (pd, asked) = pd(&[(200, r#"{"id":7710784740969460017,"max_peer_count":3}"#)]);
    assert_eq!(pd.cluster_id().unwrap(), "7710784740969460017");
    asked.join().unwrap();
}

#[test]
fn evictions_are_asked_for_as_pd_takes_them() {
    let (pd, asked) = pd(&[
        (404, "404 page not found"),
        (200, r#"{"store-id-ranges":{"1":[{"end-key":"","start-key":""}],"4":[]},"batch":3}"#),
        (200, "\"The scheduler is created.\""),
        (404, "null"),
        (500, "\"[PD:core:ErrStoreNotFound]store 9 not found\""),
        (500, "redirect failed"),
    ]);
    assert_eq!(pd.evicting().unwrap(), BTreeSet::new(), "without a store there is no scheduler");
    assert_eq!(pd.evicting().unwrap(), BTreeSet::from([1, 4]));
    pd.set_evicting(2, true).unwrap();
    pd.set_evicting(2, false).unwrap();
    assert!(matches!(pd.set_evicting(9, true), Err(WorldError::Refused { .. })));
    assert!(
        matches!(pd.set_evicting(9, true), Err(WorldError::Silent { .. })),
        "while nobody leads, asking again helps"
    );
    let asked = asked.join().unwrap();
    assert_eq!(asked[2], r#"POST /pd/api/v1/schedulers {"name":"evict-leader-scheduler","store_id":2}"#);
    assert_eq!(asked[3], "DELETE /pd/api/v1/schedulers/evict-leader-scheduler-2 ");
}

#[test]
fn a_store_that_pd_itself_keeps_leaders_off_is_one_that_is_evicted() {
    let config = r#"{"schedule":{"schedulers-payload":{
        "balance-leader-scheduler":{"batch":4},
        "evict-leader-scheduler":{"store-id-ranges":{"1":[]},"batch":3},
        "evict-slow-store-scheduler":{"recovery-duration":600,"evict-stores":[2],"network-slow-stores":[7]},
        "evict-slow-trend-scheduler":{"evict-by-trend-stores":null},
        "evict-stopping-store-scheduler":{"evicted-stores":[3],"batch":3}}}}"#;
    let stores = r#"{"stores":[{"store":{"id":1}},{"store":{"id":2}},{"store":{"id":3}},{"store":{"id":4}},{"store":{"id":7}}]}"#;
    let none = (200, r#"{"count":0,"regions":null}"#);
    let evicting = r#"{"store-id-ranges":{"1":[]},"batch":3}"#;
    let (pd, asked) = pd(&[(200, evicting), (200, config), (200, stores), (200, "[]"), none, none, none]);
    let health = pd.health().unwrap();
    let evicted: Vec<u64> = health.stores.iter().filter(|(_, store)| store.evicting).map(|(id, _)| *id).collect();
    // Off a store whose network is slow leaders are not kept: none are brought to it.
    assert_eq!(evicted, [1, 2, 3]);
    assert_eq!(asked.join().unwrap()[1], "GET /pd/api/v1/config ");
}

#[test]
fn pds_lock_is_taken_where_it_is_offered() {
    let (pd, asked) = pd(&[
        (200, ""),
        (404, ""),
        (409, r#"{"error":"exists","existing_task":{"id":"pilot-1"}}"#),
        (409, r#"{"error":"exists","existing_task":{"id":"pilot-2"}}"#),
        (200, ""),
    ]);
    let lease = || pd.lease("pilot-1", "a pilot").unwrap();
    assert_eq!((lease(), lease()), (Lease::Held, Lease::NotOffered));
    assert_eq!(lease(), Lease::Held, "a pilot that was killed holds it still");
    assert!(matches!(lease(), Lease::Other(words) if words.contains("pilot-2")));
    pd.release("pilot-1").unwrap();
    let asked = asked.join().unwrap();
    assert!(asked[0].starts_with("PUT /pd/api/v2/maintenance/diskwright-pilot/pilot-1 "), "{asked:?}");
}
