//! The disk that would have measured so.

use disk::{DiskLimits, ServiceTime};
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::ProbeError;
use crate::burst::BurstMeasurement;
use crate::fio::{JobDirection, JobReport, LatencyDistribution};
use crate::session::ProbeMeasurement;

/// Bytes of a small request, at whose latency [`ServiceTime`] counts from.
const SMALL: f64 = 4096.0;
/// The 95th percentile of a normal distribution, in standard deviations.
const P95: f64 = 1.6449;
/// Rates that differ by less are taken as the same.
const SAME: f64 = 0.03;
/// Requests that wait at a limit take so many times their idle latency, or more.
const WAITING: f64 = 1.5;
/// A flush under this is the system call's own time. The kernel sends none to a disk without a volatile cache.
const NO_FLUSH: Nanos = Nanos::micros(3);

/// A limit as it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredLimit<T> {
    /// The most that was measured.
    pub value: T,
    /// Whether it is the limit. Else another limit, or the depth, was reached first: the limit is this or more.
    pub reached: bool,
}

/// The fitted disk.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedDisk {
    /// I/Os a second: reads of 4 KiB.
    pub iops: MeasuredLimit<Iops>,
    /// Bytes a second, read.
    pub throughput: MeasuredLimit<BytesPerSec>,
    /// Latency below the limits. Where nothing was written, writes are taken as reads.
    pub service: ServiceTime,
    /// Whether anything was written.
    pub written: bool,
    /// What a write takes of the I/O rate, in reads.
    pub write_iops_cost: f64,
    /// What a written byte takes of the throughput, in bytes read.
    pub write_bytes_cost: f64,
    /// Small writes in a row count as one I/O for each of these or more; 0 where they count each.
    pub merge: Bytes,
    /// Whether reads and writes share the I/O rate; `None` if that was not measured.
    pub reads_and_writes_share: Option<bool>,
    /// The share of the I/O rate and that of the throughput that were used at once, summed: about 1 where using one
    /// takes from the other, up to 2 where the limits are independent.
    pub limits_used_at_once: Option<f64>,
    /// Burst credits, if a long run saw them run out. `iops` is then the rate while they last.
    pub burst: Option<BurstMeasurement>,
}

impl FittedDisk {
    /// As the disk model's limits, of a disk of some size.
    pub fn limits(&self, size: Bytes) -> DiskLimits {
        let burst = self.burst.map(|b| catalog::BurstBucket::IoCredits { iops: b.burst, capacity: b.credits });
        DiskLimits {
            size,
            iops: self.burst.map_or(self.iops.value, |b| b.sustained),
            throughput: self.throughput.value,
            burst,
            burst_throughput: self.throughput.value,
            io_unit: Bytes::kib(256),
            merge: self.merge,
            write_iops_cost: self.write_iops_cost,
            write_bytes_cost: self.write_bytes_cost,
            shares_instance_caps: false,
            consistency: None,
            service: self.service,
        }
    }
}

struct Steps<'a>(&'a [ProbeMeasurement]);

impl Steps<'_> {
    fn find(&self, name: &str) -> Option<JobReport> {
        self.0.iter().find(|m| m.name == name).map(ProbeMeasurement::total)
    }

    fn read_latency(&self, name: &'static str) -> Result<LatencyDistribution, ProbeError> {
        self.find(name).and_then(|r| r.read.latency).ok_or(ProbeError::Nothing { step: name })
    }
}

