//! The steps of a probe: which jobs, in which order.
//!
//! What saturates the disk comes first: below its limits a disk earns burst credits, and would spend them in the next
//! step. It also earns some in the 0.2 to 0.3 s in which fio starts. The ramp spends those if the burst rate is 1.5
//! times the sustained one or more; an empty gp2 between 2000 and 3000 IOPS is taken for up to 7 % too fast, and so are the
//! bytes of one between 670 and 1000 IOPS, or 340 and 510, whose I/Os of 256 KiB burst to its 250 or 128 MiB/s.

use units::{Bytes, Iops, Nanos};

use crate::ProbeError;
use crate::burst::{self, BurstMeasurement};
use crate::fio::{AccessPattern, FioEngine, JobReport, SyncCall};
use crate::session::Session;

const SMALL: Bytes = Bytes::kib(4);
const LARGE: Bytes = Bytes::kib(256);
const LARGEST: Bytes = Bytes::mib(1);
/// Share of a limit below which nothing waits on it, with room for what the first steps got wrong.
const BELOW: f64 = 0.8;
/// Requests of 256 KiB in flight, 16 MiB: what 250 MiB/s move in 64 ms, for a machine that is late by less.
const DEEP: u32 = 64;
/// Depths at which the I/O rate is looked for.
const DEPTHS: [(u32, &str); 4] =
    [(4, "read-iops-4"), (16, "read-iops-16"), (64, "read-iops-64"), (256, "read-iops-256")];
/// A rate that grows less than this when the depth is four times as high is at its limit.
const GROWTH: f64 = 1.1;

/// How many steps are planned, the fill included.
pub(crate) fn count(quick: bool, writable: bool) -> usize {
    match (quick, writable) {
        (false, true) => 20,
        (false, false) => 12,
        (true, true) => 15,
        (true, false) => 8,
    }
}

/// Writes the range once.
pub(crate) fn fill(session: &mut Session<'_>) -> Result<(), ProbeError> {
    let mut job = session.job(AccessPattern::Write, LARGEST, 8);
    (job.runtime, job.ramp) = (None, Nanos(0));
    job.extra.push("end_fsync=1".into());
    session.run("writing the test range once, for blocks never written read without I/O", &[job])?;
    Ok(())
}

/// All steps.
pub(crate) fn run(session: &mut Session<'_>, writable: bool) -> Result<Option<BurstMeasurement>, ProbeError> {
    let (depth, iops) = read_rate(session)?;
    let writes = writable.then(|| write_rate(session, depth)).transpose()?;
    let bytes = throughput(session, writable)?;
    if writable {
        together(session, depth, iops, bytes)?;
    }
    latency(session, AccessPattern::RandRead, iops, "read-idle", "idle read latency")?;
    if let Some(writes) = writes {
        latency(session, AccessPattern::RandWrite, writes, "write-idle", "idle write latency")?;
        flush(session, writes)?;
    }
    large_latency(session, iops, bytes)?;
    load(session, iops)?;
    match session.options.long {
        Some(most) => burst::look(session, depth, most),
        None => Ok(None),
    }
}

/// Rising depth until the rate does not grow: the depth and the rate there.
fn read_rate(session: &mut Session<'_>) -> Result<(u32, f64), ProbeError> {
    let depths = if session.options.quick { &DEPTHS[2..] } else { &DEPTHS[..] };
    let mut best = (1, 0.0);
    for (i, (depth, name)) in depths.iter().enumerate() {
        let job = session.job(AccessPattern::RandRead, SMALL, *depth);
        let rate = session.measure(name, "4 KiB random reads, rising depth", vec![job])?.iops().0;
        let flat = rate < best.1 * GROWTH;
        best = (*depth, best.1.max(rate));
        if flat {
            session.skip(depths.len() - 1 - i);
            break;
        }
    }
    Ok(best)
}

fn write_rate(session: &mut Session<'_>, depth: u32) -> Result<f64, ProbeError> {
    let job = session.job(AccessPattern::RandWrite, SMALL, depth);
    Ok(session.measure("write-iops", "4 KiB random writes at depth", vec![job])?.iops().0)
}

