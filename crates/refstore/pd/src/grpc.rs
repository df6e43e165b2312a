//! The gRPC service.

mod header;
mod streams;

use std::sync::Arc;

use proto::metapb;
use proto::pdpb::pd_server::Pd;
use proto::pdpb::*;
use tonic::{Request, Response, Status};

use self::header::{check, fine, kept, not_bootstrapped, wrong};
use crate::regions::Watched;
use crate::shared::{Shared, VERSION};

/// Answers clients and nodes.
pub(crate) struct Service(pub(crate) Arc<Shared>);

type Answer<T> = Result<Response<T>, Status>;

impl Service {
    /// The region that `find` gives, if the regions are cut.
    fn region(
        &self,
        header: Option<RequestHeader>,
        find: impl FnOnce(&crate::regions::Regions) -> Option<&Watched>,
    ) -> Answer<GetRegionResponse> {
        let answer = self.0.with(|cluster, _| {
            check(cluster, header)?;
            if !cluster.is_bootstrapped() {
                return Ok(GetRegionResponse { header: not_bootstrapped(cluster), ..Default::default() });
            }
            let header = fine(cluster);
            Ok(match find(&cluster.regions).cloned() {
                Some(region) => GetRegionResponse {
                    header,
                    region: Some(region.meta),
                    leader: region.leader,
                    down_peers: region.down,
                    pending_peers: region.pending,
                },
                None => GetRegionResponse { header, ..Default::default() },
            })
        });
        kept(answer)
    }
}

#[tonic::async_trait]
impl Pd for Service {
    type TsoStream = streams::Timestamps;
    type RegionHeartbeatStream = streams::Orders;

    async fn get_members(&self, _: Request<GetMembersRequest>) -> Answer<GetMembersResponse> {
        kept(self.0.with(|cluster, _| {
            let member = self.0.about.member(cluster.record.member_id);
            Ok(GetMembersResponse {
                header: fine(cluster),
                members: vec![member.clone()],
                leader: Some(member.clone()),
                etcd_leader: Some(member),
            })
        }))
    }

    async fn get_cluster_info(&self, _: Request<GetClusterInfoRequest>) -> Answer<GetClusterInfoResponse> {
        kept(self.0.with(|cluster, _| {
            let service_modes = vec![ServiceMode::PdSvcMode.into()];
            Ok(GetClusterInfoResponse { header: fine(cluster), service_modes, tso_urls: vec![self.0.about.url()] })
        }))
    }

    async fn tso(&self, request: Request<tonic::Streaming<TsoRequest>>) -> Answer<Self::TsoStream> {
        Ok(Response::new(streams::timestamps(self.0.clone(), request.into_inner())))
    }

