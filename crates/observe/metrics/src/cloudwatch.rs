//! The disks as CloudWatch would show them: the namespaces AWS/EBS and AWS/EC2 with their units, periods and absences. The
//! statistic that means something is how points merge: Sum, Average as mean, Maximum as max.
//!
//! A stripe is several volumes there. Each is given an equal share of what the disk did, so a request that spans two volumes
//! counts as half an operation on each where AWS counts one on both; idle time, checks and latencies are those of the disk.
//! What a read cache answered did not reach a volume. CloudWatch shows a minute of which only a part was seen as whole; here
//! its points are as long as that part.

mod instance;
mod listed;
mod periods;
mod stall;
mod table;
mod volume;

use std::collections::BTreeMap;

use timeline::{SeriesLabels, SeriesPoint, Timeline, TimelineBuilder, TimelineInfo, labels};
use units::Nanos;

use crate::{DiskSample, NodeSample};
pub use listed::{ListedMetric, listed};
use periods::{Sample, each_period};
use stall::Stalls;
pub use table::CloudWatchMetric;
use table::{FIVE_MINUTES, MINUTE, ROWS};

/// What CloudWatch would know beside the counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudWatch {
    /// The instant at which the samples' time is zero: minutes are those of the wall clock.
    pub start: jiff::Timestamp,
    /// The `InstanceId` of the series that have one: `i-…`.
    pub instance_id: String,
    /// Whether the instance is of the Nitro generation; others have no checks, mean latencies and series of the instance.
    pub nitro: bool,
    /// Whether the instance's operations and bytes come every minute (detailed monitoring) or every five.
    pub detailed: bool,
}

/// Every metric of AWS/EBS and AWS/EC2 that is known here, so that a reader of CloudWatch asks for what this writes.
pub fn published() -> &'static [CloudWatchMetric] {
    &ROWS
}

/// The samples as AWS/EBS and AWS/EC2 series, times counted from `options.start`. Disks that are not EBS volumes have none,
/// and what is never published (BurstBalance of a volume that does not burst, latencies of a minute without operations) is
/// missing, not zero.
pub fn cloudwatch(samples: &[NodeSample], options: &CloudWatch) -> Timeline {
    let mut series = TimelineBuilder::default();
    for length in [MINUTE, FIVE_MINUTES] {
        let rows: Vec<&CloudWatchMetric> =
            ROWS.iter().filter(|row| row.is_on(options.nitro) && row.period(options.detailed) == length).collect();
        let mut stalls = Stalls::default();
        each_period(samples, options.start.as_nanosecond(), length, |period| {
            let stalled = stalls.during(period);
            let view = View { period, rows: &rows, options, stalled: &stalled };
            view.volumes(&mut series);
            view.instance(&mut series);
        });
    }
    let about = TimelineInfo { title: "CloudWatch".to_owned(), start: Some(options.start), notes: BTreeMap::new() };
    Timeline { about, series: series.finish() }
}

/// One period and what is wanted of it.
struct View<'a, 's> {
    period: &'a [Sample<'s>],
    rows: &'a [&'static CloudWatchMetric],
    options: &'a CloudWatch,
    stalled: &'a [String],
}

impl View<'_, '_> {
    fn volumes(&self, series: &mut TimelineBuilder) {
        let (Some(first), Some(last)) = (self.period.first(), self.period.last()) else { return };
        for disk in &last.disks {
            let samples: Vec<(Nanos, &DiskSample)> =
                self.period.iter().filter_map(|sample| Some((sample.at, sample.disk(&disk.name)?))).collect();
            let stalled = self.stalled.contains(&disk.name);
            let Some(volume) = volume::Period::new(&samples, stalled, self.options.nitro) else { continue };
            let labels = self.labels_of(disk);
            for row in self.rows.iter().filter(|row| !row.of_instance && row.is_of(&disk.kind)) {
                let Some(value) = volume.value(row.metric) else { continue };
                let point = SeriesPoint { from: first.at, until: last.at, value };
                for (alone, with_instance) in &labels {
                    let labels = if row.names_instance { with_instance } else { alone };
                    series.value(row.spec(), labels, point);
                }
            }
        }
    }

    /// The labels of each volume of a disk, without and with its instance.
    fn labels_of(&self, disk: &DiskSample) -> Vec<(SeriesLabels, SeriesLabels)> {
        let instance = self.options.instance_id.as_str();
        let of = |id: String| (labels([("VolumeId", &id)]), labels([("InstanceId", instance), ("VolumeId", &id)]));
        volume_ids(disk).into_iter().map(of).collect()
    }

    fn instance(&self, series: &mut TimelineBuilder) {
        let (Some(first), Some(last)) = (self.period.first(), self.period.last()) else { return };
        if last.instance.is_none() {
            return;
        }
        let labels = labels([("InstanceId", self.options.instance_id.as_str())]);
        for row in self.rows.iter().filter(|row| row.of_instance) {
            if let Some(value) = instance::value(row, self.period) {
                let point = SeriesPoint { from: first.at, until: last.at, value };
                series.value(row.spec(), &labels, point);
            }
        }
    }
}

/// The `VolumeId` of each volume of a disk: `vol-data`, or `vol-data-0`, `vol-data-1` of a stripe.
fn volume_ids(disk: &DiskSample) -> Vec<String> {
    match disk.members() {
        1 => vec![format!("vol-{}", disk.name)],
        members => (0..members).map(|i| format!("vol-{}-{i}", disk.name)).collect(),
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
