//! A small client of raw keys that chooses stores as client-go does (`internal/locate/store_cache.go`, `region_request.go`): after
//! a request that failed it asks the store's health, and a store that does not say SERVING is not asked for keys again until it
//! does.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proto::errorpb;
use proto::kvrpcpb::{Context, RawChecksumRequest, RawPutRequest};
use proto::metapb::{Peer, Region};
use proto::pdpb::pd_client::PdClient;
use proto::pdpb::{GetAllStoresRequest, GetMembersRequest, RequestHeader, ScanRegionsRequest};
use proto::tikvpb::tikv_client::TikvClient;
use tokio::sync::Mutex;
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// `storeLivenessTimeout` of client-go, and how often its loop asks a store that is unreachable.
const LIVENESS: Duration = Duration::from_secs(1);
/// client-go's shortest time for a request of raw keys is longer; a node that was killed refuses connections at once.
const REQUEST: Duration = Duration::from_secs(5);
/// Between two attempts when there is nobody to ask.
const BACKOFF: Duration = Duration::from_millis(20);

/// A store as client-go remembers it.
struct KnownStore {
    addr: String,
    client: TikvClient<Channel>,
    reachable: AtomicBool,
}

impl KnownStore {
    fn new(addr: String) -> Self {
        let client = TikvClient::new(endpoint(&addr).timeout(REQUEST).connect_lazy());
        Self { addr, client, reachable: AtomicBool::new(true) }
    }

    /// After a request that failed: asks the store's health, and goes on asking in the background until it serves.
    async fn suspect(self: &Arc<Self>) {
        if serves(&self.addr).await || !self.reachable.swap(false, Ordering::SeqCst) {
            return;
        }
        let store = Arc::clone(self);
        tokio::spawn(async move {
            while !serves(&store.addr).await {
                tokio::time::sleep(LIVENESS).await;
            }
            store.reachable.store(true, Ordering::SeqCst);
        });
    }
}

fn endpoint(addr: &str) -> Endpoint {
    Endpoint::from_shared(format!("http://{addr}")).unwrap().connect_timeout(LIVENESS)
}

/// Whether a store says over a connection of its own, in time, that it serves.
async fn serves(addr: &str) -> bool {
    let check = async {
        let channel = endpoint(addr).connect().await.ok()?;
        let answer = HealthClient::new(channel).check(HealthCheckRequest { service: String::new() }).await.ok()?;
        Some(answer.into_inner().status() == ServingStatus::Serving)
    };
    tokio::time::timeout(LIVENESS, check).await.ok().flatten().unwrap_or(false)
}

/// The client; stores never move in these tests, so it learns them once.
pub(crate) struct CheckingClient {
    pd: PdClient<Channel>,
    header: Option<RequestHeader>,
    stores: HashMap<u64, Arc<KnownStore>>,
    /// Regions in the order of their keys, with who leads as far as is known.
    regions: Mutex<Vec<(Region, Option<Peer>)>>,
}

impl CheckingClient {
    pub(crate) async fn connect(pd: &str) -> Self {
        let mut pd = PdClient::connect(format!("http://{pd}")).await.unwrap();
        let members = pd.get_members(GetMembersRequest::default()).await.unwrap().into_inner();
        let header = Some(RequestHeader { cluster_id: members.header.unwrap().cluster_id, sender_id: 0 });
        let request = GetAllStoresRequest { header, exclude_tombstone_stores: true };
        let stores = pd.get_all_stores(request).await.unwrap().into_inner().stores;
        let stores = stores.into_iter().map(|store| (store.id, Arc::new(KnownStore::new(store.address)))).collect();
        let client = Self { pd, header, stores, regions: Mutex::default() };
        client.reload().await;
        client
    }

    async fn reload(&self) {
        let request = ScanRegionsRequest { header: self.header, limit: 1000, ..ScanRegionsRequest::default() };
        let answer = self.pd.clone().scan_regions(request).await.unwrap().into_inner();
        let regions = answer.regions.into_iter().map(|known| (known.region.unwrap(), known.leader));
        *self.regions.lock().await = regions.collect();
    }

    async fn region(&self, key: &[u8]) -> (Region, Option<Peer>) {
        let regions = self.regions.lock().await;
        let at = regions.partition_point(|(region, _)| &region.start_key[..] <= key);
        regions[at - 1].clone()
    }

    /// Who leads, or any other replica, on a store that is reachable.
    fn peer(&self, region: &Region, leader: Option<&Peer>) -> Option<Peer> {
        let leader_first = leader.into_iter().chain(&region.peers);
        leader_first.into_iter().find(|peer| self.stores[&peer.store_id].reachable.load(Ordering::SeqCst)).copied()
    }

    /// One attempt to put a key; whether it is there.
    pub(crate) async fn try_put(&self, key: &[u8]) -> bool {
        let (region, leader) = self.region(key).await;
        let Some(peer) = self.peer(&region, leader.as_ref()) else {
            return self.later().await;
        };
        let request = RawPutRequest {
            context: context(&region, peer),
            key: key.to_vec().into(),
            value: "v".into(),
            ..RawPutRequest::default()
        };
        let answer = self.stores[&peer.store_id].client.clone().raw_put(request).await;
        let answer = answer.map(|answer| answer.into_inner().region_error);
        self.learn(&region, peer, answer).await
    }

    /// A checksum of the region of a key, as client-go would note it: whether the store answered, whatever it was.
    pub(crate) async fn try_checksum(&self, key: &[u8]) -> bool {
        let (region, leader) = self.region(key).await;
        let Some(peer) = self.peer(&region, leader.as_ref()) else {
            return self.later().await;
        };
        let request = RawChecksumRequest { context: context(&region, peer), ..RawChecksumRequest::default() };
        let answer = self.stores[&peer.store_id].client.clone().raw_checksum(request).await;
        let answer = answer.map(|answer| answer.into_inner().region_error);
        self.learn(&region, peer, answer).await
    }

    /// What an answer says of regions and stores; whether it was done.
    async fn learn(&self, region: &Region, asked: Peer, answer: Result<Option<Box<errorpb::Error>>, Status>) -> bool {
        let error = match answer {
            Ok(None) => return true,
            Ok(Some(error)) => error,
            Err(_) => {
                self.stores[&asked.store_id].suspect().await;
                return self.later().await;
            }
        };
        let leader = error.not_leader.and_then(|error| error.leader);
        let reachable = |leader: &Peer| self.stores[&leader.store_id].reachable.load(Ordering::SeqCst);
        let Some(leader) = leader.filter(reachable) else { return self.later().await };
        let mut regions = self.regions.lock().await;
        if let Some((_, known)) = regions.iter_mut().find(|(known, _)| known.id == region.id) {
            *known = Some(leader);
        }
        false
    }

    /// Nobody to ask: asks the placement driver, after a while.
    async fn later(&self) -> bool {
        tokio::time::sleep(BACKOFF).await;
        self.reload().await;
        false
    }
}

fn context(region: &Region, peer: Peer) -> Option<Context> {
    Some(Context { region_id: region.id, region_epoch: region.region_epoch, peer: Some(peer), ..Context::default() })
}
