//! What a server counted until an instant, from its `/metrics`.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use metrics::MetricsExposition;
use timeline::vocabulary;

use crate::rows::{Fold, Kind, Row, TIKV};

/// What a node's engine, or a TiDB, counted until an instant. Counters start anew when it does.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineCounters {
    /// When.
    pub at: Timestamp,
    /// What was looked for.
    rows: &'static [Row],
    /// In the order of `rows`; `None` where the node does not tell.
    values: Vec<Option<f64>>,
    /// Seconds of CPU time by pool of threads: `raftstore`, `apply`, `store_writer`, `grpc_server`, `rocksdb:low` ….
    pub cpu: BTreeMap<String, f64>,
    /// Bytes on the wire.
    pub zones: BTreeMap<InterZoneTraffic, f64>,
}

/// Between which zones bytes go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterZoneTraffic {
    /// From where.
    pub from: String,
    /// To where.
    pub to: String,
    /// `peer` or `client`.
    pub kind: String,
}

/// Seconds of CPU time by thread, and bytes by zone: what is read whatever the rows.
const THREADS: &str = "tikv_thread_cpu_seconds_total";
const ZONES: &str = "diskwright_zone_bytes_total";

impl EngineCounters {
    /// Whether [`read`](Self::read) looks at a metric: at a tenth of what a node tells. To read all of it each second took a fifth of a per
    /// cent more of two processors with three nodes.
    pub(crate) fn looks_at(rows: &'static [Row]) -> impl Fn(&str) -> bool {
        let names: HashSet<&str> = rows.iter().map(|row| row.metric).chain([THREADS, ZONES]).collect();
        move |name| names.contains(name)
    }

    /// Reads them off what a node told.
    pub(crate) fn read(at: Timestamp, rows: &'static [Row], told: &MetricsExposition) -> Self {
        let value = |row: &Row| {
            let folded = match row.fold {
                Fold::Sum => told.sum(row.metric, row.labels),
                Fold::Max => told.max(row.metric, row.labels),
            };
            folded.filter(|value| value.is_finite()).map(|value| value * row.scale)
        };
        let label = |labels: &BTreeMap<String, String>, key: &str| labels.get(key).cloned().unwrap_or_default();
        let mut cpu = BTreeMap::new();
        for (labels, seconds) in told.each(THREADS) {
            *cpu.entry(pool(&label(labels, "name")).to_owned()).or_default() += seconds;
        }
        let mut zones = BTreeMap::new();
        for (labels, bytes) in told.each(ZONES) {
            let [from, to, kind] = ["from", "to", "kind"].map(|key| label(labels, key));
            *zones.entry(InterZoneTraffic { from, to, kind }).or_default() += bytes;
        }
        Self { at, rows, values: rows.iter().map(value).collect(), cpu, zones }
    }

    /// The names of all series that [`get`](Self::get) knows of an engine.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TIKV.iter().map(|row| row.series.name)
    }

    /// A value by the name of its series; `None` if there is no such series or the node does not tell it.
    pub fn get(&self, series: &str) -> Option<f64> {
        self.rows.iter().zip(&self.values).find(|(row, _)| row.series.name == series).and_then(|(_, value)| *value)
    }

    /// What a counter grew by; what a gauge shows now.
    pub fn grown(&self, since: &Self, series: &str) -> Option<f64> {
        self.pairs(since).find(|(row, _)| row.series.name == series).map(|(_, value)| value)
    }

    /// All values of an interval.
    pub(crate) fn pairs(&self, since: &Self) -> impl Iterator<Item = (&'static Row, f64)> {
        let values = self.values.iter().zip(&since.values);
        self.rows.iter().zip(values).filter_map(|(row, (now, was))| match row.kind {
            Kind::Counter => Some((row, growth(*was, (*now)?))),
            Kind::Gauge => Some((row, (*now)?)),
        })
    }

    /// Bytes that flushes and compactions wrote over those that flushes wrote; `None` if nothing was flushed.
    pub fn write_amplification(&self, since: &Self) -> Option<f64> {
        let flushed = self.grown(since, vocabulary::FLUSH_BYTES.name).filter(|bytes| *bytes > 0.0)?;
        Some(1.0 + self.grown(since, vocabulary::COMPACTION_WRITE_BYTES.name)? / flushed)
    }

    /// Share of the blocks asked for, 0 to 1, that the cache had; `None` if none were.
    pub fn cache_hit_rate(&self, since: &Self) -> Option<f64> {
        let (hits, misses) = (
            self.grown(since, vocabulary::BLOCK_CACHE_HITS.name)?,
            self.grown(since, vocabulary::BLOCK_CACHE_MISSES.name)?,
        );
        (hits + misses > 0.0).then(|| hits / (hits + misses))
    }
}

