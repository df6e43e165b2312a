//! The network between zones: delays, and the bytes that cross.

use std::hint::select_unpredictable;

use deployment::EngineSettings;
use units::Nanos;

use crate::Constants;

/// Between which ends bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Traffic {
    /// Between nodes.
    Peer,
    /// Between clients and nodes.
    Client,
}

/// Delays and counted bytes.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    zones: usize,
    /// One way within a zone, and between two.
    ways: [Nanos; 2],
    /// By kind, from and to.
    bytes: [Vec<f64>; 2],
}

impl Network {
    /// Between so many zones.
    pub(crate) fn new(zones: u32, settings: &EngineSettings, c: &Constants) -> Self {
        let zones = zones.max(1) as usize;
        let across = settings.zone_round_trip.map_or(c.zone_round_trip, Nanos::as_secs_f64);
        let half = |round_trip: f64| Nanos::from_secs_f64(round_trip / 2.0);
        let bytes = vec![0.0; zones * zones];
        Self { zones, ways: [half(c.local_round_trip), half(across)], bytes: [bytes.clone(), bytes] }
    }

    /// Between nodes of two zones, one way.
    pub(crate) fn between(&self, from: usize, to: usize) -> Nanos {
        select_unpredictable(from != to, self.ways[1], self.ways[0])
    }

    /// What another zone adds to a client's request, one way: the way within a zone is part of the client's own time.
    pub(crate) fn hop(&self, client: usize, node: usize) -> Nanos {
        select_unpredictable(client != node, self.ways[1], Nanos(0))
    }

    /// Counts bytes on the wire.
    pub(crate) fn count(&mut self, traffic: Traffic, from: usize, to: usize, bytes: f64) {
        self.bytes[traffic as usize][from * self.zones + to] += bytes;
    }

    /// All bytes so far: kind, from, to.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&'static str, usize, usize, f64)> + '_ {
        let kind = |(kind, bytes): (&'static str, &Vec<f64>)| {
            let zones = self.zones;
            bytes.clone().into_iter().enumerate().map(move |(pair, bytes)| (kind, pair / zones, pair % zones, bytes))
        };
        ["peer", "client"].into_iter().zip(&self.bytes).flat_map(kind)
    }
}
