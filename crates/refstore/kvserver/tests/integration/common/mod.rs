//! A store of one node whose replicas do at once what they are told, and a client of it.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashMap;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use kvserver::{
    CfPressure, EnginePressure, KvServer, KvServerSettings, KvServerSetup, ReplicaAccess, SnapshotPieces,
    StoreDirectory, StoreNetwork,
};
use parking_lot::Mutex;
use proto::kvrpcpb::Context;
use proto::metapb::{Peer, Region, RegionEpoch};
use proto::raft_serverpb::RaftMessage;
use proto::tikvpb::tikv_client::TikvClient;
use proto::{errorpb, metapb};
use raftstore::testing::MemoryState;
use raftstore::{ApplyResult, ColumnFamily, Refusal, StateChange, StateStore, WriteCallback, WriteCommand};
use tonic::transport::Channel;

/// What a replica does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mood {
    /// What it should; reads with a lease.
    #[default]
    Leads,
    /// What it should, but reads have to ask the others first.
    NoLease,
    /// Refuses everything.
    Follows,
    /// Keeps writes until it is told otherwise.
    Keeps,
}

/// Snapshots that came: what announced them, and their pieces.
type Snapshots = Arc<Mutex<Vec<(RaftMessage, Vec<Bytes>)>>>;

/// Replicas that do at once what they are told.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) state: Arc<MemoryState>,
    pub(crate) regions: HashMap<u64, Arc<Region>>,
    pub(crate) mood: Mutex<Mood>,
    pub(crate) kept: Mutex<Vec<WriteCallback<ApplyResult>>>,
    pub(crate) stepped: Mutex<Vec<RaftMessage>>,
    pub(crate) snapshots: Snapshots,
    /// How often a read asked the others.
    pub(crate) asked: AtomicU64,
    pub(crate) wipes: AtomicU64,
    pub(crate) broken: AtomicBool,
    /// So many reads get leave before a range is replaced under them.
    pub(crate) wipe_after: AtomicU64,
}

fn not_leader(region_id: u64) -> Refusal {
    let not_leader = Some(errorpb::NotLeader { region_id, leader: None });
    Refusal::Region(Box::new(errorpb::Error { message: "not leader".to_owned(), not_leader, ..Default::default() }))
}

impl ReplicaAccess for Told {
    fn write(&self, asked: &Context, command: WriteCommand, done: WriteCallback<ApplyResult>) {
        match *self.mood.lock() {
            Mood::Follows => return done(Err(not_leader(asked.region_id))),
            Mood::Keeps => return self.kept.lock().push(done),
            Mood::Leads | Mood::NoLease => {}
        }
        done(Ok(match command {
            WriteCommand::Write(changes) => {
                self.state.write(&changes).expect("memory does not fail");
                ApplyResult::Done
            }
            WriteCommand::CompareAndSwap { key, expected, value } => {
                let previous = self.state.get(ColumnFamily::Default, &key).expect("memory does not fail");
                let succeeded = previous == expected;
                if succeeded {
                    self.state
                        .write(&[StateChange::Put(ColumnFamily::Default, key, value)])
                        .expect("memory does not fail");
                }
                ApplyResult::Swapped { succeeded, previous }
            }
        }));
    }

    fn read_now(&self, asked: &Context) -> Result<bool, Refusal> {
        match *self.mood.lock() {
            Mood::Follows => Err(not_leader(asked.region_id)),
            mood => Ok(mood == Mood::Leads && !asked.replica_read),
        }
    }

