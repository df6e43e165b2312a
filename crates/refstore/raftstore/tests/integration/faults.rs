//! What three nodes do when one is away, is behind, has a broken disk or a full one.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Nodes, eventually, one_region, put, read};
use proto::errorpb::Error;
use proto::raft_serverpb::DiskUsage;
use raftstore::{OnlineRaftSettings, Refusal, StateError, testing};

fn region_error<T: std::fmt::Debug>(outcome: Result<T, Refusal>) -> Error {
    match outcome {
        Err(Refusal::Region(error)) => *error,
        other => panic!("no region error: {other:?}"),
    }
}

/// Files that the log of a node holds on to.
fn log_files(nodes: &Nodes, id: u64) -> usize {
    let folder = nodes.folder.path().join(id.to_string()).join("raft");
    let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".raftlog")).count()
}

#[test]
fn a_node_that_was_away_catches_up_from_the_log() {
    let mut nodes = Nodes::started(one_region());
    nodes.put_somewhere(1, "k", "1");
    let away = nodes.leader(1);
    nodes.stop(away);
    (0..20).for_each(|n| nodes.put_somewhere(1, "k", &n.to_string()));
    nodes.start(away);
    eventually("it has the last", || nodes.value(away, "k").filter(|value| value == "19"));
    assert_eq!(nodes.router(away).wipes(), 0, "no snapshot was needed");
}

#[test]
fn how_long_a_log_is_kept_for_a_node_that_is_away_can_be_changed() {
    let nodes = &mut Nodes::started(one_region());
    let away = nodes.leader(1) % 3 + 1;
    let come_back = |nodes: &mut Nodes, last: &str| {
        nodes.stop(away);
        for n in 0..300 {
            nodes.put_somewhere(1, &format!("k{n}"), last);
        }
        // Two rounds of compaction, as below.
        std::thread::sleep(Duration::from_millis(500));
        nodes.start(away);
        eventually("it has the last", || nodes.value(away, "k299").filter(|value| value == last));
        nodes.router(away).wipes()
    };
    assert_eq!(come_back(nodes, "before"), 0, "10,000 entries are kept");
    for id in (1..=3).filter(|id| *id != away) {
        let online = OnlineRaftSettings { gc_count_limit: 100, ..testing::online() };
        assert_eq!(nodes.router(id).change(online), Ok(()));
    }
    assert_eq!(come_back(nodes, "after"), 1, "100 are kept, and the node needs a snapshot");
}

#[test]
fn a_node_that_was_away_for_long_gets_a_snapshot() {
    let mut nodes = Nodes::new(one_region(), |_| {});
    nodes.online.gc_count_limit = 100;
    (1..=3).for_each(|id| nodes.start(id));
    nodes.put_somewhere(1, "gone", "before");
    let away = nodes.leader(1) % 3 + 1;
    eventually("the follower has it", || nodes.value(away, "gone"));
    nodes.stop(away);
    let leader = nodes.leader(1);
    let delete = raftstore::WriteCommand::Write(vec![raftstore::StateChange::Delete(
        raftstore::ColumnFamily::Default,
        "zgone".into(),
    )]);
    common::write(&nodes.router(leader), &nodes.context(1, leader), delete).unwrap();
    let value = "v".repeat(1000);
    for n in 0..1000 {
        nodes.put(1, leader, &format!("k{n:03}"), &value).unwrap();
    }
    // Two rounds of compaction: the first entries are gone for certain.
    std::thread::sleep(Duration::from_millis(500));
    nodes.start(away);
    eventually("a snapshot arrives", || (nodes.router(away).wipes() > 0).then_some(()));
    eventually("it has the last", || nodes.value(away, "k999"));
    assert!((0..1000).all(|n| nodes.value(away, &format!("k{n:03}")).as_ref() == Some(&value)));
    assert_eq!(nodes.value(away, "gone"), None, "what was deleted meanwhile is gone here too");

    // From here on it follows the log, and what it got survives a power cut.
    nodes.put(1, leader, "after", "1").unwrap();
    eventually("it follows", || nodes.value(away, "after"));
    nodes.stop(away);
    nodes.states[&away].power_cut();
    nodes.start(away);
    eventually("all is there again", || nodes.value(away, "after"));
    assert_eq!(nodes.value(away, "k500"), Some(value));
}

#[test]
fn old_files_of_the_log_go() {
    let mut nodes = Nodes::new(one_region(), |settings| {
        settings.log_file_size = 256 << 10;
        settings.log_purge_threshold = 1 << 20;
        settings.log_recycle = false;
    });
    (1..=3).for_each(|id| nodes.start(id));
    let leader = nodes.leader(1);
    let value = "v".repeat(10_000);
    for _ in 0..800 {
        nodes.put(1, leader, "k", &value).unwrap();
    }
    for id in 1..=3 {
        eventually("at most 2 MiB are left of 8", || (log_files(&nodes, id) <= 8).then_some(()));
    }
    for id in 1..=3 {
        nodes.stop(id);
        nodes.states[&id].power_cut();
    }
    (1..=3).for_each(|id| nodes.start(id));
    let leader = nodes.leader(1);
    assert_eq!(nodes.value(leader, "k"), Some(value), "the state was synced before the log was shortened");
}

