//! What clients and other stores ask over gRPC.

mod changes;
pub(crate) mod checksum;
pub(crate) mod health;
mod keys;
mod kind;
mod lookup;
mod metrics;
mod outbox;
pub(crate) mod reads;
pub(crate) mod shared;
mod snapshot;
mod store_wide;
mod stream;
pub(crate) mod tasks;
pub(crate) mod writes;

use std::sync::Arc;
use std::time::Instant;

use proto::kvrpcpb::{
    GetHealthFeedbackRequest, GetHealthFeedbackResponse, GetLockWaitInfoRequest, GetLockWaitInfoResponse,
    RawBatchDeleteRequest, RawBatchDeleteResponse, RawBatchGetRequest, RawBatchGetResponse, RawBatchPutRequest,
    RawBatchPutResponse, RawBatchScanRequest, RawBatchScanResponse, RawCasRequest, RawCasResponse, RawChecksumRequest,
    RawChecksumResponse, RawCoprocessorRequest, RawCoprocessorResponse, RawDeleteRangeRequest, RawDeleteRangeResponse,
    RawDeleteRequest, RawDeleteResponse, RawGetKeyTtlRequest, RawGetKeyTtlResponse, RawGetRequest, RawGetResponse,
    RawPutRequest, RawPutResponse, RawScanRequest, RawScanResponse, SplitRegionRequest, SplitRegionResponse,
    StoreSafeTsRequest, StoreSafeTsResponse, UnsafeDestroyRangeRequest, UnsafeDestroyRangeResponse,
};
use proto::raft_serverpb::{Done, SnapshotChunk};
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use proto::tikvpb::tikv_server::Tikv;
use proto::tikvpb::{BatchCommandsRequest, BatchRaftMessage};
use tokio::sync::oneshot;
use tonic::{Request, Response, Status, Streaming};

use crate::network::Caller;
use kind::Kind;
use outbox::Outbox;
use shared::Shared;
use stream::Conversation;
use tasks::{Checksum, Read, ReadTask, Write};

/// TiKV's answer to a request for a plugin where it is told of no directory of plugins (`src/coprocessor_v2/endpoint.rs`), as this
/// store never is.
pub(crate) const NO_PLUGIN: &str = "Coprocessor plugin is disabled!";

/// The service on its threads; cheap to clone.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) shared: Arc<Shared>,
}

impl Service {
    async fn ask(&self, ask: Ask) -> Result<Option<Answer>, Status> {
        let (to, since) = (Outbox::expecting(1), Instant::now());
        let reads = Kind::of(&ask).is_some_and(Kind::reads);
        let asks = vec![(0, ask)];
        let sent = if reads {
            self.shared.read(Read { to: to.clone(), since, asks, leave: None }).is_ok()
        } else {
            self.shared.write(Write::Batch { to: to.clone(), since, asks })
        };
        let response = if sent { to.only().await } else { None };
        response.map(|response| response.cmd).ok_or_else(|| Status::unavailable("the store stops"))
    }
}

