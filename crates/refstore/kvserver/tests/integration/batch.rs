//! The stream of batches, which clients use for nearly everything.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Mood, Store, of};
use kvserver::{GrpcCompression, KvServerSettings};
use proto::kvrpcpb::*;
use proto::tikvpb::batch_commands_request::Request as Asked;
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use proto::tikvpb::{BatchCommandsEmptyRequest, BatchCommandsRequest, BatchCommandsResponse};
use tokio_stream::wrappers::ReceiverStream;
use tonic::codec::CompressionEncoding;
use tonic::{Request, Streaming};

type Sender = tokio::sync::mpsc::Sender<BatchCommandsRequest>;

fn stream(store: &Store) -> (Sender, Streaming<BatchCommandsResponse>) {
    let (sender, requests) = tokio::sync::mpsc::channel(16);
    let mut client = store.client();
    let answers = store.clients.block_on(client.batch_commands(ReceiverStream::new(requests)));
    (sender, answers.expect("it answers").into_inner())
}

fn message(asks: Vec<(u64, Ask)>) -> BatchCommandsRequest {
    let request_ids = asks.iter().map(|(id, _)| *id).collect();
    let requests = asks.into_iter().map(|(_, ask)| Asked { cmd: Some(ask) }).collect();
    BatchCommandsRequest { requests, request_ids }
}

fn put(id: u64) -> (u64, Ask) {
    let (key, value) = (format!("key{id:04}").into(), format!("value{id}").into());
    (id, Ask::RawPut(RawPutRequest { context: of(1), key, value, ..Default::default() }))
}

fn get(id: u64) -> (u64, Ask) {
    (id, Ask::RawGet(RawGetRequest { context: of(1), key: format!("key{id:04}").into(), ..Default::default() }))
}

/// Answers by request id, until there are so many.
fn answers(
    store: &Store,
    stream: &mut Streaming<BatchCommandsResponse>,
    count: usize,
) -> BTreeMap<u64, Option<Answer>> {
    let mut found = BTreeMap::new();
    while found.len() < count {
        let message = store.clients.block_on(stream.message()).expect("no error").expect("not the end");
        let answers = message.request_ids.into_iter().zip(message.responses);
        found.extend(answers.map(|(id, response)| (id, response.cmd)));
    }
    found
}

#[test]
fn every_request_of_every_batch_is_answered_once_under_its_id() {
    let store = Store::start(KvServerSettings::default());
    let (sender, mut stream) = stream(&store);
    for batch in 0..20 {
        store
            .clients
            .block_on(sender.send(message((batch * 50..(batch + 1) * 50).map(put).collect())))
            .expect("it takes them");
    }
    let puts = answers(&store, &mut stream, 1000);
    assert!(puts.values().all(|answer| *answer == Some(Answer::RawPut(RawPutResponse::default()))));
    for batch in 0..20 {
        store
            .clients
            .block_on(sender.send(message((batch * 50..(batch + 1) * 50).map(get).collect())))
            .expect("it takes them");
    }
    for (id, answer) in answers(&store, &mut stream, 1000) {
        let Some(Answer::RawGet(found)) = answer else { panic!("{id} is answered as a get") };
        assert_eq!(found.value, format!("value{id}"));
    }
    drop(sender);
    let end = store.clients.block_on(stream.message()).expect("no error");
    assert!(end.is_none(), "the stream ends when all is answered");
}

#[test]
fn reads_and_writes_and_what_is_unknown_may_come_in_one_batch() {
    let store = Store::start(KvServerSettings::default());
    let (sender, mut stream) = stream(&store);
    let empty = Ask::Empty(BatchCommandsEmptyRequest { test_id: 7, delay_time: 0 });
    let scan = Ask::RawScan(RawScanRequest { context: of(2), start_key: "m".into(), limit: 1, ..Default::default() });
    let mut batch = message(vec![put(1), (2, empty), (3, scan), get(4)]);
    batch.requests.push(Asked { cmd: None });
    batch.request_ids.push(5);
    store.clients.block_on(sender.send(batch)).expect("it takes them");
    let found = answers(&store, &mut stream, 5);
    assert!(matches!(&found[&1], Some(Answer::RawPut(_))));
    assert!(matches!(&found[&2], Some(Answer::Empty(answer)) if answer.test_id == 7));
    assert!(matches!(&found[&3], Some(Answer::RawScan(_))));
    assert!(matches!(&found[&4], Some(Answer::RawGet(answer)) if answer.not_found));
    assert_eq!(found[&5], None);
}

