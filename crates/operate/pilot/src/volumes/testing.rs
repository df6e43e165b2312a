//! A pilot over volumes in memory, for tests.

use std::sync::Arc;

use catalog::Catalog;
use diagnose::KnownFacts;
use disk::{Disk, ModificationRules};
use jiff::Timestamp;
use timeline::Timeline;
use units::Nanos;
use volume_control::{CloudError, FakeCloud, ManagedVolume, VolumeCloud, VolumePolicy};

use super::{FleetBridge, MemoryBook, VolumeController, VolumeFleet};
use crate::twin::{ClusterTwin, MemoryAudit, MemoryLines};
use crate::{ClockReading, ClusterWorld, Journal, JournalReplay, Pilot, PilotError, WallClock};

/// Prices of a region, and no instance.
pub(super) fn known() -> KnownFacts {
    KnownFacts { region: Some("us-west-2".to_owned()), ..KnownFacts::nothing(Catalog::embedded().at(None)) }
}

/// A cloud in memory, and what its volumes were asked for.
pub(super) struct Loaded {
    pub(super) fake: FakeCloud,
    names: Vec<String>,
    pub(super) timeline: Timeline,
}

impl VolumeCloud for Loaded {
    fn describe(&mut self, volumes: &[String]) -> Result<Vec<ManagedVolume>, CloudError> {
        self.fake.describe(volumes)
    }

    fn modify(&mut self, volume: &str, to: &Disk) -> Result<(), CloudError> {
        self.fake.modify(volume, to)
    }
}

impl VolumeFleet for Loaded {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn now(&mut self) -> Result<Nanos, CloudError> {
        Ok(self.fake.now())
    }

    fn used(&mut self, _: Nanos) -> Result<Timeline, CloudError> {
        Ok(self.timeline.clone())
    }
}

struct TwinClock(ClusterTwin);

impl WallClock for TwinClock {
    fn now(&self) -> ClockReading {
        self.0.now()
    }
}

/// A pilot over a cluster in memory and a cloud in memory, which may be killed and come again.
pub(super) struct Place {
    pub(super) twin: ClusterTwin,
    pub(super) bridge: FleetBridge<Loaded>,
    pub(super) lines: MemoryLines,
    pub(super) book: MemoryBook,
    pub(super) audit: MemoryAudit,
    pub(super) policy: VolumePolicy,
    pub(super) read_only: bool,
}

impl Place {
    /// One whose cloud has these volumes, and no cooldown but this.
    pub(super) fn new(disks: &[(&str, &str)], cooldown: Nanos, policy: VolumePolicy) -> Self {
        let twin = ClusterTwin::new(1, &[]);
        let aws = ModificationRules::of(catalog::Cloud::Aws).unwrap();
        let fake = FakeCloud::new(Catalog::embedded().at(None), Some(ModificationRules { cooldown, ..aws }));
        let with = |fake: FakeCloud, (id, disk): &(&str, &str)| fake.with(id, &disk.parse().unwrap()).unwrap();
        let names = disks.iter().map(|(id, _)| (*id).to_owned()).collect();
        let loaded = Loaded { fake: disks.iter().fold(fake, with), names, timeline: Timeline::default() };
        let bridge = FleetBridge::new(loaded, Arc::new(TwinClock(twin.clone())), policy.window);
        let (book, audit) = (MemoryBook::default(), MemoryAudit::default());
        let policy = VolumePolicy { cooldown: Some(cooldown), ..policy };
        Self { lines: MemoryLines::of(&twin), twin, bridge, book, audit, policy, read_only: false }
    }

    /// What the journal says.
    pub(super) fn replay(&self) -> JournalReplay {
        let (replay, whole) = JournalReplay::read("journal", self.lines.text()).unwrap();
        self.lines.truncate(whole);
        replay
    }

    pub(super) fn start(&self) -> Result<Pilot, PilotError> {
        let world = ClusterWorld {
            volumes: Some(Box::new(self.bridge.clone())),
            read_only: self.read_only,
            ..self.twin.world()
        };
        let journal = Journal::open(Box::new(self.lines.clone()), self.replay(), "7001", "p", Timestamp::UNIX_EPOCH)?;
        let resizer = VolumeController::new(self.policy.clone(), known(), Box::new(self.book.clone()), 1)?;
        let pilot = Pilot::new(world, journal, Box::new(self.audit.clone()), self.twin.now())?;
        Ok(pilot.controller(Box::new(resizer)).source(Box::new(self.bridge.clone())))
    }

    pub(super) fn pass(&self, seconds: u64) {
        self.twin.pass(seconds);
        let mut fleet = self.bridge.fleet();
        let now = fleet.fake.now();
        fleet.fake.pass(now + Nanos::secs(seconds));
    }

    /// What a volume is.
    pub(super) fn disk(&self, id: &str) -> Disk {
        self.bridge.fleet().fake.describe(&[id.to_owned()]).unwrap().remove(0).disk
    }

    /// Drives on, minute by minute, until nothing is under way.
    pub(super) fn settle(&self, pilot: &mut Pilot) -> Result<(), PilotError> {
        for _ in 0..48 * 60 {
            pilot.drive(self.twin.now())?;
            if pilot.is_idle() || self.twin.is_dead() {
                return Ok(());
            }
            self.pass(60);
        }
        panic!("it does not come to an end:\n{}", self.lines.text())
    }
}
