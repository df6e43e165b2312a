//! Bytes on the wire, by the zone of the store at the other end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// Bytes on the wire between a client and the stores of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZoneTraffic {
    /// Bytes from the client.
    pub sent: u64,
    /// Bytes to the client.
    pub received: u64,
}

/// Bytes of a client since its start: what TCP carried to and from stores, framing and compression included; not what PD was
/// asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientTraffic {
    /// The client's own zone.
    pub own: Option<String>,
    /// By the zone of the store; the empty name holds stores that have none.
    pub zones: BTreeMap<String, ZoneTraffic>,
}

impl ClientTraffic {
    /// What passed between the client's zone and other named zones: what a cloud charges. Nothing if its own is not known.
    pub fn crossing(&self) -> ZoneTraffic {
        let Some(own) = &self.own else { return ZoneTraffic::default() };
        let others = self.zones.iter().filter(|(zone, _)| !zone.is_empty() && *zone != own);
        others.fold(ZoneTraffic::default(), |sum, (_, zone)| ZoneTraffic {
            sent: sum.sent + zone.sent,
            received: sum.received + zone.received,
        })
    }
}

/// Counts of one zone, shared with its connections.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    pub(crate) sent: AtomicU64,
    pub(crate) received: AtomicU64,
}

/// Counts of all zones.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    zones: Mutex<BTreeMap<String, Arc<Counter>>>,
    pub(crate) retries: AtomicU64,
}

impl Meter {
    pub(crate) fn zone(&self, name: &str) -> Arc<Counter> {
        self.zones.lock().entry(name.to_owned()).or_default().clone()
    }

    pub(crate) fn read(&self, own: Option<String>) -> ClientTraffic {
        let read = |counter: &Counter| ZoneTraffic {
            sent: counter.sent.load(Ordering::Relaxed),
            received: counter.received.load(Ordering::Relaxed),
        };
        ClientTraffic {
            own,
            zones: self.zones.lock().iter().map(|(name, counter)| (name.clone(), read(counter))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(own: Option<&str>) -> ClientTraffic {
        let zone = |sent, received| ZoneTraffic { sent, received };
        let zones = [("", zone(1, 1)), ("a", zone(10, 20)), ("b", zone(100, 200)), ("c", zone(1000, 2000))];
        ClientTraffic {
            own: own.map(str::to_owned),
            zones: zones.map(|(name, counted)| (name.to_owned(), counted)).into_iter().collect(),
        }
    }

    #[test]
    fn what_crosses_goes_to_other_named_zones() {
        assert_eq!(traffic(Some("a")).crossing(), ZoneTraffic { sent: 1100, received: 2200 });
    }

    #[test]
    fn nothing_crosses_from_nowhere() {
        assert_eq!(traffic(None).crossing(), ZoneTraffic::default());
    }
}
