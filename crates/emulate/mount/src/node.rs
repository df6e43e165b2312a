//! What is mounted: the record that a daemon leaves for others to find it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use catalog::Date;
use jiff::Timestamp;

use crate::home::State;
use crate::{Filesystem, MountError, MountHome, files, plan, system, unrecorded};

/// Disks that are, or were, mounted by one daemon.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MountedNode {
    /// The folder at or in which they are mounted.
    pub dir: PathBuf,
    /// The state folder of this mount.
    pub state: PathBuf,
    /// The daemon's process.
    pub pid: i32,
    /// When that process started, in clock ticks since the machine did: another process may get the number later.
    pub pid_started: u64,
    /// The instant from which the times of samples count.
    pub started: Timestamp,
    /// The instance type whose caps the disks share.
    pub instance: Option<String>,
    /// The zone.
    pub zone: Option<String>,
    /// The day whose limits hold; the newest without one.
    pub as_of: Option<Date>,
    /// What the disks are formatted with.
    pub filesystem: Filesystem,
    /// Where `/metrics` is served.
    pub metrics: SocketAddr,
    /// The disks.
    pub disks: Vec<MountedDisk>,
    /// What people should know of how it went: a filesystem that had to be repaired.
    pub notes: Vec<String>,
}

/// A disk that is mounted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MountedDisk {
    /// Its name among the disks of the node.
    pub name: String,
    /// Where.
    pub at: PathBuf,
    /// As people write it.
    pub disk: String,
    /// The block device: `/dev/loop3`.
    pub device: PathBuf,
    /// The file that holds its data.
    pub backing: PathBuf,
}

impl MountedNode {
    /// Whether its daemon runs.
    pub fn is_alive(&self) -> bool {
        system::process_started(self.pid) == Some(self.pid_started)
    }

    /// The disk that a path means: a disk's mount point, or the folder of a node with only one disk.
    ///
    /// # Errors
    /// When several disks could be meant, with their folders, or none is.
    pub fn disk_at(&self, path: &Path) -> Result<&MountedDisk, MountError> {
        let wanted = plan::absolute(path)?;
        if let Some(found) = self.disks.iter().find(|disk| disk.at == wanted) {
            return Ok(found);
        }
        match self.disks.as_slice() {
            [only] if wanted == self.dir => Ok(only),
            disks => {
                let places = disks.iter().map(|disk| disk.at.display().to_string()).collect::<Vec<_>>().join(" or ");
                Err(MountError::Input(format!("{} is no single disk: name {places}", path.display())))
            }
        }
    }

    /// Reads the record in a state folder; `None` if there is none.
    pub(crate) fn read(state: &State) -> Option<Self> {
        files::read(&state.node())
    }
}

/// All nodes of a state folder, also those whose daemon died, by folder.
pub fn nodes(home: &MountHome) -> Vec<MountedNode> {
    let mut nodes: Vec<MountedNode> = home.states().iter().filter_map(MountedNode::read).collect();
    nodes.sort_by(|a, b| a.dir.cmp(&b.dir));
    nodes
}

/// The node that was mounted at a path, or one of whose disks was.
///
/// # Errors
/// When there is none; with those there are.
pub fn find(home: &MountHome, path: &Path) -> Result<MountedNode, MountError> {
    let wanted = plan::absolute(path)?;
    let nodes = nodes(home);
    let places = nodes.iter().map(|node| node.dir.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut found =
        nodes.into_iter().filter(|node| node.dir == wanted || node.disks.iter().any(|disk| disk.at == wanted));
    found.next().ok_or_else(|| {
        if let Some(daemon) = unrecorded::serving(&wanted) {
            return daemon.refusal();
        }
        let known = if places.is_empty() {
            "nothing is mounted; begin with `diskwright disk mount DISK DIR`".to_owned()
        } else {
            format!("there are {places}")
        };
        MountError::Input(format!("no disk is mounted at {}: {known}", path.display()))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn node(dir: &str, disks: &[&str]) -> MountedNode {
        let disk = |at: &&str| MountedDisk {
            name: at.rsplit('/').next().unwrap_or_default().to_owned(),
            at: PathBuf::from(at),
            disk: "gp3:10GiB".to_owned(),
            device: PathBuf::from("/dev/loop0"),
            backing: PathBuf::from("/nowhere"),
        };
        MountedNode {
            dir: PathBuf::from(dir),
            state: PathBuf::from("/nowhere"),
            pid: std::process::id() as i32,
            pid_started: system::process_started(std::process::id() as i32).unwrap(),
            started: Timestamp::UNIX_EPOCH,
            instance: None,
            zone: None,
            as_of: None,
            filesystem: Filesystem::Ext4,
            metrics: ([127, 0, 0, 1], 1).into(),
            disks: disks.iter().map(disk).collect(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_folder_of_several_disks_is_none_of_them() {
        let two = node("/srv/db", &["/srv/db/data", "/srv/db/raft"]);
        assert_eq!(two.disk_at(Path::new("/srv/db/raft")).unwrap().name, "raft");
        let error = two.disk_at(Path::new("/srv/db")).unwrap_err();
        assert!(error.to_string().contains("/srv/db/data or /srv/db/raft"), "{error}");
        assert_eq!(node("/srv/db", &["/srv/db/data"]).disk_at(Path::new("/srv/db")).unwrap().name, "data");
    }

    #[test]
    fn a_node_is_found_by_its_folder_and_by_its_disks() {
        let folder = tempfile::tempdir().unwrap();
        let home = MountHome::open(folder.path().join("run"), "/bin/true").unwrap();
        assert!(find(&home, Path::new("/srv/db")).unwrap_err().to_string().contains("nothing is mounted"));
        let node = node("/srv/db", &["/srv/db/data", "/srv/db/raft"]);
        let state = home.state(&node.dir);
        std::fs::create_dir(&state.folder).unwrap();
        files::write(&state.node(), &node).unwrap();
        assert_eq!(find(&home, Path::new("/srv/db")), Ok(node.clone()));
        assert_eq!(find(&home, Path::new("/srv/db/raft")), Ok(node));
        let error = find(&home, Path::new("/srv/other")).unwrap_err();
        assert!(error.to_string().contains("/srv/db"), "{error}");
    }

    #[test]
    fn a_number_that_went_to_another_process_is_not_the_daemon() {
        let mut node = node("/srv/db", &[]);
        assert!(node.is_alive());
        node.pid_started += 1;
        assert!(!node.is_alive());
    }
}
