//! Region errors: what is retried, where, and what is told in the end.

use std::time::Duration;

use proto::errorpb::*;
use rawkv::{RawClientOptions, RawRequest, RawResponse, RequestError};

use crate::fake::{Fake, Fault, ask, found, get, put, region};

#[test]
fn every_passing_error_is_outlived() {
    let fake = Fake::single();
    let truth = fake.shared.lock().truth.iter().map(|(region, _)| region.clone()).collect();
    let leader = fake.shared.lock().truth[0].0.peers[0];
    let none = Error::default;
    let errors = [
        Error { not_leader: Some(NotLeader { region_id: 1, leader: None }), ..none() },
        Error { not_leader: Some(NotLeader { region_id: 1, leader: Some(leader) }), ..none() },
        Error { epoch_not_match: Some(EpochNotMatch { current_regions: truth }), ..none() },
        Error { epoch_not_match: Some(EpochNotMatch::default()), ..none() },
        Error { region_not_found: Some(RegionNotFound { region_id: 1 }), ..none() },
        Error { key_not_in_region: Some(KeyNotInRegion::default()), ..none() },
        Error { store_not_match: Some(StoreNotMatch::default()), ..none() },
        Error { mismatch_peer_id: Some(MismatchPeerId::default()), ..none() },
        Error { server_is_busy: Some(ServerIsBusy { backoff_ms: 5, ..ServerIsBusy::default() }), ..none() },
        Error { stale_command: Some(StaleCommand {}), ..none() },
        Error { read_index_not_ready: Some(ReadIndexNotReady::default()), ..none() },
        Error { disk_full: Some(DiskFull::default()), ..none() },
        Error { message: "an error of a later TiKV".to_owned(), ..none() },
    ];
    let client = fake.client(RawClientOptions::default());
    let mut session = client.session();
    for (count, error) in (1..).zip(errors) {
        fake.fail_next(Fault::region(error.clone()));
        assert_eq!(ask(&mut session, put("a", "1")), Ok(RawResponse::Done), "{error:?}");
        assert_eq!(client.retries(), count, "{error:?}");
        let swap = RawRequest::CompareAndSwap { key: "b".into(), expected: None, value: "2".into() };
        assert!(ask(&mut session, swap).is_ok());
    }
}

#[test]
fn the_leader_that_a_store_names_is_asked() {
    let fake = Fake::start(&["", "", ""], &["", ""]);
    fake.shared.lock().truth[0].1 = 2;
    let client = fake.client(RawClientOptions::default());
    let mut session = client.session();
    ask(&mut session, put("a", "1")).unwrap();
    ask(&mut session, put("a", "2")).unwrap();
    let stores: Vec<_> = fake.seen().iter().map(|seen| seen.store).collect();
    assert_eq!(stores, [1, 3, 3]);
}

#[test]
fn without_a_name_other_peers_are_tried() {
    let fake = Fake::start(&["", "", ""], &["", ""]);
    let nobody = Error { not_leader: Some(NotLeader { region_id: 1, leader: None }), ..Error::default() };
    // The driver does not know the leader either.
    fake.shared.lock().told[0].1 = 9;
    fake.fail_next(Fault::region(nobody));
    fake.shared.lock().truth[0].1 = 1;
    ask(&mut fake.client(RawClientOptions::default()).session(), put("a", "1")).unwrap();
    let stores: Vec<_> = fake.seen().iter().map(|seen| seen.store).collect();
    assert_eq!(stores, [1, 2]);
}

