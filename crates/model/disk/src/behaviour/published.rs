//! The behaviour against what others published of such disks.

use rand::{RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{Bytes, BytesPerSec, Nanos};

use super::*;
use crate::testing::{gp2, gp3, instance, io1, limits};
use crate::{DiskLimits, IoDirection};

const KIB: u32 = 1024;

fn mib(rate: BytesPerSec) -> f64 {
    rate.as_mib()
}

#[track_caller]
fn assert_near(ours: f64, published: f64, tolerance: f64) {
    assert!((ours / published - 1.0).abs() < tolerance, "{ours} is not {published}");
}

/// Random arrivals of one kind of request; `sequential` ones follow each other on the disk.
struct Stream {
    per_second: f64,
    op: IoOperation,
    bytes: u32,
    sequential: bool,
}

/// Submits the streams for some seconds and gives the latencies of the first, in seconds, sorted, without the first half second.
fn latencies(device: &mut Device, host: &mut InstanceLink, streams: &[Stream], seconds: f64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut next: Vec<f64> = streams.iter().map(|s| rng.sample::<f64, _>(Exp1) / s.per_second).collect();
    let (mut end, mut seen) = (0u64, Vec::new());
    loop {
        let i = (0..next.len()).min_by(|a, b| next[*a].total_cmp(&next[*b])).unwrap();
        let (at, stream) = (next[i], &streams[i]);
        if at > seconds {
            seen.sort_by(f64::total_cmp);
            return seen;
        }
        next[i] += rng.sample::<f64, _>(Exp1) / stream.per_second;
        let offset = if stream.sequential { end } else { rng.random_range(0..1u64 << 28) << 12 };
        end += if stream.sequential { u64::from(stream.bytes) } else { 0 };
        let at = Nanos::from_secs_f64(at);
        let done = device.submit(host, at, IoRequest { op: stream.op, offset, bytes: stream.bytes });
        if i == 0 && at > Nanos::millis(500) {
            seen.push((done.at - at).as_secs_f64());
        }
    }
}

fn reads(per_second: f64, bytes: u32) -> Stream {
    Stream { per_second, op: IoOperation::Read, bytes, sequential: false }
}

fn sequential_writes(per_second: f64, bytes: u32) -> Stream {
    Stream { per_second, op: IoOperation::Write, bytes, sequential: true }
}

/// The latencies with `outstanding` requests always in flight.
fn closed_loop(limits: DiskLimits, outstanding: usize, requests: usize) -> Vec<f64> {
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(limits, 5));
    let mut in_flight = vec![Nanos(0); outstanding];
    (0..requests as u64)
        .map(|i| {
            let slot = (0..outstanding).min_by_key(|s| in_flight[*s]).unwrap();
            let at = in_flight[slot];
            let io = IoRequest { op: IoOperation::Read, offset: i * 7919 * 4096, bytes: 4096 };
            in_flight[slot] = device.submit(&mut host, at, io).at;
            (in_flight[slot] - at).as_secs_f64()
        })
        .collect()
}

#[test]
fn gp3_serves_the_measured_mix_as_if_idle() {
    // scylladb/diskplorer on r5b.2xlarge: p50 0.44 ms and p95 0.72 ms, idle and beside 1000 MB/s of writes.
    let disk = limits(&gp3(), "gp3:1000GiB,16000iops,1000MiB/s");
    let mix = [reads(14_400.0, 512), sequential_writes(1e9 / f64::from(128 * KIB), 128 * KIB)];
    let seen = latencies(&mut Device::new(disk.clone(), 1), &mut InstanceLink::new(None), &mix, 5.0);
    assert_near(seen[seen.len() / 2], 0.44e-3, 0.10);
    assert_near(seen[seen.len() * 95 / 100], 0.72e-3, 0.10);
    // Counted as documented, an I/O for each 256 KiB, the same mix would queue.
    let documented = DiskLimits { merge: Bytes::kib(256), ..disk };
    let seen = latencies(&mut Device::new(documented, 1), &mut InstanceLink::new(None), &mix, 5.0);
    assert!(seen[seen.len() / 2] > 5e-3);
}

#[test]
fn random_arrivals_at_95_percent_of_the_limit_hardly_wait() {
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(limits(&gp2(), "gp2:1000GiB"), 1));
    let (mut rng, mut at) = (Xoshiro256PlusPlus::seed_from_u64(3), 0.0);
    let waited = (0..200_000u64).filter(|i| {
        at += rng.sample::<f64, _>(Exp1) / (0.95 * 3000.0);
        let io = IoRequest { op: IoOperation::Read, offset: i * 7919 * 4096, bytes: 4096 };
        device.submit(&mut host, Nanos::from_secs_f64(at), io).bound_by.is_some()
    });
    assert!(waited.count() < 2_000);
}