/// The most bytes a second read.
fn throughput(session: &mut Session<'_>, writable: bool) -> Result<f64, ProbeError> {
    let of = |report: JobReport| report.throughput().0;
    let large = session.job(AccessPattern::RandRead, LARGE, DEEP);
    let mut most = of(session.measure("read-256k", "256 KiB reads at depth", vec![large])?);
    if !session.options.quick {
        let largest = session.job(AccessPattern::RandRead, LARGEST, DEEP / 4);
        most = most.max(of(session.measure("read-1m", "1 MiB reads at depth", vec![largest])?));
    }
    if writable {
        let large = session.job(AccessPattern::RandWrite, LARGE, DEEP);
        session.measure("write-256k", "256 KiB writes at depth", vec![large])?;
    }
    Ok(most)
}

/// What different requests do to each other.
fn together(session: &mut Session<'_>, depth: u32, iops: f64, bytes: f64) -> Result<(), ProbeError> {
    let sequential = session.job(AccessPattern::Write, SMALL, 64);
    session.measure("sequential-writes", "4 KiB writes in a row, which may be merged", vec![sequential])?;
    let mixed = session.job(AccessPattern::RandRw(0.7), SMALL, depth);
    session.measure("mixed", "70 % reads, 30 % writes", vec![mixed])?;
    // So many large writes and small reads that both limits would be reached if they are independent. A write of 1 MiB
    // is taken as four I/Os.
    let writes = (bytes - SMALL.as_f64() * iops) / (LARGEST.as_f64() - 4.0 * SMALL.as_f64());
    let reads = iops - 4.0 * writes;
    if writes <= 0.0 || reads <= 0.0 {
        session.skip(1);
        return Ok(());
    }
    // Requests of both kinds wait alike, so their rates are as their depths.
    let large = (f64::from(depth) * writes / reads).round().clamp(1.0, 64.0);
    let small = (large * reads / writes).round().clamp(1.0, 256.0);
    let small = session.job(AccessPattern::RandRead, SMALL, small as u32);
    let large = session.job(AccessPattern::RandWrite, LARGEST, large as u32);
    session.measure("beside", "4 KiB reads beside 1 MiB writes", vec![small, large])?;
    Ok(())
}

/// One request at a time, below the limit.
fn latency(
    session: &mut Session<'_>,
    pattern: AccessPattern,
    rate: f64,
    name: &'static str,
    what: &'static str,
) -> Result<(), ProbeError> {
    let mut job = session.job(pattern, SMALL, 1);
    job.rate_iops = Some(Iops(rate * BELOW));
    session.measure(name, what, vec![job])?;
    Ok(())
}

fn flush(session: &mut Session<'_>, rate: f64) -> Result<(), ProbeError> {
    let mut job = session.job(AccessPattern::RandWrite, SMALL, 1);
    (job.engine, job.sync, job.rate_iops) = (FioEngine::Psync, Some(SyncCall::Fdatasync(1)), Some(Iops(rate * BELOW)));
    session.measure("flush", "a flush after each write", vec![job])?;
    Ok(())
}

/// Large reads at a low and a high share of the throughput: what a byte takes, and how latency grows.
fn large_latency(session: &mut Session<'_>, iops: f64, bytes: f64) -> Result<(), ProbeError> {
    let most = (bytes / LARGE.as_f64()).min(iops);
    let steps = [
        (0.3, "read-256k-slow", "256 KiB reads below the limit"),
        (BELOW, "read-256k-fast", "256 KiB reads near the limit"),
    ];
    for (share, name, what) in steps {
        let mut job = session.job(AccessPattern::RandRead, LARGE, 32);
        job.rate_iops = Some(Iops(most * share));
        session.measure(name, what, vec![job])?;
    }
    Ok(())
}

/// Rising offered rate of small reads.
fn load(session: &mut Session<'_>, iops: f64) -> Result<(), ProbeError> {
    let shares: &[(f64, &str)] = if session.options.quick {
        &[(0.9, "load-90")]
    } else {
        &[(0.5, "load-50"), (0.8, "load-80"), (0.95, "load-95")]
    };
    for (share, name) in shares {
        let mut job = session.job(AccessPattern::RandRead, SMALL, 128);
        (job.rate_iops, job.poisson) = (Some(Iops(iops * share)), true);
        session.measure(name, "4 KiB reads at a share of the I/O limit", vec![job])?;
    }
    Ok(())
}
