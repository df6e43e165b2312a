//! Nodes that hold nothing, but lead and obey.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use pd::session::{HeartbeatSource, JoinRequest, PdSession};
use proto::metapb::{Peer, Region, Store, StoreLabel};
use proto::pdpb::{RegionHeartbeatRequest, StoreStats};

/// Who leads each region, and in which term: what raft would decide.
type Leaders = Arc<Mutex<HashMap<u64, (Peer, u64)>>>;

/// Three nodes that joined.
pub(crate) struct Nodes {
    pub(crate) sessions: Arc<Vec<PdSession>>,
    pub(crate) leaders: Leaders,
}

/// What node `i` of three says when it joins.
pub(crate) fn join(addr: SocketAddr, folder: &Path, i: usize) -> JoinRequest {
    let store = Store {
        address: format!("127.0.0.1:2016{i}"),
        status_address: format!("127.0.0.1:2018{i}"),
        labels: vec![StoreLabel { key: "zone".to_owned(), value: format!("z{i}") }],
        ..Default::default()
    };
    JoinRequest { endpoints: vec![addr.to_string()], store, id_file: folder.join(format!("store-id-{i}")) }
}

impl Nodes {
    /// Joins three nodes at once; all regions are led by the first store.
    pub(crate) fn join(addr: SocketAddr, folder: &Path) -> Self {
        let joining: Vec<_> = (0..3).map(|i| join(addr, folder, i)).collect();
        let joining = joining.into_iter().map(|join| thread::spawn(|| PdSession::join(join).unwrap()));
        let mut sessions: Vec<_> = joining.collect::<Vec<_>>().into_iter().map(|node| node.join().unwrap()).collect();
        sessions.sort_by_key(PdSession::store_id);
        let first = sessions[0].store_id();
        let lead = |region: Region| (region.id, (peer_on(&region, first), 5));
        let leaders = Arc::new(Mutex::new(sessions[0].regions().into_iter().map(lead).collect()));
        Self { sessions: Arc::new(sessions), leaders }
    }

    /// Starts their heartbeats; orders are obeyed.
    pub(crate) fn beat(&self) {
        let all: Arc<OnceLock<std::sync::Weak<Vec<PdSession>>>> = Arc::default();
        all.set(Arc::downgrade(&self.sessions)).unwrap();
        for session in self.sessions.iter() {
            let (store, held) = (session.store_id(), session.regions());
            let leaders = self.leaders.clone();
            let regions = move || {
                let leaders = leaders.lock().unwrap();
                let led = held.iter().filter_map(|region| {
                    let (leader, term) = *leaders.get(&region.id)?;
                    let region = Some(region.clone());
                    let said = RegionHeartbeatRequest { region, leader: Some(leader), term, ..Default::default() };
                    (said.leader.as_ref()?.store_id == store).then_some(said)
                });
                led.collect()
            };
            let (leaders, all) = (self.leaders.clone(), all.clone());
            let transfer = move |region, to: Peer| {
                if let Some(led) = leaders.lock().unwrap().get_mut(&region) {
                    *led = (to, led.1 + 1);
                }
                if let Some(sessions) = all.get().and_then(std::sync::Weak::upgrade) {
                    sessions.iter().for_each(PdSession::nudge);
                }
            };
            let stats = || StoreStats { capacity: 1 << 30, available: 1 << 29, ..Default::default() };
            session.start_heartbeats(HeartbeatSource {
                regions: Arc::new(regions),
                stats: Arc::new(stats),
                transfer: Arc::new(transfer),
            });
        }
    }

    /// Regions that each store leads.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let leaders = self.leaders.lock().unwrap();
        let leads = |store| leaders.values().filter(|(peer, _)| peer.store_id == store).count();
        self.sessions.iter().map(|session| leads(session.store_id())).collect()
    }
}

fn peer_on(region: &Region, store: u64) -> Peer {
    *region.peers.iter().find(|peer| peer.store_id == store).unwrap()
}
