//! Volumes and loads for tests.

use std::collections::BTreeMap;

use catalog::{Catalog, View};
use diagnose::Known;
use disk::{Disk, Limits};
use timeline::{Merge, Point, Points, Series, Timeline, Unit};
use units::{BytesPerSec, Iops, Nanos};

use crate::{Change, Mix, Progress, Volume};

pub(crate) const ID: &str = "vol-1";

pub(crate) fn view() -> View {
    Catalog::embedded().at(None)
}

pub(crate) fn limits(disk: &str) -> Limits {
    disk.parse::<Disk>().unwrap().limits(&view(), None).unwrap()
}

/// Prices, and what the volume is.
pub(crate) fn known(disk: &str) -> Known {
    let disks = BTreeMap::from([(ID.to_owned(), disk.parse().unwrap())]);
    Known { region: Some("us-west-2".to_owned()), disks, ..Known::nothing(view()) }
}

/// A volume that nobody has changed.
pub(crate) fn volume(disk: &str) -> Volume {
    Volume { id: ID.to_owned(), node: String::new(), disk: disk.parse().unwrap(), changes: Vec::new(), intended: None }
}

/// A change that is over within a minute.
pub(crate) fn changed(second: u64, to: &str) -> Change {
    let started = Nanos::secs(second);
    let ends = Some(started + Nanos::secs(60));
    Change { started, to: to.parse().unwrap(), progress: Progress::Completed, ends }
}

/// Half of it reads, none of them held up.
pub(crate) fn mix(iops: f64, kib: f64) -> Mix {
    Mix {
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
            ("VolumeReadOps", Unit::Count, Merge::Sum, half),
            ("VolumeWriteOps", Unit::Count, Merge::Sum, half),
            ("VolumeReadBytes", Unit::Bytes, Merge::Sum, bytes),
            ("VolumeWriteBytes", Unit::Bytes, Merge::Sum, bytes),
            ("VolumeTotalReadTime", Unit::Seconds, Merge::Sum, half * seconds),
            ("VolumeTotalWriteTime", Unit::Seconds, Merge::Sum, half * seconds),
            ("VolumeQueueLength", Unit::Count, Merge::Mean, iops * seconds),
        ];
        for (name, unit, merge, value) in rows {
            self.put(id, name, unit, merge, intervals, value);
        }
        self.at = self.timeline.series.iter().map(|series| series.points.len() as u64).max().unwrap_or(0);
        self
    }

    fn put(&mut self, id: &str, name: &str, unit: Unit, merge: Merge, intervals: u64, value: f64) {
        let labels = BTreeMap::from([("VolumeId".to_owned(), id.to_owned())]);
        let found = self.timeline.series.iter().position(|one| one.name == name && one.labels == labels);
        let at = found.unwrap_or_else(|| {
            let points = Points::Values(merge, Vec::new());
            self.timeline.series.push(Series { name: name.to_owned(), labels, unit, points });
            self.timeline.series.len() - 1
        });
        let step = self.step;
        if let Points::Values(_, points) = &mut self.timeline.series[at].points {
            let first = points.len() as u64;
            let point = |i: u64| Point { from: Nanos::secs(i * step), until: Nanos::secs((i + 1) * step), value };
            points.extend((first..first + intervals).map(point));
        }
    }

    /// When the last interval ends.
    pub(crate) fn now(&self) -> Nanos {
        Nanos::secs(self.at * self.step)
    }
}