#[test]
fn a_node_with_a_broken_disk_steps_down_and_says_so() {
    let mut nodes = Nodes::started(one_region());
    let broken = nodes.leader(1);
    nodes.put(1, broken, "k", "1").unwrap();
    nodes.states[&broken].fail(Some(StateError::Disk("Input/output error (os error 5)".to_owned())));
    let lost = nodes.put(1, broken, "k", "2");
    assert!(matches!(&lost, Err(Refusal::Unknown(why)) if why.ends_with("fate unknown")), "{lost:?}");
    let router = nodes.router(broken);
    assert_eq!(router.broken().as_deref(), Some("the data disk fails: Input/output error (os error 5)"));
    let busy = region_error(nodes.put(1, broken, "k", "3")).server_is_busy.unwrap();
    assert_eq!(busy.reason, "the data disk fails: Input/output error (os error 5)");
    assert!(region_error(read(&router, &nodes.context(1, broken))).server_is_busy.is_some());
    eventually("it leads nothing", || router.statuses().iter().all(|status| !status.leads).then_some(()));

    let next = nodes.leader_but(1, broken);
    nodes.put(1, next, "k", "4").unwrap();
    nodes.stop(broken);
    nodes.states[&broken].fail(None);
    nodes.start(broken);
    eventually("a restart heals it", || nodes.value(broken, "k").filter(|value| value == "4"));
}

#[test]
fn a_node_with_a_full_disk_refuses_writes_and_reads_on() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    nodes.put(1, leader, "k", "1").unwrap();
    let router = nodes.router(leader);
    let reason = "data disk full: 12 MiB of 1 GiB left, reserve-space is 64 MiB";
    router.set_disk_usage(DiskUsage::AlreadyFull, reason.to_owned());
    let full = region_error(nodes.put(1, leader, "k", "2")).disk_full.unwrap();
    assert_eq!((full.store_id, full.reason.as_str()), (vec![leader], reason));
    assert_eq!(read(&router, &nodes.context(1, leader)), Ok(()));
    assert_eq!(nodes.value(leader, "k").as_deref(), Some("1"));
    router.set_disk_usage(DiskUsage::Normal, String::new());
    nodes.put_somewhere(1, "k", "3");
}

#[test]
fn a_leader_refuses_writes_while_most_replicas_have_no_room() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let others = [leader % 3 + 1, (leader + 1) % 3 + 1];
    nodes.router(others[0]).set_disk_usage(DiskUsage::AlreadyFull, "full".to_owned());
    nodes.put(1, leader, "k", "one of three may be full").unwrap();
    nodes.router(others[1]).set_disk_usage(DiskUsage::AlreadyFull, "full".to_owned());
    // It comes with the next heartbeat.
    let refused = eventually("the leader hears of it", || {
        let error = match nodes.put_now(1, leader, "k", "v") {
            Err(Refusal::Region(error)) => error,
            _ => return None,
        };
        error.disk_full
    });
    assert_eq!(refused.store_id.len(), 2);
    others.iter().for_each(|&id| nodes.router(id).set_disk_usage(DiskUsage::Normal, String::new()));
    nodes.put_somewhere(1, "k", "again");
}

#[test]
fn a_state_without_room_is_written_when_there_is_some() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    nodes.put(1, leader, "k", "1").unwrap();
    nodes.states[&leader].fail(Some(StateError::Full("No space left on device (os error 28)".to_owned())));
    let done = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&done);
    let router = nodes.router(leader);
    router.write(
        &nodes.context(1, leader),
        common::put_command("k", "2"),
        Box::new(move |outcome| told.store(outcome.is_ok(), Ordering::SeqCst)),
    );
    let refused = eventually("later writes are refused", || match nodes.put_now(1, leader, "x", "x") {
        Err(Refusal::Region(error)) => error.disk_full,
        _ => None,
    });
    assert!(refused.reason.contains("No space left on device"), "{}", refused.reason);
    assert_eq!(nodes.value(leader, "k").as_deref(), Some("1"), "what was there is still read");
    assert!(!done.load(Ordering::SeqCst));
    nodes.states[&leader].fail(None);
    eventually("the write is done after all", || done.load(Ordering::SeqCst).then_some(()));
    assert_eq!(nodes.value(leader, "k").as_deref(), Some("2"));
    assert_eq!(router.broken(), None);
}

#[test]
fn a_leader_that_is_cut_off_loses_its_lease_before_another_leads() {
    let nodes = Nodes::started(one_region());
    let old = nodes.leader(1);
    nodes.put(1, old, "k", "1").unwrap();
    let router = nodes.router(old);
    let context = nodes.context(1, old);
    nodes.network.cut(old, true);
    let new = eventually("another leads", || {
        (1..=3).filter(|&id| id != old).find(|&id| nodes.router(id).statuses()[0].leads)
    });
    assert_ne!(router.read_now(&context), Ok(true));
    let write = nodes.router(old);
    let told = Arc::new(AtomicBool::new(false));
    let fate = Arc::clone(&told);
    write.write(
        &context,
        common::put_command("k", "lost"),
        Box::new(move |outcome| {
            fate.store(outcome.is_err(), Ordering::SeqCst);
        }),
    );
    eventually("the new leader writes", || put(&nodes.router(new), &nodes.context(1, new), "k", "2").ok());
    nodes.network.cut(old, false);
    eventually("the cut off write is refused", || told.load(Ordering::SeqCst).then_some(()));
    eventually("the old leader follows", || nodes.value(old, "k").filter(|value| value == "2"));
}
