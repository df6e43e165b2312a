//! One node as people meet it: its command line, its configuration, its metrics, its end and its next start.

use crate::common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Program, QUICK, http, pd, store, until};
use rawkv::{RawClient, RawClientOptions, RawRequest, RawResponse, RawSession, RequestError};

fn client(pd: &Program) -> RawSession {
    RawClient::connect(&pd.addr("addr"), RawClientOptions::default()).unwrap().session()
}

fn ask(session: &mut RawSession, request: RawRequest) -> Result<RawResponse, RequestError> {
    session.submit(0, request);
    session.flush();
    let mut done = Vec::new();
    until("an answer", || {
        session.poll(Duration::from_millis(100), &mut done);
        !done.is_empty()
    });
    done.remove(0).1
}

fn program(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_diskwright-store")).current_dir(dir).args(args).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_configuration_is_checked_and_strange_keys_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("good.toml"), QUICK).unwrap();
    std::fs::write(dir.path().join("odd.toml"), "[log]\nlevel = 'info'\n[storage]\nreserve-spase = '1GB'\n").unwrap();
    std::fs::write(dir.path().join("bad.toml"), "[storage]\nreserve-space = '1gb'\n").unwrap();
    assert_eq!(program(dir.path(), &["--config", "good.toml", "--config-check"]), (Some(0), String::new()));
    let (code, words) = program(dir.path(), &["--config", "odd.toml", "--config-check"]);
    assert_eq!(code, Some(2));
    assert_eq!(
        words,
        "odd.toml:2: unrecognized configuration key `log.level`\n\
         odd.toml:4: unrecognized configuration key `storage.reserve-spase`; did you mean `storage.reserve-space`?\n"
    );
    let (code, words) = program(dir.path(), &["--config", "bad.toml"]);
    assert_eq!(code, Some(2));
    assert!(words.starts_with("diskwright-store: bad.toml:2:17: storage.reserve-space: unit `gb`"), "{words}");
    let (code, words) = program(dir.path(), &["--addr", "0.0.0.0:0"]);
    assert_eq!(code, Some(2));
    assert!(words.contains("--allow-remote"), "{words}");
}

/// Every series under TiKV's name is one that the TiKV whose surfaces the node has tells, too.
fn are_tikvs(metrics: &str) {
    let tikv: catalog::Release = "8.5.7".parse().unwrap();
    let rows = include_str!("../../tables/metrics.csv").lines().skip(1);
    let known: Vec<&str> = rows
        .filter_map(|row| {
            let mut cells = row.splitn(3, ',');
            let (name, releases) = (cells.next()?, cells.next()?.parse::<catalog::ReleaseSet>().unwrap());
            assert!(!cells.next().unwrap_or_default().is_empty(), "{name} has no source");
            releases.contains(tikv).then_some(name)
        })
        .collect();
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let told: Vec<&str> =
        types.filter_map(|line| line.split(' ').next()).filter(|name| name.starts_with("tikv_")).collect();
    assert!(told.len() > 40, "{told:?}");
    for name in told {
        assert!(known.contains(&name), "{name}: TiKV {tikv} has no such metric");
    }
}

/// What holds, as the node tells it.
fn config(status: &str) -> serde_json::Value {
    serde_json::from_str(&http(status, "GET /config", "").1).unwrap()
}

