//! The disks that are mounted on this machine as a cloud: the same rules, in real time or faster.

use std::path::PathBuf;

use disk::Disk;
use metrics::{ModificationStage, NodeSample};
use mount::{DaemonClient, MountError, MountHome, MountedNode};
use timeline::{Timeline, TimelineInfo};
use units::Nanos;
use volume_control::{CloudError, ManagedVolume, ModificationProgress, VolumeChange, VolumeCloud};

use super::VolumeFleet;

/// The disks of one node. Its clock is that of the node's daemon.
#[derive(Debug)]
pub struct MountedFleet {
    home: MountHome,
    dir: PathBuf,
    /// So many times faster than a cloud.
    fast_forward: f64,
}

impl MountedFleet {
    /// The disks that are mounted at or under a folder; modifications take their cloud's time over `fast_forward`.
    pub fn new(home: MountHome, dir: impl Into<PathBuf>, fast_forward: f64) -> Self {
        Self { home, dir: dir.into(), fast_forward }
    }

    fn node(&self) -> Result<(MountedNode, DaemonClient), CloudError> {
        let node = mount::find(&self.home, &self.dir).map_err(lost)?;
        let client = DaemonClient::of(&node).map_err(lost)?;
        Ok((node, client))
    }

    /// All samples since an instant, the present one last.
    fn samples(client: &DaemonClient, since: Nanos) -> Result<Vec<NodeSample>, CloudError> {
        let mut samples = client.history(since).map_err(lost)?;
        samples.push(client.sample().map_err(lost)?);
        Ok(samples)
    }
}

fn lost(error: MountError) -> CloudError {
    CloudError::Lost { why: error.to_string() }
}

impl VolumeCloud for MountedFleet {
    fn describe(&mut self, volumes: &[String]) -> Result<Vec<ManagedVolume>, CloudError> {
        let (node, client) = self.node()?;
        let samples = Self::samples(&client, Nanos(0))?;
        let one = |id: &String| {
            let missing = || CloudError::NotFound { volume: id.clone() };
            let becomes = node.disks.iter().find(|disk| disk.name == *id).ok_or_else(missing)?;
            volume(id, &becomes.disk, &samples).ok_or_else(missing)
        };
        volumes.iter().map(one).collect()
    }

    fn modify(&mut self, volume: &str, to: &Disk) -> Result<(), CloudError> {
        let (_, client) = self.node()?;
        let under_way = client.sample().map_err(lost)?.disk(volume).is_some_and(|disk| is_under_way(disk.modification));
        match client.modify(volume, to, self.fast_forward) {
            Ok(_) => Ok(()),
            Err(_) if under_way => Err(CloudError::UnderWay { volume: volume.to_owned() }),
            Err(error) if error.exit_code() == 3 => Err(lost(error)),
            Err(error) => {
                let (volume, why) = (volume.to_owned(), error.to_string());
                // The daemon says of its refusals for now how long to wait, of no other.
                Err(if why.contains("try again in") {
                    CloudError::TooOften { volume, until: None }
                } else {
                    CloudError::Invalid { volume, why }
                })
            }
        }
    }
}

impl VolumeFleet for MountedFleet {
    fn names(&self) -> Vec<String> {
        self.node().map(|(node, _)| node.disks.iter().map(|disk| disk.name.clone()).collect()).unwrap_or_default()
    }

    fn now(&mut self) -> Result<Nanos, CloudError> {
        Ok(self.node()?.1.sample().map_err(lost)?.at)
    }

    fn used(&mut self, since: Nanos) -> Result<Timeline, CloudError> {
        let (_, client) = self.node()?;
        Ok(metrics::timeline(&Self::samples(&client, since)?, &[], TimelineInfo::default()))
    }
}

fn is_under_way(state: ModificationStage) -> bool {
    matches!(state, ModificationStage::Modifying | ModificationStage::Optimizing(_))
}

/// A disk with its changes, as its samples show them: what it is under changes when a modification is done.
fn volume(id: &str, becomes: &str, samples: &[NodeSample]) -> Option<ManagedVolume> {
    let mut changes: Vec<VolumeChange> = Vec::new();
    let mut seen = samples.iter().filter_map(|sample| Some((sample.at, sample.disk(id)?)));
    let (mut before, mut last) = seen.next()?;
    for (at, now) in seen {
        let begins = is_under_way(now.modification) && !is_under_way(last.modification);
        let done = now.disk != last.disk;
        if begins || (done && !is_under_way(last.modification)) {
            let to = becomes.parse().ok()?;
            changes.push(VolumeChange { started: before, to, progress: ModificationProgress::Modifying, ends: None });
        }
        if let Some(change) = changes.last_mut() {
            match now.modification {
                ModificationStage::Optimizing(_) => change.progress = ModificationProgress::Optimizing,
                ModificationStage::Completed if change.progress.under_way() => {
                    change.progress = ModificationProgress::Completed;
                    change.to = now.disk.parse().ok()?;
                    change.ends = Some(at);
                }
                _ => {}
            }
        }
        (before, last) = (at, now);
    }
    Some(ManagedVolume {
        id: id.to_owned(),
        node: String::new(),
        disk: last.disk.parse().ok()?,
        changes,
        intended: None,
    })
}
