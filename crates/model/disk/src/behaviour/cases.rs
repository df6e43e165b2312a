//! Faults, caches, bursts and modifications, case by case.

use catalog::{Cloud, ConsistencyPromise};
use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::*;
use crate::testing::{gp2, gp3, instance, limits, with_flash};
use crate::{Disk, DiskLimits};

const BLOCK: u32 = 4096;

fn read(offset: u64) -> IoRequest {
    IoRequest { op: IoOperation::Read, offset, bytes: BLOCK }
}

fn write(offset: u64) -> IoRequest {
    IoRequest { op: IoOperation::Write, offset, bytes: BLOCK }
}

const FLUSH: IoRequest = IoRequest { op: IoOperation::Flush, offset: 0, bytes: 0 };

fn plain() -> DiskLimits {
    limits(&gp3(), "gp3:1000GiB")
}

fn flash() -> DiskLimits {
    let local: Disk = "nvme:200GiB".parse().unwrap();
    local.limits(&CatalogView::default(), Some(&with_flash(instance("m5d.2xlarge"), 1))).unwrap()
}

fn cached(policy: CachePolicy, size: Bytes) -> Device {
    let cache = CacheSpec { limits: DiskLimits { size, ..flash() }, policy };
    Device::new(DeviceSpec { cache: Some(cache), ..plain().into() }, 1)
}

/// Random reads a second that complete within a second, of 20,000 asked for.
fn reads_per_second(device: &mut Device, from: Nanos) -> f64 {
    let mut host = InstanceLink::new(None);
    let done = (0..20_000u64).map(|i| device.submit(&mut host, from + Nanos(i * 50_000), read(i * 7919 * 4096)));
    done.filter(|c| c.started < from + Nanos::secs(1)).count() as f64
}

/// The mean latency of reads at 1,000 a second beside writes that take a share of what the disk can write.
fn read_beside_writes(limits: DiskLimits, share: f64) -> Nanos {
    const LARGE: u32 = 64 << 10;
    const READS: u64 = 20_000;
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(limits.clone(), 1));
    let (mut written, mut sum) = (0, Nanos(0));
    for i in 0..READS {
        let at = Nanos::millis(i);
        while written as f64 * f64::from(LARGE) * limits.write_bytes_cost
            < share * limits.throughput.0 * at.as_secs_f64()
        {
            let place = (1 << 36) + written * u64::from(LARGE);
            device.submit(&mut host, at, IoRequest { op: IoOperation::Write, offset: place, bytes: LARGE });
            written += 1;
        }
        let at = at + Nanos::micros(999);
        sum += device.submit(&mut host, at, read(i * 7919 * 4096)).at - at;
    }
    Nanos(sum.0 / READS)
}

#[test]
fn a_read_waits_for_writes_below_the_limit_on_local_flash_and_not_behind_a_network() {
    let flash = flash();
    let waited =
        read_beside_writes(flash.clone(), 0.5).as_secs_f64() - read_beside_writes(flash.clone(), 0.0).as_secs_f64();
    let expected = flash.service.mean_wait_for_writes(0.5);
    assert!(waited > 0.9 * expected && waited < 1.3 * expected, "{waited}, not {expected}");
    let (alone, beside) = (read_beside_writes(plain(), 0.0), read_beside_writes(plain(), 0.5));
    assert!(beside.as_secs_f64() < 1.1 * alone.as_secs_f64(), "{beside:?} beside writes, {alone:?} alone");
}

#[test]
fn a_stall_holds_everything_until_it_is_over() {
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(plain(), 1));
    device.inject(DiskFault::Stall, Nanos::secs(1), Nanos::secs(3));
    assert!(device.submit(&mut host, Nanos::millis(900), read(0)).at < Nanos::secs(1));
    for io in [read(0), FLUSH] {
        let held = device.submit(&mut host, Nanos::secs(2), io);
        assert_eq!((held.started, held.bound_by), (Nanos::secs(3), Some(BindingLimit::Fault)));
    }
    assert_eq!(device.submit(&mut host, Nanos::secs(4), read(0)).bound_by, None);
}

#[test]
fn a_stall_that_is_healed_lets_what_waits_go_on_at_its_pace() {
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(plain(), 1));
    device.inject(DiskFault::Stall, Nanos::secs(1), Nanos::secs(1000));
    let waiting: Vec<IoCompletion> =
        (0..200).map(|i| device.submit(&mut host, Nanos::secs(1) + Nanos(i), read(i * 8192))).collect();
    assert_eq!(device.stalled_until(Nanos::secs(2)), Nanos::secs(1000));
    assert!(waiting.iter().all(|c| c.started >= Nanos::secs(1000)));
    assert_eq!(device.heal(Nanos::secs(2)), Nanos::secs(998));
    assert_eq!(device.stalled_until(Nanos::secs(2)), Nanos::secs(2));
    let next = device.submit(&mut host, Nanos::secs(2), read(0));
    let pace = Nanos(1_000_000_000 / 3000);
    let expected = waiting[199].started - Nanos::secs(998) + pace;
    assert!(next.started.0.abs_diff(expected.0) < 1000, "{:?} instead of {expected:?}", next.started);
}

