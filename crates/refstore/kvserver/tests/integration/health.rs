//! What TiKV's clients ask of a store beside keys: its health, checksums, and what it cannot do.

use crate::common;

use std::sync::atomic::Ordering;

use common::{Mood, Store, of, until};
use kvserver::KvServerSettings;
use proto::kvrpcpb::*;
use proto::tikvpb::batch_commands_request::{Request, request::Cmd as Ask};
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use proto::tikvpb::{BatchCommandsRequest, BatchCommandsResponse};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// `call!(store, client.raw_get(request))` waits for the answer.
macro_rules! call {
    ($store:expr, $client:ident.$call:ident($request:expr)) => {
        $store.clients.block_on($client.$call($request)).expect("the store answers").into_inner()
    };
}

fn channel(store: &Store) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", store.server.addr())).expect("it is an address");
    store.clients.block_on(endpoint.connect()).expect("it listens")
}

fn status(store: &Store, client: &mut HealthClient<Channel>) -> ServingStatus {
    call!(store, client.check(HealthCheckRequest { service: String::new() })).status()
}

fn put(region: u64, key: &str, value: &str) -> RawPutRequest {
    RawPutRequest {
        context: of(region),
        key: key.to_owned().into(),
        value: value.to_owned().into(),
        ..Default::default()
    }
}

fn sum(region: u64, ranges: &[(&str, &str)]) -> RawChecksumRequest {
    let range = |(start, end): &(&str, &str)| KeyRange {
        start_key: (*start).to_owned().into(),
        end_key: (*end).to_owned().into(),
    };
    RawChecksumRequest { context: of(region), ranges: ranges.iter().map(range).collect(), ..Default::default() }
}

/// CRC-64/XZ, bit by bit.
fn crc64(bytes: &[u8]) -> u64 {
    !bytes.iter().fold(!0, |crc: u64, byte| {
        (0..8).fold(crc ^ u64::from(*byte), |crc, _| (crc >> 1) ^ (0xC96C_5795_D787_0F42 * (crc & 1)))
    })
}

fn totals(answer: &RawChecksumResponse) -> (u64, u64, u64) {
    assert!(answer.region_error.is_none() && answer.error.is_empty(), "{answer:?}");
    (answer.checksum, answer.total_kvs, answer.total_bytes)
}

#[test]
fn a_store_says_that_it_serves_and_no_more_when_a_disk_broke() {
    let store = Store::start(KvServerSettings::default());
    let mut health = HealthClient::new(channel(&store));
    assert_eq!(status(&store, &mut health), ServingStatus::Serving);
    let mut client = store.client();
    let first = call!(store, client.get_health_feedback(GetHealthFeedbackRequest::default()));
    let first = first.health_feedback.expect("the store answers");
    assert_eq!((first.store_id, first.slow_score), (1, 1));

    store.told.broken.store(true, Ordering::SeqCst);
    until("the status is unknown", || status(&store, &mut health.clone()) == ServingStatus::Unknown);
    let second = call!(store, client.get_health_feedback(GetHealthFeedbackRequest::default()));
    let second = second.health_feedback.expect("the store answers");
    assert_eq!((second.feedback_seq_no, second.slow_score), (first.feedback_seq_no + 1, 100));

    store.told.broken.store(false, Ordering::SeqCst);
    until("it serves again", || status(&store, &mut health.clone()) == ServingStatus::Serving);
}

#[test]
fn a_checksum_is_of_all_pairs_in_the_ranges_and_of_no_others() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    for (region, key, value) in [(1, "a", "one"), (1, "b", ""), (1, "c", "three"), (2, "x", "other")] {
        call!(store, client.raw_put(put(region, key, value)));
    }
    call!(store, client.raw_put(RawPutRequest { cf: "write".to_owned(), ..put(1, "a", "w") }));
    // The check value of CRC-64/XZ.
    assert_eq!(crc64(b"123456789"), 0x995D_C9BB_DF19_39FA);
    let (one, two, three) = (crc64(b"aone"), crc64(b"b"), crc64(b"cthree"));
    for mood in [Mood::Leads, Mood::NoLease] {
        *store.told.mood.lock() = mood;
        let two_ranges = call!(store, client.raw_checksum(sum(1, &[("a", "b"), ("c", "d")])));
        assert_eq!(totals(&two_ranges), (one ^ three, 2, 10));
        // Without an end, or with one behind the region's, up to the region's.
        for end in ["", "z"] {
            let all = call!(store, client.raw_checksum(sum(1, &[("", end)])));
            assert_eq!(totals(&all), (one ^ two ^ three, 3, 11));
        }
    }
}