#[test]
fn gp3_passes_5_ms_at_16k_reads_beside_300_mb_of_writes() {
    let disk = limits(&gp3(), "gp3:1000GiB,16000iops,1000MiB/s");
    let mix = [reads(16_000.0, 512), sequential_writes(300e6 / f64::from(128 * KIB), 128 * KIB)];
    let seen = latencies(&mut Device::new(disk, 1), &mut InstanceLink::new(None), &mix, 5.0);
    assert!(seen[seen.len() / 2] > 5e-3);
}

#[test]
fn latency_is_flat_below_the_io_limit_and_a_cliff_above_it() {
    let disk = limits(&gp2(), "gp2:1000GiB");
    let at = |load: f64| {
        let seen = latencies(
            &mut Device::new(disk.clone(), 2),
            &mut InstanceLink::new(None),
            &[reads(load * 3000.0, 4 * KIB)],
            20.0,
        );
        seen.iter().sum::<f64>() / seen.len() as f64
    };
    assert_near(at(0.9), at(0.1), 0.05);
    assert!(at(1.3) > 10e-3);
}

#[test]
fn a_full_queue_waits_its_length_over_the_limit() {
    let disk = limits(&io1(), "io1:1000GiB,6000iops");
    let seen = closed_loop(disk, 64, 60_000);
    assert_near(seen[6000..].iter().sum::<f64>() / 54_000.0, 64.0 / 6000.0, 0.001);
}

#[test]
fn latency_grows_with_throughput_below_the_limit() {
    let disk = limits(&gp3(), "gp3:1000GiB,16000iops,250MiB/s");
    let at = |share: f64| {
        let rate = share * 250.0 * 16.0;
        let seen =
            latencies(&mut Device::new(disk.clone(), 2), &mut InstanceLink::new(None), &[reads(rate, 64 * KIB)], 20.0);
        let mean = seen.iter().sum::<f64>() / seen.len() as f64;
        let expected = disk.service.mean(disk.service.median(IoDirection::Read, Bytes::kib(64), share));
        assert_near(mean, expected, 0.02);
        mean
    };
    assert!(at(0.8) > at(0.2));
}

#[test]
fn io1_without_a_cap_delivers_what_its_volume_throughput_allows() {
    // Its 6000 I/Os of 256 KiB would be 1500 MiB/s; the type's own limit at that rate is 500 MiB/s.
    let mut disk = limits(&io1(), "io1:1000GiB,6000iops");
    let run = |disk: &DiskLimits| {
        mib(deliverable(disk.clone(), None, Bytes::kib(256), IoDirection::Read, 10, StartCredits::Spent))
    };
    assert_near(run(&disk), 500.0, 0.01);
    disk.throughput = BytesPerSec::mib(1e6);
    disk.burst_throughput = disk.throughput;
    assert_near(run(&disk), 1500.0, 0.01);
}

#[test]
fn behind_an_m5_2xlarge_the_instance_binds_and_bursts_for_half_an_hour() {
    let disk = limits(&io1(), "io1:1000GiB,6000iops");
    let caps = instance("m5.2xlarge").caps;
    let run =
        |start, seconds| deliverable(disk.clone(), caps.as_ref(), Bytes::kib(256), IoDirection::Write, seconds, start);
    assert_near(run(StartCredits::Spent, 60).as_mb(), 287.5, 0.01);
    // The volume's 500 MiB/s are under the burst cap.
    assert_near(run(StartCredits::Full, 60).as_mib(), 500.0, 0.01);
    let full = InstanceLink::new(caps.as_ref()).credits(Nanos(0)).bytes.unwrap();
    assert_near(full.time_to_exhaustion(593.75e6).unwrap().as_secs_f64(), 1800.0, 1e-6);
}

#[test]
fn gp2_of_334_gib_delivers_250_mib_a_second_without_credits() {
    let disk = limits(&gp2(), "gp2:334GiB");
    let rate = deliverable(disk, None, Bytes::kib(256), IoDirection::Read, 60, StartCredits::Spent);
    assert_near(mib(rate), 250.0, 0.01);
}

#[test]
fn a_small_gp2_falls_to_its_baseline_when_its_credits_are_gone() {
    let disk = limits(&gp2(), "gp2:200GiB");
    let rate = |bytes, start| deliverable(disk.clone(), None, bytes, IoDirection::Read, 30, start).0;
    assert_near(rate(Bytes::kib(4), StartCredits::Full) / 4096.0, 3000.0, 0.01);
    assert_near(rate(Bytes::kib(4), StartCredits::Spent) / 4096.0, 600.0, 0.01);
    assert_near(rate(Bytes::kib(256), StartCredits::Full) / 1048576.0, 250.0, 0.01);
    assert_near(rate(Bytes::kib(256), StartCredits::Spent) / 1048576.0, 150.0, 0.02);
}