#[test]
fn reads_without_a_lease_ask_once_for_all_of_a_region() {
    let store = Store::start(KvServerSettings::default());
    let (sender, mut stream) = stream(&store);
    *store.told.mood.lock() = Mood::NoLease;
    let elsewhere = Ask::RawGet(RawGetRequest { context: of(2), key: "x".into(), ..Default::default() });
    let asks = (0..40).map(get).chain([(99, elsewhere)]).collect();
    store.clients.block_on(sender.send(message(asks))).expect("it takes them");
    let found = answers(&store, &mut stream, 41);
    assert!(found.values().all(|answer| matches!(answer, Some(Answer::RawGet(answer)) if answer.not_found)));
    assert_eq!(store.told.asked.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[test]
fn a_client_that_leaves_does_not_disturb_the_others() {
    let store = Store::start(KvServerSettings::default());
    *store.told.mood.lock() = Mood::Keeps;
    let (leaver, answers_of_leaver) = stream(&store);
    store.clients.block_on(leaver.send(message(vec![put(1)]))).expect("it takes them");
    common::until("the write is under way", || !store.told.kept.lock().is_empty());
    drop((leaver, answers_of_leaver));
    *store.told.mood.lock() = Mood::Leads;
    let (sender, mut stream) = stream(&store);
    store.clients.block_on(sender.send(message(vec![put(2), get(3)]))).expect("it takes them");
    let kept = std::mem::take(&mut *store.told.kept.lock());
    kept.into_iter().for_each(|done| done(Ok(raftstore::ApplyResult::Done)));
    assert_eq!(answers(&store, &mut stream, 2).len(), 2);
}

#[test]
fn compressed_requests_are_understood_and_answers_compressed_where_it_is_set() {
    for (compression, wanted) in [(GrpcCompression::None, None), (GrpcCompression::Gzip, Some("gzip"))] {
        let store = Store::start(KvServerSettings { compression, ..KvServerSettings::default() });
        let gzip = CompressionEncoding::Gzip;
        let mut client = store.client().send_compressed(gzip).accept_compressed(gzip);
        let value = "v".repeat(10_000);
        let put = RawPutRequest { context: of(1), key: "a".into(), value: value.clone().into(), ..Default::default() };
        store.clients.block_on(client.raw_put(put)).expect("it is understood");
        let get = RawGetRequest { context: of(1), key: "a".into(), ..Default::default() };
        let answer = store.clients.block_on(client.raw_get(get)).expect("it is understood");
        assert_eq!(answer.get_ref().value, value);
        let header = answer.metadata().get("grpc-encoding").and_then(|header| header.to_str().ok());
        assert_eq!(header, wanted);
    }
}

#[test]
fn a_stopped_store_answers_what_is_under_way() {
    let store = Store::start(KvServerSettings::default());
    let (sender, mut stream) = stream(&store);
    *store.told.mood.lock() = Mood::Keeps;
    store.clients.block_on(sender.send(message(vec![put(1)]))).expect("it takes them");
    common::until("the write is under way", || !store.told.kept.lock().is_empty());
    let told = store.told.clone();
    let later = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let kept = std::mem::take(&mut *told.kept.lock());
        kept.into_iter().for_each(|done| done(Ok(raftstore::ApplyResult::Done)));
    });
    let Store { server, clients, network, .. } = store;
    server.stop();
    later.join().expect("it ends");
    let message = clients.block_on(stream.message()).expect("no error").expect("an answer");
    assert_eq!(message.request_ids, [1]);
    network.stop();
}

#[test]
fn bytes_of_a_client_that_says_its_zone_are_counted() {
    let store = Store::start(KvServerSettings { zone: "batch-b".to_owned(), ..KvServerSettings::default() });
    let mut client = store.client();
    let value = "v".repeat(100_000);
    let put = RawPutRequest { context: of(1), key: "a".into(), value: value.into(), ..Default::default() };
    let mut request = Request::new(put);
    request.metadata_mut().insert("diskwright-zone", "batch-a".parse().expect("it is text"));
    store.clients.block_on(client.raw_put(request)).expect("it answers");
    let bytes = |from: &str, to: &str| {
        let families = prometheus::gather();
        let family =
            families.iter().find(|family| family.get_name() == "diskwright_zone_bytes_total").expect("it counts");
        let labels = BTreeSet::from([("from", from), ("to", to), ("kind", "client")]);
        let of = |metric: &&prometheus::proto::Metric| {
            metric.get_label().iter().map(|label| (label.get_name(), label.get_value())).collect::<BTreeSet<_>>()
                == labels
        };
        family.get_metric().iter().find(of).map_or(0.0, |metric| metric.get_counter().get_value())
    };
    let came = bytes("batch-a", "batch-b");
    assert!((100_000.0..101_000.0).contains(&came), "the value and some framing: {came}");
    let went = bytes("batch-b", "batch-a");
    assert!(went > 0.0 && went < 2_000.0, "an empty answer: {went}");
}
