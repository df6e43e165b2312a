//! A store of the fake cluster.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use parking_lot::Mutex;
use proto::errorpb::{EpochNotMatch, Error, KeyNotInRegion, NotLeader, RegionNotFound, ServerIsBusy};
use proto::kvrpcpb::*;
use proto::raft_serverpb;
use proto::tikvpb::batch_commands_request::request::Cmd;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use proto::tikvpb::tikv_server::{Tikv, TikvServer};
use proto::tikvpb::*;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::codec::CompressionEncoding;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use super::driver::not_here;
use super::{Fault, Seen, Service, Shared};

#[derive(Clone)]
struct Store {
    id: u64,
    shared: Arc<Mutex<Shared>>,
}

pub(super) fn serve(id: u64, shared: Arc<Mutex<Shared>>, port: u16) -> Service {
    let service = TikvServer::new(Store { id, shared })
        .max_decoding_message_size(usize::MAX)
        .accept_compressed(CompressionEncoding::Gzip)
        .send_compressed(CompressionEncoding::Gzip);
    let server = Server::builder().initial_stream_window_size(16 << 20).initial_connection_window_size(16 << 20);
    Service::start(server.max_frame_size(1 << 20).add_service(service), port)
}

/// What stands against a request.
type Refused = (Option<Box<Error>>, String);

impl Store {
    /// Notes a request, and says what stands against it; `Err` is a fault that has no answer.
    fn check(&self, shared: &mut Shared, context: Option<&Context>, key: &Bytes) -> Result<Refused, Fault> {
        let none = Context::default();
        let context = context.unwrap_or(&none);
        let (store, replica_read, message) = (self.id, context.replica_read, shared.messages);
        shared.seen.push(Seen { store, replica_read, at: Instant::now(), message });
        match shared.faults.pop_front().or_else(|| shared.always.clone()) {
            Some(Fault::Region(error)) => return Ok((Some(error), String::new())),
            Some(Fault::Words(words)) => return Ok((None, words.to_owned())),
            Some(fault) => return Err(fault),
            None => {}
        }
        if shared.busy == Some(self.id) {
            let server_is_busy =
                Some(ServerIsBusy { reason: "raft log disk: broken".to_owned(), ..Default::default() });
            return Ok((Some(Box::new(Error { server_is_busy, ..Error::default() })), String::new()));
        }
        let id = context.region_id;
        let mut error = Error::default();
        let known = shared.truth.iter().find(|(region, _)| region.id == id);
        if let Some((region, leader)) = known {
            let peer = context.peer.unwrap_or_default();
            let inside = region.start_key <= *key && (region.end_key.is_empty() || *key < region.end_key);
            if region.region_epoch != context.region_epoch {
                let current_regions = shared.truth.iter().map(|(region, _)| region.clone()).collect();
                error.epoch_not_match = Some(EpochNotMatch { current_regions });
            } else if !inside {
                error.key_not_in_region = Some(KeyNotInRegion::default());
            } else if peer.store_id != self.id || (region.peers[*leader] != peer && !replica_read) {
                error.not_leader = Some(NotLeader { region_id: id, leader: Some(region.peers[*leader]) });
            } else {
                return Ok((None, String::new()));
            }
        } else {
            error.region_not_found = Some(RegionNotFound { region_id: id });
        }
        Ok((Some(Box::new(error)), String::new()))
    }

    /// Does what is asked and answers; the fault that keeps it from answering comes after what was asked is done.
    fn carry_out(&self, command: Cmd) -> (Option<Answer>, Option<Fault>) {
        let shared = &mut *self.shared.lock();
        macro_rules! checked {
            ($asked:expr, $key:expr) => {{
                let key: Bytes = $key;
                match self.check(shared, $asked.context.as_ref(), &key) {
                    Ok((region_error, error)) => (region_error, error, None),
                    Err(fault) => (None, String::new(), Some(fault)),
                }
            }};
        }
        let fine = |region: &Option<Box<Error>>, error: &String| region.is_none() && error.is_empty();
        match command {
            Cmd::RawGet(asked) => {
                let (region_error, error, fault) = checked!(asked, asked.key.clone());
                let value = shared.data.get(&asked.key).cloned();
                let not_found = value.is_none();
                let answer = RawGetResponse { region_error, error, value: value.unwrap_or_default(), not_found };
                (Some(Answer::RawGet(answer)), fault)
            }
            Cmd::RawPut(asked) => {
                let (region_error, error, fault) = checked!(asked, asked.key.clone());
                if fine(&region_error, &error) {
                    shared.data.insert(asked.key, asked.value);
                }
                (Some(Answer::RawPut(RawPutResponse { region_error, error })), fault)
            }
            Cmd::RawDelete(asked) => {
                let (region_error, error, fault) = checked!(asked, asked.key.clone());
                if fine(&region_error, &error) {
                    shared.data.remove(&asked.key);
                }
                (Some(Answer::RawDelete(RawDeleteResponse { region_error, error })), fault)
            }
            Cmd::RawBatchPut(asked) => {
                let last = asked.pairs.iter().map(|pair| pair.key.clone()).max().unwrap_or_default();
                let (region_error, error, fault) = checked!(asked, last);
                if fine(&region_error, &error) {
                    shared.data.extend(asked.pairs.into_iter().map(|pair| (pair.key, pair.value)));
                }
                (Some(Answer::RawBatchPut(RawBatchPutResponse { region_error, error })), fault)
            }
            Cmd::RawScan(asked) => {
                let (region_error, _, fault) = checked!(asked, asked.start_key.clone());
                let pairs = shared.data.range(asked.start_key..);
                let pairs = pairs.take_while(|(key, _)| asked.end_key.is_empty() || **key < asked.end_key);
                let pairs = pairs.map(|(key, value)| KvPair { error: None, key: key.clone(), value: value.clone() });
                let kvs = if region_error.is_none() { pairs.take(asked.limit as usize).collect() } else { Vec::new() };
                (Some(Answer::RawScan(RawScanResponse { region_error, kvs })), fault)
            }
            _ => (None, None),
        }
    }

