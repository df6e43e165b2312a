//! Recordings of mounted disks: samples as a Timeline, and one disk over a whole recording.

use catalog::CatalogView;
use metrics::{CloudWatch, DiskLatencies, DiskRates, NodeSample, cloudwatch, rates};
use timeline::{LatencyHistogram, Timeline, TimelineError, TimelineInfo};
use units::Nanos;

use crate::{CounterReading, MountedNode};

/// The Timeline of a node's samples: the series of our own disks, and those that CloudWatch would show.
///
/// # Errors
/// When the two do not fit together.
pub fn recorded_timeline(
    node: &MountedNode,
    title: String,
    view: &CatalogView,
    samples: &[NodeSample],
    latencies: &[Vec<DiskLatencies>],
) -> Result<Timeline, TimelineError> {
    let instance = node.instance.as_ref().and_then(|name| view.instance(name).ok());
    let options = CloudWatch {
        start: node.started,
        instance_id: format!("i-{}", node.instance.as_deref().unwrap_or("unlimited")),
        // A disk behind no particular instance has every metric that CloudWatch knows.
        nitro: instance.is_none_or(|instance| instance.nitro),
        detailed: true,
    };
    metrics::timeline(samples, latencies, timeline_info(node, title)).merge(&cloudwatch(samples, &options))
}

/// The Timeline of a node's samples, of our own series only.
pub fn sampled_timeline(node: &MountedNode, samples: &[NodeSample]) -> Timeline {
    let title = node.dir.display().to_string();
    metrics::timeline(samples, &vec![Vec::new(); samples.len()], timeline_info(node, title))
}

fn timeline_info(node: &MountedNode, title: String) -> TimelineInfo {
    let mut about = TimelineInfo { title, start: Some(node.started), ..TimelineInfo::default() };
    about.notes.insert("dir".to_owned(), node.dir.display().to_string());
    about.notes.extend(node.disks.iter().map(|disk| (format!("disk {}", disk.name), disk.disk.clone())));
    about.notes.extend(node.instance.iter().map(|instance| ("instance".to_owned(), instance.clone())));
    about
}

/// One disk over a whole recording.
#[derive(Debug)]
pub struct RecordedDisk {
    /// Its name within the node.
    pub name: String,
    /// Its mean rates.
    pub rates: DiskRates,
    /// Latencies of its reads.
    pub read: LatencyHistogram,
    /// Latencies of its writes.
    pub write: LatencyHistogram,
}

/// The disks between two readings of a node's counters, and the span between them.
pub fn recorded_disks(first: &CounterReading, last: &CounterReading) -> (Nanos, Vec<RecordedDisk>) {
    let rates = rates(&first.sample, &last.sample);
    let span = rates.span;
    let pairs = rates.disks.into_iter().zip(first.latencies.iter().zip(&last.latencies));
    let disk = |(rates, (before, after)): (DiskRates, (&DiskLatencies, &DiskLatencies))| RecordedDisk {
        name: rates.name.clone(),
        read: gained(&before.read, &after.read),
        write: gained(&before.write, &after.write),
        rates,
    };
    (span, pairs.map(disk).collect())
}

fn gained(before: &LatencyHistogram, after: &LatencyHistogram) -> LatencyHistogram {
    let mut gained = after.clone();
    // Counters never fall, so this only fails for histograms of different disks.
    let _ = gained.subtract(before);
    gained
}