    async fn bootstrap(&self, request: Request<BootstrapRequest>) -> Answer<BootstrapResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            let header = if cluster.is_bootstrapped() {
                wrong(cluster, ErrorType::AlreadyBootstrapped, "cluster is already bootstrapped")
            } else {
                let why = "this placement driver cuts the regions itself, once all stores were put: use PutStore";
                wrong(cluster, ErrorType::Unknown, why)
            };
            Ok(BootstrapResponse { header })
        }))
    }

    async fn is_bootstrapped(&self, request: Request<IsBootstrappedRequest>) -> Answer<IsBootstrappedResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            Ok(IsBootstrappedResponse { header: fine(cluster), bootstrapped: cluster.is_bootstrapped() })
        }))
    }

    async fn alloc_id(&self, request: Request<AllocIdRequest>) -> Answer<AllocIdResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            Ok(AllocIdResponse { header: fine(cluster), id: cluster.alloc_id() })
        }))
    }

    async fn get_store(&self, request: Request<GetStoreRequest>) -> Answer<GetStoreResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            let id = request.get_ref().store_id;
            let Some(store) = cluster.record.stores.get(&id) else {
                let header = wrong(cluster, ErrorType::Unknown, &format!("invalid store ID {id}, not found"));
                return Ok(GetStoreResponse { header, ..Default::default() });
            };
            let live = cluster.live(id);
            let heard = live.heard.map_or(0, |heard| heard.as_nanos() as i64);
            let store = metapb::Store { last_heartbeat: heard, ..store.wire() };
            Ok(GetStoreResponse { header: fine(cluster), store: Some(store), stats: live.stats })
        }))
    }

    async fn put_store(&self, request: Request<PutStoreRequest>) -> Answer<PutStoreResponse> {
        let PutStoreRequest { header, store } = request.into_inner();
        let mut cut = false;
        let answer = kept(self.0.with(|cluster, now| {
            check(cluster, header)?;
            let before = cluster.is_bootstrapped();
            let header = match cluster.put_store(store.unwrap_or_default(), now) {
                Ok(()) => fine(cluster),
                Err(why) => wrong(cluster, ErrorType::Unknown, &why),
            };
            cut = !before && cluster.is_bootstrapped();
            Ok(PutStoreResponse { header })
        }));
        if cut {
            textfile::log_line("pd: all stores joined, the regions are cut");
        }
        answer
    }

    async fn get_all_stores(&self, request: Request<GetAllStoresRequest>) -> Answer<GetAllStoresResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            let stores = cluster.record.stores.values().map(|store| store.wire()).collect();
            Ok(GetAllStoresResponse { header: fine(cluster), stores })
        }))
    }

    async fn store_heartbeat(&self, request: Request<StoreHeartbeatRequest>) -> Answer<StoreHeartbeatResponse> {
        let StoreHeartbeatRequest { header, stats } = request.into_inner();
        kept(self.0.with(|cluster, now| {
            check(cluster, header)?;
            if !cluster.is_bootstrapped() {
                return Ok(StoreHeartbeatResponse { header: not_bootstrapped(cluster), ..Default::default() });
            }
            let header = match cluster.hear_store(stats.unwrap_or_default(), now) {
                Ok(()) => fine(cluster),
                Err(why) => wrong(cluster, ErrorType::Unknown, &why),
            };
            Ok(StoreHeartbeatResponse { header, cluster_version: VERSION.to_owned() })
        }))
    }

    async fn region_heartbeat(
        &self,
        request: Request<tonic::Streaming<RegionHeartbeatRequest>>,
    ) -> Answer<Self::RegionHeartbeatStream> {
        Ok(Response::new(streams::orders(self.0.clone(), request.into_inner())))
    }

    async fn get_region(&self, request: Request<GetRegionRequest>) -> Answer<GetRegionResponse> {
        let request = request.into_inner();
        self.region(request.header, |regions| regions.by_key(&request.region_key))
    }

    async fn get_prev_region(&self, request: Request<GetRegionRequest>) -> Answer<GetRegionResponse> {
        let request = request.into_inner();
        self.region(request.header, |regions| regions.before_key(&request.region_key))
    }

    async fn get_region_by_id(&self, request: Request<GetRegionByIdRequest>) -> Answer<GetRegionResponse> {
        let request = request.into_inner();
        self.region(request.header, |regions| regions.by_id(request.region_id))
    }

    async fn scan_regions(&self, request: Request<ScanRegionsRequest>) -> Answer<ScanRegionsResponse> {
        let request = request.into_inner();
        kept(self.0.with(|cluster, _| {
            check(cluster, request.header)?;
            if !cluster.is_bootstrapped() {
                return Ok(ScanRegionsResponse { header: not_bootstrapped(cluster), ..Default::default() });
            }
            let limit = usize::try_from(request.limit).unwrap_or(0);
            let mut answer = ScanRegionsResponse { header: fine(cluster), ..Default::default() };
            for region in cluster.regions.scan(&request.start_key, &request.end_key, limit) {
                answer.region_metas.push(region.meta.clone());
                // One that is not known is empty, so that the lists go side by side.
                answer.leaders.push(region.leader.unwrap_or_default());
                answer.regions.push(Region {
                    region: Some(region.meta.clone()),
                    leader: region.leader,
                    down_peers: region.down.clone(),
                    pending_peers: region.pending.clone(),
                });
            }
            Ok(answer)
        }))
    }

    async fn get_cluster_config(&self, request: Request<GetClusterConfigRequest>) -> Answer<GetClusterConfigResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            let max_peer_count = cluster.record.settings.replication.max_replicas as u32;
            let shape = metapb::Cluster { id: cluster.record.cluster_id, max_peer_count };
            Ok(GetClusterConfigResponse { header: fine(cluster), cluster: Some(shape) })
        }))
    }

    async fn get_gc_safe_point(&self, request: Request<GetGcSafePointRequest>) -> Answer<GetGcSafePointResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            Ok(GetGcSafePointResponse { header: fine(cluster), safe_point: cluster.record.gc_safe_point })
        }))
    }

    async fn update_gc_safe_point(
        &self,
        request: Request<UpdateGcSafePointRequest>,
    ) -> Answer<UpdateGcSafePointResponse> {
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            let wanted = request.get_ref().safe_point;
            // It never goes back.
            if wanted > cluster.record.gc_safe_point {
                cluster.record.gc_safe_point = wanted;
                cluster.unsaved = true;
            }
            Ok(UpdateGcSafePointResponse { header: fine(cluster), new_safe_point: cluster.record.gc_safe_point })
        }))
    }

    async fn get_operator(&self, request: Request<GetOperatorRequest>) -> Answer<GetOperatorResponse> {
        let region_id = request.get_ref().region_id;
        kept(self.0.with(|cluster, _| {
            check(cluster, request.get_ref().header)?;
            let Some((operator, status)) = cluster.operators.of(region_id) else {
                let header = wrong(cluster, ErrorType::RegionNotFound, "Not Found");
                return Ok(GetOperatorResponse { header, ..Default::default() });
            };
            Ok(GetOperatorResponse {
                header: fine(cluster),
                region_id,
                desc: operator.kind.name().into(),
                status: status.into(),
                kind: operator.kind.classes().into(),
            })
        }))
    }
}
