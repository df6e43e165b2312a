//! What must hold of every device, whatever is asked of it.

use catalog::InstanceCaps;
use proptest::prelude::*;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::device::seed_of_volume;
use super::*;
use crate::testing::{gp2, gp3, instance, limits, with_flash};
use crate::{DiskLimits, IoDirection};

fn requests(count: usize) -> impl Strategy<Value = Vec<(u64, IoRequest)>> {
    let op = prop_oneof![6 => Just(IoOperation::Read), 6 => Just(IoOperation::Write), 1 => Just(IoOperation::Flush)];
    let bytes = prop_oneof![Just(4096u32), Just(65_536), Just(262_144), 1u32..4_000_000];
    let one = (0u64..2_000_000, op, 0u64..1 << 34, bytes);
    prop::collection::vec(one.prop_map(|(gap, op, offset, bytes)| (gap, IoRequest { op, offset, bytes })), 1..count)
}

/// Submits with the given gaps and pairs each completion with its arrival.
fn run(device: &mut Device, host: &mut InstanceLink, ios: &[(u64, IoRequest)]) -> Vec<(Nanos, IoCompletion)> {
    let mut now = Nanos(0);
    let mut submit = |(gap, io): &(u64, IoRequest)| {
        now += Nanos(*gap);
        (now, device.submit(host, now, *io))
    };
    ios.iter().map(&mut submit).collect()
}

fn kinds() -> Vec<DiskLimits> {
    let mut local = instance("m5d.2xlarge");
    local = with_flash(local, 1);
    let flash = "nvme:200GiB".parse::<crate::Disk>().unwrap();
    vec![
        limits(&gp3(), "gp3:1000GiB,6000iops,250MiB/s"),
        limits(&gp2(), "gp2:1GiB"),
        limits(&gp2(), "gp2:1000GiB"),
        flash.limits(&CatalogView::default(), Some(&local)).unwrap(),
    ]
}

fn caps() -> InstanceCaps {
    let (iops, throughput) = (Iops(2000.0), BytesPerSec::mb(100.0));
    InstanceCaps { iops, throughput, burst_iops: iops, burst_throughput: throughput, burst_time: Nanos(0) }
}