#[test]
fn a_split_that_the_client_has_not_heard_of_is_followed() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    ask(&mut session, put("a", "1")).unwrap();
    let mut halves = [region(1, 1, "", "m"), region(2, 1, "m", "")];
    for (half, _) in &mut halves {
        half.region_epoch.as_mut().unwrap().version = 2;
    }
    fake.shared.lock().truth = halves.to_vec();
    fake.shared.lock().told = halves.to_vec();
    let pairs = ["z", "b", "n"].map(|key| (key.into(), "2".into()));
    assert_eq!(ask(&mut session, RawRequest::BatchPut(pairs.to_vec())), Ok(RawResponse::Done));
    let scan = RawRequest::Scan { from: "".into(), until: "".into(), limit: 9 };
    let Ok(RawResponse::Pairs(pairs)) = ask(&mut session, scan) else { panic!("a scan finds pairs") };
    assert_eq!(pairs.len(), 4);
    assert_eq!(ask(&mut session, get("n")), found("2"));
}

#[test]
fn a_store_that_is_busy_for_good_is_left_for_the_leader_though_the_driver_does_not_know_it() {
    let fake = Fake::start(&["", "", ""], &["", ""]);
    let mut session = fake.client(RawClientOptions::default()).session();
    ask(&mut session, put("a", "1")).unwrap();
    fake.shared.lock().truth[0].1 = 2;
    fake.shared.lock().busy = Some(1);
    assert_eq!(ask(&mut session, put("a", "2")), Ok(RawResponse::Done));
    assert_eq!(fake.seen().last().unwrap().store, 3);
}

#[test]
fn a_full_disk_is_refused_in_the_end_with_its_reason() {
    let fake = Fake::single();
    let full = DiskFull { store_id: vec![1], reason: "12 MiB of 1 GiB left".to_owned() };
    fake.fail_always(Some(Fault::region(Error { disk_full: Some(full), ..Error::default() })));
    let client = fake.client(RawClientOptions { timeout: Duration::from_millis(300), ..RawClientOptions::default() });
    let Err(RequestError::Refused(reason)) = ask(&mut client.session(), put("a", "1")) else { panic!("not refused") };
    assert!(reason.contains("disk full on store 1: 12 MiB of 1 GiB left"), "{reason}");
    assert!(client.retries() >= 2);
}

#[test]
fn what_can_never_succeed_is_refused_at_once() {
    let fake = Fake::single();
    let large = RaftEntryTooLarge { region_id: 1, entry_size: 9_000_000 };
    fake.fail_always(Some(Fault::region(Error { raft_entry_too_large: Some(large), ..Error::default() })));
    let client = fake.client(RawClientOptions::default());
    let Err(RequestError::Refused(reason)) = ask(&mut client.session(), put("a", "1")) else { panic!("not refused") };
    assert!(reason.contains("9000000 bytes"), "{reason}");
    assert_eq!(client.retries(), 0);
}

#[test]
fn a_region_that_the_driver_does_not_know_is_said_so() {
    let fake = Fake::start(&[""], &["", "m"]);
    let client = fake.client(RawClientOptions { timeout: Duration::from_millis(200), ..RawClientOptions::default() });
    let Err(RequestError::Refused(reason)) = ask(&mut client.session(), put("z", "1")) else { panic!("not refused") };
    assert!(reason.contains("knows no region of the key"), "{reason}");
    let after = region(2, 1, "m", "");
    fake.shared.lock().truth.push(after.clone());
    fake.shared.lock().told.push(after);
    assert_eq!(ask(&mut client.session(), put("z", "1")), Ok(RawResponse::Done));
}

#[test]
fn many_failures_ask_the_driver_only_a_few_times() {
    let fake = Fake::single();
    let mut session = fake.client(RawClientOptions::default()).session();
    let asked = fake.shared.lock().scans;
    let missing = Error { region_not_found: Some(RegionNotFound { region_id: 1 }), ..Error::default() };
    for tag in 0..200 {
        fake.fail_next(Fault::region(missing.clone()));
        session.submit(tag, get("a"));
    }
    session.flush();
    assert!(crate::fake::collect(&mut session, 200).iter().all(|(_, result)| result.is_ok()));
    let asked = fake.shared.lock().scans - asked;
    assert!(asked <= 10, "asked {asked} times");
}
