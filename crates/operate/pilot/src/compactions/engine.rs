//! What a TiKV's `/metrics` tell the limiter.

use compaction_control::{BackgroundWork, CompactionBacklog, StallThresholds};
use metrics::MetricsExposition;
use serde_json::Value;
use units::Bytes;

use crate::at;
use crate::value::amount;

/// Flushes and compactions, and how far they are behind; `None` where a counter is missing that every TiKV tells of, so that no
/// missing number is taken for an idle store.
pub(super) fn engine(told: &MetricsExposition) -> Option<(BackgroundWork, CompactionBacklog)> {
    const KV: (&str, &str) = ("db", "kv");
    // What is no count is no news.
    let counted = |value: f64| (value.is_finite() && value >= 0.0).then_some(value);
    let flow = |metric: &str, kind: &str| told.sum(metric, &[KV, ("type", kind)]).and_then(counted);
    let engine = BackgroundWork {
        flushed: flow("tikv_engine_flow_bytes", "flush_write_bytes")?,
        compaction_read: flow("tikv_engine_compaction_flow_bytes", "bytes_read")?,
        compaction_written: flow("tikv_engine_compaction_flow_bytes", "bytes_written")?,
    };
    let backlog = CompactionBacklog {
        pending: Bytes(counted(told.sum("tikv_engine_pending_compaction_bytes", &[KV])?)? as u64),
        l0_files: counted(told.max("tikv_engine_num_files_at_level", &[KV, ("level", "0")])?)?,
        memtables: counted(told.max("tikv_engine_num_immutable_mem_table", &[KV])?)?,
    };
    Some((engine, backlog))
}

/// Where flow control begins, as the store is set; the error names a threshold that it does not tell, or not as a number.
pub(super) fn thresholds(config: &Value) -> Result<StallThresholds, String> {
    let number = |name: &str| {
        let key = format!("storage.flow-control.{name}");
        at(config, &key).and_then(amount).filter(|limit| *limit >= 0.0).ok_or(key)
    };
    Ok(StallThresholds {
        pending: Bytes(number("soft-pending-compaction-bytes-limit")? as u64),
        l0_files: number("l0-files-threshold")?,
        memtables: number("memtables-threshold")?,
    })
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
tikv_engine_num_immutable_mem_table{cf="default",db="kv"} 0
"#;

    #[test]
    fn families_add_up_and_the_worst_of_them_counts_files() {
        let (engine, backlog) = super::engine(&MetricsExposition::parse(TOLD).unwrap()).unwrap();
        let expected = BackgroundWork { flushed: 1000.0, compaction_read: 3000.0, compaction_written: 2000.0 };
        assert_eq!(engine, expected);
        assert_eq!(backlog, CompactionBacklog { pending: Bytes(42), l0_files: 5.0, memtables: 0.0 });
    }

    #[test]
    fn what_every_tikv_tells_of_must_be_there() {
        let needed = ["compaction_flow", "flush_write", "immutable_mem_table"];
        for line in TOLD.lines().filter(|line| needed.iter().any(|needed| line.contains(needed))) {
            let told = MetricsExposition::parse(&TOLD.replace(line, "")).unwrap();
            assert_eq!(super::engine(&told).is_some(), line.contains("raft"), "{line}");
        }
        for line in TOLD.lines().filter(|line| line.contains("db=\"kv\"") && !line.contains("level=\"6\"")) {
            let (name, _) = line.rsplit_once(' ').unwrap();
            for no_count in ["NaN", "+Inf"] {
                let told = MetricsExposition::parse(&TOLD.replace(line, &format!("{name} {no_count}"))).unwrap();
                // The largest of several files passes over what is no number.
                let passed_over = no_count == "NaN" && name.contains("files_at_level");
                assert!(super::engine(&told).is_none() || passed_over, "{name} {no_count}");
            }
        }
    }

    #[test]
    fn thresholds_are_the_stores_own() {
        let config = serde_json::json!({"storage": {"flow-control": {
            "soft-pending-compaction-bytes-limit": "8GiB", "l0-files-threshold": 12, "memtables-threshold": 5 }}});
        let expected = StallThresholds { pending: Bytes::gib(8), l0_files: 12.0, memtables: 5.0 };
        assert_eq!(thresholds(&config), Ok(expected));
        for key in ["soft-pending-compaction-bytes-limit", "l0-files-threshold", "memtables-threshold"] {
            for strange in [serde_json::json!(null), serde_json::json!(true), serde_json::json!("many")] {
                let mut config = config.clone();
                config["storage"]["flow-control"][key] = strange;
                assert_eq!(thresholds(&config), Err(format!("storage.flow-control.{key}")));
            }
        }
    }
}