/// Fits the disk to what was measured.
pub(crate) fn fit(
    measurements: &[ProbeMeasurement],
    burst: Option<BurstMeasurement>,
) -> Result<FittedDisk, ProbeError> {
    let steps = Steps(measurements);
    let idle = steps.read_latency("read-idle")?;
    let knees = || measurements.iter().filter(|m| m.name.starts_with("read-iops-")).map(|m| m.total().read);
    let most = knees().map(|read| read.iops.0).fold(0.0, f64::max);
    // Of equal ones the deepest: what a limit lets through at once after idling is soonest spent there.
    let most =
        knees().rfind(|read| read.iops.0 > most * (1.0 - SAME)).ok_or(ProbeError::Nothing { step: "read-iops" })?;
    let bytes = ["read-256k", "read-1m"].iter().filter_map(|name| steps.find(name)).map(|r| r.throughput().0);
    let bytes = bytes.fold(0.0, f64::max);
    // No disk of the model writes faster than it reads: if it seems so, a read was held up by something else.
    let written = |name: &str| steps.find(name).map(|r| r.write);
    let (write_iops, large_writes) =
        (written("write-iops").map(|w| w.iops), written("write-256k").map(|w| w.throughput.0));
    let iops = write_iops.map_or(most.iops, |w| w.max(most.iops));
    let bytes = large_writes.map_or(bytes, |w| w.max(bytes));
    let waited = most.latency.is_some_and(|l| l.mean.0 as f64 > WAITING * idle.p50.0 as f64);
    let by_ios = (bytes / (iops.0 * Bytes::kib(256).as_f64()) - 1.0).abs() < SAME;
    // A limit lets through the same bytes whatever their size; what the machine itself can move depends on it.
    let largest = steps.find("read-1m").map(|r| r.throughput().0);
    let same = match (steps.find("read-256k").map(|r| r.throughput().0), largest) {
        (Some(large), Some(largest)) => (large / largest - 1.0).abs() < SAME,
        _ => true,
    };
    let (iops_reached, bytes_reached) = (waited, same && !by_ios);
    let by_bytes = iops.0 * SMALL > bytes * (1.0 - SAME);

    let (soft, link) = large(&steps, bytes, idle.p50.0 as f64)?;
    let read = quietest(&steps, &["read-idle", "load-50", "load-80", "load-90", "load-95"], |r| &r.read, soft, bytes);
    let (read, read_sigma) = read.ok_or(ProbeError::Nothing { step: "read-idle" })?;
    let write = quietest(&steps, &["write-idle", "flush"], |r| &r.write, soft, bytes);
    let sigma = write.map_or(read_sigma, |(_, write_sigma)| (read_sigma + write_sigma) / 2.0);
    let write = write.map(|(write, _)| write);
    let flush = steps.find("flush").and_then(|r| r.sync).map_or(Nanos(0), |sync| sync.p50);

    let ratio = |read: f64, write: Option<f64>| match write {
        Some(write) if (read / write - 1.0).abs() > SAME => read / write,
        _ => 1.0,
    };
    // Without a limit there is nothing of which a write could take more than a read.
    let write_iops_cost = ratio(iops.0, write_iops.map(|w| w.0).filter(|_| iops_reached));
    let write_bytes_cost = ratio(bytes, large_writes.filter(|_| bytes_reached));
    let mixed = steps.find("mixed").map(|r| (r.read.iops.0 + r.write.iops.0 * write_iops_cost) / iops.0);
    let beside = steps.find("beside").map(|r| {
        let large = r.write.throughput.0;
        let ios = r.read.iops.0 + large / Bytes::kib(256).as_f64() * write_iops_cost;
        ios / iops.0 + (r.read.throughput.0 + large * write_bytes_cost) / bytes
    });
    Ok(FittedDisk {
        iops: MeasuredLimit { value: iops, reached: iops_reached && !by_bytes },
        throughput: MeasuredLimit { value: BytesPerSec(bytes), reached: bytes_reached },
        service: ServiceTime {
            read,
            write: write.unwrap_or(read),
            sigma,
            link: BytesPerSec(link),
            softness: soft,
            flush: if flush < NO_FLUSH { Nanos(0) } else { flush },
            // No step reads beside writes below the limits.
            program: Nanos(0),
        },
        written: write.is_some(),
        write_iops_cost,
        write_bytes_cost,
        merge: merge(&steps, write_iops),
        reads_and_writes_share: mixed.filter(|_| waited).map(|used| used < 1.15),
        limits_used_at_once: beside,
        burst,
    })
}

/// The idle median and its spread, of the step with the least median: below its limits a disk is as fast under load, and
/// all that a busy machine does to a step makes it slower.
fn quietest(
    steps: &Steps<'_>,
    names: &[&str],
    side: fn(&JobReport) -> &JobDirection,
    soft: f64,
    bytes: f64,
) -> Option<(Nanos, f64)> {
    let at_rest = names.iter().filter_map(|name| {
        let report = steps.find(name)?;
        let share = report.throughput().0 / bytes;
        let latency = side(&report).latency.as_ref()?;
        let median = latency.p50.0 as f64 / (1.0 + soft * share * share);
        Some((Nanos(median.round() as u64), sigma(latency)))
    });
    at_rest.min_by_key(|(median, _)| *median)
}

/// The standard deviation of the logarithm.
fn sigma(latency: &LatencyDistribution) -> f64 {
    (latency.p95.0 as f64 / (latency.p50.0 as f64).max(1.0)).ln() / P95
}

/// How latency grows with throughput, and the rate at which the bytes beyond 4 KiB travel: two medians of the same size
/// at two shares of the throughput are two equations.
fn large(steps: &Steps<'_>, bytes: f64, idle: f64) -> Result<(f64, f64), ProbeError> {
    let at = |name| -> Result<(f64, f64), ProbeError> {
        let median = steps.read_latency(name)?.p50.0 as f64;
        Ok((median, steps.find(name).map_or(0.0, |r| r.throughput().0 / bytes).powi(2)))
    };
    let ((slow, slow_square), (fast, fast_square)) = (at("read-256k-slow")?, at("read-256k-fast")?);
    let soft = ((fast - slow) / (slow * fast_square - fast * slow_square).max(1.0)).clamp(0.0, 1.0);
    let base = slow / (1.0 + soft * slow_square);
    let beyond = Bytes::kib(256).as_f64() - SMALL;
    // A disk on which large requests take no longer has no link to speak of: at most a terabyte a second.
    let link = beyond / ((base - idle).max(0.0) / 1e9).max(beyond / 1e12);
    Ok((soft, link))
}

/// The least size into which writes in a row are merged, a power of two.
fn merge(steps: &Steps<'_>, random: Option<Iops>) -> Bytes {
    let in_a_row = steps.find("sequential-writes").map(|r| r.write.iops);
    match (in_a_row, random) {
        (Some(in_a_row), Some(random)) if in_a_row.0 > random.0 * 1.1 => {
            Bytes(((in_a_row / random * SMALL) as u64).next_power_of_two())
        }
        _ => Bytes(0),
    }
}
