//! Raw keys over gRPC, one request and one answer at a time.

use crate::common;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use common::{Mood, Store, of};
use kvserver::KvServerSettings;
use proptest::prelude::*;
use proto::kvrpcpb::*;
use proto::tikvpb::tikv_client::TikvClient;
use tonic::transport::Channel;

/// `call!(store, client.raw_get(request))` waits for the answer.
macro_rules! call {
    ($store:expr, $client:ident.$call:ident($request:expr)) => {
        $store.clients.block_on($client.$call($request)).expect("the store answers").into_inner()
    };
}

fn put(region: u64, key: &str, value: &str) -> RawPutRequest {
    RawPutRequest {
        context: of(region),
        key: key.to_owned().into(),
        value: value.to_owned().into(),
        ..Default::default()
    }
}

fn get(region: u64, key: &str) -> RawGetRequest {
    RawGetRequest { context: of(region), key: key.to_owned().into(), ..Default::default() }
}

fn pairs(kvs: &[KvPair]) -> Vec<(&str, &str)> {
    let text = |bytes| std::str::from_utf8(bytes).expect("the tests write text");
    kvs.iter().map(|pair| (text(&pair.key), text(&pair.value))).collect()
}

#[test]
fn what_is_put_is_there_until_it_is_deleted() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    assert_eq!(call!(store, client.raw_put(put(1, "a", "one"))), RawPutResponse::default());
    let found = call!(store, client.raw_get(get(1, "a")));
    assert_eq!((&found.value[..], found.not_found), (&b"one"[..], false));
    assert!(call!(store, client.raw_get(get(1, "b"))).not_found);
    let delete = RawDeleteRequest { context: of(1), key: "a".into(), ..Default::default() };
    assert_eq!(call!(store, client.raw_delete(delete)), RawDeleteResponse::default());
    assert!(call!(store, client.raw_get(get(1, "a"))).not_found);
}

#[test]
fn an_empty_value_is_a_value() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    call!(store, client.raw_put(put(1, "a", "")));
    assert!(!call!(store, client.raw_get(get(1, "a"))).not_found);
}

#[test]
fn column_families_are_apart() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    call!(store, client.raw_put(RawPutRequest { cf: "write".to_owned(), ..put(1, "a", "w") }));
    assert!(call!(store, client.raw_get(get(1, "a"))).not_found);
    let found = call!(store, client.raw_get(RawGetRequest { cf: "write".to_owned(), ..get(1, "a") }));
    assert_eq!(&found.value[..], b"w");
    let wrong = call!(store, client.raw_get(RawGetRequest { cf: "raft".to_owned(), ..get(1, "a") }));
    assert!(wrong.error.starts_with("invalid cf name: raft"), "{}", wrong.error);
}

#[test]
fn batches_put_get_and_delete() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let pair = |key: &'static str| KvPair { key: key.into(), value: key.into(), ..Default::default() };
    let puts =
        RawBatchPutRequest { context: of(1), pairs: vec![pair("a"), pair("b"), pair("c")], ..Default::default() };
    assert_eq!(call!(store, client.raw_batch_put(puts)), RawBatchPutResponse::default());
    let keys = vec!["a".into(), "x".into(), "c".into()];
    let gets =
        || RawBatchGetRequest { context: of(1), keys: vec!["a".into(), "b".into(), "c".into()], ..Default::default() };
    let outside = call!(store, client.raw_batch_get(RawBatchGetRequest { keys, ..gets() }));
    assert!(outside.region_error.expect("x is in region 2").key_not_in_region.is_some());
    assert_eq!(pairs(&call!(store, client.raw_batch_get(gets())).pairs), [("a", "a"), ("b", "b"), ("c", "c")]);
    let delete = RawBatchDeleteRequest { context: of(1), keys: vec!["a".into(), "b".into()], ..Default::default() };
    assert_eq!(call!(store, client.raw_batch_delete(delete)), RawBatchDeleteResponse::default());
    assert_eq!(pairs(&call!(store, client.raw_batch_get(gets())).pairs), [("c", "c")]);
}

