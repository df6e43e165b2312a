//! Messages between stores.

use crate::common;

use std::time::{Duration, Instant};

use bytes::Bytes;
use common::{Store, Told, regions, until};
use kvserver::{GrpcCompression, KvServerSettings, StoreDirectory};
use proto::raft_serverpb::RaftMessage;
use raftstore::RaftTransport;

fn message(number: u64, size: usize) -> RaftMessage {
    let mut content = number.to_be_bytes().to_vec();
    content.resize(size.max(8), 7);
    RaftMessage { region_id: 1, message: content.into(), ..Default::default() }
}

fn numbers(store: &Store) -> Vec<u64> {
    let number = |message: &RaftMessage| u64::from_be_bytes(message.message[..8].try_into().expect("eight bytes"));
    store.told.stepped.lock().iter().map(number).collect()
}

/// A store in zone `a` that knows a store 2.
fn beside(two: &Store, zone_of_two: &str, settings: KvServerSettings) -> Store {
    let neighbour = two.neighbour(2, zone_of_two);
    let stores = StoreDirectory::new(move || vec![neighbour.clone()]);
    Store::of(
        KvServerSettings { zone: "a".to_owned(), ..settings },
        Told { regions: regions(), ..Told::default() },
        stores,
    )
}

#[test]
fn messages_arrive_in_their_order() {
    for compression in [GrpcCompression::None, GrpcCompression::Gzip] {
        let two = Store::start(KvServerSettings::default());
        let one = beside(&two, "a", KvServerSettings { compression, ..KvServerSettings::default() });
        // The first ones wait until it is known where store 2 is, and may be dropped: raft sends again.
        until("there is a connection", || {
            one.network.send(2, vec![message(0, 8)]);
            std::thread::sleep(Duration::from_millis(10));
            !numbers(&two).is_empty()
        });
        for batch in 0..100 {
            one.network.send(2, (batch * 10 + 1..=batch * 10 + 10).map(|number| message(number, 5000)).collect());
        }
        until("all are there", || numbers(&two).last() == Some(&1000));
        let found: Vec<u64> = numbers(&two).into_iter().filter(|number| *number > 0).collect();
        assert_eq!(found, (1..=1000).collect::<Vec<_>>());
    }
}

#[test]
fn messages_to_another_zone_take_half_of_the_round_trip() {
    let two = Store::start(KvServerSettings::default());
    let half = Duration::from_millis(20);
    let one = beside(&two, "b", KvServerSettings { zone_round_trip: half * 2, ..KvServerSettings::default() });
    until("there is a connection", || {
        one.network.send(2, vec![message(0, 8)]);
        std::thread::sleep(Duration::from_millis(50));
        !numbers(&two).is_empty()
    });
    std::thread::sleep(Duration::from_millis(100));
    let mut took = Vec::new();
    for number in 1..=9 {
        let began = Instant::now();
        one.network.send(2, vec![message(number, 8)]);
        while numbers(&two).last() != Some(&number) {
            assert!(began.elapsed() < Duration::from_secs(20), "message {number} did not arrive");
            std::thread::sleep(Duration::from_micros(50));
        }
        took.push(began.elapsed());
    }
    took.sort();
    println!("{took:?}");
    assert!(took[0] >= half, "never early: {took:?}");
    // The median of nine, and less than the round trip: each way takes half of it.
    assert!(took[4] < half * 2, "{took:?}");
}

#[test]
fn a_store_that_moves_is_found_again() {
    let two = Store::start(KvServerSettings::default());
    let place = std::sync::Arc::new(parking_lot::Mutex::new(two.neighbour(2, "a")));
    let known = place.clone();
    let stores = StoreDirectory::new(move || vec![known.lock().clone()]);
    let one = Store::of(KvServerSettings::default(), Told { regions: regions(), ..Told::default() }, stores);
    let arrives = |store: &Store| {
        until("a message arrives", || {
            one.network.send(2, vec![message(1, 8)]);
            std::thread::sleep(Duration::from_millis(10));
            !numbers(store).is_empty()
        });
    };
    arrives(&two);
    let Store { server, network, .. } = two;
    server.stop();
    network.stop();
    let moved = Store::start(KvServerSettings::default());
    *place.lock() = moved.neighbour(2, "a");
    arrives(&moved);
}

#[test]
fn a_snapshot_arrives_whole_or_is_said_not_to() {
    let two = Store::start(KvServerSettings::default());
    let one = beside(
        &two,
        "b",
        KvServerSettings { zone_round_trip: Duration::from_millis(2), ..KvServerSettings::default() },
    );
    let pieces: Vec<Bytes> = (0..50).map(|number| Bytes::from(vec![number; 100_000])).collect();
    assert!(one.network.send_snapshot(2, message(1, 8), &mut pieces.clone().into_iter()));
    assert_eq!(*two.told.snapshots.lock(), [(message(1, 8), pieces.clone())]);
    let nowhere = RaftMessage { region_id: 9, ..message(1, 8) };
    assert!(!one.network.send_snapshot(2, nowhere, &mut pieces.clone().into_iter()), "there is no region 9");
    assert!(!one.network.send_snapshot(3, message(1, 8), &mut pieces.into_iter()), "there is no store 3");
    assert_eq!(two.told.snapshots.lock().len(), 1);
}
