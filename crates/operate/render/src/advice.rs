//! What the published advice comes to for a deployment: its settings, each with its reason.

use deployment::{BlockCompression, LockMode};
use units::{Bytes, Ratio};

use crate::document::Why;
use crate::keys::{KeyDefault, SettingError, SettingValue, SettingsTable};
use crate::published::ADVICE;
use crate::settings::Settings;
use crate::site::{Group, Site};
use crate::{FileFormat, TikvVersion};

/// Where the raft log is mounted when it has a disk of its own.
pub(crate) const RAFT_DIR: &str = "/var/lib/diskwright/raft";
/// Where the data disk is mounted.
pub(crate) const DATA_DIR: &str = "/var/lib/diskwright/data";

/// Where manuals describe TiKV's keys.
const TIKV_MANUAL: &str = "https://docs.pingcap.com/tidb/stable/tikv-configuration-file";
const PD_MANUAL: &str = "https://docs.pingcap.com/tidb/stable/schedule-replicas-by-topology-labels";
const LOCKS_MANUAL: &str = "https://docs.pingcap.com/tidb/stable/pessimistic-transaction";
const CLOUD_MANUAL: &str = "https://docs.pingcap.com/tidb/stable/best-practices-on-public-cloud";
const INNODB_MANUAL: &str = "https://dev.mysql.com/doc/refman/8.0/en/innodb-parameters.html";

/// Down to a whole MiB, for sizes that people read.
fn whole_mib(bytes: f64) -> Bytes {
    let mib = Bytes::mib(1).0;
    Bytes((bytes.max(mib as f64) as u64) / mib * mib)
}

/// TiKV's settings on the nodes of a group. `raft_dir` is where the raft log's own disk is mounted.
pub(crate) fn tikv(site: &Site<'_>, group: &Group<'_>, raft_dir: &str) -> Result<Settings, SettingError> {
    let mut to = Settings::new(SettingsTable::tikv(), site.version, group.instance.vcpu);
    let asked = &site.deployment.settings;
    let disk = group.data_text();
    rate_limit(&mut to, site, group)?;
    if let Some(cache) = asked.block_cache {
        let share = Ratio(cache.as_f64() / group.instance.memory.as_f64()).percent(0);
        let text = format!(
            "As planned: {share} of the {:.0} of {}. What it leaves holds compressed blocks in the page cache",
            group.instance.memory, group.instance.name
        );
        to.set(
            "storage.block-cache.capacity",
            SettingValue::Size(whole_mib(cache.as_f64())),
            Why::new(text, manual("capacity")),
        )?;
    }
    if let Some(size) = asked.block_size {
        for cf in ["defaultcf", "writecf"] {
            let text =
                format!("As planned: smaller blocks read fewer bytes for a row, larger ones compress better on {disk}");
            to.set(
                &format!("rocksdb.{cf}.block-size"),
                SettingValue::Size(size),
                Why::new(text, manual("block-size")),
            )?;
        }
    }
    compression(&mut to, asked.compression, &disk)?;
    if let Some(size) = asked.value_separation {
        let text =
            format!("As planned: values from {size} on stay out of compactions, which then write less to {disk}");
        let why = Why::new(text, "https://docs.pingcap.com/tidb/stable/titan-configuration");
        to.set("rocksdb.titan.enabled", SettingValue::Bool(true), why.clone())?;
        to.set("rocksdb.defaultcf.titan.min-blob-size", SettingValue::Size(size), why.clone())?;
        let why = Why::new("Values that stay where they are are worth the better compression", why.link);
        to.set("rocksdb.defaultcf.titan.blob-file-compression", SettingValue::text("zstd"), why)?;
    }
    if site.version.is_of_line(TikvVersion::V8_5) {
        let piece = &ADVICE.compaction_read_ahead;
        let text = "The default of 8.5.7, said for 8.5.0 to 8.5.6 too: without it compactions read a block a request, \
                    which uses up the volume's IOPS";
        to.set("rocksdb.compaction-readahead-size", SettingValue::Size(piece.value), piece.because(text))?;
    }
    if let Some((limits, log)) = &group.log {
        let text = format!("The raft log on a disk of its own, {log}: its syncs do not wait behind compactions");
        to.set(
            "raft-engine.enable",
            SettingValue::Bool(true),
            Why::new("The log that is made for a disk of its own", CLOUD_MANUAL),
        )?;
        to.set("raft-engine.dir", SettingValue::text(format!("{raft_dir}/raft-engine")), Why::new(text, CLOUD_MANUAL))?;
        small_log(&mut to, limits.size, log)?;
    }
    if asked.grpc_compression == Some(true) {
        let text = format!("Traffic between zones is paid by the byte{}", site.transfer_text());
        to.set("server.grpc-compression-type", SettingValue::text("gzip"), Why::new(text, CLOUD_MANUAL))?;
    }
    if let Some(locks @ (LockMode::Pipelined | LockMode::Written)) = asked.locks {
        let text = "As planned: each lock is a raft write, and outlives its leader";
        to.set("pessimistic-txn.in-memory", SettingValue::Bool(false), Why::new(text, LOCKS_MANUAL))?;
        if locks == LockMode::Written {
            let text = "As planned: a statement waits until its locks are written";
            to.set("pessimistic-txn.pipelined", SettingValue::Bool(false), Why::new(text, LOCKS_MANUAL))?;
        }
    }
    if site.version.is_of_line(TikvVersion::V7_5) {
        let piece = &ADVICE.store_io_pool_size;
        let text = format!("What 8.0 made the default. {}", piece.source);
        to.set("raftstore.store-io-pool-size", SettingValue::Int(piece.value), piece.because(text))?;
    }
    if !site.version.is_of_line(TikvVersion::V8_5) {
        let piece = &ADVICE.region_split_size;
        let text = "What 8.4 made the default: fewer, larger regions are fewer heartbeats and fewer raft logs to sync";
        to.set("coprocessor.region-split-size", SettingValue::Size(piece.value), piece.because(text))?;
    }
    Ok(to)
}

