//! A deployment's settings as the TOML that a node reads, in TiKV's keys.

use std::path::PathBuf;

use deployment::{BlockCompression, EngineSettings};
use toml::{Table, Value};
use units::Bytes;

/// Where a node keeps what, and how much of it there may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodePlace {
    /// The raft log's folder if it has a disk of its own; else it lies in the data folder.
    pub raft_dir: Option<PathBuf>,
    /// Size of the data disk.
    pub data_disk: Bytes,
    /// Size of the disk that the raft log is on.
    pub raft_disk: Bytes,
    /// What the node's process may take, page cache included.
    pub memory: Option<Bytes>,
}

/// TiKV's `storage.reserve-space` and `storage.reserve-raft-space`, v8.5.7.
const RESERVE: [(&str, Bytes); 2] =
    [("storage.reserve-space", Bytes::gib(5)), ("storage.reserve-raft-space", Bytes::gib(1))];

/// At most this part of a disk is reserved: TiKV's 5 GiB are for disks of 100 GiB and more.
const RESERVED_PART: u64 = 20;

/// What the raft log may keep before old files go: raft-engine's 10 GiB would fill this machine's memory, where the backing
/// files lie, and small disks.
const LOG_KEPT: Bytes = Bytes::gib(1);

/// The largest part of its disk that the log may keep.
const LOG_PART: u64 = 8;

/// TiKV's share of the memory for the block cache, in percent.
const CACHE_PERCENT: u64 = 45;

/// TiKV's write buffer, and the part of the memory that it may be: up to five are held, and TiKV gives 128 MiB each to nodes
/// of 4 GiB and more.
const WRITE_BUFFER: (Bytes, u64) = (Bytes::mib(128), 32);

/// The smallest write buffer: below it flushed files are mostly their own index.
const LEAST_WRITE_BUFFER: Bytes = Bytes::mib(4);

/// The settings as TOML in TiKV's keys, always in the same order. `keys` win over what follows from the settings.
pub fn config(settings: &EngineSettings, place: &NodePlace, keys: &Table) -> String {
    let mut config = Config(Table::new());
    config.disks(place);
    if let Some(memory) = place.memory {
        config.memory(memory);
    }
    config.settings(settings);
    merge(&mut config.0, keys);
    toml::to_string(&sorted(config.0)).expect("tables of texts, numbers and tables are always TOML")
}

/// Keys by section.
struct Config(Table);

impl Config {
    /// Sets a key, written with dots.
    fn set(&mut self, key: &str, value: impl Into<Value>) {
        let nested =
            key.rsplit('.').fold(value.into(), |value, part| Table::from_iter([(part.to_owned(), value)]).into());
        if let Value::Table(table) = nested {
            merge(&mut self.0, &table);
        }
    }

    fn size(&mut self, key: &str, size: Bytes) {
        self.set(key, size.binary().to_string());
    }

    fn disks(&mut self, place: &NodePlace) {
        for ((key, usual), disk) in RESERVE.into_iter().zip([place.data_disk, place.raft_disk]) {
            self.size(key, usual.min(Bytes(disk.0 / RESERVED_PART)));
        }
        self.size("raft-engine.purge-threshold", LOG_KEPT.min(Bytes(place.raft_disk.0 / LOG_PART)));
        if let Some(dir) = &place.raft_dir {
            self.set("raft-engine.dir", dir.display().to_string());
        }
    }

    fn memory(&mut self, memory: Bytes) {
        self.size("storage.block-cache.capacity", Bytes(memory.0 / 100 * CACHE_PERCENT));
        let (usual, part) = WRITE_BUFFER;
        let buffer = Bytes(memory.0 / part).max(LEAST_WRITE_BUFFER);
        if buffer < usual {
            self.size("rocksdb.defaultcf.write-buffer-size", buffer);
        }
    }

    fn settings(&mut self, settings: &EngineSettings) {
        if let Some(size) = settings.block_size {
            each_data_family(|cf| self.size(&format!("rocksdb.{cf}.block-size"), size));
        }
        if let Some(size) = settings.block_cache {
            self.size("storage.block-cache.capacity", size);
        }
        let (levels, bottommost) = match settings.compression {
            None | Some(BlockCompression::Default) => (None, ""),
            Some(BlockCompression::Zstd) => (Some("zstd"), "zstd"),
            // `disable` leaves the bottommost level to the levels' own list.
            Some(BlockCompression::None) => (Some("no"), "disable"),
        };
        if let Some(algorithm) = levels {
            each_data_family(|cf| {
                self.set(&format!("rocksdb.{cf}.compression-per-level"), [algorithm; 7].map(Value::from).to_vec());
                self.set(&format!("rocksdb.{cf}.bottommost-level-compression"), bottommost);
            });
        }
        // Off must be said: TiKV turns Titan on in new clusters since 7.6.
        self.set("rocksdb.titan.enabled", settings.value_separation.is_some());
        if let Some(size) = settings.value_separation {
            self.size("rocksdb.defaultcf.titan.min-blob-size", size);
        }
        if let Some(rate) = settings.rate_limit {
            self.size("rocksdb.rate-bytes-per-sec", Bytes(rate.0.round() as u64));
            // Tuned, the rate would only be a ceiling.
            self.set("rocksdb.rate-limiter-auto-tuned", false);
        }
        if settings.grpc_compression == Some(true) {
            self.set("server.grpc-compression-type", "gzip");
        }
    }
}