#[test]
fn a_range_is_deleted_within_its_region() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    for key in ["a", "b", "c", "d"] {
        call!(store, client.raw_put(put(1, key, "")));
    }
    call!(store, client.raw_put(put(2, "m", "")));
    let range = |start_key: &'static str, end_key: &'static str| RawDeleteRangeRequest {
        context: of(1),
        start_key: start_key.into(),
        end_key: end_key.into(),
        ..Default::default()
    };
    assert_eq!(call!(store, client.raw_delete_range(range("b", "d"))), RawDeleteRangeResponse::default());
    let there =
        |client: &mut TikvClient<Channel>, region, key| !call!(store, client.raw_get(get(region, key))).not_found;
    assert!(there(&mut client, 1, "a") && !there(&mut client, 1, "c") && there(&mut client, 1, "d"));
    assert!(call!(store, client.raw_delete_range(range("a", "z"))).region_error.is_some(), "z is beyond the region");
    assert!(call!(store, client.raw_delete_range(range("d", "a"))).error.contains("ends before it begins"));
    call!(store, client.raw_delete_range(range("a", "m")));
    assert!(!there(&mut client, 1, "d") && there(&mut client, 2, "m"), "the region's end is not deleted");
}

#[test]
fn compare_and_swap_says_what_was_there() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let swap = |expected: Option<&'static str>, value: &'static str| RawCasRequest {
        context: of(1),
        key: "a".into(),
        value: value.into(),
        previous_not_exist: expected.is_none(),
        previous_value: expected.unwrap_or_default().into(),
        ..Default::default()
    };
    let first = call!(store, client.raw_compare_and_swap(swap(None, "1")));
    assert!(first.succeed && first.previous_not_exist);
    let wrong = call!(store, client.raw_compare_and_swap(swap(Some("0"), "2")));
    assert_eq!((wrong.succeed, wrong.previous_not_exist, &wrong.previous_value[..]), (false, false, &b"1"[..]));
    assert!(call!(store, client.raw_compare_and_swap(swap(Some("1"), "2"))).succeed);
    assert_eq!(&call!(store, client.raw_get(get(1, "a"))).value[..], b"2");
}

#[test]
fn requests_that_make_no_sense_are_refused_with_a_reason() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let ttl = call!(store, client.raw_put(RawPutRequest { ttl: 5, ..put(1, "a", "") }));
    assert!(ttl.error.starts_with("ttl is not enabled"), "{}", ttl.error);
    let ttl = RawGetKeyTtlRequest { context: of(1), key: "a".into(), ..Default::default() };
    let ttl = call!(store, client.raw_get_key_ttl(ttl));
    assert!(ttl.error.starts_with("ttl is not enabled") && !ttl.not_found, "{}", ttl.error);
    let plugin = RawCoprocessorRequest { context: of(1), copr_name: "count".to_owned(), ..Default::default() };
    assert_eq!(call!(store, client.raw_coprocessor(plugin)).error, "Coprocessor plugin is disabled!");
    assert!(call!(store, client.raw_put(put(1, "", ""))).error.contains("a key is empty"));
    assert!(call!(store, client.raw_get(get(1, ""))).error.contains("a key is empty"));
    let long = "a".repeat(8193);
    assert!(call!(store, client.raw_put(put(1, &long, ""))).error.contains("max key size exceeded"));
    let elsewhere = call!(store, client.raw_put(put(1, "z", ""))).region_error.expect("z is in region 2");
    let key = elsewhere.key_not_in_region.expect("the error says so");
    assert_eq!((&key.key[..], key.region_id, &key.end_key[..]), (&b"z"[..], 1, &b"m"[..]));
    assert!(call!(store, client.raw_get(get(9, "z"))).region_error.expect("no region 9").region_not_found.is_some());
    let mut v2 = of(1).expect("a context");
    v2.api_version = ApiVersion::V2 as i32;
    let answer = call!(store, client.raw_get(RawGetRequest { context: Some(v2), ..get(1, "a") }));
    assert!(answer.error.contains("Api version"));
}