/// A log's disk that the default size of the log would fill: the log is kept to half of it.
fn small_log(to: &mut Settings, size: Bytes, disk: &disk::Disk) -> Result<(), SettingError> {
    const KEY: &str = "raft-engine.purge-threshold";
    let table = SettingsTable::tikv();
    let Some(KeyDefault::Is(SettingValue::Size(usual))) = table.key(to.version(), KEY)?.default(to.version()) else {
        return Ok(());
    };
    let half = size * 0.5;
    if half >= *usual {
        return Ok(());
    }
    let text = format!(
        "Half of {disk}: the log is rewritten from here on, and the default of {usual} would come near filling it"
    );
    to.set(KEY, SettingValue::Size(whole_mib(half.as_f64())), Why::new(text, manual("purge-threshold")))
}

fn manual(anchor: &str) -> String {
    format!("{TIKV_MANUAL}#{anchor}")
}

/// The ceiling of compactions and flushes, as the deployment says or as its disk suggests.
fn rate_limit(to: &mut Settings, site: &Site<'_>, group: &Group<'_>) -> Result<(), SettingError> {
    const KEY: &str = "rocksdb.rate-bytes-per-sec";
    let Some(supply) = group.throughput() else { return Ok(()) };
    let (value, text) = match site.deployment.settings.rate_limit {
        Some(rate) => {
            let share = Ratio(rate / supply.rate).percent(0);
            (rate.0, format!("As planned: {share} of {}", supply.what))
        }
        None => {
            let share = ADVICE.rate_limit_share.value;
            let text =
                format!("{} of {}: leaves room for foreground reads and the log", Ratio(share).percent(0), supply.what);
            (supply.rate.0 * share, text)
        }
    };
    let text = format!("{text}. It is the ceiling: RocksDB tunes itself below it (rate-limiter-auto-tuned)");
    to.set(KEY, SettingValue::Size(whole_mib(value)), Why::new(text, supply.link))
}

fn compression(to: &mut Settings, asked: Option<BlockCompression>, disk: &str) -> Result<(), SettingError> {
    let (names, bottom, text) = match asked {
        Some(BlockCompression::Zstd) => (
            ["zstd"; 7],
            None,
            format!("As planned: compactions write fewer bytes to {disk}, for more work of the processors"),
        ),
        Some(BlockCompression::None) => {
            (["no"; 7], Some("disable"), "As planned: no work of the processors, more bytes on disk".to_owned())
        }
        Some(BlockCompression::Default) | None => return Ok(()),
    };
    for cf in ["defaultcf", "writecf"] {
        let levels = SettingValue::Texts(names.map(str::to_owned).to_vec());
        let why = Why::new(text.clone(), manual("compression-per-level"));
        to.set(&format!("rocksdb.{cf}.compression-per-level"), levels, why)?;
        if let Some(bottom) = bottom {
            let why = Why::new("The last level follows the list above", manual("bottommost-level-compression"));
            to.set(&format!("rocksdb.{cf}.bottommost-level-compression"), SettingValue::text(bottom), why)?;
        }
    }
    Ok(())
}

