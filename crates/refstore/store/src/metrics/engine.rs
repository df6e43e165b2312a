//! What RocksDB tells of itself, under TiKV's names (tikv components/engine_rocks/src/rocks_metrics.rs).

use raftstore::ColumnFamily;
use rocksdb::properties;
use rocksdb::statistics::{Histogram, Ticker};

use super::Page;
use crate::rocks::RocksState;

/// The database of keys; the raft log is in no RocksDB here.
const DB: (&str, &str) = ("db", "kv");

/// TiKV's `type` of a flow, and the ticker behind it.
const FLOWS: [(&str, Ticker); 6] = [
    ("flush_write_bytes", Ticker::FlushWriteBytes),
    ("wal_file_bytes", Ticker::WalFileBytes),
    ("bytes_written", Ticker::BytesWritten),
    ("bytes_read", Ticker::BytesRead),
    ("iter_bytes_read", Ticker::IterBytesRead),
    ("block_cache_byte_read", Ticker::BlockCacheBytesRead),
];
const COMPACTION_FLOWS: [(&str, Ticker); 2] =
    [("bytes_read", Ticker::CompactReadBytes), ("bytes_written", Ticker::CompactWriteBytes)];
const BLOB_FLOWS: [(&str, Ticker); 3] = [
    ("bytes_read", Ticker::BlobDbBlobFileBytesRead),
    ("bytes_written", Ticker::BlobDbBlobFileBytesWritten),
    ("gc_bytes_relocated", Ticker::BlobDbGcBytesRelocated),
];
const CACHE: [(&str, Ticker); 12] = [
    ("block_cache_hit", Ticker::BlockCacheHit),
    ("block_cache_miss", Ticker::BlockCacheMiss),
    ("block_cache_add", Ticker::BlockCacheAdd),
    ("block_cache_data_hit", Ticker::BlockCacheDataHit),
    ("block_cache_data_miss", Ticker::BlockCacheDataMiss),
    ("block_cache_data_add", Ticker::BlockCacheDataAdd),
    ("block_cache_index_hit", Ticker::BlockCacheIndexHit),
    ("block_cache_index_miss", Ticker::BlockCacheIndexMiss),
    ("block_cache_filter_hit", Ticker::BlockCacheFilterHit),
    ("block_cache_filter_miss", Ticker::BlockCacheFilterMiss),
    ("block_cache_data_bytes_insert", Ticker::BlockCacheDataBytesInsert),
    ("block_cache_index_bytes_insert", Ticker::BlockCacheIndexBytesInsert),
];
/// Names of the gauge and of its `type`s, and the histogram behind them; microseconds since the start.
const TIMES: [(&str, &str, Histogram); 7] = [
    ("tikv_engine_write_stall", "write_stall", Histogram::WriteStall),
    ("tikv_engine_get_micro_seconds", "get", Histogram::DbGet),
    ("tikv_engine_seek_micro_seconds", "seek", Histogram::DbSeek),
    ("tikv_engine_write_micro_seconds", "write", Histogram::DbWrite),
    ("tikv_engine_sst_read_micros", "sst_read_micros", Histogram::SstReadMicros),
    ("tikv_engine_compaction_time", "compaction_time", Histogram::CompactionTime),
    ("tikv_engine_wal_file_sync_micro_seconds", "wal_file_sync", Histogram::WalFileSyncMicros),
];
/// TiKV's reasons for stalls, and what RocksDB calls them in `rocksdb.cf-write-stall-stats`.
const STALLS: [(&str, &str); 6] = [
    ("level0_file_limit_slowdown", "l0-file-count-limit-delays"),
    ("level0_file_limit_stop", "l0-file-count-limit-stops"),
    ("pending_compaction_bytes_slowdown", "pending-compaction-bytes-delays"),
    ("pending_compaction_bytes_stop", "pending-compaction-bytes-stops"),
    ("memtable_count_limit_slowdown", "memtable-limit-delays"),
    ("memtable_count_limit_stop", "memtable-limit-stops"),
];
const LEVELS: usize = 7;

/// Adds everything that RocksDB tells.
pub(crate) fn engine(page: &mut Page, state: &RocksState) {
    tickers(page, state);
    times(page, state);
    families(page, state);
    levels(page, state);
    stalls(page, state);
    let (name, help) = ("tikv_engine_block_cache_size_bytes", "Bytes in the block cache, which all families share.");
    page.gauge(name, help, &[DB, ("cf", "all")], state.cache_usage() as f64);
}

fn tickers(page: &mut Page, state: &RocksState) {
    let statistics = state.statistics();
    let mut add = |name: &str, help: &str, types: &[(&str, Ticker)]| {
        for (kind, ticker) in types {
            let count = statistics.get_ticker_count(*ticker) as f64;
            page.counter(name, help, &[DB, ("type", kind)], count);
        }
    };
    add("tikv_engine_flow_bytes", "Bytes that went through, by way.", &FLOWS);
    add("tikv_engine_compaction_flow_bytes", "Bytes that compactions read and wrote.", &COMPACTION_FLOWS);
    add("tikv_engine_blob_flow_bytes", "Bytes of values that live apart.", &BLOB_FLOWS);
    add("tikv_engine_cache_efficiency", "What was asked of the block cache.", &CACHE);
    let stalled = statistics.get_ticker_count(Ticker::StallMicros) as f64;
    page.counter("tikv_engine_stall_micro_seconds", "Time that writers waited for compactions.", &[DB], stalled);
}