    /// The answer to a message, and whether the stream goes on.
    fn answer(&self, message: BatchCommandsRequest) -> (BatchCommandsResponse, bool) {
        self.shared.lock().messages += 1;
        let mut answer = BatchCommandsResponse::default();
        for (id, request) in message.request_ids.into_iter().zip(message.requests) {
            match self.carry_out(request.cmd.expect("a request asks for something")) {
                (cmd, None) => {
                    answer.request_ids.push(id);
                    answer.responses.push(batch_commands_response::Response { cmd });
                }
                (_, Some(Fault::Break)) => return (answer, false),
                _ => {}
            }
        }
        (answer, true)
    }
}

#[tonic::async_trait]
impl Tikv for Store {
    type BatchCommandsStream = UnboundedReceiverStream<Result<BatchCommandsResponse, Status>>;

    async fn batch_commands(
        &self,
        request: Request<Streaming<BatchCommandsRequest>>,
    ) -> Result<Response<Self::BatchCommandsStream>, Status> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (store, mut messages) = (self.clone(), request.into_inner());
        tokio::spawn(async move {
            while let Ok(Some(message)) = messages.message().await {
                let (answer, goes_on) = store.answer(message);
                if !answer.request_ids.is_empty() {
                    let _ = sender.send(Ok(answer));
                }
                if !goes_on {
                    let _ = sender.send(Err(Status::unavailable("the fake store breaks off")));
                    return;
                }
            }
        });
        Ok(Response::new(UnboundedReceiverStream::new(receiver)))
    }

    async fn raw_compare_and_swap(&self, request: Request<RawCasRequest>) -> Result<Response<RawCasResponse>, Status> {
        let asked = request.into_inner();
        let shared = &mut *self.shared.lock();
        let checked = self.check(shared, asked.context.as_ref(), &asked.key);
        let expected = (!asked.previous_not_exist).then_some(asked.previous_value);
        let previous = shared.data.get(&asked.key).cloned();
        let succeed = previous == expected;
        let fine = !matches!(checked, Ok((Some(_), _)));
        if succeed && fine {
            shared.data.insert(asked.key, asked.value);
        }
        let (region_error, error) =
            checked.map_err(|fault| Status::unavailable(format!("the fake store: {fault:?}")))?;
        let previous_not_exist = previous.is_none();
        let previous_value = previous.unwrap_or_default();
        Ok(Response::new(RawCasResponse { region_error, error, succeed, previous_not_exist, previous_value }))
    }

    not_here! {
        raw_get(RawGetRequest) -> RawGetResponse;
        raw_batch_get(RawBatchGetRequest) -> RawBatchGetResponse;
        raw_put(RawPutRequest) -> RawPutResponse;
        raw_batch_put(RawBatchPutRequest) -> RawBatchPutResponse;
        raw_delete(RawDeleteRequest) -> RawDeleteResponse;
        raw_batch_delete(RawBatchDeleteRequest) -> RawBatchDeleteResponse;
        raw_scan(RawScanRequest) -> RawScanResponse;
        raw_delete_range(RawDeleteRangeRequest) -> RawDeleteRangeResponse;
        raw_batch_scan(RawBatchScanRequest) -> RawBatchScanResponse;
        raw_get_key_ttl(RawGetKeyTtlRequest) -> RawGetKeyTtlResponse;
        raw_coprocessor(RawCoprocessorRequest) -> RawCoprocessorResponse;
        raw_checksum(RawChecksumRequest) -> RawChecksumResponse;
        unsafe_destroy_range(UnsafeDestroyRangeRequest) -> UnsafeDestroyRangeResponse;
        split_region(SplitRegionRequest) -> SplitRegionResponse;
        get_store_safe_ts(StoreSafeTsRequest) -> StoreSafeTsResponse;
        get_lock_wait_info(GetLockWaitInfoRequest) -> GetLockWaitInfoResponse;
        get_health_feedback(GetHealthFeedbackRequest) -> GetHealthFeedbackResponse;
        batch_raft(Streaming<BatchRaftMessage>) -> raft_serverpb::Done;
        snapshot(Streaming<raft_serverpb::SnapshotChunk>) -> raft_serverpb::Done;
    }
}
