//! A fleet as the pilot's world: what a volume is provisioned as, and modifications whose refusals say when to come again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::Disk;
use jiff::{SignedDuration, Timestamp};
use units::Nanos;
use volume_control::{CloudError, ManagedVolume};

use super::VolumeFleet;
use crate::volumes_seen::VolumesSeen;
use crate::{ClockReading, CloudVolumes, ClusterSnapshot, SnapshotSource, WallClock, WorldError};

/// While a modification is under way, its cloud is asked again so much later: it lasts minutes to hours, and is not foretold.
const ASK_AGAIN: Nanos = Nanos::secs(60);

/// A fleet; its copies are one. It is both what the pilot changes and what it sees.
pub struct FleetBridge<F> {
    fleet: Arc<Mutex<F>>,
    clock: Arc<dyn WallClock + Send + Sync>,
    /// How far back its use is read.
    window: Nanos,
}

impl<F> Clone for FleetBridge<F> {
    fn clone(&self) -> Self {
        Self { fleet: self.fleet.clone(), clock: self.clock.clone(), window: self.window }
    }
}

impl<F: VolumeFleet> FleetBridge<F> {
    /// One to a fleet whose use is read as far back as its policy looks.
    pub fn new(fleet: F, clock: Arc<dyn WallClock + Send + Sync>, window: Nanos) -> Self {
        Self { fleet: Arc::new(Mutex::new(fleet)), clock, window }
    }

    /// The fleet itself.
    pub fn fleet(&self) -> MutexGuard<'_, F> {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn volume(&self, name: &str) -> Result<ManagedVolume, WorldError> {
        let found = self.fleet().describe(&[name.to_owned()]).map_err(|error| self.world(error))?;
        let missing = || WorldError::Missing { peer: "the cloud".to_owned(), what: format!("volume `{name}`") };
        found.into_iter().next().ok_or_else(missing)
    }

    fn world(&self, error: CloudError) -> WorldError {
        let (peer, why) = ("the cloud".to_owned(), error.to_string());
        match error {
            CloudError::Lost { .. } => WorldError::Silent { peer, why },
            CloudError::NotFound { volume } => WorldError::Missing { peer, what: format!("volume `{volume}`") },
            CloudError::Invalid { .. } => WorldError::Refused { peer, why },
            CloudError::Denied { .. } => WorldError::Denied { peer, why },
            CloudError::TooOften { until, .. } => {
                let until = until.and_then(|until| self.wall(until));
                WorldError::NotYet { peer, why, until: until.or_else(|| self.after(ASK_AGAIN)) }
            }
            CloudError::UnderWay { .. } | CloudError::Throttled => {
                WorldError::NotYet { peer, why, until: self.after(ASK_AGAIN) }
            }
        }
    }

    /// An instant of the fleet's clock, on the wall.
    fn wall(&self, until: Nanos) -> Option<Timestamp> {
        let now = self.fleet().now().ok()?;
        self.after(until - now)
    }

    fn after(&self, wait: Nanos) -> Option<Timestamp> {
        let wait = SignedDuration::from_nanos(i64::try_from(wait.0).ok()?);
        self.clock.now().wall.checked_add(wait).ok()
    }
}

impl<F: VolumeFleet> CloudVolumes for FleetBridge<F> {
    fn provisioned(&self, volume: &str) -> Result<String, WorldError> {
        let volume = self.volume(volume)?;
        // What is under way is what it will be: no cloud lets it be called off.
        let to = volume.pending().map_or(&volume.disk, |change| &change.to);
        Ok(to.to_string())
    }

    fn settled(&self, volume: &str) -> Result<bool, WorldError> {
        Ok(self.volume(volume)?.pending().is_none())
    }

    fn modify(&self, volume: &str, to: &str) -> Result<(), WorldError> {
        let unfit =
            |error: disk::ParseDiskError| WorldError::Refused { peer: "the pilot".to_owned(), why: error.to_string() };
        let to: Disk = to.parse().map_err(unfit)?;
        let done = self.fleet().modify(volume, &to);
        done.map_err(|error| self.world(error))
    }
}

impl<F: VolumeFleet> SnapshotSource for FleetBridge<F> {
    fn look(&mut self, _: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        let looked = || -> Result<VolumesSeen, CloudError> {
            let mut fleet = self.fleet();
            let names = fleet.names();
            let (now, volumes) = (fleet.now()?, fleet.describe(&names)?);
            let timeline = fleet.used(now - self.window)?;
            Ok(VolumesSeen { now, volumes, timeline })
        };
        seen.volumes = Some(looked().map_err(|error| self.world(error))?);
        Ok(())
    }
}
