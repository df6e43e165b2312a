//! The settings of a deployment, from those of the programs.

use deployment::{BlockCompression, EngineSettings, LockMode};
use render::{SettingKind, SettingValue};
use units::{Bytes, BytesPerSec};
use workload::Engine;

use crate::source::SettingTree;

/// A size as TiKV and MySQL write it: `16GB` and `16G` are of 1024, too.
pub(crate) fn size(text: &str) -> Option<Bytes> {
    let plain = || text.parse::<u64>().ok().map(Bytes);
    let read = |text: &str| match SettingKind::Size.read(text) {
        Ok(SettingValue::Size(size)) => Some(size),
        _ => None,
    };
    let spaced: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let short = || {
        let (digits, letter) = spaced.split_at(spaced.len().checked_sub(1)?);
        let is_short = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && "KMGTkmgt".contains(letter);
        is_short.then(|| read(&format!("{digits}{}B", letter.to_ascii_uppercase()))).flatten()
    };
    plain().or_else(|| read(&spaced)).or_else(short)
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Some(true),
        "false" | "off" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// The settings that a deployment has keys for; `most` is what a disk delivers, above which a rate limit limits nothing.
pub(crate) fn of_engine(
    engine: Engine,
    own: &SettingTree,
    pd: &SettingTree,
    most: Option<BytesPerSec>,
) -> EngineSettings {
    let number = |tree: &SettingTree, key: &str| tree.get(key).and_then(|text| text.parse().ok());
    let bytes = |key: &str| own.get(key).and_then(size).filter(|size| size.0 > 0);
    let flag = |key: &str| own.get(key).and_then(truth);
    if !engine.facts().is_tidb_cluster {
        return EngineSettings {
            block_cache: bytes("innodb_buffer_pool_size"),
            doublewrite: flag("innodb_doublewrite"),
            ..EngineSettings::default()
        };
    }
    let levels = own
        .get("rocksdb.defaultcf.compression-per-level")
        .map(|text| text.split([' ', ',']).filter(|word| !word.is_empty()).collect::<Vec<_>>());
    let compression = levels.and_then(|levels| match () {
        () if levels.iter().all(|level| *level == "zstd") => Some(BlockCompression::Zstd),
        () if levels.iter().all(|level| *level == "no") => Some(BlockCompression::None),
        () => None,
    });
    let titan = flag("rocksdb.titan.enabled") == Some(true);
    let locks = match (flag("pessimistic-txn.in-memory"), flag("pessimistic-txn.pipelined")) {
        (Some(true), _) => Some(LockMode::Memory),
        (Some(false), Some(false)) => Some(LockMode::Written),
        (Some(false), _) => Some(LockMode::Pipelined),
        (None, _) => None,
    };
    let limit = bytes("rocksdb.rate-bytes-per-sec").map(|size| BytesPerSec(size.as_f64()));
    EngineSettings {
        block_size: bytes("rocksdb.defaultcf.block-size"),
        block_cache: bytes("storage.block-cache.capacity"),
        compression,
        value_separation: titan.then(|| bytes("rocksdb.defaultcf.titan.min-blob-size").unwrap_or(Bytes::kib(32))),
        replicas: number(pd, "replication.max-replicas"),
        rate_limit: limit.filter(|limit| most.is_none_or(|most| limit.0 <= most.0)),
        grpc_compression: own.get("server.grpc-compression-type").map(|kind| kind == "gzip"),
        locks,
        ..EngineSettings::default()
    }
}
