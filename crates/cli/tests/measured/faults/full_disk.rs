//! A full disk makes writes fail with an error that names it, and reads go on; once there is room, writes go on too.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::statvfs::statvfs;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rawkv::{RawClient, RawRequest, RawResponse, RequestError};

use crate::faults::clients::{Written, ask, lost};
use crate::faults::fault::NODES;
use crate::faults::place::{Place, REGIONS, seed};
use crate::faults::value::{key, value};

fn free(path: &Path) -> u64 {
    let stat = statvfs(path).unwrap();
    stat.blocks_available() as u64 * stat.fragment_size() as u64
}

/// Leaves so many bytes of a disk.
fn fill(path: &Path, leave: u64) {
    let file = File::create(path.join("filler")).unwrap();
    // Some of the room goes for the filler's own metadata: in smaller and smaller pieces.
    let mut length = 0i64;
    let mut piece = 64i64 << 20;
    while piece >= 4096 {
        if free(path) < leave + piece as u64 || fallocate(&file, FallocateFlags::empty(), length, piece).is_err() {
            piece /= 2;
        } else {
            length += piece;
        }
    }
}

fn empty(path: &Path) {
    std::fs::remove_file(path.join("filler")).unwrap();
}

/// A client that gives up soon, for a disk stays full.
fn client(place: &Place) -> RawClient {
    place.client(rawkv::RawClientOptions { timeout: Duration::from_secs(3), ..rawkv::RawClientOptions::default() })
}

fn put(client: &RawClient, round: &str, region: u32) -> Result<Written, RequestError> {
    let name = format!("f{round}-{region}");
    let key: Bytes = key((region * 256 / REGIONS + 1) as u8, &name);
    match ask(&mut client.session(), RawRequest::Put(key.clone(), value(&name)))? {
        RawResponse::Done => Ok(Written { key, name }),
        other => panic!("a put was answered {other:?}"),
    }
}

fn put_all(client: &RawClient, round: &str) -> Vec<Result<Written, RequestError>> {
    (0..REGIONS).map(|region| put(client, round, region)).collect()
}

/// Fills a disk of all nodes up to its reserve.
fn full(disk: &str, named: &str, reserve: &str) {
    let place = Place::start("unlimited:1GiB", "unlimited:1GiB", &format!("[storage]\n{reserve} = \"64MiB\""));
    let client = client(&place);
    let mut written: Vec<Written> = put_all(&client, "before").into_iter().map(Result::unwrap).collect();
    let disks: Vec<_> = (0..NODES).map(|node| place.mounted(node, disk)).collect();
    disks.iter().for_each(|at| fill(at, 32 << 20));
    place.wait_for("all writes to be refused", || put_all(&client, "full").iter().all(Result::is_err));
    for answer in put_all(&client, "full") {
        let error = answer.expect_err("a write to a full disk is acknowledged").to_string();
        for part in [named, "32 MiB of 9", " left, ", reserve] {
            assert!(error.contains(part), "`{error}` does not say `{part}`");
        }
    }
    assert_eq!(lost(&client, &written), Vec::<String>::new(), "reads go on");
    disks.iter().for_each(|at| empty(at));
    let mended = place.wait_for("writes to go on", || put_all(&client, "after").iter().all(Result::is_ok));
    eprintln!("{disk} disk: writes go on {mended:.1?} after there is room");
    written.extend(put_all(&client, "after").into_iter().map(Result::unwrap));
    assert_eq!(lost(&client, &written), Vec::<String>::new());
    for node in 0..NODES {
        assert_eq!(place.node(node).status().unwrap().0, 200, "a full disk is not a broken one");
    }
    drop(client);
    place.end();
}

#[test]
fn a_full_data_disk_makes_writes_fail_and_reads_go_on() {
    full("data", "data disk full", "reserve-space");
}

#[test]
fn a_full_raft_disk_makes_writes_fail_and_reads_go_on() {
    full("raft", "raft log disk full", "reserve-raft-space");
}

#[test]
fn one_full_disk_of_three_loses_nothing_and_most_writes_go_on() {
    let place = Place::start("unlimited:1GiB", "unlimited:1GiB", "[storage]\nreserve-space = \"64MiB\"");
    let client = client(&place);
    let mut written: Vec<Written> = put_all(&client, "before").into_iter().map(Result::unwrap).collect();
    fill(&place.mounted(0, "data"), 32 << 20);
    // It looks each second.
    std::thread::sleep(Duration::from_secs(3));
    let answers = put_all(&client, "full");
    let refused = answers.iter().filter(|answer| answer.is_err()).count();
    assert!(refused <= REGIONS as usize / NODES, "only regions that the full node leads refuse: {answers:?}");
    written.extend(answers.into_iter().flatten());
    assert_eq!(lost(&client, &written), Vec::<String>::new());
    empty(&place.mounted(0, "data"));
    place.wait_for("writes to go on", || put_all(&client, "after").iter().all(Result::is_ok));
    drop(client);
    place.end();
}

