//! Volumes and loads for tests.

use std::collections::BTreeMap;

use catalog::{Catalog, CatalogView};
use diagnose::KnownFacts;
use disk::{Disk, DiskLimits};
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};
use units::{BytesPerSec, Iops, Nanos};

use crate::{ManagedVolume, ModificationProgress, RequestMix, VolumeChange};

pub(crate) const ID: &str = "vol-1";

pub(crate) fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

pub(crate) fn limits(disk: &str) -> DiskLimits {
    disk.parse::<Disk>().unwrap().limits(&view(), None).unwrap()
}

/// Prices, and what the volume is.
pub(crate) fn known(disk: &str) -> KnownFacts {
    let disks = BTreeMap::from([(ID.to_owned(), disk.parse().unwrap())]);
    KnownFacts { region: Some("us-west-2".to_owned()), disks, ..KnownFacts::nothing(view()) }
}

/// A volume that nobody has changed.
pub(crate) fn volume(disk: &str) -> ManagedVolume {
    ManagedVolume {
        id: ID.to_owned(),
        node: String::new(),
        disk: disk.parse().unwrap(),
        changes: Vec::new(),
        intended: None,
    }
}

/// A change that is over within a minute.
pub(crate) fn changed(second: u64, to: &str) -> VolumeChange {
    let started = Nanos::secs(second);
    let ends = Some(started + Nanos::secs(60));
    VolumeChange { started, to: to.parse().unwrap(), progress: ModificationProgress::Completed, ends }
}

/// Half of it reads, none of them held up.
pub(crate) fn mix(iops: f64, kib: f64) -> RequestMix {
    RequestMix {
        iops: Iops(iops),
        throughput: BytesPerSec(iops * kib * 1024.0),
        reads: 0.5,
        depth: None,
        latency: None,
        held_up: false,
    }
}

/// What a volume was asked for, interval by interval.
pub(crate) struct Load {
    pub(crate) timeline: Timeline,
    step: u64,
    at: u64,
}

impl Load {
    /// Nothing yet, second by second.
    pub(crate) fn new() -> Self {
        Self::every(1)
    }

    /// Nothing yet, in intervals of so many seconds.
    pub(crate) fn every(step: u64) -> Self {
        Self { timeline: Timeline::default(), step, at: 0 }
    }

    /// So many intervals more: requests a second, half of them reads, their size in KiB, their latency in ms.
    #[must_use]
    pub(crate) fn of(self, intervals: u64, iops: f64, kib: f64, ms: f64) -> Self {
        self.on(ID, intervals, iops, kib, ms)
    }

    /// The same for another volume; all begin at once.
    #[must_use]
    pub(crate) fn on(mut self, id: &str, intervals: u64, iops: f64, kib: f64, ms: f64) -> Self {
        let (half, seconds) = (iops * self.step as f64 / 2.0, ms / 1e3);
        let bytes = half * kib * 1024.0;
        let rows = [
            ("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, half),
            ("VolumeWriteOps", SeriesUnit::Count, MergeRule::Sum, half),
            ("VolumeReadBytes", SeriesUnit::Bytes, MergeRule::Sum, bytes),
            ("VolumeWriteBytes", SeriesUnit::Bytes, MergeRule::Sum, bytes),
            ("VolumeTotalReadTime", SeriesUnit::Seconds, MergeRule::Sum, half * seconds),
            ("VolumeTotalWriteTime", SeriesUnit::Seconds, MergeRule::Sum, half * seconds),
            ("VolumeQueueLength", SeriesUnit::Count, MergeRule::Mean, iops * seconds),
        ];
        for (name, unit, merge, value) in rows {
            self.put(id, name, unit, merge, intervals, value);
        }
        self.at = self.timeline.series.iter().map(|series| series.points.len() as u64).max().unwrap_or(0);
        self
    }

    fn put(&mut self, id: &str, name: &str, unit: SeriesUnit, merge: MergeRule, intervals: u64, value: f64) {
        let labels = BTreeMap::from([("VolumeId".to_owned(), id.to_owned())]);
        let found = self.timeline.series.iter().position(|one| one.name == name && one.labels == labels);
        let at = found.unwrap_or_else(|| {
            let points = SeriesPoints::Values(merge, Vec::new());
            self.timeline.series.push(Series { name: name.to_owned(), labels, unit, points });
            self.timeline.series.len() - 1
        });
        let step = self.step;
        if let SeriesPoints::Values(_, points) = &mut self.timeline.series[at].points {
            let first = points.len() as u64;
            let point = |i: u64| SeriesPoint { from: Nanos::secs(i * step), until: Nanos::secs((i + 1) * step), value };
            points.extend((first..first + intervals).map(point));
        }
    }

    /// When the last interval ends.
    pub(crate) fn now(&self) -> Nanos {
        Nanos::secs(self.at * self.step)
    }
}
