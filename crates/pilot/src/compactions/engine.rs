//! What a TiKV's `/metrics` tell the limiter.

use limiter::{Backlog, Engine, Thresholds};
use observe::Exposition;
use serde_json::Value;
use units::Bytes;

use crate::at;
use crate::value::amount;

/// Flushes and compactions, and how far they are behind; `None` where a counter is missing that every TiKV tells of, so that no
/// missing number is taken for an idle store.
pub(super) fn engine(told: &Exposition) -> Option<(Engine, Backlog)> {
    const KV: (&str, &str) = ("db", "kv");
    let flow = |metric: &str, kind: &str| told.sum(metric, &[KV, ("type", kind)]);
    let engine = Engine {
        flushed: flow("tikv_engine_flow_bytes", "flush_write_bytes")?,
        compaction_read: flow("tikv_engine_compaction_flow_bytes", "bytes_read")?,
        compaction_written: flow("tikv_engine_compaction_flow_bytes", "bytes_written")?,
    };
    let backlog = Backlog {
        pending: Bytes(told.sum("tikv_engine_pending_compaction_bytes", &[KV])?.max(0.0) as u64),
        l0_files: told.max("tikv_engine_num_files_at_level", &[KV, ("level", "0")])?,
        memtables: told.max("tikv_engine_num_immutable_mem_table", &[KV]).unwrap_or(0.0),
    };
    Some((engine, backlog))
}

/// Where flow control begins, as the store is set; TiKV's defaults for what it does not tell.
pub(super) fn thresholds(config: &Value) -> Thresholds {
    let number = |key: &str| at(config, &format!("storage.flow-control.{key}")).and_then(amount);
    let usual = Thresholds::default();
    Thresholds {
        pending: number("soft-pending-compaction-bytes-limit").map_or(usual.pending, |limit| Bytes(limit as u64)),
        l0_files: number("l0-files-threshold").unwrap_or(usual.l0_files),
        memtables: number("memtables-threshold").unwrap_or(usual.memtables),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = r#"
tikv_engine_flow_bytes{db="kv",type="flush_write_bytes"} 1000
tikv_engine_flow_bytes{db="raft",type="flush_write_bytes"} 7
tikv_engine_compaction_flow_bytes{db="kv",type="bytes_read"} 3000
tikv_engine_compaction_flow_bytes{db="kv",type="bytes_written"} 2000
tikv_engine_pending_compaction_bytes{cf="default",db="kv"} 40
tikv_engine_pending_compaction_bytes{cf="write",db="kv"} 2
tikv_engine_num_files_at_level{cf="default",db="kv",level="0"} 3
tikv_engine_num_files_at_level{cf="write",db="kv",level="0"} 5
tikv_engine_num_files_at_level{cf="write",db="kv",level="6"} 500
"#;

    #[test]
    fn families_add_up_and_the_worst_of_them_counts_files() {
        let (engine, backlog) = super::engine(&Exposition::parse(TOLD).unwrap()).unwrap();
        let expected = Engine { flushed: 1000.0, compaction_read: 3000.0, compaction_written: 2000.0 };
        assert_eq!(engine, expected);
        assert_eq!(backlog, Backlog { pending: Bytes(42), l0_files: 5.0, memtables: 0.0 });
    }

    #[test]
    fn what_every_tikv_tells_of_must_be_there() {
        for line in TOLD.lines().filter(|line| line.contains("compaction_flow") || line.contains("flush_write")) {
            let told = Exposition::parse(&TOLD.replace(line, "")).unwrap();
            assert_eq!(super::engine(&told).is_some(), line.contains("raft"), "{line}");
        }
    }

    #[test]
    fn thresholds_are_the_stores_own() {
        let config = serde_json::json!({"storage": {"flow-control": {
            "soft-pending-compaction-bytes-limit": "8GiB", "l0-files-threshold": 12 }}});
        let expected = Thresholds { pending: Bytes::gib(8), l0_files: 12.0, ..Thresholds::default() };
        assert_eq!(thresholds(&config), expected);
    }
}
