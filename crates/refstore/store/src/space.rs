//! The room on the disks: below its reserve a node refuses writes, so that compactions and the log still find some.

use std::path::{Path, PathBuf};

use disk_space::DiskSpace;
use units::Bytes;

use crate::config::{ConfigSize, StoreConfig};

/// The disks of a node and their reserves.
#[derive(Debug)]
pub struct NodeSpace {
    data: Disk,
    raft: Disk,
}

#[derive(Debug)]
struct Disk {
    name: &'static str,
    folder: PathBuf,
    /// The key of the reserve, and its bytes.
    reserve: (&'static str, u64),
}

impl NodeSpace {
    /// Watches the disk of the data and that of the raft log, with the reserves of the configuration.
    pub fn new(config: &StoreConfig, data: &Path, raft: &Path) -> Self {
        let disk = |name, folder: &Path, key, full| Disk {
            name,
            folder: folder.to_owned(),
            reserve: (key, config.size(full)),
        };
        Self {
            data: disk("data disk", data, "reserve-space", "storage.reserve-space"),
            raft: disk("raft log disk", raft, "reserve-raft-space", "storage.reserve-raft-space"),
        }
    }

    /// Room on the data disk.
    pub fn data(&self) -> DiskSpace {
        DiskSpace::of(&self.data.folder).unwrap_or_default()
    }

    /// Why there is too little room, if there is.
    pub fn full(&self) -> Option<String> {
        [&self.data, &self.raft].into_iter().find_map(|disk| {
            // A disk that does not answer is not full: reads and writes will tell what ails it.
            let room = DiskSpace::of(&disk.folder).ok()?;
            let (key, reserve) = disk.reserve;
            (room.available.0 < reserve).then(|| {
                let (left, all, reserve) = (shown(room.available), shown(room.capacity), ConfigSize(reserve));
                format!("{} full: {left} of {all} left, {key} is {reserve}", disk.name)
            })
        })
    }
}

fn shown(Bytes(bytes): Bytes) -> String {
    if bytes >= 10 << 30 { format!("{} GiB", bytes >> 30) } else { format!("{} MiB", bytes >> 20) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigValue, ConfigValues, HostMachine};

    fn space(reserve: u64, dir: &Path) -> NodeSpace {
        let values = ConfigValues::from([
            ("storage.reserve-space".to_owned(), ConfigValue::Size(reserve)),
            ("storage.reserve-raft-space".to_owned(), ConfigValue::Size(0)),
        ]);
        let machine = HostMachine { cpus: 2, memory: 1 << 30 };
        NodeSpace::new(&StoreConfig::new(values, &machine).unwrap(), dir, dir)
    }

    #[test]
    fn a_disk_below_its_reserve_is_full_and_says_by_which_key() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(space(0, dir.path()).full(), None);
        let reason = space(1 << 60, dir.path()).full().unwrap();
        assert!(
            reason.starts_with("data disk full: ") && reason.ends_with(" left, reserve-space is 1024PiB"),
            "{reason}"
        );
        let room = space(0, dir.path()).data();
        assert!(room.available > Bytes(0) && room.available <= room.capacity);
    }
}