#[test]
fn a_replica_that_does_not_lead_says_so_to_every_kind_of_request() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    *store.told.mood.lock() = Mood::Follows;
    let context = of(1);
    let said =
        |error: Option<Box<proto::errorpb::Error>>| error.expect("an error").not_leader.expect("not leader").region_id;
    assert_eq!(said(call!(store, client.raw_put(put(1, "a", ""))).region_error), 1);
    assert_eq!(said(call!(store, client.raw_get(get(1, "a"))).region_error), 1);
    let scan = RawScanRequest { context: context.clone(), limit: 1, ..Default::default() };
    assert_eq!(said(call!(store, client.raw_scan(scan)).region_error), 1);
    let swap = RawCasRequest { context, key: "a".into(), ..Default::default() };
    assert_eq!(said(call!(store, client.raw_compare_and_swap(swap)).region_error), 1);
}

#[test]
fn a_read_without_a_lease_asks_first() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    call!(store, client.raw_put(put(1, "a", "one")));
    *store.told.mood.lock() = Mood::NoLease;
    assert_eq!(&call!(store, client.raw_get(get(1, "a"))).value[..], b"one");
}

#[test]
fn a_read_is_done_again_when_its_range_was_replaced_under_it() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    call!(store, client.raw_put(put(1, "a", "one")));
    // The second look at the counter, after the read, sees another number; the third and fourth do not.
    store.told.wipe_after.store(2, Ordering::SeqCst);
    assert_eq!(&call!(store, client.raw_get(get(1, "a"))).value[..], b"one");
    assert_eq!(store.told.wipes.load(Ordering::SeqCst), 1);
}

#[test]
fn too_many_writes_under_way_make_a_store_busy_until_they_are_done() {
    let store =
        Store::start(KvServerSettings { scheduler_pending_write_threshold: 1000, ..KvServerSettings::default() });
    let mut client = store.client();
    *store.told.mood.lock() = Mood::Keeps;
    let waits = {
        let mut client = client.clone();
        let value = "v".repeat(1000);
        store.clients.spawn(async move { client.raw_put(put(1, "a", &value)).await })
    };
    common::until("the write is under way", || !store.told.kept.lock().is_empty());
    let busy = call!(store, client.raw_put(put(1, "b", ""))).region_error.expect("too many");
    assert_eq!(busy.server_is_busy.expect("busy").reason, "scheduler is busy");
    let kept = std::mem::take(&mut *store.told.kept.lock());
    kept.into_iter().for_each(|done| done(Ok(raftstore::ApplyResult::Done)));
    assert!(store.clients.block_on(waits).expect("it ends").expect("an answer").get_ref().region_error.is_none());
    *store.told.mood.lock() = Mood::Leads;
    assert!(call!(store, client.raw_put(put(1, "b", ""))).region_error.is_none());
}

#[test]
fn a_value_of_16_mib_passes() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    let value = Bytes::from(vec![7; 16 << 20]);
    call!(store, client.raw_put(RawPutRequest { value: value.clone(), ..put(1, "a", "") }));
    assert_eq!(call!(store, client.raw_get(get(1, "a"))).value, value);
}