/// The column families that hold what clients write.
fn each_data_family(mut each: impl FnMut(&str)) {
    ["defaultcf", "writecf"].into_iter().for_each(&mut each);
}

/// Lays one table over another.
pub(crate) fn merge(under: &mut Table, over: &Table) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => merge(under, over),
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}

/// Keys in order at every depth, whether or not `toml` was built to keep the order of insertion.
fn sorted(table: Table) -> Table {
    let deep = |value| match value {
        Value::Table(table) => Value::Table(sorted(table)),
        other => other,
    };
    let mut pairs: Vec<(String, Value)> = table.into_iter().map(|(key, value)| (key, deep(value))).collect();
    pairs.sort_by(|one, other| one.0.cmp(&other.0));
    Table::from_iter(pairs)
}

#[cfg(test)]
mod tests {
    use units::BytesPerSec;

    use super::*;

    fn place() -> NodePlace {
        NodePlace { raft_dir: None, data_disk: Bytes::gib(1000), raft_disk: Bytes::gib(1000), memory: None }
    }

    #[test]
    fn nothing_set_leaves_tikvs_defaults() {
        insta::assert_snapshot!(config(&EngineSettings::default(), &place(), &Table::new()), @r#"
        [raft-engine]
        purge-threshold = "1GiB"

        [rocksdb.titan]
        enabled = false

        [storage]
        reserve-raft-space = "1GiB"
        reserve-space = "5GiB"
        "#);
    }

    #[test]
    fn every_setting_has_its_keys() {
        let settings = EngineSettings {
            block_size: Some(Bytes::kib(16)),
            block_cache: Some(Bytes::gib(2)),
            value_separation: Some(Bytes::kib(1)),
            compression: Some(BlockCompression::Zstd),
            rate_limit: Some(BytesPerSec::mib(100.0)),
            grpc_compression: Some(true),
            ..EngineSettings::default()
        };
        let small = NodePlace {
            raft_dir: Some("/lab/n1/raft/raft-engine".into()),
            data_disk: Bytes::gib(20),
            raft_disk: Bytes::gib(2),
            memory: Some(Bytes::mib(512)),
        };
        insta::assert_snapshot!(config(&settings, &small, &Table::new()), @r#"
        [raft-engine]
        dir = "/lab/n1/raft/raft-engine"
        purge-threshold = "256MiB"

        [rocksdb]
        rate-bytes-per-sec = "100MiB"
        rate-limiter-auto-tuned = false

        [rocksdb.defaultcf]
        block-size = "16KiB"
        bottommost-level-compression = "zstd"
        compression-per-level = ["zstd", "zstd", "zstd", "zstd", "zstd", "zstd", "zstd"]
        write-buffer-size = "16MiB"

        [rocksdb.defaultcf.titan]
        min-blob-size = "1KiB"

        [rocksdb.titan]
        enabled = true

        [rocksdb.writecf]
        block-size = "16KiB"
        bottommost-level-compression = "zstd"
        compression-per-level = ["zstd", "zstd", "zstd", "zstd", "zstd", "zstd", "zstd"]

        [server]
        grpc-compression-type = "gzip"

        [storage]
        reserve-raft-space = "107374182B"
        reserve-space = "1GiB"

        [storage.block-cache]
        capacity = "2GiB"
        "#);
    }

    #[test]
    fn no_compression_is_none_at_the_bottom_either() {
        let settings = EngineSettings { compression: Some(BlockCompression::None), ..EngineSettings::default() };
        let written: Table = config(&settings, &place(), &Table::new()).parse().unwrap();
        for cf in ["defaultcf", "writecf"] {
            let cf = &written["rocksdb"][cf];
            assert_eq!(cf["compression-per-level"].as_array().unwrap(), &vec![Value::from("no"); 7]);
            assert_eq!(cf["bottommost-level-compression"].as_str(), Some("disable"));
        }
    }

    #[test]
    fn keys_given_by_hand_win_and_leave_their_neighbours_alone() {
        let keys: Table =
            "[storage.block-cache]\ncapacity = \"1GB\"\n[raftstore]\nstore-io-pool-size = 2".parse().unwrap();
        let settings = EngineSettings { block_cache: Some(Bytes::gib(2)), ..EngineSettings::default() };
        let written: Table = config(&settings, &place(), &keys).parse().unwrap();
        assert_eq!(written["storage"]["block-cache"]["capacity"].as_str(), Some("1GB"));
        assert_eq!(written["storage"]["reserve-space"].as_str(), Some("5GiB"));
        assert_eq!(written["raftstore"]["store-io-pool-size"].as_integer(), Some(2));
    }

    #[test]
    fn a_node_with_plenty_of_memory_keeps_tikvs_write_buffer() {
        let roomy = NodePlace { memory: Some(Bytes::gib(4)), ..place() };
        assert!(!config(&EngineSettings::default(), &roomy, &Table::new()).contains("write-buffer-size"));
    }
}