/// What happens to the nodes while there is no room.
#[derive(PartialEq)]
enum Meanwhile {
    TheyRun,
    /// All of them: what could not be flushed is in their logs alone.
    Kill9,
}

/// No reserve at all: the disk itself says that there is no room. Reads may stop then, for that is what the reserve is for.
fn without_reserve(disk: &str, settings: &str, meanwhile: Meanwhile) {
    let place = Place::start("unlimited:1GiB", "unlimited:1GiB", settings);
    let client = client(&place);
    let mut written: Vec<Written> = put_all(&client, "before").into_iter().map(Result::unwrap).collect();
    let disks: Vec<_> = (0..NODES).map(|node| place.mounted(node, disk)).collect();
    disks.iter().for_each(|at| fill(at, 0));
    // Files that have room already take some writes more.
    // As whoever looks into the log finds it.
    let named = [format!("{disk} disk is full"), format!("{disk} disk full")];
    let says = || {
        place.cluster().nodes().iter().any(|node| {
            let said = node.said();
            named.iter().any(|named| said.contains(named))
        })
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed());
    let mut session = client.session();
    let from = Instant::now();
    let mut refused = None;
    // What the key may hold: the last that was acknowledged, or any that was tried since, for what failed may have been done.
    let (filled, mut held) = (key(1, "filling"), Vec::new());
    while refused.is_none() || !says() {
        assert!(
            from.elapsed() < Duration::from_secs(60),
            "no node says `{}`; a write was answered {refused:?}",
            named[0]
        );
        // The log compresses what it can.
        let mut large = vec![0; 64 << 10];
        random.fill(&mut large[..]);
        let large = Bytes::from(large);
        match ask(&mut session, RawRequest::Put(filled.clone(), large.clone())) {
            Ok(_) => held.clear(),
            Err(error) => refused = Some(error.to_string()),
        }
        held.push(large);
    }
    eprintln!("{disk} disk without reserve, after {:.1?}: {refused:?}", from.elapsed());
    let nodes = place.cluster().nodes();
    if meanwhile == Meanwhile::Kill9 {
        nodes.iter().for_each(|node| node.kill9());
    }
    disks.iter().for_each(|at| empty(at));
    if meanwhile == Meanwhile::Kill9 {
        nodes.iter().for_each(|node| node.restart().unwrap());
    }
    let mended = place.wait_for("writes to go on", || put_all(&client, "after").iter().all(Result::is_ok));
    eprintln!("{disk} disk without reserve: writes go on {mended:.1?} after there is room");
    written.extend(put_all(&client, "after").into_iter().map(Result::unwrap));
    assert_eq!(lost(&client, &written), Vec::<String>::new());
    // What was written before it was full, and after, is also on the disk.
    for node in nodes {
        assert_eq!(node.status().unwrap().0, 200, "a full disk is not a broken one");
        node.kill9();
        node.restart().unwrap();
    }
    assert_eq!(lost(&client, &written), Vec::<String>::new());
    match ask(&mut session, RawRequest::Get(filled)) {
        Ok(RawResponse::Value(Some(value))) => assert!(held.contains(&value), "what filled the disk is an older write"),
        other => panic!("what filled the disk was answered {other:?}"),
    }
    drop((client, session));
    place.end();
}

#[test]
fn a_data_disk_that_runs_out_of_room_loses_nothing_and_goes_on_once_there_is_room() {
    without_reserve("data", "[storage]\nreserve-space = \"0B\"", Meanwhile::TheyRun);
}

#[test]
fn nodes_that_are_killed_while_their_data_disks_have_no_room_come_back_with_all_that_was_acknowledged() {
    // Memtables so small that some are flushed into what has no room for them.
    let settings = "[storage]\nreserve-space = \"0B\"\n[rocksdb.defaultcf]\nwrite-buffer-size = \"1MiB\"";
    without_reserve("data", settings, Meanwhile::Kill9);
}

/// A log that keeps all its files, so that it needs more.
const LOG: &str = "[storage]\nreserve-raft-space = \"0B\"\n[raft-engine]\ntarget-file-size = \"2MiB\"\n\
                   purge-threshold = \"10GiB\"\nenable-log-recycle = false";

#[test]
fn a_raft_disk_that_runs_out_of_room_loses_nothing_and_goes_on_once_there_is_room() {
    without_reserve("raft", LOG, Meanwhile::TheyRun);
}

#[test]
fn nodes_that_are_killed_while_their_raft_disks_have_no_room_come_back_with_all_that_was_acknowledged() {
    without_reserve("raft", LOG, Meanwhile::Kill9);
}