/// Asserts that from any start on, `work` stays under `rate` times the time, the bucket and one request.
fn assert_bounded(work: &[(Nanos, f64)], rate: f64) -> Result<(), TestCaseError> {
    let depth = BehaviourConstants::embedded().bucket_depth.as_secs_f64();
    for (i, (from, _)) in work.iter().enumerate() {
        let mut sum = 0.0;
        for (to, amount) in &work[i..] {
            let allowed = rate * ((*to - *from).as_secs_f64() + depth) + amount;
            sum += amount;
            prop_assert!(sum <= allowed * (1.0 + 1e-6), "{} let through, {} allowed", sum, allowed);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_window_delivers_more_than_the_volume_allows(ios in requests(150), kind in 0usize..4) {
        let limits = kinds().swap_remove(kind);
        // Without burst, so that one rate holds throughout, and without merging, so that I/Os can be counted from outside.
        let limits = DiskLimits { burst: None, merge: Bytes(0), ..limits };
        let done = run(&mut Device::new(limits.clone(), 1), &mut InstanceLink::new(None), &ios);
        let moved = || done.iter().zip(&ios).filter(|(_, (_, io))| io.op != IoOperation::Flush);
        let writes = |io: &IoRequest, cost: f64| if io.op == IoOperation::Write { cost } else { 1.0 };
        let counted: Vec<_> = moved()
            .map(|((_, c), (_, io))| {
                (c.started, u64::from(io.bytes).div_ceil(limits.io_unit.0) as f64 * writes(io, limits.write_iops_cost))
            })
            .collect();
        let bytes: Vec<_> = moved()
            .map(|((_, c), (_, io))| (c.started, f64::from(io.bytes) * writes(io, limits.write_bytes_cost)))
            .collect();
        assert_bounded(&counted, limits.iops.0)?;
        assert_bounded(&bytes, limits.throughput.max(limits.burst_throughput).0)?;
    }

    #[test]
    fn no_window_passes_more_than_the_instance_allows(
        jobs in prop::collection::vec((0u64..5_000_000, 1u64..4_000_000), 1..200),
    ) {
        let caps = caps();
        let (mut host, mut now) = (InstanceLink::new(Some(&caps)), Nanos(0));
        let (mut counted, mut moved) = (Vec::new(), Vec::new());
        for (gap, bytes) in jobs {
            now += Nanos(gap);
            let ios = bytes.div_ceil(256 << 10) as f64;
            let start = Nanos(host.pass(now.0 as f64, ios, bytes as f64).start.ceil() as u64);
            counted.push((start, ios));
            moved.push((start, bytes as f64));
        }
        assert_bounded(&counted, caps.iops.0)?;
        assert_bounded(&moved, caps.throughput.0)?;
    }

    #[test]
    fn no_completion_precedes_arrival_and_floor(ios in requests(100), kind in 0usize..4) {
        let limits = kinds().swap_remove(kind);
        let floor = (-BehaviourConstants::embedded().floor_sigmas * limits.service.sigma).exp();
        for ((at, done), (_, io)) in run(&mut Device::new(limits.clone(), 1), &mut InstanceLink::new(Some(&caps())), &ios).iter().zip(&ios) {
            let median = match io.op {
                IoOperation::Read => limits.service.median(IoDirection::Read, Bytes(io.bytes.into()), 0.0),
                IoOperation::Write => limits.service.median(IoDirection::Write, Bytes(io.bytes.into()), 0.0),
                IoOperation::Flush => limits.service.flush,
            };
            prop_assert!(done.started >= *at);
            prop_assert!(done.at.0 as f64 + 1.0 >= done.started.0 as f64 + median.0 as f64 * floor - 1.0);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_completions(ios in requests(100), seed: u64, kind in 0usize..4) {
        let spec = DeviceSpec { stripe: 3, ..kinds().swap_remove(kind).into() };
        let mut device = Device::new(spec, seed).with_degraded_minutes();
        device.inject(DiskFault::Errors(0.3), Nanos(0), Nanos::MAX);
        let mut again = device.clone();
        let first = run(&mut device, &mut InstanceLink::new(Some(&caps())), &ios);
        prop_assert_eq!(first, run(&mut again, &mut InstanceLink::new(Some(&caps())), &ios));
    }

    #[test]
    fn a_stripe_equals_its_disks_on_aligned_load(
        jobs in prop::collection::vec((0u64..500_000, 0usize..4, 0u64..1000, any::<bool>()), 1..200),
        seed: u64,
    ) {
        let limits = limits(&gp3(), "gp3:1000GiB");
        let chunk = BehaviourConstants::embedded().stripe_chunk.0;
        let mut stripe = Device::new(DeviceSpec { stripe: 4, ..limits.clone().into() }, seed);
        let mut alone: Vec<Device> =
            (0..4).map(|i| Device::of_volume(limits.clone(), seed_of_volume(seed, i))).collect();
        let (mut host, mut other, mut now) = (InstanceLink::new(Some(&caps())), InstanceLink::new(Some(&caps())), Nanos(0));
        for (gap, member, row, write) in jobs {
            now += Nanos(gap);
            let op = if write { IoOperation::Write } else { IoOperation::Read };
            let bytes = chunk as u32;
            let together = stripe.submit(&mut host, now, IoRequest { op, offset: (row * 4 + member as u64) * chunk, bytes });
            let apart = alone[member].submit(&mut other, now, IoRequest { op, offset: row * chunk, bytes });
            prop_assert_eq!(together, apart);
        }
    }

    #[test]
    fn what_is_earned_and_not_spent_is_the_balance(ios in requests(200)) {
        let limits = DiskLimits { merge: Bytes(0), ..limits(&gp2(), "gp2:100GiB") };
        let mut device = Device::new(limits.clone(), 1);
        let done = run(&mut device, &mut InstanceLink::new(None), &ios);
        let end = done.iter().map(|(_, c)| c.started).max().unwrap();
        // The book of credits, kept from outside: a full bucket earns nothing.
        let (mut book, mut last) = (5.4e6, Nanos(0));
        for ((_, c), (_, io)) in done.iter().zip(&ios).filter(|(_, (_, io))| io.op != IoOperation::Flush) {
            book = f64::min(5.4e6, book + limits.iops.0 * (c.started - last).as_secs_f64());
            book -= u64::from(io.bytes).div_ceil(limits.io_unit.0) as f64;
            last = c.started;
        }
        book = f64::min(5.4e6, book + limits.iops.0 * (end - last).as_secs_f64());
        let balance = device.credits(end).ios.unwrap();
        prop_assert!((balance.now - book).abs() < 1e-3, "{} {}", balance.now, book);
        prop_assert!((0.0..=balance.capacity).contains(&balance.now));
    }
}

#[test]
fn a_request_that_claims_to_be_earlier_arrives_with_the_last() {
    let mut host = InstanceLink::new(None);
    let mut device = Device::new(limits(&gp3(), "gp3:100GiB"), 1);
    let io = IoRequest { op: IoOperation::Read, offset: 0, bytes: 4096 };
    device.submit(&mut host, Nanos::secs(2), io);
    assert_eq!(device.submit(&mut host, Nanos::secs(1), io).started, Nanos::secs(2));
}
