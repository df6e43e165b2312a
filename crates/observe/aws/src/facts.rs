//! What AWS says of volumes, instances and databases.

use std::sync::LazyLock;

use catalog::{Catalog, CatalogView, InstanceCaps, IopsRule, ThroughputRule};
use disk::{Disk, Volume};
use jiff::Timestamp;
use units::{Bytes, BytesPerSec, Iops};

/// A volume as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeFacts {
    /// `vol-…`.
    pub id: String,
    /// Its `Name` tag.
    pub name: Option<String>,
    /// `us-west-2a`.
    pub zone: String,
    /// Its type, size and provisioned rates: `gp3:400GiB,6000iops,250MiB/s`. Rates that follow from the size are left out.
    pub disk: Disk,
    /// `in-use`, `available`, ….
    pub state: String,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// Whether several instances may have it; then AWS publishes no read and write times.
    pub multi_attach: bool,
    /// Where it is attached; none while it is only paid for.
    pub attachments: Vec<VolumeAttachment>,
    /// How it was changed, oldest first, as far as AWS keeps it: a limit that changed within a range is not one limit.
    pub modifications: Vec<EbsModification>,
}

/// A volume on an instance.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeAttachment {
    /// `/dev/sdf`, as it was asked for; on Nitro the kernel names it otherwise.
    pub device: String,
    /// Since when.
    pub since: Option<Timestamp>,
    /// The instance.
    pub instance: InstanceFacts,
}

/// An instance as it is now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InstanceFacts {
    /// `i-…`.
    pub id: String,
    /// `m5.4xlarge`; `None` if the instance is gone or belongs to another account.
    pub instance_type: Option<String>,
    /// Whether its metrics come every minute. One that was switched within a range is read as it is now.
    pub detailed: bool,
    /// Whether it runs on Nitro; `None` where AWS does not say, as of bare metal.
    pub nitro: Option<bool>,
    /// What the type lets through to all its volumes, as AWS says today; `None` where it says nothing.
    pub caps: Option<InstanceCaps>,
}

/// Something that EC2 has planned for an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceEvent {
    /// `i-…`.
    pub instance: String,
    /// `instance-event-0d59937288b749b32`.
    pub id: String,
    /// `system-reboot` ….
    pub code: String,
    /// In words; begins with `[Completed]` or `[Canceled]` when it is over, for a week.
    pub description: String,
    /// The start of its window.
    pub not_before: Option<Timestamp>,
    /// The end of its window.
    pub not_after: Option<Timestamp>,
}

/// A change of a volume.
#[derive(Debug, Clone, PartialEq)]
pub struct EbsModification {
    /// `vol-…`.
    pub volume: String,
    /// What it was.
    pub before: Option<Disk>,
    /// What it became or is becoming.
    pub after: Option<Disk>,
    /// `modifying`, `optimizing`, `completed` or `failed`.
    pub state: String,
    /// When it was asked for.
    pub started: Option<Timestamp>,
    /// When it was over.
    pub ended: Option<Timestamp>,
}

/// A database instance as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct DbFacts {
    /// Its identifier.
    pub id: String,
    /// `db.m5.4xlarge`.
    pub class: String,
    /// `mysql`, `aurora-postgresql`, ….
    pub engine: String,
    /// Its storage as one disk; `None` for Aurora, whose storage is not a volume. RDS itself stripes large ones.
    pub disk: Option<Disk>,
    /// `us-west-2a`.
    pub zone: Option<String>,
    /// Whether a standby in another zone receives every write.
    pub multi_az: bool,
    /// `available`, `modifying`, `storage-optimization`, ….
    pub status: String,
}

/// The types of volumes that are sold today.
static TYPES: LazyLock<CatalogView> = LazyLock::new(|| Catalog::embedded().at(None));

/// Size and rates as AWS states them: GiB, I/Os a second, MiB a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stated {
    pub(crate) gib: Option<i32>,
    pub(crate) iops: Option<i32>,
    pub(crate) mib_s: Option<i32>,
}

impl Stated {
    /// The disk of that kind. AWS states rates, too, that follow from the size and cannot be chosen: the catalogue tells which can.
    pub(crate) fn disk(self, kind: &str) -> Option<Disk> {
        let positive = |number: Option<i32>| number.filter(|n| *n > 0).map(f64::from);
        let size = self.gib.and_then(|gib| u64::try_from(gib).ok()).filter(|gib| *gib > 0)?;
        let sold = TYPES.volume(kind).ok();
        let chooses_iops = sold.is_some_and(|sold| matches!(sold.iops, IopsRule::Provisioned { .. }));
        let chooses_throughput = sold.is_some_and(|sold| matches!(sold.throughput, ThroughputRule::Provisioned { .. }));
        let volume = Volume {
            kind: kind.to_owned(),
            size: Bytes(size << 30),
            iops: positive(self.iops).filter(|_| chooses_iops).map(Iops),
            throughput: positive(self.mib_s).filter(|_| chooses_throughput).map(BytesPerSec::mib),
        };
        Some(volume.into())
    }
}

impl VolumeFacts {
    /// Whether it is or was of that kind, as far as modifications tell.
    pub(crate) fn was_of(&self, is_kind: impl Fn(&str) -> bool) -> bool {
        let before = self.modifications.iter().filter_map(|change| change.before.as_ref());
        std::iter::once(&self.disk).chain(before).any(|disk| is_kind(&disk.volume.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_volume_is_a_disk_that_reads_back() {
        let stated = Stated { gib: Some(400), iops: Some(6000), mib_s: Some(250) };
        for (kind, text) in [
            ("gp3", "gp3:400GiB,6000iops,250MiB/s"),
            ("io2", "io2:400GiB,6000iops"),
            ("gp2", "gp2:400GiB"),
            ("st1", "st1:400GiB"),
            ("standard", "standard:400GiB"),
        ] {
            let disk = stated.disk(kind).unwrap();
            assert_eq!((disk.to_string().as_str(), text.parse()), (text, Ok(disk)));
        }
    }

    #[test]
    fn a_volume_without_size_is_no_disk() {
        for gib in [None, Some(0), Some(-1)] {
            assert_eq!(Stated { gib, ..Stated::default() }.disk("gp3"), None);
        }
    }
}
