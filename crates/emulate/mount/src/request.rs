//! What is to be mounted where.

use std::net::SocketAddr;
use std::path::PathBuf;

use catalog::Date;
use deployment::Deployment;
use disk::Disk;

use crate::{Filesystem, MountError, MountHome};

/// Disks of one machine that are to be mounted.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MountRequest {
    /// The folder at or in which they are mounted: an empty one, or one that does not exist yet.
    pub dir: PathBuf,
    /// The disks.
    pub disks: Vec<DiskRequest>,
    /// The instance type whose caps they share.
    pub instance: Option<String>,
    /// The zone, for people and labels only.
    pub zone: Option<String>,
    /// The day whose limits hold; the newest without one.
    pub as_of: Option<Date>,
    /// The folder that keeps their data, also after they are unmounted.
    pub backing: PathBuf,
    /// What they are formatted with.
    pub filesystem: Filesystem,
    /// All that is random depends on it.
    pub seed: u64,
    /// Whether degraded minutes happen, as often as the promises of the disks' types leave room for.
    pub degraded_minutes: bool,
    /// Whether the kernel serves the disks itself, straight from their backing files, for which they must have no limits.
    /// No fault reaches them then.
    #[serde(default)]
    pub passthrough: bool,
    /// Burst credits at the start, 0 to 1 of the full bucket; full if not given.
    pub credits: Option<f64>,
    /// Where the metrics are served, on loopback only; a port of the system's choice if not given.
    pub metrics: Option<SocketAddr>,
}

/// A disk that is to be mounted.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DiskRequest {
    /// Its name among the disks of the node: `data`, `raft`.
    pub name: String,
    /// Where in the folder it is mounted; empty for the folder itself.
    pub at: PathBuf,
    /// What it is.
    pub disk: Disk,
}

impl MountRequest {
    /// One disk, mounted at `dir` itself.
    pub fn single(dir: impl Into<PathBuf>, disk: Disk) -> Self {
        let wanted = DiskRequest { name: "data".to_owned(), at: PathBuf::new(), disk };
        Self {
            dir: dir.into(),
            disks: vec![wanted],
            instance: None,
            zone: None,
            as_of: None,
            backing: PathBuf::from(MountHome::BACKING),
            filesystem: Filesystem::default(),
            seed: 0,
            degraded_minutes: false,
            passthrough: false,
            credits: None,
            metrics: None,
        }
    }

    /// The disks of a storage node, counted from 1 over all groups: `data`, and `raft` (TiKV) or `redo` (InnoDB) if the
    /// log has a disk of its own. The nodes go round the zones `a`, `b`, `c` ….
    ///
    /// # Errors
    /// When there is no such storage node, or it has no data disk.
    pub fn of_deployment(dir: impl Into<PathBuf>, deployment: &Deployment, node: u32) -> Result<Self, MountError> {
        let mut before = 0u32;
        let group = deployment.storage().map(|(_, group)| group).find(|group| {
            let first = before;
            before = before.saturating_add(group.count);
            (first..before).contains(&node.wrapping_sub(1))
        });
        let group = group.ok_or_else(|| match deployment.storage_nodes() {
            0 => {
                MountError::Input("the deployment has no storage node: add a group with role = \"storage\"".to_owned())
            }
            n => MountError::Input(format!("there is no storage node {node}: name one from 1 to {n}")),
        })?;
        let Some(data) = &group.data else {
            return Err(MountError::Input("the storage node has no data disk: give its group a `data`".to_owned()));
        };
        let log = deployment.engine.facts().log_disk;
        let disks = [("data", Some(data)), (log, group.log.as_ref())];
        let disks = disks.into_iter().filter_map(|(name, disk)| {
            disk.map(|disk| DiskRequest { name: name.to_owned(), at: PathBuf::from(name), disk: disk.clone() })
        });
        Ok(Self {
            disks: disks.collect(),
            instance: Some(group.instance.clone()),
            zone: zone(node, deployment.zones),
            as_of: deployment.as_of,
            ..Self::single(dir, data.clone())
        })
    }
}

/// The zone of a node: they take turns.
fn zone(node: u32, zones: u32) -> Option<String> {
    let letter = u8::try_from((node - 1) % zones.max(1)).ok().filter(|n| *n < 26)?;
    Some(char::from(b'a' + letter).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(engine: &str) -> Deployment {
        let group = |count, log: &str| {
            format!(
                "[[nodes]]\nrole = \"storage\"\ncount = {count}\ninstance = \"m5.2xlarge\"\n\
                 data = \"gp3:100GiB\"\n{log}"
            )
        };
        let text = format!(
            "engine = \"{engine}\"\nregion = \"us-west-2\"\nzones = 3\n[[nodes]]\nrole = \"pd\"\ncount = 3\n\
             instance = \"m5.large\"\n{}{}",
            group(2, ""),
            group(2, "log = \"gp3:20GiB\"\n")
        );
        toml_of(&text)
    }

    fn toml_of(text: &str) -> Deployment {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Deployment::read(file.path()).unwrap()
    }

    fn names(request: &MountRequest) -> Vec<&str> {
        request.disks.iter().map(|wanted| wanted.name.as_str()).collect()
    }

    #[test]
    fn storage_nodes_are_counted_over_their_groups_and_go_round_the_zones() {
        let deployment = deployment("tikv");
        let second = MountRequest::of_deployment("/srv/db", &deployment, 2).unwrap();
        assert_eq!((names(&second), second.zone.as_deref()), (vec!["data"], Some("b")));
        let fourth = MountRequest::of_deployment("/srv/db", &deployment, 4).unwrap();
        assert_eq!((names(&fourth), fourth.zone.as_deref()), (vec!["data", "raft"], Some("a")));
        assert_eq!(fourth.disks[1].at, PathBuf::from("raft"));
        assert_eq!(fourth.instance.as_deref(), Some("m5.2xlarge"));
    }

    #[test]
    fn the_log_disk_of_innodb_is_its_redo() {
        assert_eq!(names(&MountRequest::of_deployment("/srv/db", &deployment("innodb"), 3).unwrap()), ["data", "redo"]);
    }

    #[test]
    fn a_node_that_is_not_there_is_refused_with_those_that_are() {
        for node in [0, 5] {
            let error = MountRequest::of_deployment("/srv/db", &deployment("tikv"), node).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains("from 1 to 4"), "{error}");
        }
    }
}
