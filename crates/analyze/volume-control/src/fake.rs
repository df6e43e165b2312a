//! A cloud in memory with AWS's state machine, in virtual time: what moto lacks. Each volume is a [`Device`], whose
//! modifications take the course and keep the rules that the disk model has; what is sold, the catalogue says.

use std::collections::{BTreeMap, VecDeque};

use catalog::CatalogView;
use disk::{Device, Disk, ModificationRules, ModificationState, ModifyError};
use units::Nanos;

use crate::target::written_out;
use crate::{CloudError, ManagedVolume, ModificationProgress, VolumeChange, VolumeCloud};

/// What goes wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudFault {
    /// The request is not taken.
    Throttle,
    /// It is lost on its way there.
    LoseRequest,
    /// It is done, and the answer is lost or a 500.
    LoseAnswer,
    /// Only its I/O rate is taken, and the answer is lost.
    Half,
    /// It is taken, and the modification fails in the end: the volume is as it was.
    FailInTheEnd,
}

/// A cloud in memory.
#[derive(Debug)]
pub struct FakeCloud {
    view: CatalogView,
    rules: Option<ModificationRules>,
    now: Nanos,
    volumes: BTreeMap<String, Held>,
    faults: VecDeque<Option<CloudFault>>,
    /// All modifications that were taken: when, and of which volume.
    pub taken: Vec<(Nanos, String)>,
    /// All that were refused, and why.
    pub refused: Vec<CloudError>,
}

#[derive(Debug)]
struct Held {
    device: Device,
    /// What it was before the first change that is told.
    first: Disk,
    changes: Vec<VolumeChange>,
}

impl FakeCloud {
    /// A cloud without volumes that keeps the rules of its volumes' own cloud, or others.
    pub fn new(view: CatalogView, rules: Option<ModificationRules>) -> Self {
        let (volumes, faults) = (BTreeMap::new(), VecDeque::new());
        Self { view, rules, now: Nanos(0), volumes, faults, taken: Vec::new(), refused: Vec::new() }
    }

    /// With a volume.
    ///
    /// # Errors
    /// When no such volume is sold.
    pub fn with(mut self, id: &str, disk: &Disk) -> Result<Self, CloudError> {
        let invalid = |why: disk::DiskError| CloudError::Invalid { volume: id.to_owned(), why: why.to_string() };
        let limits = disk.limits(&self.view, None).map_err(invalid)?;
        let spec = disk.spec(&self.view, None).map_err(invalid)?;
        let first = written_out(disk, &limits, &self.view);
        self.volumes.insert(id.to_owned(), Held { device: Device::new(spec, 0), first, changes: Vec::new() });
        Ok(self)
    }

    /// Lets time pass until an instant.
    pub fn pass(&mut self, until: Nanos) {
        self.now = self.now.max(until);
        for held in self.volumes.values_mut() {
            held.settle(self.now);
        }
    }

    /// Its clock.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Lets the next requests to modify go wrong, one after the other; `None` is one that does not.
    pub fn fail(&mut self, faults: impl IntoIterator<Item = Option<CloudFault>>) {
        self.faults.extend(faults);
    }

    /// Whether nothing goes wrong any more.
    pub fn heal(&mut self) {
        self.faults.clear();
    }

    fn begin(&mut self, id: &str, to: &Disk, fails: bool) -> Result<(), CloudError> {
        let volume = || id.to_owned();
        let held = self.volumes.get_mut(id).ok_or_else(|| CloudError::NotFound { volume: volume() })?;
        let invalid = |why: String| CloudError::Invalid { volume: volume(), why };
        let from = held.disk();
        let rules = from.modification(to, &self.view).map_err(|why| invalid(why.to_string()))?;
        let limits = to.limits(&self.view, None).map_err(|why| invalid(why.to_string()))?;
        let rules = self.rules.clone().unwrap_or(rules);
        let course = held.device.modify(self.now, &limits, &rules).map_err(|refused| match refused {
            ModifyError::InProgress { .. } => CloudError::UnderWay { volume: volume() },
            ModifyError::TooSoon { until, .. } | ModifyError::TooOften { until, .. } => {
                CloudError::TooOften { volume: volume(), until: Some(until) }
            }
            shrink @ ModifyError::Shrink { .. } => invalid(shrink.to_string()),
        })?;
        let progress = if fails { ModificationProgress::Failed } else { ModificationProgress::Modifying };
        let to = written_out(to, &limits, &self.view);
        held.changes.push(VolumeChange { started: course.started, to, progress, ends: Some(course.completed) });
        held.settle(self.now);
        self.taken.push((self.now, volume()));
        Ok(())
    }
}

impl Held {
    /// What it is now; what it was while it is modified.
    fn disk(&self) -> Disk {
        let done = self.changes.iter().rev().find(|change| change.progress == ModificationProgress::Completed);
        done.map_or_else(|| self.first.clone(), |change| change.to.clone())
    }

    fn settle(&mut self, now: Nanos) {
        let state = self.device.modification(now);
        if let Some(last) = self.changes.last_mut().filter(|change| change.progress != ModificationProgress::Failed) {
            last.progress = match state {
                ModificationState::Modifying => ModificationProgress::Modifying,
                ModificationState::Optimizing(_) => ModificationProgress::Optimizing,
                ModificationState::None | ModificationState::Completed => ModificationProgress::Completed,
            };
        }
    }
}

impl VolumeCloud for FakeCloud {
    fn describe(&mut self, volumes: &[String]) -> Result<Vec<ManagedVolume>, CloudError> {
        let one = |id: &String| {
            let held = self.volumes.get(id).ok_or_else(|| CloudError::NotFound { volume: id.clone() })?;
            // Clouds do not foretell when a modification ends.
            let told = |change: &VolumeChange| VolumeChange {
                ends: change.ends.filter(|_| !change.progress.under_way()),
                ..change.clone()
            };
            let changes = held.changes.iter().map(told).collect();
            Ok(ManagedVolume { id: id.clone(), node: String::new(), disk: held.disk(), changes, intended: None })
        };
        volumes.iter().map(one).collect()
    }

    fn modify(&mut self, volume: &str, to: &Disk) -> Result<(), CloudError> {
        let lost = || CloudError::Lost { why: "InternalError (500)".to_owned() };
        let answer = match self.faults.pop_front().flatten() {
            None => self.begin(volume, to, false),
            Some(CloudFault::Throttle) => Err(CloudError::Throttled),
            Some(CloudFault::LoseRequest) => Err(lost()),
            Some(CloudFault::LoseAnswer) => self.begin(volume, to, false).and_then(|()| Err(lost())),
            Some(CloudFault::Half) => {
                let mut half = to.clone();
                half.volume.throughput = None;
                self.begin(volume, &half, false).and_then(|()| Err(lost()))
            }
            Some(CloudFault::FailInTheEnd) => self.begin(volume, to, true),
        };
        self.refused.extend(answer.clone().err().filter(|error| !matches!(error, CloudError::Lost { .. })));
        answer
    }
}

#[cfg(test)]
#[path = "fake_tests.rs"]
mod tests;
