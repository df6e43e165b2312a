//! What the placement driver tells, at the start and when it is asked again.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use proto::metapb;

use super::link::{Arrival, Link, Store};
use super::{Event, Worker};
use crate::ClientError;
use crate::pd::{Found, Pd};
use crate::pending::Place;

/// How long the driver is left alone after an answer, and after a fault.
const ASK_AGAIN: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(200));
/// More keys than this are asked for with all others.
const ONE_BY_ONE: usize = 8;

/// What the driver has told.
pub(crate) struct Learned {
    pd: Pd,
    regions: Result<Vec<Found>, String>,
    stores: Option<Vec<metapb::Store>>,
}

/// The first answers of the driver: stores and regions, of which there must be some. Asks again until `deadline`.
pub(crate) async fn first(mut pd: Pd, timeout: Duration) -> Result<Learned, ClientError> {
    let deadline = Instant::now() + timeout;
    loop {
        let reason = match ask(&mut pd, &BTreeSet::new(), true, true).await {
            (Err(reason), _) => reason,
            (_, None) => "the placement driver does not tell its stores".to_owned(),
            (Ok(_), Some(stores)) if stores.is_empty() => {
                "the placement driver knows no stores; start some, and wait until they have joined".to_owned()
            }
            (Ok(regions), _) if regions.is_empty() => {
                "the placement driver knows no regions; wait until the cluster is bootstrapped".to_owned()
            }
            (Ok(regions), stores) => return Ok(Learned { pd, regions: Ok(regions), stores }),
        };
        if Instant::now() + ASK_AGAIN.1 >= deadline {
            return Err(ClientError::Environment(reason));
        }
        tokio::time::sleep(ASK_AGAIN.1).await;
    }
}

async fn ask(
    pd: &mut Pd,
    keys: &BTreeSet<Bytes>,
    all: bool,
    stores: bool,
) -> (Result<Vec<Found>, String>, Option<Vec<metapb::Store>>) {
    let regions = if all || keys.len() > ONE_BY_ONE {
        pd.regions(Bytes::new(), true).await
    } else {
        let mut found = Ok(Vec::new());
        for key in keys {
            match (pd.regions(key.clone(), false).await, &mut found) {
                (Ok(page), Ok(found)) => found.extend(page),
                (Err(fault), _) => {
                    found = Err(fault);
                    break;
                }
                _ => {}
            }
        }
        found
    };
    let stores = if stores { pd.stores().await.ok() } else { None };
    (regions, stores)
}

impl Worker {
    /// The driver should tell the region of a request.
    pub(super) fn want(&mut self, id: u64) {
        let Some(pending) = self.table.get_mut(id) else { return };
        let key = pending.key();
        let start = self.routes.find(key).map_or(key, |route| &route.region.start_key);
        if !self.wanted.contains(start) {
            self.wanted.insert(start.clone());
        }
    }

    pub(super) fn wants(&self) -> bool {
        self.want_stores || !self.wanted.is_empty()
    }

    /// Asks the driver for what is wanted, unless it is asked or was just now.
    pub(super) fn ask_driver(&mut self) {
        if !self.wants() || self.now < self.ask_after {
            return;
        }
        let Some(mut pd) = self.pd.take() else { return };
        let keys = std::mem::take(&mut self.wanted);
        let with_stores = std::mem::take(&mut self.want_stores);
        let events = self.sender.clone();
        tokio::spawn(async move {
            let (regions, stores) = ask(&mut pd, &keys, false, with_stores).await;
            let _ = events.send(Event::Learned(Box::new(Learned { pd, regions, stores })));
        });
    }

    /// Takes what the driver tells, and dispatches the requests that waited for it.
    pub(crate) fn learn(&mut self, learned: Learned) {
        self.pd = Some(learned.pd);
        if let Some(stores) = learned.stores {
            self.learn_stores(stores);
        }
        let parked = std::mem::take(&mut self.parked);
        match learned.regions {
            Ok(regions) => {
                self.ask_after = self.now + ASK_AGAIN.0;
                for (region, leader) in regions {
                    self.routes.insert(region, leader.as_ref());
                }
                for id in parked {
                    let known = self.table.get_mut(id).is_none_or(|pending| self.routes.find(pending.key()).is_some());
                    if known {
                        self.dispatch(id);
                    } else {
                        self.retry(id, "the placement driver knows no region of the key".to_owned(), None);
                    }
                }
            }
            Err(reason) => {
                self.ask_after = self.now + ASK_AGAIN.1;
                for id in parked {
                    self.retry(id, reason.clone(), None);
                }
            }
        }
    }

    fn learn_stores(&mut self, stores: Vec<metapb::Store>) {
        let own = self.options.zone.as_deref().filter(|own| !own.is_empty());
        let mut near = HashSet::new();
        let mut moved = Vec::new();
        for store in stores {
            let zone = store.labels.iter().find(|label| label.key == "zone").map_or("", |label| label.value.as_str());
            let far = own.is_some_and(|own| !zone.is_empty() && own != zone);
            if own == Some(zone) {
                near.insert(store.id);
            }
            let counter = self.meter.zone(zone);
            let known = self
                .stores
                .entry(store.id)
                .or_insert_with(|| Store::new(store.address.clone(), far, counter.clone(), self.now));
            if known.address != store.address || !Arc::ptr_eq(&known.counter, &counter) {
                moved.push((store.id, known.connection));
                known.address = store.address;
                // What is being connected is not this address: no connection has the number 0.
                known.link = Link::Down(self.now);
                known.connection = 0;
                known.counter = counter;
            }
            known.far = far;
        }
        self.routes.set_near(near);
        for (store, connection) in moved {
            let lost = self.table.all(|pending| pending.place == Place::Sent { store, connection });
            if !lost.is_empty() {
                self.receive(store, Arrival::Broken(connection, format!("store {store} has moved")));
            }
        }
    }
}
