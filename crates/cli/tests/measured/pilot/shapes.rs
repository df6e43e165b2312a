//! A PD whose answers are of other shapes than are known: nothing is done by them, and what was seen is told.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::pilot::{json, refused};

const MEMBERS: &str = r#"[{"name":"pd1","health":true},{"name":"pd2","health":true}]"#;
const PAYLOAD: &str = r#"{"schedule":{"schedulers-payload":{"evict-slow-store-scheduler":{"evict-stores":[]}}}}"#;

/// A healthy PD of three stores, but for the answer at one path. What it was asked for in order to change something.
struct Fake {
    addr: SocketAddr,
    changes: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    fn start(path: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (addr, changes) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<String>>>::default());
        let (seen, odd) = (Arc::clone(&changes), (path.to_owned(), body.to_owned()));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who goes away before the answer reads none.
                let _ = answer(stream, &odd, &seen);
            }
        });
        Self { addr, changes }
    }
}

fn answer(mut stream: TcpStream, odd: &(String, String), changes: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let mut words = first.split(' ');
    let (method, url) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method != "GET" {
        changes.lock().unwrap().push(first.clone());
    }
    let path = url.strip_prefix("/pd/api/v1/").unwrap_or(url);
    let store = |id: u64| {
        let meta = format!(r#"{{"id":{id},"address":"127.0.0.1:2016{id}","version":"8.5.7","state_name":"Up"}}"#);
        format!(r#"{{"store":{meta},"status":{{"leader_count":4,"region_count":12}}}}"#)
    };
    let (code, body) = match path {
        path if path == odd.0 => (200, odd.1.clone()),
        "cluster" => (200, r#"{"id":7,"max_peer_count":3}"#.to_owned()),
        "schedulers" => (200, r#"["balance-leader-scheduler","evict-slow-store-scheduler"]"#.to_owned()),
        "config" => (200, PAYLOAD.to_owned()),
        "stores" => (200, format!(r#"{{"count":3,"stores":[{},{},{}]}}"#, store(1), store(2), store(3))),
        "health" => (200, MEMBERS.to_owned()),
        path if path.starts_with("regions/check/") => (200, r#"{"count":0,"regions":[]}"#.to_owned()),
        _ => (404, "404 page not found".to_owned()),
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {code} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

#[test]
fn a_pd_whose_answers_are_not_understood_is_refused_with_what_was_seen_and_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let reach = |fake: &Fake| format!("--pd http://{} --journal {}", fake.addr, folder.path().join("j").display());
    let well = Fake::start("nothing", "");
    let (code, would) = json(&format!("do evict/1 {}", reach(&well)));
    assert!(code == 0 && would["would"][0] == "evict leaders from store 1", "{would}");
    for (path, body, seen, expected) in [
        ("health", r#"{"name":"pd1","health":true}"#, r#"{"name":"pd1","health":true}"#, "expected a sequence"),
        ("health", r#"[{"name":"pd1"}]"#, r#"[{"name":"pd1"}]"#, "missing field `health`"),
        ("stores", r#"{"count":1,"stores":[{"store":{"id":"1"}}]}"#, r#""id":"1""#, "`stores[0].store.id`"),
        ("stores", r#"{"stores":[]}"#, r#"{"stores":[]}"#, "missing field `count`"),
        ("regions/check/down-peer", r#"{"regions":[]}"#, r#"{"regions":[]}"#, "missing field `count`"),
        ("config", r#"{"schedule":{}}"#, r#"{"schedule":{}}"#, "schedulers-payload"),
        ("schedulers", r#"{"evict-leader-scheduler":1}"#, "evict-leader-scheduler", "expected a sequence"),
        ("schedulers", "<html>", "<html>", "expected value"),
    ] {
        let fake = Fake::start(path, body);
        for act in ["", "--act"] {
            let (code, message) = refused(&format!("do evict/1 {act} {}", reach(&fake)));
            assert!(code == 1 && message.contains(path), "{message}");
            assert!(message.contains(seen) && message.contains(expected), "{message}");
        }
        assert_eq!(*fake.changes.lock().unwrap(), Vec::<String>::new(), "{path}");
    }
    // A list of evicted stores without its stores.
    let fake = Fake::start("schedulers", r#"["evict-leader-scheduler","evict-slow-store-scheduler"]"#);
    let (code, message) = refused(&format!("do evict/1 --act {}", reach(&fake)));
    assert!(code == 3 && message.contains("evict-leader-scheduler is there and has no store"), "{message}");
}