/// One request, one answer.
macro_rules! unary {
    ($($call:ident: $cmd:ident($request:ty) -> $response:ty;)*) => {
        #[tonic::async_trait]
        impl Tikv for Service {
            $(async fn $call(&self, request: Request<$request>) -> Result<Response<$response>, Status> {
                Caller::note(&request);
                match self.ask(Ask::$cmd(request.into_inner())).await? {
                    Some(Answer::$cmd(answer)) => Ok(Response::new(answer)),
                    _ => Err(Status::internal("the answer is of another kind than the request")),
                }
            })*

            async fn raw_compare_and_swap(&self, request: Request<RawCasRequest>) -> Result<Response<RawCasResponse>, Status> {
                Caller::note(&request);
                let (to, answer) = oneshot::channel();
                let write = Write::Swap { to, since: Instant::now(), ask: Box::new(request.into_inner()) };
                let stops = || Status::unavailable("the store stops");
                if !self.shared.write(write) {
                    return Err(stops());
                }
                answer.await.map(Response::new).map_err(|_| stops())
            }

            async fn raw_get_key_ttl(
                &self,
                request: Request<RawGetKeyTtlRequest>,
            ) -> Result<Response<RawGetKeyTtlResponse>, Status> {
                Caller::note(&request);
                Ok(Response::new(RawGetKeyTtlResponse { error: keys::NO_TTL.to_owned(), ..Default::default() }))
            }

            async fn raw_coprocessor(
                &self,
                request: Request<RawCoprocessorRequest>,
            ) -> Result<Response<RawCoprocessorResponse>, Status> {
                Caller::note(&request);
                Ok(Response::new(RawCoprocessorResponse { error: NO_PLUGIN.to_owned(), ..Default::default() }))
            }

            async fn raw_checksum(
                &self,
                request: Request<RawChecksumRequest>,
            ) -> Result<Response<RawChecksumResponse>, Status> {
                Caller::note(&request);
                let (to, answer) = oneshot::channel();
                let ask = Box::new(request.into_inner());
                let task = ReadTask::Checksum(Checksum { to, since: Instant::now(), ask, leave: None });
                // The threads go only when the service goes.
                let _ = self.shared.reads.send(Some(task));
                answer.await.map(Response::new).map_err(|_| Status::unavailable("the store stops"))
            }

            async fn unsafe_destroy_range(
                &self,
                request: Request<UnsafeDestroyRangeRequest>,
            ) -> Result<Response<UnsafeDestroyRangeResponse>, Status> {
                Caller::note(&request);
                let (shared, ask) = (self.shared.clone(), request.into_inner());
                let destroyed = tokio::task::spawn_blocking(move || store_wide::destroy(&shared, &ask)).await;
                destroyed.map(Response::new).map_err(|error| Status::internal(error.to_string()))
            }

            async fn split_region(
                &self,
                request: Request<SplitRegionRequest>,
            ) -> Result<Response<SplitRegionResponse>, Status> {
                Caller::note(&request);
                Ok(Response::new(store_wide::split(&self.shared, request.get_ref())))
            }

            async fn get_store_safe_ts(
                &self,
                request: Request<StoreSafeTsRequest>,
            ) -> Result<Response<StoreSafeTsResponse>, Status> {
                Caller::note(&request);
                // As TiKV without a transaction that was ever resolved: no timestamp is safe.
                Ok(Response::new(StoreSafeTsResponse::default()))
            }

            async fn get_lock_wait_info(
                &self,
                request: Request<GetLockWaitInfoRequest>,
            ) -> Result<Response<GetLockWaitInfoResponse>, Status> {
                Caller::note(&request);
                Ok(Response::new(GetLockWaitInfoResponse::default()))
            }

            async fn get_health_feedback(
                &self,
                request: Request<GetHealthFeedbackRequest>,
            ) -> Result<Response<GetHealthFeedbackResponse>, Status> {
                Caller::note(&request);
                Ok(Response::new(store_wide::feedback(&self.shared)))
            }

            type BatchCommandsStream = Conversation;

            async fn batch_commands(
                &self,
                request: Request<Streaming<BatchCommandsRequest>>,
            ) -> Result<Response<Conversation>, Status> {
                Caller::note(&request);
                Ok(Response::new(Conversation::new(self.shared.clone(), request.into_inner())))
            }

            async fn batch_raft(&self, request: Request<Streaming<BatchRaftMessage>>) -> Result<Response<Done>, Status> {
                let mut messages = request.into_inner();
                while let Some(batch) = messages.message().await? {
                    self.shared.replicas.step(batch.msgs);
                }
                Ok(Response::new(Done {}))
            }

            async fn snapshot(&self, request: Request<Streaming<SnapshotChunk>>) -> Result<Response<Done>, Status> {
                snapshot::receive(self.shared.replicas.clone(), request.into_inner()).await.map(Response::new)
            }
        }
    };
}

unary! {
    raw_get: RawGet(RawGetRequest) -> RawGetResponse;
    raw_batch_get: RawBatchGet(RawBatchGetRequest) -> RawBatchGetResponse;
    raw_put: RawPut(RawPutRequest) -> RawPutResponse;
    raw_batch_put: RawBatchPut(RawBatchPutRequest) -> RawBatchPutResponse;
    raw_delete: RawDelete(RawDeleteRequest) -> RawDeleteResponse;
    raw_batch_delete: RawBatchDelete(RawBatchDeleteRequest) -> RawBatchDeleteResponse;
    raw_scan: RawScan(RawScanRequest) -> RawScanResponse;
    raw_delete_range: RawDeleteRange(RawDeleteRangeRequest) -> RawDeleteRangeResponse;
    raw_batch_scan: RawBatchScan(RawBatchScanRequest) -> RawBatchScanResponse;
}
