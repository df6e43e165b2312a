//! The engine settings that change what is asked of disks.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use units::{Bytes, Nanos};
use workload::Task;

/// How blocks are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockCompression {
    /// Nowhere.
    None,
    /// TiKV's default: none on the first two levels, LZ4 on the next three, Zstandard on the last two.
    #[default]
    Default,
    /// Zstandard on all levels.
    Zstd,
}

/// Place of a row's lock between the statement that takes it and the commit, in TiKV.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockMode {
    /// The leader keeps it in memory: TiKV since 6.0 (`pessimistic-txn.in-memory`; TiDB docs, Pessimistic Transaction Mode).
    #[default]
    Memory,
    /// Written through raft like a row; the statement does not wait (`pessimistic-txn.pipelined`).
    Pipelined,
    /// Written through raft like a row; the statement waits: TiKV 4.0's default (docs of 4.0, TiKV configuration).
    Written,
}

impl LockMode {
    /// All of them, by their names in a deployment.
    const NAMED: [(&str, Self); 3] =
        [("memory", Self::Memory), ("pipelined", Self::Pipelined), ("written", Self::Written)];
}

impl fmt::Display for LockMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::NAMED.iter().filter(|(_, locks)| locks == self).try_for_each(|(name, _)| f.pad(name))
    }
}

impl FromStr for LockMode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        named(&Self::NAMED, text).ok_or("is none of memory, pipelined, written")
    }
}

/// Which primary keys are the keys of their rows, in the values of TiDB's `tidb_enable_clustered_index` (TiDB docs, Clustered
/// Indexes).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusteredIndex {
    /// All of them, which TiDB can since 5.0.
    #[default]
    On,
    /// Single integers only. Other keys are unique indexes beside rows numbered by `_tidb_rowid`: TiDB before 5.0, and
    /// as it came before 6.4 (release notes of 6.4.0).
    IntOnly,
}

impl ClusteredIndex {
    /// All of them, by their names in a deployment.
    const NAMED: [(&str, Self); 2] = [("on", Self::On), ("int-only", Self::IntOnly)];
}

impl FromStr for ClusteredIndex {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        named(&Self::NAMED, text).ok_or("is none of on, int-only")
    }
}

/// The one of this name.
fn named<T: Copy>(all: &[(&str, T)], text: &str) -> Option<T> {
    all.iter().find(|(name, _)| *name == text).map(|(_, one)| *one)
}

/// Settings; what is not given is the engine's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EngineSettings {
    /// TiKV: size of a data block before compression. Default 32 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_size: Option<Bytes>,
    /// TiKV: block cache of uncompressed blocks. Default 45 % of memory. InnoDB: buffer pool, default 75 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_cache: Option<Bytes>,
    /// TiKV: compression of the default and write column families.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<BlockCompression>,
    /// TiKV: smallest value that is stored apart from its key (Titan). Default off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_separation: Option<Bytes>,
    /// Copies of each range. Default 3 for TiKV, 1 for InnoDB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// Cap on flush and compaction writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<units::BytesPerSec>,
    /// Whether reads go to the replica in the client's zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follower_read: Option<bool>,
    /// Whether traffic between nodes is compressed with gzip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grpc_compression: Option<bool>,
    /// TiKV: place of the locks of pessimistic transactions. Default memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locks: Option<LockMode>,
    /// TiKV under TiDB: primary keys that are the keys of their rows, all or integers only. Default on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clustered_index: Option<ClusteredIndex>,
    /// InnoDB: whether pages are written twice. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doublewrite: Option<bool>,
    /// Round trip between zones. Default 1 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_round_trip: Option<Nanos>,
}

impl EngineSettings {
    /// The task with its keys where these settings put them.
    pub fn laid_out<'t>(&self, task: &'t Task) -> Cow<'t, Task> {
        match (self.clustered_index, &task.profile.keys_apart) {
            (Some(ClusteredIndex::IntOnly), Some(apart)) => {
                Cow::Owned(Task { profile: (**apart).clone(), ..task.clone() })
            }
            _ => Cow::Borrowed(task),
        }
    }

    /// Whether nothing is set.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_written_and_read_by_the_names_that_a_deployment_has_for_them() {
        for (name, locks) in LockMode::NAMED {
            assert_eq!((locks.to_string().as_str(), name.parse()), (name, Ok(locks)));
            assert_eq!(serde_json::to_value(locks).unwrap(), name);
        }
        assert!("4.0".parse::<LockMode>().is_err());
    }

    #[test]
    fn clustered_indexes_are_read_by_the_names_that_a_deployment_has_for_them() {
        for (name, which) in ClusteredIndex::NAMED {
            assert_eq!(name.parse(), Ok(which));
            assert_eq!(serde_json::to_value(which).unwrap(), name);
        }
        assert!("off".parse::<ClusteredIndex>().is_err());
    }
}