#[test]
fn several_ranges_are_scanned_at_once() {
    let store = Store::start(KvServerSettings::default());
    let mut client = store.client();
    for key in ["a", "b", "c", "d", "e"] {
        call!(store, client.raw_put(put(1, key, key)));
    }
    let range = |start: &'static str, end: &'static str| KeyRange { start_key: start.into(), end_key: end.into() };
    let scan =
        |ranges| RawBatchScanRequest { context: of(1), ranges, each_limit: 2, key_only: true, ..Default::default() };
    let found = call!(store, client.raw_batch_scan(scan(vec![range("a", ""), range("b", "z")])));
    assert_eq!(pairs(&found.kvs), [("a", ""), ("b", ""), ("c", "")], "the first ends where the second begins");
    let wrong = call!(store, client.raw_batch_scan(scan(vec![range("c", "a")])));
    assert!(wrong.kvs[0].error.as_ref().expect("an error").abort.contains("Invalid KeyRanges"));
}

/// A scan of a region as a map would do it.
fn expected(map: &BTreeMap<Vec<u8>, Vec<u8>>, scan: &RawScanRequest, region: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
    let within = |key: &[u8]| if region == 1 { key < b"m".as_slice() } else { key >= b"m".as_slice() };
    let (low, high) = if scan.reverse { (&scan.end_key, &scan.start_key) } else { (&scan.start_key, &scan.end_key) };
    let inside = |key: &[u8]| key >= &low[..] && (high.is_empty() || key < &high[..]);
    let mut found: Vec<_> = map.iter().filter(|(key, _)| within(key) && inside(key)).collect();
    if scan.reverse {
        found.reverse();
    }
    let value = |value: &Vec<u8>| if scan.key_only { Vec::new() } else { value.clone() };
    found.into_iter().take(scan.limit as usize).map(|(key, content)| (key.clone(), value(content))).collect()
}

#[test]
fn scans_give_what_a_map_would() {
    let store = Store::start(KvServerSettings::default());
    let client = store.client();
    let key = || prop::collection::vec(prop::sample::select(b"abmnz\xff\x00".to_vec()), 1..4);
    let bound = || prop_oneof![1 => Just(Vec::new()), 4 => key()];
    let contents = prop::collection::btree_map(key(), prop::collection::vec(any::<u8>(), 0..3), 0..20);
    let scan = (bound(), bound(), 0_u32..12, any::<bool>(), any::<bool>(), 1_u64..3);
    let cases = (contents, prop::collection::vec(scan, 8));
    let config = ProptestConfig { cases: 64, ..ProptestConfig::default() };
    proptest!(config, |((map, scans) in cases)| {
        let mut client = client.clone();
        for (region, start_key, end_key) in [(1, "", "m"), (2, "m", "")] {
            let range = RawDeleteRangeRequest {
                context: of(region), start_key: start_key.into(), end_key: end_key.into(), ..Default::default()
            };
            prop_assert_eq!(call!(store, client.raw_delete_range(range)), RawDeleteRangeResponse::default());
        }
        for (key, value) in &map {
            let region = if key[..] < b"m"[..] { 1 } else { 2 };
            let put = RawPutRequest {
                context: of(region), key: key.clone().into(), value: value.clone().into(), ..Default::default()
            };
            prop_assert_eq!(call!(store, client.raw_put(put)), RawPutResponse::default());
        }
        for (start, end, limit, key_only, reverse, region) in scans {
            let scan = RawScanRequest {
                context: of(region), start_key: start.into(), end_key: end.into(), limit, key_only, reverse,
                ..Default::default()
            };
            let answer = call!(store, client.raw_scan(scan.clone()));
            if answer.region_error.is_some() {
                let start = &scan.start_key[..];
                let inside = if region == 1 { start < &b"m"[..] } else { start >= &b"m"[..] };
                let at_end = reverse && (if region == 1 { start == b"m" } else { start.is_empty() });
                prop_assert!(!inside && !at_end, "{:?} is the region's", scan);
                continue;
            }
            let found: Vec<_> = answer.kvs.iter().map(|pair| (pair.key.to_vec(), pair.value.to_vec())).collect();
            prop_assert_eq!(found, expected(&map, &scan, region), "{:?}", scan);
        }
    });
}
