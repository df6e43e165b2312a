//! What flow control asks: how far flushes and compactions are behind.

use kvserver::{CfPressure, EnginePressure};
use raftstore::ColumnFamily;
use rocksdb::properties;

use super::RocksState;

impl EnginePressure for RocksState {
    /// The three families of clients' keys. RocksDB tells flushed and compacted bytes only of all families together, so
    /// they stay 0 and flow control takes new files on level 0 for flushes.
    fn per_cf(&self) -> Vec<CfPressure> {
        let family = |cf| CfPressure {
            cf,
            l0_files: self.text(cf, "rocksdb.num-files-at-level0").parse().unwrap_or(0),
            immutable_memtables: self.number(cf, properties::NUM_IMMUTABLE_MEM_TABLE),
            pending_compaction_bytes: self.number(cf, properties::ESTIMATE_PENDING_COMPACTION_BYTES),
            flushed_bytes: 0,
            l0_compacted_bytes: 0,
        };
        [ColumnFamily::Default, ColumnFamily::Lock, ColumnFamily::Write].map(family).to_vec()
    }
}
