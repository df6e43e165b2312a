//! Single requests to the placement driver, tried at each endpoint.

use std::time::{Duration, Instant};

use proto::metapb::{Region, Store};
use proto::pdpb::pd_client::PdClient;
use proto::pdpb::{
    AllocIdRequest, GetAllStoresRequest, GetMembersRequest, IsBootstrappedRequest, PutStoreRequest, RequestHeader,
    ResponseHeader, ScanRegionsRequest,
};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use super::SessionError;

/// How long a node tries to reach somebody before it gives up joining.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// For a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// For an answer.
const ANSWER: Duration = Duration::from_secs(3);
/// All regions of a cluster may come in one answer.
const LARGEST_ANSWER: usize = 256 << 20;

/// Connections to all endpoints, of which one is in use.
#[derive(Clone)]
pub(super) struct Link {
    clients: Vec<(String, PdClient<Channel>)>,
    used: usize,
    /// Of the cluster that answered first.
    pub(super) cluster_id: u64,
}

/// Calls a method of the client in use, with retries; an answer whose header bears an error is a refusal.
macro_rules! call {
    ($link:ident, $what:literal, $method:ident, $request:expr) => {{
        let began = Instant::now();
        loop {
            match $link.client().$method($request).await.map(tonic::Response::into_inner) {
                Ok(answer) => {
                    refused($what, answer.header.as_ref())?;
                    break Ok(answer);
                }
                Err(status) => $link.failed($what, status, began).await?,
            }
        }
    }};
}

impl Link {
    /// Finds somebody who answers.
    pub(super) async fn to(endpoints: &[String]) -> Result<Self, SessionError> {
        let mut clients = Vec::new();
        for text in endpoints {
            let address = text.trim().trim_start_matches("http://").trim_end_matches('/');
            let wrong = || SessionError::Endpoint { endpoint: text.clone() };
            if !address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()) {
                return Err(wrong());
            }
            let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(|_| wrong())?;
            let endpoint = endpoint.connect_timeout(CONNECT).timeout(ANSWER).tcp_nodelay(true);
            let client = PdClient::new(endpoint.connect_lazy()).max_decoding_message_size(LARGEST_ANSWER);
            clients.push((address.to_owned(), client));
        }
        if clients.is_empty() {
            return Err(SessionError::Endpoint { endpoint: String::new() });
        }
        let mut link = Self { clients, used: 0, cluster_id: 0 };
        let members = call!(link, "GetMembers", get_members, GetMembersRequest::default())?;
        link.cluster_id = members.header.map_or(0, |header| header.cluster_id);
        Ok(link)
    }

    /// The client in use.
    pub(super) fn client(&self) -> PdClient<Channel> {
        self.clients[self.used].1.clone()
    }

    /// The address in use.
    pub(super) fn address(&self) -> &str {
        &self.clients[self.used].0
    }

    /// Takes the next endpoint from now on.
    pub(super) fn turn(&mut self) {
        self.used = (self.used + 1) % self.clients.len();
    }

    /// The header of a request.
    pub(super) fn header(&self) -> Option<RequestHeader> {
        Some(RequestHeader { cluster_id: self.cluster_id, sender_id: 0 })
    }

    /// A new id.
    pub(super) async fn alloc_id(&mut self) -> Result<u64, SessionError> {
        let header = self.header();
        let answer = call!(self, "AllocID", alloc_id, AllocIdRequest { header })?;
        Ok(answer.id)
    }

    /// Says where the node listens.
    pub(super) async fn put_store(&mut self, store: Store) -> Result<(), SessionError> {
        let header = self.header();
        let answer = call!(self, "PutStore", put_store, PutStoreRequest { header, store: Some(store.clone()) });
        answer.map(drop)
    }

    /// Whether the regions are cut.
    pub(super) async fn is_bootstrapped(&mut self) -> Result<bool, SessionError> {
        let header = self.header();
        let answer = call!(self, "IsBootstrapped", is_bootstrapped, IsBootstrappedRequest { header })?;
        Ok(answer.bootstrapped)
    }

    /// All regions.
    pub(super) async fn regions(&mut self) -> Result<Vec<Region>, SessionError> {
        let request = ScanRegionsRequest { header: self.header(), ..Default::default() };
        let answer = call!(self, "ScanRegions", scan_regions, request.clone())?;
        Ok(answer.region_metas)
    }

    /// All nodes.
    pub(super) async fn stores(&mut self) -> Result<Vec<Store>, SessionError> {
        let request = GetAllStoresRequest { header: self.header(), exclude_tombstone_stores: true };
        let answer = call!(self, "GetAllStores", get_all_stores, request)?;
        Ok(answer.stores)
    }

    /// All nodes, without patience; `None` if that endpoint does not answer.
    pub(super) async fn stores_once(&mut self) -> Option<Vec<Store>> {
        for _ in 0..self.clients.len() {
            let request = GetAllStoresRequest { header: self.header(), exclude_tombstone_stores: true };
            match self.client().get_all_stores(request).await {
                Ok(answer) => return Some(answer.into_inner().stores),
                Err(_) => self.turn(),
            }
        }
        None
    }

    /// After a failure: waits and takes the next endpoint, or gives up.
    async fn failed(&mut self, what: &'static str, status: Status, began: Instant) -> Result<(), SessionError> {
        if matches!(status.code(), Code::FailedPrecondition | Code::InvalidArgument | Code::Unimplemented) {
            return Err(SessionError::Refused { what, why: status.message().to_owned() });
        }
        if began.elapsed() > PATIENCE {
            let endpoints: Vec<_> = self.clients.iter().map(|(address, _)| address.as_str()).collect();
            return Err(SessionError::Unreachable { endpoints: endpoints.join(", "), last: root_cause(&status) });
        }
        self.turn();
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }
}

/// The innermost error says what the matter is; those around it say "transport error".
pub(super) fn root_cause(status: &Status) -> String {
    let mut words = status.message().to_owned();
    let mut cause = std::error::Error::source(status);
    while let Some(inner) = cause {
        words = inner.to_string();
        cause = inner.source();
    }
    words
}

fn refused(what: &'static str, header: Option<&ResponseHeader>) -> Result<(), SessionError> {
    match header.and_then(|header| header.error.as_ref()) {
        Some(error) => Err(SessionError::Refused { what, why: error.message.clone() }),
        None => Ok(()),
    }
}
