//! What three healthy nodes do for their clients.

use crate::common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Nodes, eventually, one_region, put, read, read_later, write};
use crossbeam_channel::bounded;
use proto::errorpb::Error;
use proto::metapb::Peer;
use raftstore::testing;
use raftstore::{ApplyResult, ColumnFamily, OnlineRaftSettings, Refusal, StateChange, WriteCommand};

fn region_error<T: std::fmt::Debug>(outcome: Result<T, Refusal>) -> Error {
    match outcome {
        Err(Refusal::Region(error)) => *error,
        other => panic!("no region error: {other:?}"),
    }
}

#[test]
fn a_put_is_in_every_state() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    assert_eq!(nodes.put(1, leader, "k", "v"), Ok(ApplyResult::Done));
    assert_eq!(nodes.value(leader, "k").as_deref(), Some("v"));
    for id in 1..=3 {
        eventually("the followers apply it", || nodes.value(id, "k").filter(|value| value == "v"));
    }
}

#[test]
fn leaders_of_new_regions_are_spread_and_there_at_once() {
    let stores = |n: u8| [n % 3 + 1, (n + 1) % 3 + 1, (n + 2) % 3 + 1].map(u64::from);
    let regions = (0..6_u8).map(|n| testing::region(u64::from(n) + 1, &[n], &[n + 1], &stores(n))).collect();
    let nodes = Nodes::started(regions);
    let led = |id| nodes.router(id).statuses().iter().filter(|status| status.leads).count();
    eventually("two leaders a node", || (1..=3).all(|id| led(id) == 2).then_some(()));
}

#[test]
fn a_follower_refers_writes_to_the_leader() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let follower = leader % 3 + 1;
    let told = eventually("the follower knows the leader", || {
        region_error(nodes.put(1, follower, "k", "v")).not_leader.and_then(|told| told.leader)
    });
    assert_eq!(told, nodes.peer(1, leader));
    let refused = region_error(read(&nodes.router(follower), &nodes.context(1, follower)));
    assert!(refused.not_leader.is_some(), "a plain read is for the leader too");
}

#[test]
fn requests_for_others_are_refused_by_name() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let router = nodes.router(leader);
    let good = nodes.context(1, leader);
    let mut other = good.clone();
    other.peer = Some(Peer { id: 1001, store_id: 99, role: 0 });
    let error = region_error(put(&router, &other, "k", "v")).store_not_match.unwrap();
    assert_eq!((error.request_store_id, error.actual_store_id), (99, leader));

    let mut other = good.clone();
    other.region_id = 7;
    assert_eq!(region_error(put(&router, &other, "k", "v")).region_not_found.unwrap().region_id, 7);

    let mut other = good.clone();
    other.peer = Some(Peer { id: 5, store_id: leader, role: 0 });
    assert_eq!(region_error(put(&router, &other, "k", "v")).mismatch_peer_id.unwrap().request_peer_id, 5);

    let mut other = good.clone();
    other.region_epoch = None;
    let current = region_error(put(&router, &other, "k", "v")).epoch_not_match.unwrap().current_regions;
    assert_eq!(current, nodes.regions);

    let mut other = good.clone();
    other.term = 1;
    assert!(region_error(put(&router, &other, "k", "v")).stale_command.is_some());

    let much = "v".repeat(9 << 20);
    assert!(region_error(put(&router, &good, "k", &much)).raft_entry_too_large.is_some());
}