#[test]
fn a_checksum_fails_as_a_scan_does() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let outside = call!(store, client.raw_checksum(sum(1, &[("x", "")])));
    assert!(outside.region_error.expect("it is another region's").key_not_in_region.is_some());
    let unknown = call!(store, client.raw_checksum(RawChecksumRequest { algorithm: 7, ..sum(1, &[("a", "")]) }));
    assert!(unknown.error.starts_with("unknown checksum algorithm"), "{}", unknown.error);
    *store.told.mood.lock() = Mood::Follows;
    let elsewhere = call!(store, client.raw_checksum(sum(1, &[("a", "")])));
    assert!(elsewhere.region_error.expect("it follows").not_leader.is_some());
}

#[test]
fn a_checksum_under_which_a_range_is_replaced_is_made_anew() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    call!(store, client.raw_put(put(1, "a", "one")));
    store.told.wipe_after.store(2, Ordering::SeqCst);
    assert_eq!(totals(&call!(store, client.raw_checksum(sum(1, &[("", "")])))), (crc64(b"aone"), 1, 4));
    assert_eq!(store.told.wipes.load(Ordering::SeqCst), 1);
}

#[test]
fn a_destroyed_range_is_empty_in_all_column_families() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let cfs = ["default", "lock", "write"];
    for cf in cfs {
        for key in ["a", "b", "c"] {
            call!(store, client.raw_put(RawPutRequest { cf: cf.to_owned(), ..put(1, key, "v") }));
        }
    }
    let range = UnsafeDestroyRangeRequest { start_key: "a".into(), end_key: "c".into(), ..Default::default() };
    assert_eq!(call!(store, client.unsafe_destroy_range(range)), UnsafeDestroyRangeResponse::default());
    for cf in cfs {
        let scan = RawScanRequest { context: of(1), limit: 9, cf: cf.to_owned(), ..Default::default() };
        let left = call!(store, client.raw_scan(scan)).kvs;
        assert_eq!(left.iter().map(|pair| &pair.key[..]).collect::<Vec<_>>(), [b"c"], "{cf}");
    }
    let unbounded = UnsafeDestroyRangeRequest { start_key: "a".into(), ..Default::default() };
    let refused = call!(store, client.unsafe_destroy_range(unbounded));
    assert!(refused.error.contains("give both"), "{}", refused.error);
}

#[test]
fn a_split_is_refused_in_the_answer() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let split = SplitRegionRequest { context: of(1), split_keys: vec!["b".into()], ..Default::default() };
    let refused = call!(store, client.split_region(split.clone())).region_error.expect("it cannot");
    assert!(refused.message.starts_with("failed to split: "), "{}", refused.message);
    *store.told.mood.lock() = Mood::Follows;
    let refused = call!(store, client.split_region(split)).region_error.expect("it cannot");
    assert!(refused.not_leader.is_some());
}

#[test]
fn a_store_without_transactions_has_no_safe_timestamp_and_no_lock_that_is_waited_for() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    assert_eq!(call!(store, client.get_store_safe_ts(StoreSafeTsRequest::default())).safe_ts, 0);
    let waits = call!(store, client.get_lock_wait_info(GetLockWaitInfoRequest::default()));
    assert_eq!(waits, GetLockWaitInfoResponse::default());
}

/// The first answer of a stream to one request.
fn batched(store: &Store, ask: Ask) -> BatchCommandsResponse {
    let mut client = store.client();
    store.clients.block_on(async {
        let (sender, requests) = tokio::sync::mpsc::channel(1);
        let mut answers = client.batch_commands(ReceiverStream::new(requests)).await.expect("it listens").into_inner();
        let message = BatchCommandsRequest { requests: vec![Request { cmd: Some(ask) }], request_ids: vec![5] };
        sender.send(message).await.expect("it takes them");
        answers.message().await.expect("it answers").expect("it goes on")
    })
}

#[test]
fn batches_carry_the_slow_score_and_what_a_client_asks_of_it() {
    let store = Store::start(KvServerSettings::default());
    let asked = batched(&store, Ask::GetHealthFeedback(GetHealthFeedbackRequest::default()));
    let Some(Answer::GetHealthFeedback(answer)) = &asked.responses[0].cmd else { panic!("{asked:?}") };
    assert_eq!((asked.request_ids[0], answer.health_feedback.map(|fed| fed.slow_score)), (5, Some(1)));
    assert_eq!(asked.health_feedback.map(|fed| (fed.store_id, fed.slow_score)), Some((1, 1)));
}

#[test]
fn a_plugin_asked_for_in_a_batch_is_refused_as_alone() {
    let store = Store::start(KvServerSettings::default());
    let asked = batched(&store, Ask::RawCoprocessor(RawCoprocessorRequest::default()));
    let Some(Answer::RawCoprocessor(answer)) = &asked.responses[0].cmd else { panic!("{asked:?}") };
    assert_eq!(answer.error, "Coprocessor plugin is disabled!");
}
