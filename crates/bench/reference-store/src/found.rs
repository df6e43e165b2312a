//! What a run showed, of the database too.

use bench::RunReport;
use timeline::{LatencyHistogram, Timeline};
use units::{Nanos, Usd};

/// What a run showed.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreRunResult {
    /// The driver's numbers.
    pub report: RunReport,
    /// Second by second: operations, latencies, disks, engine.
    pub timeline: Timeline,
    /// Since when it was measured, counted from the Timeline's start.
    pub from: Nanos,
    /// Until when.
    pub until: Nanos,
    /// What was used of the database while it was measured.
    pub used: StoreResourceUse,
}

/// What was used while a run was measured, of all nodes together. Zero where the database does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct StoreResourceUse {
    /// Seconds that were measured.
    pub seconds: f64,
    /// Bytes that clients wrote.
    pub user_bytes: f64,
    /// Bytes that flushes wrote.
    pub flush_bytes: f64,
    /// Bytes that compactions read.
    pub compaction_read_bytes: f64,
    /// Bytes that compactions wrote, values kept apart included.
    pub compaction_write_bytes: f64,
    /// Bytes of the raft log.
    pub raft_log_bytes: f64,
    /// Times that the raft log was made durable.
    pub raft_log_syncs: f64,
    /// Seconds that writers were held up by RocksDB or by flow control.
    pub held_up: f64,
    /// Share of blocks found in the cache, 0 to 1.
    pub cache_hit_rate: Option<f64>,
    /// Bytes still to be compacted, in the mean.
    pub pending_compaction_bytes: f64,
    /// Bytes between nodes of different zones.
    pub cross_zone_peer_bytes: f64,
    /// Bytes between the client and nodes of other zones.
    pub cross_zone_client_bytes: f64,
    /// US dollars for what a million operations carried between zones, which the price of machines leaves out; `None` without a
    /// price, or without operations.
    pub transfer_usd_per_million: Option<f64>,
    /// CPU seconds of the nodes.
    pub node_cpu: f64,
    /// Requests that disks were asked for.
    pub disk_ios: f64,
    /// Bytes that disks were asked for.
    pub disk_bytes: f64,
}

impl StoreRunResult {
    /// Latencies of all kinds of operation while it was measured, from their intended start.
    pub fn latencies(&self) -> LatencyHistogram {
        let mut all = timeline::latencies();
        for series in self.timeline.series.iter().filter(|series| series.name == "latency") {
            if let Some(some) = series.latencies(self.from, self.until) {
                // Both have the bounds that all latencies have.
                let _ = all.add(some);
            }
        }
        all
    }

    /// What the series of a name amount to on the disks of a role, `data` or `raft`, of all nodes together.
    pub fn disks(&self, name: &str, role: &str) -> f64 {
        let of = |series: &&timeline::Series| {
            series.name == name && series.labels.get("disk").map(String::as_str) == Some(role)
        };
        let series = self.timeline.series.iter().filter(of);
        series.filter_map(|series| series.value(self.from, self.until)).sum()
    }
}

impl StoreResourceUse {
    /// Reads it off a Timeline; both instants count from its start.
    pub(crate) fn of(timeline: &Timeline, from: Nanos, until: Nanos, report: &RunReport, client: u64) -> Self {
        let all = |name: &str, keep: &dyn Fn(&timeline::Series) -> bool| -> f64 {
            let series = timeline.series.iter().filter(|series| series.name == name && keep(series));
            series.filter_map(|series| series.value(from, until)).sum()
        };
        let sum = |name: &str| all(name, &|_| true);
        let crossing = |series: &timeline::Series| {
            let label = |key: &str| series.labels.get(key).map(String::as_str);
            label("from") != label("to") && label("kind") == Some("peer")
        };
        let (hits, misses) = (sum("block_cache_hits"), sum("block_cache_misses"));
        let seconds = (until - from).as_secs_f64();
        Self {
            seconds,
            user_bytes: report.written_bytes_per_s * seconds,
            flush_bytes: sum("flush_bytes"),
            compaction_read_bytes: sum("compaction_read_bytes"),
            compaction_write_bytes: sum("compaction_write_bytes"),
            raft_log_bytes: sum("raft_log_bytes"),
            raft_log_syncs: sum("raft_log_syncs"),
            held_up: sum("stall_time") + sum("throttle_time"),
            cache_hit_rate: (hits + misses > 0.0).then(|| hits / (hits + misses)),
            pending_compaction_bytes: sum("pending_compaction_bytes"),
            // Each byte is counted once, by the node that opened the connection.
            cross_zone_peer_bytes: all("zone_bytes", &crossing),
            cross_zone_client_bytes: client as f64,
            transfer_usd_per_million: None,
            node_cpu: sum("cpu_time"),
            disk_ios: sum("read_ops") + sum("write_ops"),
            disk_bytes: sum("read_bytes") + sum("write_bytes"),
        }
    }

    /// Bytes written by flushes and compactions over bytes that clients wrote; `None` if they wrote nothing.
    pub fn write_amplification(&self) -> Option<f64> {
        let written = self.flush_bytes + self.compaction_write_bytes;
        (self.user_bytes > 0.0).then(|| written / self.user_bytes)
    }

    /// With the price of what crossed zones in so many operations, at this price for each GB (10⁹ bytes).
    pub(crate) fn priced(self, per_gb: Option<Usd>, operations: u64) -> Self {
        let price = per_gb.filter(|_| operations > 0).map(|per_gb| per_gb * (self.cross_zone_bytes() / 1e9));
        let transfer_usd_per_million = price.map(|price| price.0 * 1e6 / operations as f64);
        Self { transfer_usd_per_million, ..self }
    }

    /// Bytes that crossed zones, whoever sent them.
    pub fn cross_zone_bytes(&self) -> f64 {
        self.cross_zone_peer_bytes + self.cross_zone_client_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_operations_pay_for_what_they_carry_between_zones() {
        let used = StoreResourceUse {
            cross_zone_peer_bytes: 3e9,
            cross_zone_client_bytes: 1e9,
            ..StoreResourceUse::default()
        };
        assert_eq!(used.priced(Some(Usd(0.5)), 500_000).transfer_usd_per_million, Some(4.0));
        assert_eq!(used.priced(Some(Usd(0.5)), 0).transfer_usd_per_million, None);
        assert_eq!(used.priced(None, 500_000).transfer_usd_per_million, None);
    }
}