/// PD's settings.
pub(crate) fn pd(site: &Site<'_>) -> Result<Settings, SettingError> {
    let mut to = Settings::new(SettingsTable::pd(), site.version, 1);
    let replicas = site.deployment.replicas();
    let text = format!("{replicas} copies of each range, as planned");
    to.set("replication.max-replicas", SettingValue::Int(replicas.into()), Why::new(text, PD_MANUAL))?;
    let labels = SettingValue::Texts(["zone", "host"].map(str::to_owned).to_vec());
    let text =
        "Copies of a range go to different zones first, then to different hosts. Each TiKV names both in its labels";
    to.set("replication.location-labels", labels, Why::new(text, PD_MANUAL))?;
    if replicas > 1 && site.deployment.zones >= replicas {
        let text = format!(
            "{} zones hold {replicas} copies: no zone may hold two, so that its loss takes one",
            site.deployment.zones
        );
        to.set("replication.isolation-level", SettingValue::text("zone"), Why::new(text, PD_MANUAL))?;
    }
    if site.needs_tso_batches() {
        let piece = &ADVICE.tso_update_physical_interval;
        let text =
            format!("At the workload's rate PD gives out {:.0} timestamps a second or more", ADVICE.tso_requests.value);
        to.set("tso-update-physical-interval", SettingValue::Duration(piece.value), piece.because(text))?;
    }
    Ok(to)
}

/// MySQL's settings.
pub(crate) fn mysql(site: &Site<'_>, group: &Group<'_>) -> Result<Settings, SettingError> {
    let mut to = Settings::new(SettingsTable::mysql(), site.version, group.instance.vcpu);
    let asked = &site.deployment.settings;
    let memory = group.instance.memory;
    let (pool, text) = match asked.block_cache {
        Some(pool) => (pool.as_f64(), format!("As planned, of the {memory:.0} of {}", group.instance.name)),
        None => {
            let piece = &ADVICE.innodb_buffer_pool_share;
            (
                memory.as_f64() * piece.value,
                format!("{} of the {memory:.0} of {}", Ratio(piece.value).percent(0), group.instance.name),
            )
        }
    };
    let link = ADVICE.innodb_buffer_pool_share.link.clone();
    to.set("innodb_buffer_pool_size", SettingValue::Size(whole_mib(pool)), Why::new(text, link))?;
    if let Some(supply) = group.iops() {
        let share = &ADVICE.innodb_io_capacity_share;
        let least = 100.0;
        let capacity = |share: f64| SettingValue::Int((supply.rate.0 * share).clamp(least, 1e9) as i64);
        let text = format!(
            "{} of {}: the other half is for reads and the redo log",
            Ratio(share.value).percent(0),
            supply.what
        );
        to.set("innodb_io_capacity", capacity(share.value), Why::new(text, share.link.clone()))?;
        let text = format!("All of {}, when flushing falls behind. Credits are left for the clients", supply.what);
        to.set("innodb_io_capacity_max", capacity(1.0), Why::new(text, supply.link.clone()))?;
    }
    let text = "The buffer pool is the cache: the kernel's would hold every page twice";
    to.set("innodb_flush_method", SettingValue::text("O_DIRECT"), Why::new(text, INNODB_MANUAL))?;
    let text = "Neighbours are worth flushing along on spinning disks only: here each counts as an I/O";
    to.set("innodb_flush_neighbors", SettingValue::Int(0), Why::new(text, INNODB_MANUAL))?;
    let text = "A commit is on the disk before it is answered: what the plan's log writes count";
    to.set("innodb_flush_log_at_trx_commit", SettingValue::Int(1), Why::new(text, INNODB_MANUAL))?;
    if asked.doublewrite == Some(false) {
        let text = "As planned: saves half of the page writes where the disk never writes a page in half";
        to.set("innodb_doublewrite", SettingValue::text("OFF"), Why::new(text, INNODB_MANUAL))?;
    }
    Ok(to)
}

impl FileFormat {
    /// Where the format mounts the raft log's own disk.
    pub(crate) fn raft_dir(self) -> &'static str {
        match self {
            Self::Operator | Self::OperatorV2 => "/var/lib/raft",
            _ => RAFT_DIR,
        }
    }
}

#[cfg(test)]
mod tests;