#[test]
fn credits_can_be_set_to_a_share_of_the_bucket() {
    let mut device = Device::new(limits(&gp2(), "gp2:100GiB"), 1);
    device.set_credits(Nanos::secs(1), 0.4);
    assert_eq!(device.credits(Nanos::secs(1)).ios.unwrap().share(), 0.4);
}

#[test]
fn what_the_limits_count_adds_up_over_the_volumes_of_a_stripe() {
    let spec = DeviceSpec { stripe: 2, ..plain().into() };
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(spec, 1));
    device.submit(&mut host, Nanos(0), IoRequest { op: IoOperation::Read, offset: 0, bytes: 1 << 20 });
    assert_eq!(device.counted(), 4.0);
}

#[test]
fn a_slow_device_takes_as_many_times_longer() {
    let mut device = Device::new(plain(), 1);
    let mut slow = device.clone();
    slow.inject(DiskFault::Slow(10.0), Nanos(0), Nanos::secs(1));
    let took = |device: &mut Device| device.submit(&mut InstanceLink::new(None), Nanos(0), read(0)).at.0 as f64;
    assert!((took(&mut slow) / took(&mut device) - 10.0).abs() < 1e-4);
}

#[test]
fn errors_come_as_often_as_asked() {
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(plain(), 1));
    device.inject(DiskFault::Errors(0.25), Nanos(0), Nanos::MAX);
    let ios = (0..20_000).map(|i| device.submit(&mut host, Nanos::millis(i), read(i * 8192)));
    let failed = ios.filter(|c| c.status == IoStatus::Failed).count();
    assert!((4700..5300).contains(&failed), "{failed}");
}

#[test]
fn a_detached_device_fails_at_once_and_works_when_attached_again() {
    let (mut host, mut device) = (InstanceLink::new(None), Device::new(plain(), 1));
    device.inject(DiskFault::Detach, Nanos::secs(1), Nanos::secs(2));
    let cut_off = device.submit(&mut host, Nanos::secs(1) - Nanos::micros(50), read(0));
    assert_eq!((cut_off.status, cut_off.at), (IoStatus::Detached, Nanos::secs(1)));
    let away = device.submit(&mut host, Nanos::millis(1500), read(0));
    assert_eq!((away.status, away.at), (IoStatus::Detached, Nanos::millis(1500)));
    assert_eq!(device.submit(&mut host, Nanos::secs(2), read(0)).status, IoStatus::Done);
}

#[test]
fn a_power_cut_loses_what_is_in_flight_and_the_cache() {
    let (mut host, mut device) = (InstanceLink::new(None), cached(CachePolicy::WriteAround, Bytes::gib(1)));
    device.inject(DiskFault::PowerCut, Nanos::secs(1), Nanos::secs(2));
    device.submit(&mut host, Nanos(0), read(0));
    device.submit(&mut host, Nanos::millis(10), read(0));
    assert_eq!(device.cache_stats(), Some(CacheStats { hits: 1, misses: 1 }));
    let lost = device.submit(&mut host, Nanos::secs(1) - Nanos::micros(50), write(0));
    assert_eq!((lost.status, lost.at), (IoStatus::Lost, Nanos::secs(1)));
    device.submit(&mut host, Nanos::secs(3), read(0));
    assert_eq!(device.cache_stats(), Some(CacheStats { hits: 1, misses: 2 }));
}

#[test]
fn a_degraded_device_delivers_its_share() {
    let mut device = Device::new(plain(), 1);
    device.inject(DiskFault::Degrade(0.2), Nanos(0), Nanos::secs(5));
    assert!((reads_per_second(&mut device, Nanos(0)) / 600.0 - 1.0).abs() < 0.15);
}

#[test]
fn degraded_minutes_slow_a_device_that_is_asked_for_all_it_has() {
    let promise = ConsistencyPromise { delivered: 0.9, of_the_time: 0.5 };
    let often = DiskLimits { consistency: Some(promise), ..plain() };
    let mut device = Device::new(often, 1).with_degraded_minutes();
    let seconds = (0..200).map(|m| reads_per_second(&mut device, Nanos::secs(m * 60)) / 3000.0);
    let slow = seconds.filter(|share| *share < 0.95).count();
    assert!((60..140).contains(&slow), "{slow}");
}

