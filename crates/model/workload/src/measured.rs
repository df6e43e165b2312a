//! A load that was measured at the disks of a running cluster.

use std::path::{Path, PathBuf};

use textfile::{InputError, Text, did_you_mean};
use units::{Bytes, BytesPerSec, Interval, Iops, Uncertain};

use crate::pick::{Bounds, Pick};
use crate::{DeviceRates, IoRates, MeasuredWorkload, OperationProfile, ThroughputUnit, WorkloadError, parse_iostat};

/// Counters of one disk.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DiskCounters {
    /// Reads a second.
    pub reads: Interval<Iops>,
    /// Bytes read a second.
    pub read_throughput: Interval<BytesPerSec>,
    /// Writes a second.
    pub writes: Interval<Iops>,
    /// Bytes written a second.
    pub write_throughput: Interval<BytesPerSec>,
    /// Flushes a second.
    pub flushes: Option<Interval<Iops>>,
}

/// Which device of the iostat report is which disk.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct IostatDevices {
    /// Device that holds the data.
    pub data: String,
    /// Device that holds the log, if it is another.
    pub log: Option<String>,
}

/// The `[measured]` table: an iostat report or counters.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasuredLoad {
    /// File with the output of `iostat -x`, relative to the workload's; the last of several reports counts.
    pub iostat: Option<PathBuf>,
    /// Devices of the report.
    pub devices: Option<IostatDevices>,
    /// Counters of the data disk, where there is no iostat report.
    pub data: Option<DiskCounters>,
    /// Counters of the log disk, if it is another.
    pub log: Option<DiskCounters>,
    /// Nodes over which the load was spread.
    pub nodes: Uncertain,
    /// Bytes stored on one node.
    pub stored: Interval<Bytes>,
    /// Busy cores of one node.
    pub cores: Option<Uncertain>,
    /// Memory of one node.
    pub memory: Option<Interval<Bytes>>,
    /// Clients of a closed loop; an open loop if not given.
    pub clients: Option<Uncertain>,
    /// Up to how many times what was measured was asked for, where a disk of the report was full; else nothing.
    #[serde(skip)]
    pub at_least: Option<f64>,
}

/// Requests in flight on average from which on a disk whose requests take [`FULL_WAIT`] is full: by Little's law they wait for
/// one another. The same line as `diagnose` draws for `saturated`.
const FULL_QUEUE: f64 = 8.0;

/// Seconds that a request takes at such a disk, ten times what a network volume below its limits needs.
const FULL_WAIT: f64 = 0.01;

/// Seconds that a request takes below the limits: gp3 reads 0.44 ms at the median, pd-ssd 0.39 (scylladb/diskplorer).
const FREE_WAIT: f64 = 0.001;

/// Clients that wait send up to so many times more as their requests become faster, and then meet a limit of their own: what
/// `diagnose` raises a limit by, at least and at most.
const MORE: (f64, f64) = (1.3, 3.0);

/// Up to how many times what a device did was asked of it: 1 below its limits. At a limit it is known from below only.
fn beyond(device: &DeviceRates) -> f64 {
    let requests = device.rates.reads + device.rates.writes;
    match device.queue {
        Some(queue) if queue >= FULL_QUEUE && requests > 0.0 && queue / requests >= FULL_WAIT => {
            (queue / requests / FREE_WAIT).clamp(MORE.0, MORE.1)
        }
        _ => 1.0,
    }
}

impl DiskCounters {
    fn of(device: &DeviceRates) -> Self {
        let IoRates { reads, read_bytes, writes, write_bytes, flushes } = device.rates;
        let times = beyond(device);
        let iops = |rate: f64| Interval::new(Iops(rate), Iops(rate * times)).unwrap_or(Interval::certain(Iops(rate)));
        let bytes = |rate: f64| {
            let certain = Interval::certain(BytesPerSec(rate));
            Interval::new(BytesPerSec(rate), BytesPerSec(rate * times)).unwrap_or(certain)
        };
        Self {
            reads: iops(reads),
            read_throughput: bytes(read_bytes),
            writes: iops(writes),
            write_throughput: bytes(write_bytes),
            flushes: Some(iops(flushes)),
        }
    }

    fn fix(&self, role: &str, pick: &mut Pick<'_>) -> Result<IoRates, WorkloadError> {
        let mut number = |name: &str, value: Uncertain| pick.number(&format!("{role}.{name}"), value, Bounds::Any);
        Ok(IoRates {
            reads: number("reads", self.reads.map(|rate| rate.0))?,
            read_bytes: number("read-throughput", self.read_throughput.map(|rate| rate.0))?,
            writes: number("writes", self.writes.map(|rate| rate.0))?,
            write_bytes: number("write-throughput", self.write_throughput.map(|rate| rate.0))?,
            flushes: self.flushes.map_or(Ok(0.0), |flushes| number("flushes", flushes.map(|rate| rate.0)))?,
        })
    }
}

