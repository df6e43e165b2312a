//! The disks that are mounted on this machine: they tell their own limits and credits.

use std::path::PathBuf;

use catalog::{Burst, Catalog, InstanceCaps, View};
use disk::{Disk, Limits};
use limiter::{Allowance, Credit, Done};
use mount::{Client, Home, MountError};
use observe::{DiskSample, NodeSample};

use super::disks::{Disks, Looked};
use crate::WorldError;

/// The disks of one node.
#[derive(Debug)]
pub struct MountedDisks {
    home: Home,
    dir: PathBuf,
}

impl MountedDisks {
    /// Those at or under a folder; the store's files are on the one that is called `data`, or the only one.
    pub fn new(home: Home, dir: impl Into<PathBuf>) -> Self {
        Self { home, dir: dir.into() }
    }
}

impl Disks for MountedDisks {
    fn look(&self) -> Result<Looked, WorldError> {
        let peer = || format!("the disks at {}", self.dir.display());
        let lost = |error: MountError| WorldError::Silent { peer: peer(), why: error.to_string() };
        let node = mount::find(&self.home, &self.dir).map_err(lost)?;
        let sample = Client::of(&node).and_then(|client| client.sample()).map_err(lost)?;
        let view = Catalog::embedded().at(node.as_of);
        looked(&sample, &view).ok_or_else(|| WorldError::Missing { peer: peer(), what: "disk `data`".to_owned() })
    }
}

fn looked(sample: &NodeSample, view: &View) -> Option<Looked> {
    let data = match sample.disks.as_slice() {
        [only] => only,
        several => several.iter().find(|disk| disk.name == "data")?,
    };
    let instance = sample.instance.as_deref();
    let instance = instance.and_then(|name| view.instance(name).ok());
    let caps = instance.and_then(|instance| instance.caps);
    let disk: Option<Disk> = data.disk.parse().ok();
    let limits = disk.and_then(|disk| disk.limits(view, instance).ok());
    let on_link = |disk: &&DiskSample| {
        let parsed: Option<Disk> = disk.disk.parse().ok();
        parsed.and_then(|parsed| parsed.limits(view, instance).ok()).is_none_or(|limits| limits.shares_instance_caps)
    };
    let all = sample.disks.iter().filter(on_link).map(done);
    Some(Looked {
        volume_done: done(data),
        instance_done: all.fold(Done::default(), |sum, one| Done {
            ios: sum.ios + one.ios,
            read: sum.read + one.read,
            written: sum.written + one.written,
        }),
        volume: volume(data, limits.as_ref()),
        instance: caps.map_or_else(Allowance::default, |caps| link(sample, &caps)),
    })
}

fn done(disk: &DiskSample) -> Done {
    Done { ios: disk.counted, read: disk.read.bytes.as_f64(), written: disk.write.bytes.as_f64() }
}

fn volume(disk: &DiskSample, limits: Option<&Limits>) -> Allowance {
    let credit = |left: Option<observe::Credit>, burst: Option<f64>| Some(Credit { left: left?.now, burst: burst? });
    let (ios, bytes) = limits.map_or((None, None), bursts);
    Allowance {
        iops: disk.iops_limit,
        throughput: disk.throughput_limit,
        io_credit: credit(disk.ios, ios),
        byte_credit: credit(disk.bytes, bytes),
    }
}

/// I/Os and bytes a second while credits last.
fn bursts(limits: &Limits) -> (Option<f64>, Option<f64>) {
    match limits.burst {
        Some(Burst::IoCredits { iops, .. }) => (Some(iops.0), None),
        Some(Burst::Timed { iops, throughput, .. }) => (Some(iops.0), Some(throughput.0)),
        Some(Burst::ByteCredits { per_tib, max, .. }) => {
            let tebibytes = limits.size.as_f64() / units::Bytes::gib(1024).as_f64();
            (None, Some((per_tib.0 * tebibytes).min(max.0)))
        }
        None => (None, None),
    }
}

fn link(sample: &NodeSample, caps: &InstanceCaps) -> Allowance {
    let credit = |left: Option<observe::Credit>, burst: f64| left.map(|left| Credit { left: left.now, burst });
    Allowance {
        iops: Some(caps.iops),
        throughput: Some(caps.throughput),
        io_credit: credit(sample.instance_ios, caps.burst_iops.0),
        byte_credit: credit(sample.instance_bytes, caps.burst_throughput.0),
    }
}