#[test]
fn a_cache_hit_is_as_fast_as_the_flash_and_leaves_the_volume_alone() {
    let (mut host, mut device) = (InstanceLink::new(None), cached(CachePolicy::WriteAround, Bytes::gib(1)));
    device.submit(&mut host, Nanos(0), read(0));
    let mut hit = |i: u64| {
        let at = Nanos::secs(1) + Nanos(i * 10_000);
        let hit = device.submit(&mut host, at, read(0));
        assert_eq!(hit.bound_by, None);
        (hit.at - at).as_secs_f64()
    };
    let mean = (1..10_000).map(&mut hit).sum::<f64>() / 9999.0;
    let flash = flash().service;
    assert!((mean / flash.mean(flash.read) - 1.0).abs() < 0.02, "{mean}");
    assert_eq!(device.cache_stats(), Some(CacheStats { hits: 9999, misses: 1 }));
}

#[test]
fn a_write_drops_or_fills_the_cache_as_its_policy_says() {
    for (policy, hits) in [(CachePolicy::WriteAround, 0), (CachePolicy::WriteThrough, 1)] {
        let (mut host, mut device) = (InstanceLink::new(None), cached(policy, Bytes::gib(1)));
        device.submit(&mut host, Nanos(0), write(8192));
        device.submit(&mut host, Nanos::millis(10), read(8192));
        assert_eq!(device.cache_stats().unwrap().hits, hits, "{policy:?}");
    }
}

#[test]
fn a_cache_smaller_than_the_scan_never_hits() {
    let (mut host, mut device) = (InstanceLink::new(None), cached(CachePolicy::WriteAround, Bytes::mib(1)));
    for i in 0..2048u64 {
        device.submit(&mut host, Nanos::millis(i), read(i % 512 * 4096));
    }
    assert_eq!(device.cache_stats().unwrap().hits, 0);
}

#[test]
fn a_flush_is_free_on_a_volume_and_not_on_local_flash() {
    let mut host = InstanceLink::new(None);
    assert_eq!(Device::new(plain(), 1).submit(&mut host, Nanos::secs(1), FLUSH).at, Nanos::secs(1));
    assert!(Device::new(flash(), 1).submit(&mut host, Nanos::secs(1), FLUSH).at > Nanos::secs(1));
}

#[test]
fn two_volumes_share_what_their_instance_lets_through() {
    let caps = instance("m5.2xlarge").caps.unwrap();
    let fast = limits(&gp3(), "gp3:1000GiB,16000iops,1000MiB/s");
    let mut node = DiskNode {
        host: InstanceLink::new(Some(&caps)),
        devices: vec![Device::new(fast.clone(), 1), Device::new(fast, 2)],
    };
    node.host.exhaust_credits(Nanos(0));
    let large = IoRequest { op: IoOperation::Read, offset: 0, bytes: 256 << 10 };
    let done: Vec<IoCompletion> = (0..4000).map(|i| node.submit(i % 2, Nanos(0), large)).collect();
    let end = done.iter().map(|c| c.started).max().unwrap().as_secs_f64();
    let rate = 4000.0 * f64::from(large.bytes) / end;
    assert!((rate / caps.throughput.0 - 1.0).abs() < 0.02, "{rate}");
    assert_eq!(done[3999].bound_by, Some(BindingLimit::InstanceThroughput));
}

#[test]
fn local_flash_does_not_wait_for_the_instances_link() {
    let caps =
        catalog::InstanceCaps { iops: Iops(1.0), burst_iops: Iops(1.0), ..instance("m5d.2xlarge").caps.unwrap() };
    let (mut host, mut device) = (InstanceLink::new(Some(&caps)), Device::new(flash(), 1));
    assert!((0..100).all(|i| device.submit(&mut host, Nanos::millis(i), read(i * 8192)).bound_by.is_none()));
}

#[test]
fn st1_bursts_on_byte_credits() {
    let mut disk = limits(&gp3(), "gp3:1000GiB");
    disk.size = Bytes::gib(1024);
    (disk.throughput, disk.burst_throughput) = (BytesPerSec::mib(40.0), BytesPerSec::mib(40.0));
    disk.io_unit = Bytes::mib(1);
    let (per_tib, max) = (BytesPerSec::mib(250.0), BytesPerSec::mib(500.0));
    disk.burst = Some(catalog::BurstBucket::ByteCredits { per_tib, max, capacity_per_tib: Bytes::gib(1024) });
    let rate = |start| deliverable(disk.clone(), None, Bytes::mib(1), crate::IoDirection::Read, 60, start).as_mib();
    assert!((rate(StartCredits::Full) - 250.0).abs() < 3.0);
    assert!((rate(StartCredits::Spent) - 40.0).abs() < 1.0);
    let full = Device::new(disk, 1).credits(Nanos(0)).bytes.unwrap();
    assert_eq!(full.time_to_exhaustion(BytesPerSec::mib(250.0).0).unwrap().as_secs_f64().round(), 4993.0);
}