impl MeasuredLoad {
    /// Fills the counters from the iostat report, if one is named. `open` reads a file.
    pub(crate) fn resolve(
        &mut self,
        text: &Text,
        open: &mut dyn FnMut(&Path) -> Result<Text, InputError>,
    ) -> Result<(), InputError> {
        let Some(iostat) = &self.iostat else {
            return match (&self.data, &self.devices) {
                (None, _) => Err(text
                    .error_at_key(
                        "measured",
                        "[measured] lacks what was measured; expected `iostat` or [measured.data]",
                    )
                    .help("add `iostat = \"FILE\"` and `devices = { data = \"sdb\" }`")),
                (_, Some(_)) => Err(text
                    .error_at_key("measured.devices", "`measured.devices` names devices of no report")
                    .help("add `iostat = \"FILE\"`, or remove it")),
                (Some(_), None) => Ok(()),
            };
        };
        if self.data.is_some() || self.log.is_some() {
            let message = "[measured] has both an iostat report and counters; expected one of them";
            return Err(text.error_at_key("measured.iostat", message).help("remove `iostat` or the counters"));
        }
        let Some(roles) = &self.devices else {
            let message = "[measured] lacks the key `devices`; expected which device of the report is which disk";
            return Err(text.error_at_key("measured.iostat", message).help("add `devices = { data = \"sdb\" }`"));
        };
        let folder = text.path().parent().unwrap_or(Path::new(""));
        let devices = parse_iostat(&open(&folder.join(iostat))?)?;
        let find = |role: &str, name: &str| {
            let device = devices.iter().rfind(|device| device.device == name);
            device.map(DiskCounters::of).ok_or_else(|| {
                let names: Vec<&str> = devices.iter().map(|device| device.device.as_str()).collect();
                let message = format!("the report `{}` has no device `{name}`", iostat.display());
                text.error_at_key(&format!("measured.devices.{role}"), message).help(did_you_mean(name, &names))
            })
        };
        self.data = Some(find("data", &roles.data)?);
        self.log = roles.log.as_ref().map(|log| find("log", log)).transpose()?;
        let named = |name: &str| devices.iter().rfind(|device| device.device == name).map_or(1.0, beyond);
        let times = named(&roles.data).max(roles.log.as_deref().map_or(1.0, named));
        self.at_least = (times > 1.0).then_some(times);
        Ok(())
    }

    /// The profile, which only carries the unit and the size, what was measured, and the number of clients.
    pub(crate) fn fix(
        &self,
        pick: &mut Pick<'_>,
    ) -> Result<(OperationProfile, MeasuredWorkload, Option<f64>), WorkloadError> {
        let Some(data) = &self.data else {
            return Err(WorkloadError::new(pick.key("data"), "is missing; expected the counters of the data disk"));
        };
        let nodes = pick.number("nodes", self.nodes, Bounds::AtLeastOne)?;
        let stored = pick.bytes("stored", self.stored, Bounds::Positive)?;
        let measured = MeasuredWorkload {
            nodes,
            data: data.fix("data", pick)?,
            log: self.log.map_or(Ok(IoRates::default()), |log| log.fix("log", pick))?,
            cores: pick.maybe("cores", self.cores, Bounds::Positive)?,
            stored,
            memory: self.memory.map(|memory| pick.bytes("memory", memory, Bounds::Positive)).transpose()?,
        };
        let clients = pick.maybe("clients", self.clients, Bounds::Clients)?;
        let profile = OperationProfile {
            unit: ThroughputUnit { name: "x measured", per_operation: 1.0 },
            statements: 0.0,
            locking: 0.0,
            transactional: true,
            random_keys: false,
            ..OperationProfile::raw_keys(Bytes(0), pick.data("stored", stored.as_f64() * nodes)?, 1.0)
        };
        Ok((profile, measured, clients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MeanWaits;

    fn device(reads: f64, queue: f64) -> DeviceRates {
        DeviceRates {
            device: "sdb".to_owned(),
            rates: IoRates { reads, read_bytes: reads * 16_384.0, ..IoRates::default() },
            doubled: false,
            flushes: None,
            discards: None,
            merged: None,
            waits: MeanWaits::default(),
            queue: Some(queue),
            busy: None,
        }
    }

    #[test]
    fn what_a_full_disk_did_is_the_least_that_was_asked_of_it() {
        let full = DiskCounters::of(&device(500.0, 130.0));
        assert_eq!((full.reads.low(), full.reads.high()), (Iops(500.0), Iops(1500.0)));
        assert!(full.read_throughput.high() > full.read_throughput.low());
    }

    #[test]
    fn what_a_disk_below_its_limits_did_is_what_was_asked_of_it() {
        assert!(DiskCounters::of(&device(3000.0, 2.0)).reads.is_certain());
        assert!(
            DiskCounters::of(&device(9000.0, 20.0)).reads.is_certain(),
            "twenty at two milliseconds do not wait long"
        );
    }
}
