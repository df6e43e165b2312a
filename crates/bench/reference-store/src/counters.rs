//! Counters of a run, of the database too.

use bench::{MeasuredRun, RunReport};
use timeline::Timeline;
use units::{Nanos, Usd};

/// A run on the reference store or a TiKV.
pub type StoreRun = MeasuredRun<StoreCounters, ClientTraffic>;

/// Traffic of the client in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClientTraffic {
    /// Bytes between the client and nodes of other zones, warm-up included.
    pub cross_zone_bytes: u64,
}

/// What was used while a run was measured, of all nodes together. Zero where the database does not tell it.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct StoreCounters {
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

impl StoreCounters {
    /// Reads the counters off a Timeline; both instants count from its start. `client` is the traffic of the whole run.
    pub(crate) fn of(
        (timeline, from, until): (&Timeline, Nanos, Nanos),
        report: &RunReport,
        client: ClientTraffic,
    ) -> Self {
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
        // The client's bytes are known of the whole run; of them the measured part is meant.
        let share = report.measured_s / (report.measured_s + report.warm_up_s).max(f64::MIN_POSITIVE);
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
            cross_zone_client_bytes: (client.cross_zone_bytes as f64 * share).floor(),
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
        let used =
            StoreCounters { cross_zone_peer_bytes: 3e9, cross_zone_client_bytes: 1e9, ..StoreCounters::default() };
        assert_eq!(used.priced(Some(Usd(0.5)), 500_000).transfer_usd_per_million, Some(4.0));
        assert_eq!(used.priced(Some(Usd(0.5)), 0).transfer_usd_per_million, None);
        assert_eq!(used.priced(None, 500_000).transfer_usd_per_million, None);
    }
}