#[test]
fn a_modification_takes_its_course_and_its_rest() {
    let rules = ModificationRules { cooldown: Nanos::secs(12 * 3600), ..ModificationRules::of(Cloud::Aws).unwrap() };
    let mut device = Device::new(plain(), 1);
    let faster = DiskLimits { iops: Iops(9000.0), ..plain() };
    let course = device.modify(Nanos::secs(100), &faster, &rules).unwrap();
    let rate = |at: Nanos| reads_per_second(&mut device.clone(), at);
    let half = Nanos((course.optimizing.0 + course.completed.0) / 2);
    assert_eq!(device.modification(Nanos::secs(101)), ModificationState::Modifying);
    assert!((rate(Nanos::secs(101)) / 3000.0 - 1.0).abs() < 0.05);
    assert_eq!(device.modification(half), ModificationState::Optimizing(0.5));
    assert!((rate(half) / 6000.0 - 1.0).abs() < 0.05);
    assert_eq!(device.modification(course.completed), ModificationState::Completed);
    assert!((rate(course.completed) / 9000.0 - 1.0).abs() < 0.05);

    let early = device.modify(Nanos::secs(200), &faster, &rules).unwrap_err();
    assert_eq!(early, ModifyError::InProgress { until: course.completed });
    let until = course.started + rules.cooldown;
    assert_eq!(
        device.modify(course.completed, &faster, &rules).unwrap_err(),
        ModifyError::TooSoon { cooldown: rules.cooldown, until }
    );
    assert!(device.modify(until, &faster, &rules).is_ok());
}

#[test]
fn aws_allows_four_changes_a_day_each_after_the_one_before() {
    let rules = ModificationRules::of(Cloud::Aws).unwrap();
    let mut device = Device::new(limits(&gp3(), "gp3:10GiB"), 1);
    let (mut at, mut first) = (Nanos(0), None);
    for _ in 0..rules.per_day.unwrap() {
        let course = device.modify(at, &limits(&gp3(), "gp3:10GiB"), &rules).unwrap();
        first.get_or_insert(course.started);
        at = course.completed;
    }
    let refused = device.modify(at, &limits(&gp3(), "gp3:10GiB"), &rules).unwrap_err();
    let until = first.unwrap() + Nanos::secs(86_400);
    assert_eq!(refused, ModifyError::TooOften { most: rules.per_day.unwrap(), until });
}

#[test]
fn azure_allows_four_changes_a_day_and_no_volume_shrinks() {
    let rules = ModificationRules::of(Cloud::Azure).unwrap();
    let mut device = Device::new(plain(), 1);
    for hour in 0..4 {
        device.modify(Nanos::secs(hour * 3600), &plain(), &rules).unwrap();
    }
    let refused = device.modify(Nanos::secs(5 * 3600), &plain(), &rules).unwrap_err();
    assert_eq!(refused, ModifyError::TooOften { most: 4, until: Nanos::secs(86_400) });
    device.modify(Nanos::secs(86_400), &plain(), &rules).unwrap();
    let smaller = limits(&gp3(), "gp3:500GiB");
    let refused = device.modify(Nanos::secs(2 * 86_400), &smaller, &rules).unwrap_err();
    assert_eq!(refused, ModifyError::Shrink { from: Bytes::gib(1000), to: Bytes::gib(500) });
}

#[test]
fn a_gp2_made_a_gp3_is_free_of_its_credits() {
    let rules = ModificationRules::of(Cloud::Aws).unwrap();
    let mut device = Device::new(limits(&gp2(), "gp2:100GiB"), 1);
    device.exhaust_credits(Nanos(0));
    assert!(
        (reads_per_second(&mut device, Nanos::secs(1)) - 600.0).abs() < 10.0,
        "300 earned before and 300 meanwhile"
    );
    let course = device.modify(Nanos::secs(100), &limits(&gp3(), "gp3:100GiB"), &rules).unwrap();
    assert!((reads_per_second(&mut device, course.completed) / 3000.0 - 1.0).abs() < 0.05);
    assert_eq!(device.credits(course.completed + Nanos::secs(1)), BurstCredits::default());
}