#[test]
fn a_swap_sees_all_that_came_before_it_and_is_done_once() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let (router, context) = (nodes.router(leader), nodes.context(1, leader));
    let swap = |expected: Option<&'static str>, value: &'static str| WriteCommand::CompareAndSwap {
        key: "zk".into(),
        expected: expected.map(Into::into),
        value: value.into(),
    };
    let swapped = |succeeded, previous: Option<&'static str>| ApplyResult::Swapped {
        succeeded,
        previous: previous.map(Into::into),
    };
    assert_eq!(write(&router, &context, swap(None, "1")), Ok(swapped(true, None)));
    assert_eq!(write(&router, &context, swap(None, "2")), Ok(swapped(false, Some("1"))));

    // Many at once go in one batch: each has to see those before it.
    let (done, outcomes) = crossbeam_channel::unbounded();
    for _ in 0..100 {
        let done = done.clone();
        router.write(&context, swap(Some("1"), "won"), Box::new(move |outcome| drop(done.send(outcome))));
    }
    drop(done);
    let won = outcomes.iter().filter(|outcome| *outcome == Ok(swapped(true, Some("1")))).count();
    assert_eq!(won, 1);

    let gone = WriteCommand::Write(vec![StateChange::DeleteRange(ColumnFamily::Default, "z".into(), "{".into())]);
    assert_eq!(write(&router, &context, gone), Ok(ApplyResult::Done));
    assert_eq!(write(&router, &context, swap(None, "again")), Ok(swapped(true, None)));
}

#[test]
fn a_lease_comes_with_a_write_and_goes_without() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let (router, context) = (nodes.router(leader), nodes.context(1, leader));
    // A busy machine may take the lease's time between the two lines.
    eventually("a lease", || {
        nodes.put(1, leader, "k", "v").ok()?;
        router.read_now(&context).ok()?.then_some(())
    });
    eventually("the lease ends", || (router.read_now(&context) == Ok(false)).then_some(()));
    assert_eq!(read_later(&router, &context), Ok(()));
}

#[test]
fn a_follower_reads_what_was_acknowledged_before() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let follower = leader % 3 + 1;
    let mut context = nodes.context(1, follower);
    context.replica_read = true;
    for n in 0..50 {
        let value = n.to_string();
        nodes.put(1, leader, "k", &value).unwrap();
        eventually("leave to read", || read(&nodes.router(follower), &context).ok());
        assert_eq!(nodes.value(follower, "k"), Some(value));
    }
}

#[test]
fn a_follower_reads_what_the_leader_has_shown_though_nobody_was_told_that_it_is_done() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let follower = leader % 3 + 1;
    let mut at_follower = nodes.context(1, follower);
    at_follower.replica_read = true;
    nodes.put(1, leader, "k", "0").unwrap();
    nodes.states[&leader].linger(Duration::from_millis(50));
    let (done, outcomes) = bounded(8);
    for n in 1..=5 {
        let value = n.to_string();
        let done = done.clone();
        let put = common::put_command("k", &value);
        nodes.router(leader).write(&nodes.context(1, leader), put, Box::new(move |outcome| drop(done.send(outcome))));
        eventually("the leader shows it", || nodes.value(leader, "k").filter(|shown| *shown == value));
        eventually("leave to read", || read(&nodes.router(follower), &at_follower).ok());
        assert_eq!(nodes.value(follower, "k"), Some(value));
        assert_eq!(outcomes.recv_timeout(common::PATIENCE), Ok(Ok(ApplyResult::Done)));
    }
}

#[test]
fn leadership_goes_where_it_is_sent_and_the_lease_ends_before() {
    let nodes = Nodes::started(one_region());
    let leader = nodes.leader(1);
    let next = leader % 3 + 1;
    nodes.put(1, leader, "k", "v").unwrap();
    eventually("the other leads", || {
        // Asked again, for the first time the follower may have been behind.
        nodes.router(leader).transfer_leader(1, nodes.peer(1, next));
        (nodes.leader_but(1, leader) == next).then_some(())
    });
    assert_ne!(nodes.router(leader).read_now(&nodes.context(1, leader)), Ok(true));
    assert_eq!(nodes.value(next, "k").as_deref(), Some("v"));
}