#[test]
fn pools_are_resized_while_a_node_serves() {
    let dir = tempfile::tempdir().unwrap();
    let pd = pd(dir.path(), 1, 1, 2);
    let node = Program::start(&mut store(dir.path(), &pd, "n1", QUICK));
    let mut session = client(&pd);
    let status = node.addr("status_addr");
    let set = |change: &str| assert_eq!(http(&status, "POST /config", change), (200, String::new()));
    for (readers, schedulers) in [(6, 4), (1, 1), (3, 2)] {
        set(&format!(r#"{{"readpool.unified.max-thread-count": {readers}}}"#));
        set(&format!(r#"{{"storage.scheduler-worker-pool-size": {schedulers}}}"#));
        until("as many threads as were asked for", || {
            node.threads("unified-read-po") == readers && node.threads("sched-worker") == schedulers
        });
        assert_eq!(ask(&mut session, RawRequest::Put("k".into(), "v".into())), Ok(RawResponse::Done));
        assert_eq!(ask(&mut session, RawRequest::Get("k".into())), Ok(RawResponse::Value(Some("v".into()))));
    }
    // As TiKV: of two groups of `storage` in one request only the first takes effect, and both are told.
    set(r#"{"storage.flow-control.l0-files-threshold": 30, "storage.scheduler-worker-pool-size": 4}"#);
    let shown = config(&status);
    assert_eq!((node.threads("sched-worker"), &shown["storage"]["scheduler-worker-pool-size"]), (2, &4.into()));
    // Nor is it done with the next change of another pool.
    set(r#"{"readpool.unified.max-thread-count": 2}"#);
    until("two threads that read", || node.threads("unified-read-po") == 2);
    assert_eq!(node.threads("sched-worker"), 2);
    let refused = http(&status, "POST /config", r#"{"readpool.unified.max-thread-count": 1000}"#);
    assert!(refused.0 == 500 && refused.1.contains("expected at most"), "{refused:?}");
}

#[test]
fn what_tikv_changes_of_raft_changes_while_a_node_serves() {
    let dir = tempfile::tempdir().unwrap();
    let pd = pd(dir.path(), 1, 1, 5);
    let node = Program::start(&mut store(dir.path(), &pd, "n1", QUICK));
    let mut session = client(&pd);
    let status = node.addr("status_addr");
    let set = |change: &str| assert_eq!(http(&status, "POST /config", change), (200, String::new()));
    // One for each region: keys are cut evenly by their first bytes.
    let keys = [0x10_u8, 0x40, 0x70, 0xA0, 0xF0].map(|first| bytes::Bytes::from(vec![first]));
    for (round, (raft, writers, appliers)) in [(3, 2, 4), (1, 1, 1), (2, 3, 2)].into_iter().enumerate() {
        set(&format!(
            r#"{{"raftstore.store-pool-size": {raft}, "raftstore.store-io-pool-size": {writers},
                "raftstore.apply-pool-size": {appliers}}}"#
        ));
        until("as many threads as were asked for", || {
            let threads = ["raftstore-", "store-writer-", "apply-"].map(|name| node.threads(name));
            threads == [raft, writers, appliers]
        });
        let value = bytes::Bytes::from(round.to_string());
        for key in &keys {
            assert_eq!(ask(&mut session, RawRequest::Put(key.clone(), value.clone())), Ok(RawResponse::Done));
        }
        for key in &keys {
            assert_eq!(ask(&mut session, RawRequest::Get(key.clone())), Ok(RawResponse::Value(Some(value.clone()))));
        }
    }
    let refused =
        http(&status, "POST /config", r#"{"raftstore.store-io-pool-size": 0, "raftstore.store-pool-size": 4}"#);
    let words = "ASYNC mode, not allowed to be set to SYNC mode by resizing store-io-pool-size to 0";
    assert_eq!(refused, (500, format!("failed to update, error: {words:?}")));
    assert_eq!(config(&status)["raftstore"]["store-pool-size"], 2, "a change that is refused changes nothing");

    set(r#"{"raftstore.raft-entry-max-size": "4KB", "raftstore.raft-write-size-limit": "64KB"}"#);
    let long = RawRequest::Put(keys[0].clone(), vec![b'v'; 5000].into());
    let refused = ask(&mut session, long.clone()).unwrap_err().to_string();
    assert!(refused.contains("raft-entry-max-size is 4096"), "{refused}");
    set(r#"{"raftstore.raft-entry-max-size": "8MB"}"#);
    assert_eq!(ask(&mut session, long), Ok(RawResponse::Done));
    let shown = config(&status);
    assert_eq!(shown["raftstore"]["raft-write-size-limit"], "64KiB");
    let refused = http(&status, "POST /config", r#"{"raftstore.raft-store-max-leader-lease": "1h"}"#);
    assert!(refused.0 == 500 && refused.1.contains("lease"), "{refused:?}");
}

#[test]
fn a_node_serves_changes_its_settings_ends_and_comes_back_with_its_data() {
    let dir = tempfile::tempdir().unwrap();
    let pd = pd(dir.path(), 1, 1, 2);
    let node = Program::start(&mut store(dir.path(), &pd, "n1", QUICK));
    let mut session = client(&pd);
    let put = |key: &'static [u8], value: &'static [u8]| RawRequest::Put(key.into(), value.into());
    for key in [&b"a"[..], b"\xF0b", b"c"] {
        assert_eq!(ask(&mut session, put(key, b"1")), Ok(RawResponse::Done));
    }
    assert_eq!(ask(&mut session, RawRequest::Get(b"\xF0b"[..].into())), Ok(RawResponse::Value(Some(b"1"[..].into()))));
    // On one machine they spare themselves TCP: 03 is a socket that is connected.
    let beside = format!("@diskwright-store/{}", node.addr("addr"));
    let sockets = std::fs::read_to_string("/proc/net/unix").unwrap();
    let connected = |line: &&str| line.ends_with(&beside) && line.split_whitespace().nth(5) == Some("03");
    assert_eq!(sockets.lines().filter(connected).count(), 1, "{sockets}");

    let status = node.addr("status_addr");
    let change = r#"{"storage.block-cache.capacity": "16MB", "rocksdb.defaultcf.write-buffer-size": "1MB"}"#;
    assert_eq!(http(&status, "POST /config", change), (200, String::new()));
    let shown = config(&status);
    assert_eq!(shown["storage"]["block-cache"]["capacity"], "16MiB");
    let change = r#"{"rocksdb.compaction-readahead-size": "4MB", "rocksdb.max-open-files": 100}"#;
    assert_eq!(http(&status, "POST /config", change), (200, String::new()));
    let shown = config(&status);
    assert_eq!(shown["rocksdb"]["compaction-readahead-size"], "4MiB");
    assert_eq!(shown["rocksdb"]["max-open-files"], 100);
    let refused = http(&status, "POST /config", r#"{"rocksdb.defaultcf.block-size": "1MB"}"#);
    let words = r#"failed to update, error: "config rocksdb.defaultcf.block-size can not be changed""#;
    assert_eq!(refused, (500, words.to_owned()));
    let refused = http(&status, "POST /config", r#"{"rocksdb.rate-bytes-per-sec": "1MB"}"#);
    assert!(refused.0 == 500 && refused.1.contains("tunes itself"), "{refused:?}");
    let file = std::fs::read_to_string(dir.path().join("n1.toml")).unwrap();
    assert!(file.starts_with(QUICK.split("capacity").next().unwrap()), "{file}");
    assert!(file.contains("capacity = '16MiB'") || file.contains("capacity = \"16MiB\""), "{file}");

    // Raft counts its replicas every few seconds.
    let mut metrics = String::new();
    until("the count of leaders", || {
        metrics = http(&status, "GET /metrics", "").1;
        metrics.contains(r#"tikv_raftstore_region_count{type="leader"} 2"#)
    });
    for name in [
        r#"tikv_engine_pending_compaction_bytes{cf="default",db="kv"}"#,
        r#"tikv_engine_num_files_at_level{cf="default",db="kv",level="0"}"#,
        r#"tikv_engine_flow_bytes{db="kv",type="wal_file_bytes"}"#,
        r#"tikv_engine_compaction_flow_bytes{db="kv",type="bytes_written"}"#,
        r#"tikv_engine_cache_efficiency{db="kv",type="block_cache_hit"}"#,
        r#"tikv_engine_write_stall_reason{db="kv",type="memtable_count_limit_stop"}"#,
        r#"tikv_io_bytes{op="write",type="foreground_write"}"#,
        r#"tikv_thread_cpu_seconds_total{name="apply_0"}"#,
        r#"tikv_thread_cpu_seconds_total{name="store_writer_0"}"#,
        r#"tikv_store_size_bytes{type="capacity"}"#,
        "tikv_scheduler_discard_ratio",
        r#"tikv_yatp_pool_schedule_wait_duration_count{name="sched-worker-pool",priority="medium"}"#,
        "tikv_raftstore_store_write_loop_duration_seconds_count",
        "raft_engine_write_duration_seconds_count",
        "process_cpu_seconds_total",
    ] {
        assert!(metrics.contains(name), "{name} is missing from\n{metrics}");
    }
    are_tikvs(&metrics);

    let (code, words) = {
        let output = store(dir.path(), &pd, "n1", &file).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(code, Some(3));
    assert!(words.contains("is in use by another node"), "{words}");

    assert_eq!(node.terminate().code(), Some(0));
    let _node = Program::start(&mut store(dir.path(), &pd, "n1", &file));
    let mut session = client(&pd);
    let scan = RawRequest::Scan { from: Default::default(), until: Default::default(), limit: 10 };
    let pairs = [&b"a"[..], b"c", b"\xF0b"].map(|key| (key.into(), b"1"[..].into()));
    assert_eq!(ask(&mut session, scan), Ok(RawResponse::Pairs(pairs.to_vec())));
}

#[test]
fn a_node_without_room_refuses_writes_with_the_reason_and_goes_on_reading() {
    let dir = tempfile::tempdir().unwrap();
    let pd = pd(dir.path(), 1, 1, 1);
    let node = Program::start(&mut store(dir.path(), &pd, "n1", QUICK));
    let mut session = client(&pd);
    assert_eq!(ask(&mut session, RawRequest::Put(b"k"[..].into(), b"v"[..].into())), Ok(RawResponse::Done));
    assert_eq!(node.terminate().code(), Some(0));

    let hungry = QUICK.replace("reserve-space = '1MB'", "reserve-space = '1PB'");
    let _node = Program::start(&mut store(dir.path(), &pd, "n1", &hungry));
    let options = RawClientOptions { timeout: Duration::from_secs(3), ..RawClientOptions::default() };
    let mut session = RawClient::connect(&pd.addr("addr"), options).unwrap().session();
    let got = ask(&mut session, RawRequest::Get(b"k"[..].into()));
    assert_eq!(got, Ok(RawResponse::Value(Some(b"v"[..].into()))));
    // The disks are looked at as soon as the node serves, but beside it.
    let mut refused = String::new();
    until("a refusal", || match ask(&mut session, RawRequest::Put(b"k"[..].into(), b"w"[..].into())) {
        Err(RequestError::Refused(reason)) => {
            refused = reason;
            true
        }
        _ => false,
    });
    assert!(refused.contains("data disk full") && refused.contains("reserve-space is 1PiB"), "{refused}");
}
