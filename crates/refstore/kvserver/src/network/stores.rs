//! Where the other stores are.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use proto::metapb::Store;

/// The key of the label that says in which zone a store is; TiKV's `server.labels`.
const ZONE_LABEL: &str = "zone";
/// The placement driver is not asked more often than this.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Host and port.
    pub(crate) address: String,
    /// Its label `zone`, or nothing.
    pub(crate) zone: String,
}

type Ask = dyn Fn() -> Vec<Store> + Send + Sync;

/// Addresses and zones of stores by id; asks anew when one is unknown or does not answer.
#[derive(Clone)]
pub struct StoreDirectory {
    known: Arc<Mutex<Known>>,
    ask: Arc<Ask>,
}

struct Known {
    places: HashMap<u64, Place>,
    asked: Option<Instant>,
}

impl StoreDirectory {
    /// Stores that `ask` tells of: all of the cluster, or none when nobody answers. It may block.
    pub fn new(ask: impl Fn() -> Vec<Store> + Send + Sync + 'static) -> Self {
        Self { known: Arc::new(Mutex::new(Known { places: HashMap::new(), asked: None })), ask: Arc::new(ask) }
    }

    /// Where a store is, as far as known.
    pub(crate) fn get(&self, id: u64) -> Option<Place> {
        self.known.lock().places.get(&id).cloned()
    }

    /// Asks, unless that was done just before. Blocks.
    pub(crate) fn refresh(&self) {
        let mut known = self.known.lock();
        if known.asked.is_some_and(|asked| asked.elapsed() < ASK_AGAIN) {
            return;
        }
        known.asked = Some(Instant::now());
        drop(known);
        let told = (self.ask)();
        let place = |store: Store| {
            let zone = store.labels.into_iter().find(|label| label.key == ZONE_LABEL).map(|label| label.value);
            (store.id, Place { address: store.address, zone: zone.unwrap_or_default() })
        };
        self.known.lock().places.extend(told.into_iter().map(place));
    }
}
