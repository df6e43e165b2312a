//! What costs nothing but a setting, and what only a look elsewhere tells.

use std::ops::Range;

use units::{Bytes, BytesPerSec};

use super::{Advice, Remedy};
use crate::FindingKind;
use crate::facts::{DiagnosisSignal, SubjectFacts};

/// What flushes and compactions may write of the disk's throughput: they read 0.69 bytes for each (sources/001's node), and a
/// fifth or more is left to everything else.
const COMPACTION_SHARE: f64 = 0.45;

pub(super) fn advice(kind: FindingKind, facts: &SubjectFacts, within: Range<usize>, disks: &[&SubjectFacts]) -> Advice {
    let mean = |signal| facts.mean(signal, within.clone());
    let set = |name: &str, from: Option<String>, to: String, text: &str| {
        let remedy = Remedy { text: text.to_owned(), what: "setting", from, to: Some(format!("{name} = {to}")) };
        Advice { remedy: Some(remedy), monthly: Some(units::Usd(0.0)), predicted: None }
    };
    let size = |bytes: f64| Bytes(bytes as u64).to_string();
    match kind {
        FindingKind::DiskStalled | FindingKind::DiskSlow => Advice::text(
            "check",
            "move leaders off the node, look at the volume's status and the provider's events, and replace the volume if it lasts",
        ),
        FindingKind::FlushBound => {
            let flushes = mean(DiagnosisSignal::FlushRate).filter(|flushes| *flushes > 0.0);
            let (rate, what) = match flushes {
                Some(flushes) => (flushes, "syncs"),
                None => (mean(DiagnosisSignal::Iops).unwrap_or(0.0), "requests"),
            };
            Advice::text(
                "disk",
                format!(
                    "{rate:.0} {what} a second are what one writer gets of this disk: more IOPS do not help, a disk of lower \
                     latency (io2, local flash) or larger batches do"
                ),
            )
        }
        FindingKind::WriteThroughputNear => Advice::text(
            "setting",
            "give compaction less to write (value separation for rows over 512 B, zstd on all levels) or a pace \
             (rocksdb.rate-bytes-per-sec), else raise the throughput of the disk before the load grows",
        ),
        FindingKind::CompactionUnthrottled => {
            let limits = disks.iter().filter_map(|disk| disk.limits.as_ref());
            let most = limits.map(|limits| limits.throughput.0).fold(0.0, f64::max);
            let rate = BytesPerSec::mib((BytesPerSec(most * COMPACTION_SHARE).as_mib() / 5.0).floor() * 5.0);
            let text = "limit what flushes and compactions write, so that they spread over time";
            if most > 0.0 {
                set("rocksdb.rate-bytes-per-sec", None, rate.to_string(), text)
            } else {
                Advice::text("setting", format!("{text}: rocksdb.rate-bytes-per-sec"))
            }
        }
        FindingKind::CompactionDebt => Advice::text(
            "setting",
            "let compaction do more (rocksdb.rate-bytes-per-sec, max-background-jobs), or give it less to do: value separation \
             (Titan) for rows over 512 B, zstd on all levels for smaller ones",
        ),
        FindingKind::BlockCacheSmall => {
            let memory = facts.instance.as_ref().map_or(0.0, |instance| instance.memory.as_f64());
            let from = mean(DiagnosisSignal::CacheOfMemory).map(|share| size(share * memory));
            let to = (memory * 0.45 / Bytes::gib(1).as_f64()).floor() * Bytes::gib(1).as_f64();
            set(
                "storage.block-cache.capacity",
                from,
                size(to),
                "give the block cache 45 % of the memory, TiKV's default",
            )
        }
        FindingKind::BlockCacheLarge => {
            let memory = facts.instance.as_ref().map_or(0.0, |instance| instance.memory.as_f64());
            let to = (memory * 0.45 / Bytes::gib(1).as_f64()).floor() * Bytes::gib(1).as_f64();
            set(
                "storage.block-cache.capacity",
                None,
                size(to),
                "leave half of the memory to memtables, requests and the page cache",
            )
        }
        FindingKind::BlockSize => {
            let now = mean(DiagnosisSignal::BlockSize).unwrap_or(0.0);
            let to = if now > Bytes::kib(32).as_f64() { Bytes::kib(16) } else { Bytes::kib(32) };
            let text = "change the size of blocks; files take it on as they are compacted";
            set("rocksdb.defaultcf.block-size", Some(size(now)), to.to_string(), text)
        }
        FindingKind::ThreadPool => {
            let pool = facts.columns.get(&DiagnosisSignal::PoolUse).map_or("the pool", |drawn| &drawn.series);
            let name = match pool {
                pool if pool.contains("raftstore") => "raftstore.store-pool-size",
                pool if pool.contains("apply") => "raftstore.apply-pool-size",
                pool if pool.contains("unified_read") => "readpool.unified.max-thread-count",
                pool if pool.contains("sched") => "storage.scheduler-worker-pool-size",
                pool if pool.contains("grpc") => "server.grpc-concurrency",
                _ => "the size of its pool",
            };
            Advice::text("setting", format!("raise {name}: processors are idle"))
        }
        FindingKind::PdTso => Advice::text(
            "setting",
            "tso-update-physical-interval = 10ms, tidb_tso_client_batch_max_wait_time = 2, larger regions; then a larger PD",
        ),
        _ => Advice::default(),
    }
}
