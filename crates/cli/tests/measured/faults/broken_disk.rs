//! A node whose disk returns errors steps down and says so; the others go on; mended and restarted, it is one of them again.

use std::time::{Duration, Instant};

use bytes::Bytes;
use disk::DiskFault;
use rawkv::{RawClient, RawRequest, RawResponse};
use units::Nanos;

use crate::faults::clients::{Written, ask, lost};
use crate::faults::place::{Place, REGIONS};
use crate::faults::value::{key, value};

/// A write to every region; gives those that were acknowledged, and why others were not.
fn write(client: &RawClient, round: u32) -> (Vec<Written>, Vec<String>) {
    let mut session = client.session();
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    for region in 0..REGIONS {
        let name = format!("b{round}-{region}");
        let key: Bytes = key((region * 256 / REGIONS + 1) as u8, &name);
        match ask(&mut session, RawRequest::Put(key.clone(), value(&name))) {
            Ok(RawResponse::Done) => written.push(Written { key, name }),
            other => failed.push(format!("{name}: {other:?}")),
        }
    }
    (written, failed)
}

fn broken(disk: &str) {
    let place = Place::start("unlimited:2GiB", "unlimited:1GiB", "");
    let client = place
        .client(rawkv::RawClientOptions { timeout: Duration::from_secs(10), ..rawkv::RawClientOptions::default() });
    let node = place.node(0);
    let store = place.store(0);
    let leads = || place.cluster().pd().leaders().unwrap().get(&store).copied().unwrap_or(0);
    place.wait_for("the node to lead", || leads() > 0);
    let (mut written, failed) = write(&client, 0);
    assert!(failed.is_empty(), "{failed:?}");
    node.fault(disk, DiskFault::Errors(1.0), Nanos::MAX).unwrap();
    let begun = Instant::now();
    let mut rounds = 1;
    // Leaders elsewhere within seconds, while clients write.
    while leads() > 0 || node.status().is_ok_and(|(code, _)| code != 500) {
        assert!(begun.elapsed() < Duration::from_secs(20), "after 20 s: {} led, status {:?}", leads(), node.status());
        written.extend(write(&client, rounds).0);
        rounds += 1;
    }
    eprintln!("{disk} disk: stepped down after {:.1?}", begun.elapsed());
    let (code, reason) = node.status().unwrap();
    assert_eq!(code, 500);
    assert!(reason.contains(disk), "the status names no {disk} disk: {reason}");
    assert!(node.said().contains("stepping down"), "{}", node.said());
    let (more, failed) = write(&client, rounds);
    assert!(failed.is_empty(), "the others do not go on: {failed:?}");
    written.extend(more);
    assert!(lost(&client, &written).is_empty(), "{:?}", lost(&client, &written));
    // Broken is broken, also when the disk works again, until the restart.
    node.heal().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(node.status().unwrap().0, 500);
    assert_eq!(leads(), 0, "it does not lead before it is restarted");
    node.power_cut().unwrap();
    node.restart().unwrap();
    place.wait_for("the mended node to be well", || node.status().is_ok_and(|(code, _)| code == 200));
    place.wait_for("the mended node to lead again", || leads() > 0);
    let (more, failed) = write(&client, rounds + 1);
    assert!(failed.is_empty(), "{failed:?}");
    written.extend(more);
    assert!(lost(&client, &written).is_empty(), "{:?}", lost(&client, &written));
    drop(client);
    place.end();
}

#[test]
fn a_node_whose_raft_disk_returns_errors_steps_down_and_says_so() {
    broken("raft");
}

#[test]
fn a_node_whose_data_disk_returns_errors_steps_down_and_says_so() {
    broken("data");
}
