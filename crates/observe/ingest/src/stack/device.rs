//! What a block device is, by its name in Linux.

/// What a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeviceKind {
    /// A whole disk: what a cloud attaches.
    Volume,
    /// A view of other devices: device mapper, md, bcache.
    Layer,
    /// Memory, floppy, optical and loop devices.
    Transient,
    /// None of the kernel's names: a role (`data`), a volume id.
    Named,
}

/// Prefixes of whole disks that a letter or two follow (Documentation/admin-guide/devices.txt; drivers/block).
const LETTERED: [&str; 4] = ["sd", "xvd", "vd", "hd"];
/// Prefixes of transient devices that a number follows.
const TRANSIENT: [&str; 5] = ["loop", "ram", "zram", "sr", "fd"];
/// Prefixes of layers that a number follows.
const LAYERS: [&str; 4] = ["dm-", "md", "bcache", "drbd"];
/// Prefixes of whole disks that a number follows.
const NUMBERED: [&str; 5] = ["nbd", "rbd", "mmcblk", "pmem", "zd"];
/// Major numbers of whole disks (Documentation/admin-guide/devices.txt): IDE, SCSI, MMC, Xen, block-ext.
const VOLUME_MAJORS: [u32; 6] = [3, 8, 22, 179, 202, 259];

/// What a name stands for. A dash in a name that is none of the kernel's is the device mapper's, which joins group and volume by
/// one; `mapper` says whether such names may occur.
pub(super) fn kind(name: &str, mapper: bool) -> DeviceKind {
    if numbered(name, &TRANSIENT) {
        DeviceKind::Transient
    } else if numbered(name, &LAYERS) || name.starts_with("md_") || name.starts_with("md/") {
        DeviceKind::Layer
    } else if is_volume(name) {
        DeviceKind::Volume
    } else if let Some((major, _)) = by_number(name) {
        let is_volume = VOLUME_MAJORS.contains(&major) || (65..=71).contains(&major);
        if is_volume { DeviceKind::Volume } else { DeviceKind::Layer }
    } else if mapper && (name.contains('-') && !is_id(name) || name.starts_with("luks") || name.contains("crypt")) {
        DeviceKind::Layer
    } else {
        DeviceKind::Named
    }
}

/// `dev8-16`: how sar names devices without `-p`.
fn by_number(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A volume's or instance's id, which has a dash as names of the mapper have.
fn is_id(name: &str) -> bool {
    ["vol-", "i-", "nvme-", "disk-"].iter().any(|prefix| name.starts_with(prefix))
}

fn is_volume(name: &str) -> bool {
    let letters = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| (1..=3).contains(&rest.len()) && rest.chars().all(|c| c.is_ascii_lowercase()))
    };
    let bare = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        // Xen names a volume that was attached as a partition by its letter and number, without a whole beside it.
        rest.map(|rest| rest.trim_end_matches(|c: char| c.is_ascii_digit()))
            .is_some_and(|rest| (1..=3).contains(&rest.len()) && rest.chars().all(|c| c.is_ascii_lowercase()))
    };
    LETTERED.iter().any(|prefix| letters(prefix) || bare(prefix)) || numbered(name, &NUMBERED) || is_nvme(name)
}

/// `nvme1n1`, and `nvme1c0n1`, a path to it.
fn is_nvme(name: &str) -> bool {
    name.strip_prefix("nvme").is_some_and(|rest| {
        rest.contains('n')
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

fn numbered(name: &str, prefixes: &[&str]) -> bool {
    let is = |prefix: &&str| {
        name.strip_prefix(*prefix).is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    prefixes.iter().any(is)
}

/// Whether it is memory, whatever it moves.
pub(super) fn is_memory(name: &str) -> bool {
    numbered(name, &["ram", "zram"])
}

/// Whether it is a RAID of md.
pub(super) fn is_md(name: &str) -> bool {
    numbered(name, &["md"]) || name.starts_with("md_") || name.starts_with("md/") || name.starts_with("dev9-")
}

/// Whether the kernel chose the name, so that it says nothing of what the device is for.
pub(super) fn is_kernel_name(name: &str) -> bool {
    numbered(name, &LAYERS) || by_number(name).is_some()
}

/// The number in a name, for an order that people expect.
pub(super) fn number(name: &str) -> u32 {
    name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(u32::MAX)
}

/// The device that one is a part of, or a path to, if it is there: `sda` of `sda1`, `nvme0n1` of `nvme0n1p2` and `nvme0c1n1`.
pub(super) fn whole(name: &str, is_there: impl Fn(&str) -> bool) -> Option<&str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = stem.strip_suffix('p').filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit()));
    let part = stem.len() < name.len();
    // `data1` is no part of `data`: only disks of the kernel have partitions.
    let has_parts = |whole: &&str| kind(whole, false) != DeviceKind::Named;
    let wholes = [Some(stem), numbered].into_iter().flatten().filter(|_| part);
    wholes.filter(has_parts).find(|whole| is_there(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_kernel_say_what_a_device_is() {
        for name in ["sda", "sdaa", "vdb", "xvde", "xvda1", "nvme1n1", "mmcblk0", "dev8-16", "dev259-3", "nbd0"] {
            assert_eq!(kind(name, true), DeviceKind::Volume, "{name}");
        }
        for name in
            ["dm-0", "md127", "md_d0", "vg0-data", "ubuntu--vg-ubuntu--lv", "luks-1", "dev253-0", "dev9-127", "bcache0"]
        {
            assert_eq!(kind(name, true), DeviceKind::Layer, "{name}");
        }
        for name in ["loop0", "ram1", "zram0", "sr0", "fd0"] {
            assert_eq!(kind(name, true), DeviceKind::Transient, "{name}");
        }
        for name in ["data", "raft", "vol-0123456789abcdef0"] {
            assert_eq!(kind(name, true), DeviceKind::Named, "{name}");
        }
        assert_eq!(kind("n1-data", false), DeviceKind::Named, "names of a simulated node are no mapper's");
    }

    #[test]
    fn a_partition_is_of_its_whole_if_that_is_there() {
        let all = ["sda", "nvme0n1", "mmcblk0", "xvda", "md0"];
        let of = |name| whole(name, |whole| all.contains(&whole));
        assert_eq!(of("sda1"), Some("sda"));
        assert_eq!(of("nvme0n1p12"), Some("nvme0n1"));
        assert_eq!(of("mmcblk0p1"), Some("mmcblk0"));
        assert_eq!(of("md0p1"), Some("md0"));
        assert_eq!((of("xvdb1"), of("sda"), of("nvme0n1"), of("md0"), of("1")), (None, None, None, None, None));
        assert_eq!(whole("data1", |_| true), None);
    }
}
