//! What costs nothing but a setting, and what only a look elsewhere tells.

use std::ops::Range;

use units::{Bytes, BytesPerSec};

use super::{Advice, Remedy, words};
use crate::facts::{DiagnosisSignal, SubjectFacts};
use crate::{FindingKind, KnownFacts};

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
    let words = words::row(kind, facts.engine);
    match kind {
        FindingKind::FlushBound => {
            let flushes = mean(DiagnosisSignal::FlushRate).filter(|flushes| *flushes > 0.0);
            let (rate, what) = match flushes {
                Some(flushes) => (flushes, "syncs"),
                None => (mean(DiagnosisSignal::Iops).unwrap_or(0.0), "requests"),
            };
            let text = words.map_or("", |row| &row.text);
            Advice::text("disk", format!("{rate:.0} {what} a second are what one writer gets of this disk: {text}"))
        }
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
        FindingKind::BlockCacheSmall | FindingKind::BlockCacheLarge => {
            let cache = words::cache(facts.engine);
            let memory = facts.instance.as_ref().map_or(0.0, |instance| instance.memory.as_f64());
            let to = (memory * cache.share / Bytes::gib(1).as_f64()).floor() * Bytes::gib(1).as_f64();
            if kind == FindingKind::BlockCacheLarge {
                return set(&cache.setting, None, size(to), &cache.large);
            }
            let from = mean(DiagnosisSignal::CacheOfMemory).map(|share| size(share * memory));
            set(&cache.setting, from, size(to), &cache.small)
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
        _ => words.map_or_else(Advice::default, |row| Advice::text(row.what.name(), &row.text)),
    }
}

/// Reading ahead for compactions, where a volume's I/O rate is used up by small reads beside larger writes of more bytes: what
/// point reads ask for is not less than what compactions write. The change of the disk stays, for where it does not help.
pub(super) fn read_ahead(facts: &SubjectFacts, within: Range<usize>, known: &KnownFacts, instead: Advice) -> Advice {
    let (row, releases) = words::read_ahead();
    let mean = |signal| facts.mean(signal, within.clone());
    let is_such = mean(DiagnosisSignal::ReadSize).is_some_and(|size| size <= row.read_at_most)
        && mean(DiagnosisSignal::WriteSize).is_some_and(|size| size >= row.written_at_least)
        && mean(DiagnosisSignal::ReadShare).is_some_and(|share| share > 0.05 && share < 0.5);
    let can_be = facts.engine.is_none_or(|engine| engine == row.engine)
        && known.release.is_none_or(|release| releases.contains(release));
    if !is_such || !can_be {
        return instead;
    }
    let whose = match known.release {
        Some(release) => format!("TiKV {release} does not read ahead by default"),
        None => "TiKV 8.4.0 to 8.5.6 do not read ahead by default; say the release with --tikv".to_owned(),
    };
    let size = mean(DiagnosisSignal::ReadSize).unwrap_or(0.0) / 1024.0;
    let other = instead.remedy.map_or_else(String::new, |remedy| {
        let usd = instead.monthly.map_or_else(String::new, |usd| format!(" (${:.2} a month more)", usd.0));
        format!("; if it is no compaction that reads, {}{usd}", remedy.text)
    });
    let to = format!("{} = {}", row.setting, row.value);
    let text = format!("set {to}, {}: its reads are of {size:.0} KiB, and {whose}{other}", row.text);
    let to = Some(to);
    let remedy = Remedy { text, what: "setting", from: None, to };
    Advice { remedy: Some(remedy), monthly: Some(units::Usd(0.0)), predicted: None }
}
