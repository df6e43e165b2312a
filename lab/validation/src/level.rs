//! What a level of a factor says.

use disk::Disk;
use units::{Bytes, BytesPerSec};

/// What a level of a factor says; a row is one level of each factor, laid over each other.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FactorLevel {
    /// Its name.
    pub name: String,
    /// The data disk.
    pub data: Option<Disk>,
    /// Share of its limits that the data disk delivers, over 0 and up to 1.
    pub share: Option<f64>,
    /// The raft log's own disk.
    pub log: Option<Disk>,
    /// Share of its limits that the log's own disk delivers.
    pub log_share: Option<f64>,
    /// Size of a data block.
    pub block_size: Option<Bytes>,
    /// Size of a row, its key included.
    pub row: Option<Bytes>,
    /// Rows that are loaded.
    pub rows: Option<f64>,
    /// Share of the operations that read, 0 to 1; the others update.
    pub reads: Option<f64>,
    /// Values from this size on are kept apart.
    pub value_separation: Option<Bytes>,
    /// Cap on flush and compaction writes.
    pub rate_limit: Option<BytesPerSec>,
    /// Block cache of a node.
    pub block_cache: Option<Bytes>,
    /// What a node may take of the memory.
    pub memory: Option<Bytes>,
    /// Whether operations come at a rate, whatever becomes of them.
    pub open: Option<bool>,
}

impl FactorLevel {
    /// Lays another level over this one; `None` if both say something of the same.
    pub(crate) fn with(self, over: &Self) -> Option<Self> {
        fn one<T: Clone>(a: Option<T>, b: &Option<T>) -> Option<Option<T>> {
            match (a, b) {
                (Some(_), Some(_)) => None,
                (a, b) => Some(a.or_else(|| b.clone())),
            }
        }
        Some(Self {
            name: if self.name.is_empty() { over.name.clone() } else { format!("{} {}", self.name, over.name) },
            data: one(self.data, &over.data)?,
            share: one(self.share, &over.share)?,
            log: one(self.log, &over.log)?,
            log_share: one(self.log_share, &over.log_share)?,
            block_size: one(self.block_size, &over.block_size)?,
            row: one(self.row, &over.row)?,
            rows: one(self.rows, &over.rows)?,
            reads: one(self.reads, &over.reads)?,
            value_separation: one(self.value_separation, &over.value_separation)?,
            rate_limit: one(self.rate_limit, &over.rate_limit)?,
            block_cache: one(self.block_cache, &over.block_cache)?,
            memory: one(self.memory, &over.memory)?,
            open: one(self.open, &over.open)?,
        })
    }
}
