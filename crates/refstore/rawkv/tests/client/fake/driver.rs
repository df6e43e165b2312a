//! The placement driver of the fake cluster.

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use proto::metapb::{Store, StoreLabel};
use proto::pdpb::pd_server::{Pd, PdServer};
use proto::pdpb::*;
use tokio_stream::Empty;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use super::{Service, Shared};

/// The number of the cluster, which every request must name.
const CLUSTER: u64 = 42;

struct Driver {
    shared: Arc<Mutex<Shared>>,
    /// The address of the leader, if this driver does not lead.
    leader: Option<String>,
}

pub(super) fn serve(shared: Arc<Mutex<Shared>>, leader: Option<String>) -> Service {
    Service::start(Server::builder().add_service(PdServer::new(Driver { shared, leader })), 0)
}

impl Driver {
    fn header(&self, asked: Option<RequestHeader>) -> Option<ResponseHeader> {
        let message = if self.leader.is_some() {
            "not leader".to_owned()
        } else if asked.is_none_or(|asked| asked.cluster_id != CLUSTER) {
            "mismatch cluster id".to_owned()
        } else {
            String::new()
        };
        let r#type = ErrorType::Unknown.into();
        let error = (!message.is_empty()).then_some(Error { r#type, message });
        Some(ResponseHeader { cluster_id: CLUSTER, error })
    }
}

macro_rules! not_here {
    ($($name:ident($request:ty) -> $response:ty;)*) => {
        $(
            fn $name<'this, 'wait>(
                &'this self,
                _: Request<$request>,
            ) -> std::pin::Pin<Box<dyn Future<Output = Result<Response<$response>, Status>> + Send + 'wait>>
            where
                'this: 'wait,
                Self: 'wait,
            {
                Box::pin(async { Err(Status::unimplemented(stringify!($name))) })
            }
        )*
    };
}
pub(super) use not_here;

#[tonic::async_trait]
impl Pd for Driver {
    type TsoStream = Empty<Result<TsoResponse, Status>>;
    type RegionHeartbeatStream = Empty<Result<RegionHeartbeatResponse, Status>>;

    async fn get_members(&self, _: Request<GetMembersRequest>) -> Result<Response<GetMembersResponse>, Status> {
        let urls = self.leader.iter().map(|leader| format!("http://{leader}")).collect();
        Ok(Response::new(GetMembersResponse {
            header: Some(ResponseHeader { cluster_id: CLUSTER, error: None }),
            leader: Some(Member { client_urls: urls, ..Member::default() }),
            ..GetMembersResponse::default()
        }))
    }

    async fn scan_regions(
        &self,
        request: Request<ScanRegionsRequest>,
    ) -> Result<Response<ScanRegionsResponse>, Status> {
        let asked = request.into_inner();
        let mut shared = self.shared.lock();
        shared.scans += 1;
        let behind = |end: &Bytes| end.is_empty() || asked.start_key < *end;
        let regions = shared.told.iter().filter(|(region, _)| behind(&region.end_key)).take(asked.limit as usize);
        let regions = regions.map(|(region, leader)| Region {
            region: Some(region.clone()),
            leader: region.peers.get(*leader).copied(),
            ..Region::default()
        });
        let regions = regions.collect();
        Ok(Response::new(ScanRegionsResponse { header: self.header(asked.header), regions, ..Default::default() }))
    }

    async fn get_all_stores(
        &self,
        request: Request<GetAllStoresRequest>,
    ) -> Result<Response<GetAllStoresResponse>, Status> {
        let label = |zone: &String| StoreLabel { key: "zone".to_owned(), value: zone.clone() };
        let stores = self
            .shared
            .lock()
            .addresses
            .iter()
            .map(|(id, (address, zone))| Store {
                id: *id,
                address: address.clone(),
                labels: if zone.is_empty() { Vec::new() } else { vec![label(zone)] },
                ..Store::default()
            })
            .collect();
        Ok(Response::new(GetAllStoresResponse { header: self.header(request.into_inner().header), stores }))
    }

    not_here! {
        get_cluster_info(GetClusterInfoRequest) -> GetClusterInfoResponse;
        tso(Streaming<TsoRequest>) -> Self::TsoStream;
        bootstrap(BootstrapRequest) -> BootstrapResponse;
        is_bootstrapped(IsBootstrappedRequest) -> IsBootstrappedResponse;
        alloc_id(AllocIdRequest) -> AllocIdResponse;
        get_store(GetStoreRequest) -> GetStoreResponse;
        put_store(PutStoreRequest) -> PutStoreResponse;
        store_heartbeat(StoreHeartbeatRequest) -> StoreHeartbeatResponse;
        region_heartbeat(Streaming<RegionHeartbeatRequest>) -> Self::RegionHeartbeatStream;
        get_region(GetRegionRequest) -> GetRegionResponse;
        get_prev_region(GetRegionRequest) -> GetRegionResponse;
        get_region_by_id(GetRegionByIdRequest) -> GetRegionResponse;
        get_cluster_config(GetClusterConfigRequest) -> GetClusterConfigResponse;
        get_gc_safe_point(GetGcSafePointRequest) -> GetGcSafePointResponse;
        update_gc_safe_point(UpdateGcSafePointRequest) -> UpdateGcSafePointResponse;
        get_operator(GetOperatorRequest) -> GetOperatorResponse;
    }
}