/// The growth of a counter; one that fell has started anew.
pub(crate) fn growth(was: Option<f64>, now: f64) -> f64 {
    let was = was.unwrap_or(0.0);
    if now >= was { now - was } else { now }
}

/// How the names of a pool's threads begin, and what the pool is called, in the words that `gather` and `simulate` have too: the
/// kernel's names of TiKV's threads, cut to 15 characters. TiKV's metrics write what is neither letter nor digit as `_`.
const POOLS: [(&str, &str); 8] = [
    ("raftstore_", "raftstore"),
    ("rs_", "raftstore"),
    ("store_writ", "store_writer"),
    ("grpc_", "grpc_server"),
    ("sched_worker", "sched_worker_pool"),
    ("unified_read", "unified_read_po"),
    ("rocksdb_low", "rocksdb:low"),
    ("rocksdb_high", "rocksdb:high"),
];

/// The pool of a thread; of one that is in no pool that is known, its name without its number.
fn pool(thread: &str) -> &str {
    let plain: String = thread.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let known = POOLS.iter().find(|(prefix, _)| plain.starts_with(prefix));
    known.map_or_else(
        || thread.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['-', '_', ' ']),
        |(_, pool)| *pool,
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn counters(second: i64, text: &str) -> EngineCounters {
        let at = Timestamp::from_second(second).unwrap();
        let told = MetricsExposition::parse_only(text, EngineCounters::looks_at(&TIKV)).unwrap();
        EngineCounters::read(at, &TIKV, &told)
    }

    #[test]
    fn families_add_up_and_files_of_the_fullest_count() {
        let told = counters(
            0,
            "tikv_engine_pending_compaction_bytes{db=\"kv\",cf=\"default\"} 5\n\
             tikv_engine_pending_compaction_bytes{db=\"kv\",cf=\"write\"} 2\n\
             tikv_engine_pending_compaction_bytes{db=\"raft\",cf=\"default\"} 100\n\
             tikv_engine_num_files_at_level{db=\"kv\",cf=\"default\",level=\"0\"} 4\n\
             tikv_engine_num_files_at_level{db=\"kv\",cf=\"write\",level=\"0\"} 3\n\
             tikv_engine_num_files_at_level{db=\"kv\",cf=\"default\",level=\"6\"} 90\n\
             tikv_engine_stall_micro_seconds{db=\"kv\"} 2500000",
        );
        assert_eq!(told.get("pending_compaction_bytes"), Some(7.0));
        assert_eq!(told.get("level0_files"), Some(4.0));
        assert_eq!(told.get("stall_time"), Some(2.5));
        assert_eq!(told.get("flush_bytes"), None);
    }

    #[test]
    fn threads_of_one_pool_count_together_whoever_writes_their_names() {
        let told = counters(
            0,
            "tikv_thread_cpu_seconds_total{name=\"apply-0\"} 1\ntikv_thread_cpu_seconds_total{name=\"apply_1\"} 2\n\
             tikv_thread_cpu_seconds_total{name=\"unified-read-po\"} 4\ntikv_thread_cpu_seconds_total{name=\"rocksdb:low\"} 8\n\
             tikv_thread_cpu_seconds_total{name=\"rocksdb_low3\"} 16\ntikv_thread_cpu_seconds_total{name=\"sched_worker_1\"} 32",
        );
        let pools: Vec<_> = told.cpu.iter().map(|(pool, seconds)| (pool.as_str(), *seconds)).collect();
        let expected = [("apply", 3.0), ("rocksdb:low", 24.0), ("sched_worker_pool", 32.0), ("unified_read_po", 4.0)];
        assert_eq!(pools, expected);
    }

    #[test]
    fn write_amplification_is_what_flushes_and_compactions_write_over_flushes() {
        let text = |flushed, compacted| {
            format!(
                "tikv_engine_flow_bytes{{db=\"kv\",type=\"flush_write_bytes\"}} {flushed}\n\
                 tikv_engine_compaction_flow_bytes{{db=\"kv\",type=\"bytes_written\"}} {compacted}"
            )
        };
        let (was, now) = (counters(0, &text(100, 50)), counters(1, &text(200, 450)));
        assert_eq!(now.write_amplification(&was), Some(5.0));
        assert_eq!(now.write_amplification(&now), None);
    }

    #[test]
    fn a_counter_that_fell_has_started_anew() {
        assert_eq!(growth(Some(10.0), 12.0), 2.0);
        assert_eq!(growth(Some(10.0), 3.0), 3.0);
        assert_eq!(growth(None, 3.0), 3.0);
    }
}
