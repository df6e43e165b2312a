//! Claims on what a disk does under a load of its own, in virtual time: no database, only the disk's behaviour.

use catalog::Catalog;
use disk::{Device, Disk, InstanceLink, IoOperation, IoRequest};
use units::Nanos;

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Ours};

/// Runs what a claim is of.
type Answer = fn() -> Result<Ours, ClaimError>;

pub(crate) const CLAIMS: &[(&str, Answer)] = &[("A05", overloaded), ("A06", softness), ("C04", gap)];

/// Time that counts, after so much of it in which burst buckets and queues settle.
const SETTLE: Nanos = Nanos::secs(20);
const SPAN: Nanos = Nanos::secs(60);

/// A disk on an instance, its burst credits spent.
fn attached(disk: &str, instance: &str) -> Result<(Device, InstanceLink, disk::DiskLimits), ClaimError> {
    let view = Catalog::embedded().at(None);
    let disk: Disk = disk.parse()?;
    let instance = view.instance(instance)?;
    let limits = disk.limits(&view, Some(instance))?;
    let mut device = Device::new(disk.spec(&view, Some(instance))?, 1);
    let mut host = InstanceLink::new(instance.caps.as_ref().filter(|_| !disk.volume.is_local()));
    device.exhaust_credits(Nanos(0));
    host.exhaust_credits(Nanos(0));
    Ok((device, host, limits))
}

/// Requests of one kind, at a steady rate while there is room in the queue.
#[derive(Debug, Clone, Copy)]
struct Stream {
    op: IoOperation,
    bytes: u32,
    /// Requests a second.
    rate: f64,
    /// In flight at most; who finds the queue full waits.
    depth: usize,
    /// Whether each request follows the last on the disk.
    sequential: bool,
}

/// The mean latency of each stream, waiting for room in its queue included, in seconds.
fn latencies(device: &mut Device, host: &mut InstanceLink, streams: &[Stream]) -> Vec<f64> {
    struct Turn {
        next: Nanos,
        number: u64,
        in_flight: std::collections::BinaryHeap<std::cmp::Reverse<Nanos>>,
        sum: f64,
        count: f64,
    }
    let new = |_| Turn { next: Nanos(0), number: 0, in_flight: Default::default(), sum: 0.0, count: 0.0 };
    let mut turns: Vec<Turn> = (0..streams.len()).map(new).collect();
    let end = SETTLE + SPAN;
    loop {
        let (index, turn) = turns.iter_mut().enumerate().min_by_key(|(_, turn)| turn.next).expect("there is a stream");
        let (stream, at) = (streams[index], turn.next);
        if at >= end {
            break;
        }
        // Places far apart, so that nothing merges that is not meant to.
        let place = if stream.sequential { turn.number } else { turn.number.wrapping_mul(2_654_435_761) % 100_000 };
        let offset = (index as u64 + 1) * (1 << 36) + place * u64::from(stream.bytes);
        let done = device.submit(host, at, IoRequest { op: stream.op, offset, bytes: stream.bytes }).at;
        turn.in_flight.push(std::cmp::Reverse(done));
        while turn.in_flight.peek().is_some_and(|first| first.0 <= at) {
            turn.in_flight.pop();
        }
        turn.number += 1;
        if at >= SETTLE {
            turn.sum += (done - at).as_secs_f64();
            turn.count += 1.0;
        }
        // The next comes in its turn, or when there is room.
        let due = at + Nanos::from_secs_f64(1.0 / stream.rate);
        turn.next = match turn.in_flight.peek() {
            Some(first) if turn.in_flight.len() >= stream.depth => {
                let room = first.0;
                turn.in_flight.pop();
                due.max(room)
            }
            _ => due,
        };
    }
    turns.iter().map(|turn| turn.sum / turn.count).collect()
}

