use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::json;

use super::*;

/// A PD that answers so, one after the other, and tells what it was asked.
pub(in crate::http) fn pd(answers: &[(u16, &str)]) -> (PdHttp, thread::JoinHandle<Vec<String>>) {
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
    (PdHttp(PdClient::new(server("PD", &place, &PilotAccess::default()).unwrap())), asked)
}

#[test]
fn what_is_no_pd_is_told_as_such() {
    for (code, text) in [(404, "404 page not found"), (200, "<html>"), (200, "{}"), (200, r#"{"id":"seven"}"#)] {
        let (pd, asked) = pd(&[(code, text)]);
        let error = pd.cluster_id().unwrap_err().to_string();
        assert!(error.contains("the address of a PD") || error.contains("the address of no PD"), "{error}");
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
        (200, r#"["balance-leader-scheduler"]"#),
        (200, r#"["evict-leader-scheduler"]"#),
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
    assert_eq!(asked[3], r#"POST /pd/api/v1/schedulers {"name":"evict-leader-scheduler","store_id":2}"#);
    assert_eq!(asked[4], "DELETE /pd/api/v1/schedulers/evict-leader-scheduler-2 ");
}

#[test]
fn a_store_that_pd_itself_keeps_leaders_off_is_one_that_is_evicted() {
    let config = r#"{"schedule":{"schedulers-payload":{
        "balance-leader-scheduler":{"batch":4},
        "evict-leader-scheduler":{"store-id-ranges":{"1":[]},"batch":3},
        "evict-slow-store-scheduler":{"recovery-duration":600,"evict-stores":[2],"network-slow-stores":[7]},
        "evict-slow-trend-scheduler":{"evict-by-trend-stores":[],"evicted-network-slow-stores":null},
        "evict-stopping-store-scheduler":{"evicted-stores":[3],"batch":3}}}}"#;
    let store = |id: u64| {
        let meta = format!(r#"{{"id":{id},"address":"a:{id}","state_name":"Up"}}"#);
        format!(r#"{{"store":{meta},"status":{{"leader_count":0,"region_count":3}}}}"#)
    };
    let stores = format!(r#"{{"count":5,"stores":[{}]}}"#, [1, 2, 3, 4, 7].map(store).join(","));
    let none = (200, r#"{"count":0,"regions":null}"#);
    let (schedulers, members) = (r#"["evict-leader-scheduler"]"#, r#"[{"name":"pd1","health":true}]"#);
    let evicting = r#"{"store-id-ranges":{"1":[]},"batch":3}"#;
    let answers = [(200, schedulers), (200, evicting), (200, config), (200, stores.as_str())];
    let (pd, asked) = pd(&[&answers[..], &[none, none, none, (200, members)]].concat());
    let health = pd.health().unwrap();
    let evicted: Vec<u64> = health.stores.iter().filter(|(_, store)| store.evicting).map(|(id, _)| *id).collect();
    // Off a store whose network is slow leaders are not kept: none are brought to it.
    assert_eq!(evicted, [1, 2, 3]);
    assert_eq!(asked.join().unwrap()[2], "GET /pd/api/v1/config ");
}

#[test]
fn a_setting_that_pd_knows_no_path_for_was_not_set_and_leaders_are_counted_of_the_store_that_was_asked_for() {
    let told = r#"{"store":{"id":2,"address":"a:2","state_name":"Up"},"status":{"leader_count":5,"region_count":9}}"#;
    let (pd, asked) = pd(&[
        (404, "404 page not found"),
        (200, told),
        (200, told),
        (200, &told.replace("\"leader_count\":5,", "")),
        (200, r#"{"name":7}"#),
        (200, r#"{"name":""}"#),
    ]);
    assert!(matches!(pd.set_config("schedule.leader-schedule-limit", &json!(4)), Err(WorldError::Refused { .. })));
    assert_eq!(pd.leaders(2).unwrap(), 5);
    for strange in [pd.leaders(1), pd.leaders(2), pd.leader().map(|_| 0)] {
        assert!(matches!(strange, Err(WorldError::Strange { .. })), "{strange:?}");
    }
    assert!(matches!(pd.leader(), Err(WorldError::Silent { .. })), "nobody leads for a moment");
    asked.join().unwrap();
}
