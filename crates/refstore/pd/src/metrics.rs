//! What the placement driver measures of itself and knows of the cluster, under PD's names.

use std::time::Duration;

use prometheus::{Encoder, Histogram, HistogramOpts, IntCounterVec, IntGaugeVec, Opts, Registry, TextEncoder};
use prometheus::{GaugeVec, exponential_buckets};

use crate::cluster::Cluster;

/// Counts as they happen; what the cluster is, is counted when somebody asks.
pub(crate) struct Meters {
    registry: Registry,
    /// Seconds from a request for timestamps to its answer.
    pub(crate) tso: Histogram,
    heartbeats: IntCounterVec,
}

impl Meters {
    pub(crate) fn new() -> Self {
        let registry = Registry::new();
        // PD 8.5, server/metrics.go: 13 buckets from half a millisecond.
        let buckets = exponential_buckets(0.0005, 2.0, 13).unwrap_or_default();
        let about = "Bucketed histogram of processing time (s) of handled tso requests.";
        let tso = HistogramOpts::new("pd_server_handle_tso_duration_seconds", about).buckets(buckets);
        let about = "Counter of region heartbeat.";
        let heartbeats = Opts::new("pd_scheduler_region_heartbeat", about);
        // Names are constants and each is registered once: neither can fail.
        let tso = Histogram::with_opts(tso).expect("a valid name");
        let heartbeats = IntCounterVec::new(heartbeats, &["store", "type", "status"]).expect("a valid name");
        registry.register(Box::new(tso.clone())).expect("not registered before");
        registry.register(Box::new(heartbeats.clone())).expect("not registered before");
        Self { registry, tso, heartbeats }
    }

    /// Counts a region's heartbeat.
    pub(crate) fn heard(&self, store: u64, taken: bool) {
        let status = if taken { "ok" } else { "err" };
        self.heartbeats.with_label_values(&[&store.to_string(), "report", status]).inc();
    }

    /// All, as Prometheus reads it.
    pub(crate) fn text(&self, cluster: &Cluster, name: &str, now: Duration) -> String {
        let known = Registry::new();
        let gauge = |name: &str, about: &str, labels: &[&str]| {
            let gauge = GaugeVec::new(Opts::new(name, about), labels).expect("a valid name");
            known.register(Box::new(gauge.clone())).expect("not registered before");
            gauge
        };
        let role = gauge("service_member_role", "The leadership of the member, 1 for the leader.", &["service"]);
        role.with_label_values(&["PD"]).set(1.0);
        let leader = gauge("etcd_server_is_leader", "Whether this member leads; the only one does.", &[]);
        leader.with_label_values(&[]).set(1.0);
        let id = gauge("pd_cluster_id", "The cluster's id is the label.", &["name", "id"]);
        id.with_label_values(&[name, &cluster.record.cluster_id.to_string()]).set(1.0);
        of_cluster(cluster, now, &gauge("pd_cluster_status", "Status of the cluster.", &["type", "namespace"]));
        of_regions(cluster, &gauge("pd_regions_status", "Status of the regions.", &["type"]));
        let labels = ["store", "address", "type"];
        of_stores(cluster, now, &gauge("pd_scheduler_store_status", "Store status for schedule.", &labels));
        let operators = Opts::new("pd_schedule_operators_count", "Counter of schedule operators.");
        let operators = IntGaugeVec::new(operators, &["type", "event"]).expect("a valid name");
        known.register(Box::new(operators.clone())).expect("not registered before");
        for ((kind, event), count) in cluster.operators.counts() {
            operators.with_label_values(&[kind, event]).set(*count as i64);
        }
        let mut text = Vec::new();
        for registry in [&self.registry, &known] {
            // Into memory nothing fails.
            let _ = TextEncoder::new().encode(&registry.gather(), &mut text);
        }
        String::from_utf8(text).unwrap_or_default()
    }
}

fn of_cluster(cluster: &Cluster, now: Duration, status: &GaugeVec) {
    let set = |kind: &str, value: f64| status.with_label_values(&[kind, "global"]).set(value);
    let down_after = cluster.record.settings.max_store_down_time();
    let stores = || cluster.record.stores.keys().map(|&store| cluster.live(store));
    let named = |name: &str| stores().filter(|live| live.state_name(now, down_after) == name).count() as f64;
    let stat = |of: fn(&proto::pdpb::StoreStats) -> u64| {
        stores().filter_map(|live| live.stats).map(|stats| of(&stats) as f64).sum()
    };
    let regions = cluster.regions.all();
    set("leader_count", regions.iter().filter(|region| region.leader.is_some()).count() as f64);
    set("region_count", regions.len() as f64);
    set("store_up_count", named("Up"));
    set("store_disconnected_count", named("Disconnected"));
    set("store_down_count", named("Down"));
    set("store_slow_count", stores().filter(|live| live.is_slow()).count() as f64);
    for kind in ["store_offline_count", "store_tombstone_count", "store_low_space_count"] {
        set(kind, 0.0);
    }
    set("storage_size", stat(|stats| stats.used_size));
    set("storage_capacity", stat(|stats| stats.capacity));
}

fn of_regions(cluster: &Cluster, status: &GaugeVec) {
    let regions = || cluster.regions.all().iter();
    let replicas = cluster.record.settings.replication.max_replicas as usize;
    let counts = [
        ("miss", regions().filter(|region| region.meta.peers.len() < replicas).count()),
        ("extra", regions().filter(|region| region.meta.peers.len() > replicas).count()),
        ("pending", regions().filter(|region| !region.pending.is_empty()).count()),
        ("down", regions().filter(|region| !region.down.is_empty()).count()),
    ];
    // Dashboards of different releases use both spellings.
    for (kind, count) in counts {
        status.with_label_values(&[&format!("{kind}-peer-region-count")]).set(count as f64);
        status.with_label_values(&[&format!("{kind}_peer_region_count")]).set(count as f64);
    }
}

fn of_stores(cluster: &Cluster, now: Duration, status: &GaugeVec) {
    for store in cluster.record.stores.values() {
        let id = store.id.to_string();
        let set = |kind: &str, value: f64| status.with_label_values(&[&id, &store.address, kind]).set(value);
        let live = cluster.live(store.id);
        let stats = live.stats.unwrap_or_default();
        let leads = cluster.leader_count(store.id) as f64;
        set("leader_count", leads);
        set("leader_score", leads);
        let held = cluster.regions.all().iter().filter(|region| region.peer_on(store.id).is_some());
        set("region_count", held.count() as f64);
        set("store_available", stats.available as f64);
        set("store_used", stats.used_size as f64);
        set("store_capacity", stats.capacity as f64);
        set("store_slow_score", stats.slow_score as f64);
        set("store_disconnected", f64::from(u8::from(!live.is_connected(now))));
    }
}