/// The least mean latency of the source's volumes at 1.3 times their IOPS with 64 requests outstanding, in milliseconds.
fn overloaded() -> Result<Ours, ClaimError> {
    let mut told = Vec::new();
    for disk in ["gp2:1000GiB", "io1:1000GiB,6000iops", "gp3:1000GiB"] {
        let (mut device, mut host, limits) = attached(disk, "m5.4xlarge")?;
        let stream =
            Stream { op: IoOperation::Read, bytes: 4096, rate: 1.3 * limits.iops.0, depth: 64, sequential: false };
        told.push((disk, latencies(&mut device, &mut host, &[stream])[0] * 1e3));
    }
    let least = told.iter().map(|(_, latency)| *latency).fold(f64::INFINITY, f64::min);
    let remark = told.iter().map(|(disk, latency)| format!("{disk} {latency:.1} ms")).collect::<Vec<_>>().join("; ");
    Ok(Ours { remark: Some(format!("The least of {remark}.")), ..Ours::from(ClaimValue::number(least)) })
}

/// Mean latency of a gp3 at 80 % of its throughput over that at 20 %.
fn softness() -> Result<Ours, ClaimError> {
    let at = |share: f64| -> Result<f64, ClaimError> {
        let (mut device, mut host, limits) = attached("gp3:1000GiB,6000iops,250MiB/s", "m5.4xlarge")?;
        const BYTES: u32 = 256 << 10;
        let rate = share * limits.throughput.0 / f64::from(BYTES);
        let stream = Stream { op: IoOperation::Read, bytes: BYTES, rate, depth: 64, sequential: false };
        Ok(latencies(&mut device, &mut host, &[stream])[0])
    };
    Ok(ClaimValue::number(at(0.8)? / at(0.2)?).into())
}

/// Whether the gap in foreground latency between a gp3 and local flash closes as the background grows.
fn gap() -> Result<Ours, ClaimError> {
    /// Background writes, in MiB a second.
    const LEVELS: [f64; 4] = [10.0, 125.0, 250.0, 500.0];
    let foreground = |disk: &str, instance: &str, level: f64| -> Result<f64, ClaimError> {
        let (mut device, mut host, _) = attached(disk, instance)?;
        let log = Stream { op: IoOperation::Write, bytes: 16 << 10, rate: 500.0, depth: 1, sequential: true };
        let reads = Stream { op: IoOperation::Read, bytes: 4 << 10, rate: 1000.0, depth: 8, sequential: false };
        let compaction = Stream { op: IoOperation::Write, bytes: 1 << 20, rate: level, depth: 4, sequential: true };
        let means = latencies(&mut device, &mut host, &[log, reads, compaction]);
        Ok((500.0 * means[0] + 1000.0 * means[1]) / 1500.0)
    };
    let mut gaps = Vec::new();
    for level in LEVELS {
        let ebs = foreground("gp3:1000GiB,16000iops,1000MiB/s", "r5b.2xlarge", level)?;
        gaps.push(ebs / foreground("nvme:1769GiB", "i3.2xlarge", level)?);
    }
    // A twentieth is no trend.
    let trend = match gaps[LEVELS.len() - 1] / gaps[0] {
        change if change < 0.95 => "narrows",
        change if change > 1.05 => "widens",
        _ => "stays",
    };
    let told = LEVELS.iter().zip(&gaps).map(|(level, gap)| format!("{level:.0} MiB/s {gap:.1}")).collect::<Vec<_>>();
    let remark = format!(
        "Assumed: gp3 at its ceiling. Foreground latency of EBS over local flash, by background writes: {}.",
        told.join("; ")
    );
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::words([trend])) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_as_many_as_rate_times_latency() {
        let (mut device, mut host, limits) = attached("gp3:1000GiB", "m5.4xlarge").unwrap();
        let stream =
            Stream { op: IoOperation::Read, bytes: 4096, rate: 2.0 * limits.iops.0, depth: 64, sequential: false };
        let latency = latencies(&mut device, &mut host, &[stream])[0];
        assert!((latency * limits.iops.0 / 64.0 - 1.0).abs() < 0.1, "{latency}");
    }
}