fn times(page: &mut Page, state: &RocksState) {
    for (name, kind, histogram) in TIMES {
        let times = state.statistics().get_histogram_data(histogram);
        let help = "Microseconds, over all since the start.";
        for (suffix, value) in [
            ("max", times.max()),
            ("percentile99", times.p99()),
            ("percentile95", times.p95()),
            ("average", times.average()),
        ] {
            page.gauge(name, help, &[DB, ("type", &format!("{kind}_{suffix}"))], value);
        }
    }
}

fn families(page: &mut Page, state: &RocksState) {
    let mut add = |name: &str, help: &str, label: &str, value: &dyn Fn(ColumnFamily) -> u64| {
        for cf in ColumnFamily::ALL {
            page.gauge(name, help, &[DB, (label, cf.name())], value(cf) as f64);
        }
    };
    add("tikv_engine_pending_compaction_bytes", "Bytes that compactions have to rewrite, estimated.", "cf", &|cf| {
        state.number(cf, properties::ESTIMATE_PENDING_COMPACTION_BYTES)
    });
    add("tikv_engine_num_immutable_mem_table", "Memtables that wait for their flush.", "cf", &|cf| {
        state.number(cf, properties::NUM_IMMUTABLE_MEM_TABLE)
    });
    add("tikv_engine_estimate_num_keys", "Keys, estimated.", "cf", &|cf| {
        state.number(cf, properties::ESTIMATE_NUM_KEYS)
    });
    add("tikv_engine_titandb_live_blob_file_size", "Bytes of living values that live apart.", "cf", &|cf| {
        state.text(cf, "rocksdb.live-blob-file-size").parse().unwrap_or(0)
    });
    // TiKV's label of this one is `type`.
    add("tikv_engine_size_bytes", "Bytes of table and blob files.", "type", &|cf| size(state, cf));
    for cf in ColumnFamily::ALL {
        let bytes = state.number(cf, properties::CUR_SIZE_ALL_MEM_TABLES);
        let labels = [DB, ("cf", cf.name()), ("type", "mem-tables")];
        page.gauge("tikv_engine_memory_bytes", "Bytes of memory by what takes it.", &labels, bytes as f64);
    }
}

/// Bytes of the files of a column family.
pub(super) fn size(state: &RocksState, cf: ColumnFamily) -> u64 {
    let blobs: u64 = state.text(cf, "rocksdb.total-blob-file-size").parse().unwrap_or(0);
    state.number(cf, properties::TOTAL_SST_FILES_SIZE) + blobs
}

fn levels(page: &mut Page, state: &RocksState) {
    for cf in ColumnFamily::ALL {
        for level in 0..LEVELS {
            let files = state.text(cf, &format!("rocksdb.num-files-at-level{level}")).parse().unwrap_or(0.0);
            let labels = [DB, ("cf", cf.name()), ("level", &level.to_string())];
            page.gauge("tikv_engine_num_files_at_level", "Files of a level.", &labels, files);
        }
    }
    for cf in ColumnFamily::ALL {
        for level in 0..LEVELS {
            let ratio = state.text(cf, &format!("rocksdb.compression-ratio-at-level{level}")).parse().unwrap_or(-1.0);
            // RocksDB says -1 of an empty level.
            if ratio >= 0.0 {
                let labels = [DB, ("cf", cf.name()), ("level", &level.to_string())];
                page.gauge("tikv_engine_compression_ratio", "Bytes before over bytes after.", &labels, ratio);
            }
        }
    }
}

fn stalls(page: &mut Page, state: &RocksState) {
    let told = ColumnFamily::ALL.map(|cf| state.text(cf, "rocksdb.cf-write-stall-stats"));
    for (reason, name) in STALLS {
        let count: f64 = told.iter().map(|text| stall_count(text, name)).sum();
        let labels = [DB, ("type", reason)];
        page.gauge("tikv_engine_write_stall_reason", "Stalls since the start.", &labels, count);
    }
}

/// The count after a name in RocksDB's text of stalls: `memtable-limit-stops: 0`, or as part of a line with commas.
fn stall_count(text: &str, name: &str) -> f64 {
    let rest = text.split(['\n', ',']).find_map(|part| {
        let part = part.trim().trim_start_matches("Write Stall (count): ");
        part.strip_prefix(name)?.strip_prefix(':')
    });
    rest.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_are_counted_by_their_names() {
        let text = "Write Stall (count): l0-file-count-limit-delays: 3, memtable-limit-stops: 2, total-stops: 5";
        assert!((stall_count(text, "memtable-limit-stops") - 2.0).abs() < f64::EPSILON);
        assert!((stall_count(text, "l0-file-count-limit-delays") - 3.0).abs() < f64::EPSILON);
        assert!((stall_count(text, "pending-compaction-bytes-stops")).abs() < f64::EPSILON);
    }
}