    fn read_later(&self, asked: &Context, done: WriteCallback<()>) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if *self.mood.lock() == Mood::Follows { done(Err(not_leader(asked.region_id))) } else { done(Ok(())) }
    }

    fn wipes(&self) -> u64 {
        if self.wipe_after.load(Ordering::SeqCst) > 0 && self.wipe_after.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.wipes.fetch_add(1, Ordering::SeqCst);
        }
        self.wipes.load(Ordering::SeqCst)
    }

    fn step(&self, messages: Vec<RaftMessage>) {
        self.stepped.lock().extend(messages);
    }

    fn snapshot(&self, message: RaftMessage) -> Result<Box<dyn SnapshotPieces>, Refusal> {
        if !self.regions.contains_key(&message.region_id) {
            return Err(Refusal::Region(Box::new(errorpb::Error {
                message: "no such region".to_owned(),
                ..Default::default()
            })));
        }
        Ok(Box::new(Kept { message, pieces: Vec::new(), to: self.snapshots.clone() }))
    }

    fn broken(&self) -> bool {
        self.broken.load(Ordering::SeqCst)
    }

    fn region(&self, id: u64) -> Option<Arc<Region>> {
        self.regions.get(&id).cloned()
    }
}

struct Kept {
    message: RaftMessage,
    pieces: Vec<Bytes>,
    to: Snapshots,
}

impl SnapshotPieces for Kept {
    fn write(&mut self, piece: Bytes) -> Result<(), Refusal> {
        self.pieces.push(piece);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Refusal> {
        self.to.lock().push((self.message, self.pieces));
        Ok(())
    }
}

/// An engine that is never behind.
pub(crate) struct Calm;

impl EnginePressure for Calm {
    fn per_cf(&self) -> Vec<CfPressure> {
        Vec::new()
    }
}

/// Region 1 up to `m`, region 2 from there.
pub(crate) fn regions() -> HashMap<u64, Arc<Region>> {
    let region = |id: u64, start: &'static str, end: &'static str| {
        let peers = vec![Peer { id: 10 + id, store_id: 1, role: 0 }];
        let region_epoch = Some(RegionEpoch { conf_ver: 1, version: 1 });
        (id, Arc::new(Region { id, start_key: start.into(), end_key: end.into(), region_epoch, peers }))
    };
    HashMap::from([region(1, "", "m"), region(2, "m", "")])
}

/// A store that answers, and what is behind it.
pub(crate) struct Store {
    pub(crate) server: KvServer,
    pub(crate) network: Arc<StoreNetwork>,
    pub(crate) told: Arc<Told>,
    pub(crate) clients: tokio::runtime::Runtime,
}

impl Store {
    /// Starts one.
    pub(crate) fn start(settings: KvServerSettings) -> Self {
        Self::of(settings, Told { regions: regions(), ..Told::default() }, StoreDirectory::new(Vec::new))
    }

    /// Starts one with replicas and neighbours.
    pub(crate) fn of(settings: KvServerSettings, told: Told, stores: StoreDirectory) -> Self {
        let network = kvserver::transport(&settings, stores).expect("there are threads");
        let told = Arc::new(told);
        let (replicas, state) = (told.clone(), told.state.clone());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        let setup = KvServerSetup {
            settings,
            listener,
            store_id: 1,
            network: network.clone(),
            replicas,
            state,
            pressure: Arc::new(Calm),
        };
        let server = KvServer::start(setup).expect("there are threads");
        let clients = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_io().enable_time().build();
        Self { server, network, told, clients: clients.expect("there are threads") }
    }

    /// A client with any size of message.
    pub(crate) fn client(&self) -> TikvClient<Channel> {
        let address = format!("http://{}", self.server.addr());
        let client = self.clients.block_on(TikvClient::connect(address)).expect("it listens");
        client.max_decoding_message_size(usize::MAX).max_encoding_message_size(usize::MAX)
    }

    /// As the placement driver would tell of it.
    pub(crate) fn neighbour(&self, id: u64, zone: &str) -> metapb::Store {
        let label = metapb::StoreLabel { key: "zone".to_owned(), value: zone.to_owned() };
        metapb::Store { id, address: self.server.addr().to_string(), labels: vec![label], ..Default::default() }
    }
}

/// Of a region.
pub(crate) fn of(region_id: u64) -> Option<Context> {
    Some(Context { region_id, region_epoch: Some(RegionEpoch { conf_ver: 1, version: 1 }), ..Context::default() })
}

/// Waits, not forever, for something to hold.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "not within 20 s: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
