//! A cluster in memory that does what tests tell it: it errs, falls silent, breaks off, moves leaders.

mod counted;
mod driver;
mod service;
mod store;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use proto::errorpb;
use proto::metapb::{Peer, Region, RegionEpoch};
use rawkv::{RawClient, RawClientOptions, RawRequest, RawResponse, RawSession, RequestError};

pub(crate) use service::Service;

/// What a store does to the next request instead of what it should.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// It answers with an error of the region.
    Region(Box<errorpb::Error>),
    /// It answers with an error in words.
    Words(&'static str),
    /// It does what is asked, but never answers.
    Silence,
    /// It does what is asked, and ends the stream instead of answering.
    Break,
}

impl Fault {
    pub(crate) fn region(error: errorpb::Error) -> Self {
        Self::Region(Box::new(error))
    }
}

/// A request that a store has seen.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) store: u64,
    pub(crate) replica_read: bool,
    pub(crate) at: Instant,
    /// Counts the messages of all stores: requests of one message have the same.
    pub(crate) message: u64,
}

/// What all stores and drivers share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) data: BTreeMap<Bytes, Bytes>,
    /// Regions as they are, each with the index of its leader.
    pub(crate) truth: Vec<(Region, usize)>,
    /// Regions as the driver tells them.
    pub(crate) told: Vec<(Region, usize)>,
    /// Addresses and zones of stores as the driver tells them.
    pub(crate) addresses: BTreeMap<u64, (String, String)>,
    /// What goes wrong next; each fault once.
    pub(crate) faults: VecDeque<Fault>,
    /// What goes wrong always.
    pub(crate) always: Option<Fault>,
    /// The store that is busy for good.
    pub(crate) busy: Option<u64>,
    pub(crate) seen: Vec<Seen>,
    pub(crate) messages: u64,
    /// How often the driver was asked for regions.
    pub(crate) scans: u64,
}

/// A region on stores 1 to `stores`, of which the first leads.
pub(crate) fn region(id: u64, stores: u64, start: &'static str, end: &'static str) -> (Region, usize) {
    let region = Region {
        id,
        start_key: start.into(),
        end_key: end.into(),
        region_epoch: Some(RegionEpoch { conf_ver: 1, version: 1 }),
        peers: (1..=stores).map(|store_id| Peer { id: id * 100 + store_id, store_id, role: 0 }).collect(),
    };
    (region, 0)
}

/// A cluster in memory.
pub(crate) struct Fake {
    pub(crate) shared: Arc<Mutex<Shared>>,
    pub(crate) driver: Service,
    pub(crate) stores: Vec<Service>,
}

impl Fake {
    /// A store for each zone, and one region for each pair of neighbouring bounds, led by store 1.
    pub(crate) fn start(zones: &[&str], bounds: &[&'static str]) -> Self {
        let count = zones.len() as u64;
        let regions: Vec<_> =
            (1..).zip(bounds.windows(2)).map(|(id, pair)| region(id, count, pair[0], pair[1])).collect();
        let shared = Arc::new(Mutex::new(Shared { truth: regions.clone(), told: regions, ..Shared::default() }));
        let stores: Vec<_> = (1..=count).map(|id| store::serve(id, shared.clone(), 0)).collect();
        for ((id, store), zone) in (1..).zip(&stores).zip(zones) {
            shared.lock().addresses.insert(id, (store.address.clone(), (*zone).to_owned()));
        }
        let driver = driver::serve(shared.clone(), None);
        Self { shared, driver, stores }
    }

    /// One store, one region.
    pub(crate) fn single() -> Self {
        Self::start(&[""], &["", ""])
    }

    /// A driver that only knows who leads.
    pub(crate) fn follower(&self) -> Service {
        driver::serve(self.shared.clone(), Some(self.driver.address.clone()))
    }

    /// Starts a store again, at another address, which the driver tells.
    pub(crate) fn move_store(&mut self, id: u64) {
        let store = store::serve(id, self.shared.clone(), 0);
        if let Some((address, _)) = self.shared.lock().addresses.get_mut(&id) {
            address.clone_from(&store.address);
        }
        self.stores[id as usize - 1] = store;
    }

    pub(crate) fn client(&self, options: RawClientOptions) -> RawClient {
        RawClient::connect(&self.driver.address, options).expect("the fake cluster answers")
    }

    pub(crate) fn fail_next(&self, fault: Fault) {
        self.shared.lock().faults.push_back(fault);
    }

    pub(crate) fn fail_always(&self, fault: Option<Fault>) {
        self.shared.lock().always = fault;
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.lock().seen.clone()
    }

    pub(crate) fn value(&self, key: &'static str) -> Option<Bytes> {
        self.shared.lock().data.get(key.as_bytes()).cloned()
    }
}

/// Asks one thing and waits for its answer; the patience is for a machine that is busy with other things.
pub(crate) fn ask(session: &mut RawSession, request: RawRequest) -> Result<RawResponse, RequestError> {
    session.submit(7, request);
    session.flush();
    let mut done = collect(session, 1);
    assert_eq!(done[0].0, 7);
    done.remove(0).1
}

/// Waits for so many answers, and then a moment for more than that.
pub(crate) fn collect(session: &mut RawSession, count: usize) -> Vec<(u64, Result<RawResponse, RequestError>)> {
    let (mut done, end) = (Vec::new(), Instant::now() + Duration::from_secs(60));
    while done.len() < count {
        assert!(Instant::now() < end, "{} of {count} answers after a minute", done.len());
        session.poll(Duration::from_secs(1), &mut done);
    }
    session.poll(Duration::from_millis(1), &mut done);
    assert_eq!(done.len(), count, "more answers than requests");
    done
}

pub(crate) fn put(key: &'static str, value: &'static str) -> RawRequest {
    RawRequest::Put(key.into(), value.into())
}

pub(crate) fn get(key: &'static str) -> RawRequest {
    RawRequest::Get(key.into())
}

pub(crate) fn found(value: &'static str) -> Result<RawResponse, RequestError> {
    Ok(RawResponse::Value(Some(value.into())))
}
