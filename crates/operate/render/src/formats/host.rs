//! The script that makes a host's disks ready: stripe, read cache, filesystem, mount, queue settings.

use deployment::NodeRole;
use disk::{Disk, DiskLimits};
use units::Bytes;

use crate::advice::{DATA_DIR, RAFT_DIR};
use crate::document::{Why, comment};
use crate::published::ADVICE;
use crate::site::{Group, Site};
use crate::{FileFormat, RenderedFile, TikvVersion};

/// What PingCAP has people check of a disk, its filesystem and its scheduler.
const CHECKS: &str = "https://docs.pingcap.com/tidb/stable/check-before-deployment";

/// What every script begins with: functions that say what they do.
const LIBRARY: &str = include_str!("host.sh");

pub(super) fn files(site: &Site<'_>) -> Vec<RenderedFile> {
    let file = |group: &Group<'_>| {
        let name = format!("prepare-{}.sh", site.group_name(group));
        RenderedFile { executable: true, ..RenderedFile::new(FileFormat::Host, name, script(site, group)) }
    };
    site.groups.iter().map(file).collect()
}

fn script(site: &Site<'_>, group: &Group<'_>) -> String {
    let user = site.deployment.engine.facts().account;
    let mut out = String::from("#!/usr/bin/env bash\n");
    out += &super::head("#", site, "The disks of a host");
    out += &comment("#", 0, &usage(group, &site.group_name(group)));
    out += &format!("set -euo pipefail\n\nDEPLOY_USER={user}\nDATA_VOLUMES={}\n", group.data.1.stripe);
    out += &format!("LOG_VOLUMES={}\n", group.log.as_ref().map_or(0, |(_, log)| log.stripe));
    out += &format!("CACHE_WANTED={}\n\n", u8::from(group.data.1.cache.is_some()));
    out += LIBRARY;
    out += &disk("data", DATA_DIR, &group.data, group.volume_source());
    if let Some(log) = &group.log {
        out += &disk("log", RAFT_DIR, log, group.volume_source());
    }
    out += &queues(site);
    out += &folders(site, group);
    out
}

fn usage(group: &Group<'_>, name: &str) -> String {
    let devices = |n: u32| vec!["/dev/nvmeXn1"; n as usize].join(",");
    let log = group.log.as_ref().map(|(_, log)| format!(" --log {}", devices(log.stripe))).unwrap_or_default();
    let cache = group.data.1.cache.as_ref().map(|_| " --cache /dev/nvmeXn1").unwrap_or_default();
    format!(
        "Run as root: prepare-{name}.sh --data {}{log}{cache}\nDevices that hold anything are refused; disks that are mounted already are left as they are.",
        devices(group.data.1.stripe)
    )
}

/// The steps of a disk.
fn disk(role: &str, at: &str, (limits, disk): &(DiskLimits, &Disk), source: &str) -> String {
    let mut out = format!("\nif ! mounted {at}; then\n");
    let list = if role == "data" { "DATA" } else { "LOG" };
    out += &format!("  check_empty \"${{{list}[@]}}\"\n");
    let chunk = limits.io_unit;
    let kib = chunk.0 / Bytes::kib(1).0;
    let mut geometry = String::new();
    if disk.stripe > 1 {
        let text = format!(
            "{disk}: chunks of {chunk}, which is what the volume counts as one I/O: none is split over two volumes"
        );
        out += &Why::new(text, source).comment("#", 2);
        out += &format!("  device=$(stripe {role} {kib} \"${{{list}[@]}}\")\n");
        let stride = chunk.0 / Bytes::kib(4).0;
        geometry = format!(" -E stride={stride},stripe-width={}", stride * u64::from(disk.stripe));
    } else {
        out += &format!("  device=${{{list}[0]}}\n");
    }
    if let Some(cache) = &disk.cache {
        let text = "The cache holds nothing that the volume lacks (writethrough): local flash is lost when the instance stops. \
                    After a stop: lvconvert --uncache, then this script's lvconvert again.";
        out += &comment("#", 2, text);
        let mib = cache.size.0 / Bytes::mib(1).0;
        out += &format!("  check_empty \"$CACHE\"\n  device=$(cached {role} \"$device\" \"$CACHE\" {mib})\n");
    }
    let text = "ext4 without delayed allocation: space is taken when a file is written, not when the log is synced; without times \
                of access, which would make reads write; without blocks that only root may fill";
    out += &Why::new(text, CHECKS).comment("#", 2);
    out += &format!("  format_and_mount \"$device\" {at}{geometry}\nfi\n");
    out
}

/// Settings of the block layer.
fn queues(site: &Site<'_>) -> String {
    let mut out = String::from("\n");
    let text = "The cloud orders requests itself (none); RocksDB and InnoDB read ahead themselves, and a stripe would make the \
                kernel read ahead by whole chunks (128 KiB is Linux's default for one disk)";
    out += &Why::new(text, CHECKS).comment("#", 0);
    out += "install_rules <<'RULES'\n";
    out += "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"nvme[0-9]*n[0-9]*|xvd[a-z]*|sd[a-z]*\", ENV{DEVTYPE}==\"disk\", ATTR{queue/scheduler}=\"none\"\n";
    out += "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"md*|dm-*\", ATTR{queue/read_ahead_kb}=\"128\"\n";
    out += "RULES\n";
    if site.is_tikv() && site.version.is_of_line(TikvVersion::V8_5) {
        let ahead = ADVICE.compaction_read_ahead.value;
        let text = format!("Compactions read ahead {ahead}: of no use where a request may not be that large");
        out += &Why::new(text, "https://github.com/facebook/rocksdb/issues/12038").comment("#", 0);
        out += &format!("check_request_size {} \"${{DATA[@]}}\"\n", ahead.0 / Bytes::kib(1).0);
    }
    let text = "A network volume has no volatile cache, so that a sync costs nothing beyond its write: the plan takes that for granted";
    out += &Why::new(text, "https://docs.kernel.org/block/writeback_cache_control.html").comment("#", 0);
    out += "check_write_cache \"${DATA[@]}\" \"${LOG[@]}\"\n";
    out
}

/// Folders of the deploy user, which no deployment tool makes.
fn folders(site: &Site<'_>, group: &Group<'_>) -> String {
    let mut out = String::from("\n");
    let data = match (group.nodes.role, site.is_tikv()) {
        (NodeRole::Tiflash, _) => format!("{DATA_DIR}/tiflash"),
        (_, true) => format!("{DATA_DIR}/tikv"),
        (_, false) => format!("{DATA_DIR}/mysql"),
    };
    out += &format!("folder {data}\n");
    if group.log.is_some() {
        out += &comment("#", 0, "TiUP neither makes this folder nor hands it to the deploy user.");
        out += &format!("folder {RAFT_DIR}/raft-engine\n");
    }
    out + "echo \"ready\"\n"
}

#[cfg(test)]
mod tests {
    use crate::FileFormat;
    use crate::testing::file;

    #[test]
    fn the_scripts_of_three_examples() {
        for name in ["raft-dedicated.toml", "tpcc-5000-raid0.toml", "tpcc-5000-m5d.2xlarge.toml"] {
            insta::assert_snapshot!(name, file(name, FileFormat::Host).content);
        }
    }
}
