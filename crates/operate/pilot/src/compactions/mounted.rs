//! The disks that are mounted on this machine: they tell their own limits and credits.

use std::path::PathBuf;

use catalog::{Catalog, CatalogView, InstanceCaps};
use compaction_control::{CompletedIo, CreditState, DiskAllowance};
use disk::{Disk, DiskLimits};
use metrics::{DiskSample, NodeSample};
use mount::{DaemonClient, MountError, MountHome};

use super::disks::{DiskSource, StoreDiskView};
use crate::{ClockReading, WorldError};

/// The disks of one node.
#[derive(Debug)]
pub struct MountedDisks {
    home: MountHome,
    dir: PathBuf,
}

impl MountedDisks {
    /// Those at or under a folder; the store's files are on the one that is called `data`, or the only one.
    pub fn new(home: MountHome, dir: impl Into<PathBuf>) -> Self {
        Self { home, dir: dir.into() }
    }
}

impl DiskSource for MountedDisks {
    fn look(&self, _: ClockReading) -> Result<StoreDiskView, WorldError> {
        let peer = || format!("the disks at {}", self.dir.display());
        let lost = |error: MountError| WorldError::Silent { peer: peer(), why: error.to_string() };
        let node = mount::find(&self.home, &self.dir).map_err(lost)?;
        let sample = DaemonClient::of(&node).and_then(|client| client.sample()).map_err(lost)?;
        let view = Catalog::embedded().at(node.as_of);
        looked(&sample, &view).ok_or_else(|| WorldError::Missing { peer: peer(), what: "disk `data`".to_owned() })
    }
}

fn looked(sample: &NodeSample, view: &CatalogView) -> Option<StoreDiskView> {
    let data = match sample.disks.as_slice() {
        [only] => only,
        several => several.iter().find(|disk| disk.name == "data")?,
    };
    let instance = sample.instance.as_deref();
    let instance = instance.and_then(|name| view.instance(name).ok());
    let caps = instance.and_then(|instance| instance.caps);
    let limits = |disk: &DiskSample| {
        let parsed: Disk = disk.disk.parse().ok()?;
        let limits = parsed.limits(view, instance).ok()?;
        Some((limits, parsed.stripe))
    };
    let on_link = |disk: &&DiskSample| limits(disk).is_none_or(|(limits, _)| limits.shares_instance_caps);
    let all = sample.disks.iter().filter(on_link).map(done);
    Some(StoreDiskView {
        volume_done: done(data),
        instance_done: all.sum(),
        volume: volume(data, limits(data)),
        instance: caps.map_or_else(DiskAllowance::default, |caps| link(sample, &caps)),
    })
}

fn done(disk: &DiskSample) -> CompletedIo {
    // Reads are hardly ever counted together, and writes of a log are.
    let writes = (disk.counted - disk.read.count as f64).max(0.0);
    CompletedIo { ios: disk.counted, writes, read: disk.read.bytes.as_f64(), written: disk.write.bytes.as_f64() }
}

fn volume(disk: &DiskSample, limits: Option<(DiskLimits, u32)>) -> DiskAllowance {
    let stripe = limits.as_ref().map_or(1, |(_, stripe)| (*stripe).max(1));
    let (ios, bytes) = limits.map_or((None, None), |(limits, stripe)| limits.bursts(stripe));
    // Samples have the credits of the volume that has least.
    let left = |credit: metrics::CreditGauge| credit.now * f64::from(stripe);
    let credit = |credit: Option<metrics::CreditGauge>, burst: Option<f64>| {
        Some(CreditState { left: left(credit?), burst: burst? })
    };
    DiskAllowance {
        iops: disk.iops_limit,
        throughput: disk.throughput_limit,
        io_credit: credit(disk.ios, ios),
        byte_credit: credit(disk.bytes, bytes),
    }
}

fn link(sample: &NodeSample, caps: &InstanceCaps) -> DiskAllowance {
    let credit =
        |left: Option<metrics::CreditGauge>, burst: f64| left.map(|left| CreditState { left: left.now, burst });
    DiskAllowance {
        iops: Some(caps.iops),
        throughput: Some(caps.throughput),
        io_credit: credit(sample.instance_ios, caps.burst_iops.0),
        byte_credit: credit(sample.instance_bytes, caps.burst_throughput.0),
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, BytesPerSec, Iops, Nanos};

    use super::*;

    fn sample(disk: &str, name: &str, ios: Option<f64>) -> DiskSample {
        DiskSample {
            iops_limit: Some(Iops(300.0)),
            throughput_limit: Some(BytesPerSec::mib(128.0)),
            read: metrics::RequestCounters { count: 10, bytes: Bytes(4096), time: Nanos(0) },
            write: metrics::RequestCounters { count: 5, bytes: Bytes(8192), time: Nanos(0) },
            counted: 15.0,
            ios: ios.map(|now| metrics::CreditGauge { now, capacity: 5.4e6, accrual: 300.0 }),
            ..DiskSample::idle(name, &disk.parse().unwrap())
        }
    }

    fn node(disks: Vec<DiskSample>) -> NodeSample {
        let instance = Some("m5.2xlarge".to_owned());
        NodeSample { at: Nanos(0), instance, instance_ios: None, instance_bytes: None, disks }
    }

    #[test]
    fn the_data_disk_is_the_volume_and_what_hangs_on_the_link_is_the_instances() {
        let view = Catalog::embedded().at(None);
        let disks = vec![sample("gp3:20GiB", "raft", None), sample("2x(gp2:100GiB)", "data", Some(1000.0))];
        let looked = looked(&node(disks), &view).unwrap();
        assert_eq!(looked.volume_done, CompletedIo { ios: 15.0, writes: 5.0, read: 4096.0, written: 8192.0 });
        assert_eq!(looked.instance_done.ios, 30.0);
        let credit = looked.volume.io_credit.unwrap();
        assert_eq!((credit.left, credit.burst), (2000.0, 6000.0), "of both volumes of the stripe");
        assert_eq!(looked.volume.byte_credit, None);
        assert!(looked.instance.throughput.unwrap().0 > 100e6);
        let local = looked_of_local(&view);
        assert_eq!(local.instance_done, CompletedIo::default(), "local flash takes nothing of the link");
    }

    fn looked_of_local(view: &CatalogView) -> StoreDiskView {
        let disk = sample("nvme:100GiB", "data", None);
        looked(&NodeSample { instance: Some("m5d.2xlarge".to_owned()), ..node(vec![disk]) }, view).unwrap()
    }

    #[test]
    fn without_a_data_disk_nothing_is_guessed() {
        let view = Catalog::embedded().at(None);
        let disks = vec![sample("gp3:20GiB", "raft", None), sample("gp3:20GiB", "other", None)];
        assert_eq!(looked(&node(disks), &view), None);
    }
}