#[test]
fn all_is_there_after_a_restart() {
    let mut nodes = Nodes::started(one_region());
    for n in 0..200 {
        nodes.put_somewhere(1, &format!("k{n}"), &n.to_string());
    }
    for id in 1..=3 {
        nodes.stop(id);
        // The log is all that a power cut leaves of what the state had not synced.
        nodes.states[&id].power_cut();
    }
    (1..=3).for_each(|id| nodes.start(id));
    let leader = nodes.leader(1);
    for n in 0..200 {
        assert_eq!(nodes.value(leader, &format!("k{n}")), Some(n.to_string()));
    }
}

#[test]
fn raft_threads_may_write_the_log_themselves() {
    let mut nodes = Nodes::new(one_region(), |_| {});
    nodes.online.store_io_pool_size = 0;
    (1..=3).for_each(|id| nodes.start(id));
    nodes.put_somewhere(1, "k", "v");
    eventually("all have it", || (1..=3).all(|id| nodes.value(id, "k").is_some()).then_some(()));
}

#[test]
fn pools_change_their_sizes_under_writes_and_no_write_is_lost() {
    let bounds: Vec<Vec<u8>> = (0..=6_u8).map(|n| if n % 6 == 0 { Vec::new() } else { vec![b'a' + n] }).collect();
    let regions = (0..6).map(|n| testing::region(n as u64 + 1, &bounds[n], &bounds[n + 1], &[1, 2, 3])).collect();
    let nodes = Nodes::started(regions);
    let over = AtomicBool::new(false);
    let written: Vec<u64> = std::thread::scope(|scope| {
        let writer = |region: u64| {
            let (nodes, over) = (&nodes, &over);
            scope.spawn(move || {
                let mut count = 0;
                while !over.load(Ordering::Relaxed) {
                    let key = format!("{}{count}", char::from(b'a' + region as u8 - 1));
                    nodes.put_somewhere(region, &key, &key);
                    count += 1;
                }
                count
            })
        };
        let writers: Vec<_> = (1..=6).map(writer).collect();
        for round in 0..40 {
            let size = |less: usize| (round * 7 + less) % 5 + 1;
            for id in 1..=3 {
                let of = id as usize;
                let sizes = (size(of), size(of + 1), size(of + 2));
                let (store_pool_size, store_io_pool_size, apply_pool_size) = sizes;
                let online =
                    OnlineRaftSettings { store_pool_size, store_io_pool_size, apply_pool_size, ..testing::online() };
                assert_eq!(nodes.router(id).change(online), Ok(()));
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        over.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    for (region, count) in (1_u64..).zip(written) {
        assert!(count > 0, "region {region} took no write");
        let leader = nodes.leader(region);
        for n in 0..count {
            let key = format!("{}{n}", char::from(b'a' + region as u8 - 1));
            assert_eq!(nodes.value(leader, &key).as_ref(), Some(&key));
        }
    }
}

#[test]
fn who_writes_the_log_is_settled_at_the_start() {
    let mut nodes = Nodes::new(vec![testing::region(1, b"", b"", &[1])], |_| {});
    nodes.start(1);
    let online =
        |store_io_pool_size| OnlineRaftSettings { store_io_pool_size, store_pool_size: 3, ..testing::online() };
    let refused = nodes.router(1).change(online(0)).unwrap_err();
    assert!(refused.starts_with("ASYNC mode"), "{refused}");
    nodes.stop(1);
    nodes.online.store_io_pool_size = 0;
    nodes.start(1);
    let refused = nodes.router(1).change(online(1)).unwrap_err();
    assert!(refused.starts_with("SYNC mode"), "{refused}");
    assert_eq!(nodes.router(1).change(online(0)), Ok(()));
    nodes.put_somewhere(1, "k", "v");
}

#[test]
fn a_region_of_one_replica_works_alone() {
    let mut nodes = Nodes::new(vec![testing::region(1, b"", b"", &[1])], |_| {});
    nodes.start(1);
    nodes.put_somewhere(1, "k", "v");
    nodes.stop(1);
    nodes.start(1);
    assert_eq!(nodes.leader(1), 1);
    assert_eq!(nodes.value(1, "k").as_deref(), Some("v"));
}
