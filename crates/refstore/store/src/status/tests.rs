//! The surface over real HTTP.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::*;
use crate::config::{ConfigDispatch, ConfigValues, HostMachine, StoreConfig};

const MACHINE: HostMachine = HostMachine { cpus: 2, memory: 1 << 30 };

struct Deaf;

impl ConfigDispatch for Deaf {
    fn dispatch(&self, _: &str, _: &ConfigValues, _: &StoreConfig) -> Result<(), String> {
        Ok(())
    }
}

fn server(broken: Option<&'static str>) -> StatusServer {
    let config = StoreConfig::new(ConfigValues::new(), &MACHINE).unwrap();
    let region = proto::metapb::Region { id: 7, start_key: vec![0xAB].into(), ..Default::default() };
    let status = RegionStatus {
        region,
        leader: None,
        leads: false,
        term: 3,
        applied: 9,
        pending: Vec::new(),
        bytes_written: 0,
        keys_written: 0,
    };
    let shown = StatusSource {
        controller: ConfigController::new(config, MACHINE, None, Arc::new(Deaf)),
        metrics: Box::new(|| "m 1\n".to_owned()),
        broken: Box::new(move || broken.map(str::to_owned)),
        regions: Box::new(move || vec![status.clone()]),
    };
    StatusServer::start(TcpListener::bind("127.0.0.1:0").unwrap(), shown).unwrap()
}

/// The status code and the body of an answer.
fn ask(server: &StatusServer, request: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[test]
fn a_posted_change_is_shown_and_a_refused_one_says_why() {
    let server = server(None);
    let (code, body) = ask(&server, "POST /config", r#"{"rocksdb.defaultcf.write-buffer-size": "64MB"}"#);
    assert_eq!((code, body.as_str()), (200, ""));
    let (code, body) = ask(&server, "GET /config?full=true", "");
    let shown: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(code, 200);
    assert_eq!(shown["rocksdb"]["defaultcf"]["write-buffer-size"], "64MiB");
    let refused = ask(&server, "POST /config", r#"{"raft-engine.dir": "/x"}"#);
    let words = r#"failed to update, error: "config raft-engine.dir can not be changed""#;
    assert_eq!(refused, (500, words.to_owned()));
    assert_eq!(ask(&server, "POST /config?persist=yes", "{}").0, 400);
    assert_eq!(ask(&server, "GET /config?full=1", "").0, 400);
}

#[test]
fn health_regions_engine_and_metrics_answer_as_tikv_does() {
    let server = server(None);
    assert_eq!(ask(&server, "GET /status", ""), (200, String::new()));
    assert_eq!(ask(&server, "GET /engine_type", ""), (200, "raft-kv".to_owned()));
    assert_eq!(ask(&server, "GET /metrics", ""), (200, "m 1\n".to_owned()));
    assert_eq!(ask(&server, "GET /region/8", ""), (404, "region(8) not found".to_owned()));
    assert_eq!(ask(&server, "GET /region/x", "").0, 400);
    assert!(ask(&server, "GET /region/7", "").1.contains(r#""start_key":"AB""#));
    assert_eq!(ask(&server, "GET /nowhere", "").0, 404);
}

#[test]
fn a_broken_node_says_what_broke_it() {
    let reason = "raft log disk: Input/output error (os error 5): stepping down";
    assert_eq!(ask(&server(Some(reason)), "GET /status", ""), (500, reason.to_owned()));
}
