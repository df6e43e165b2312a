use crate::testing::{gp2, gp3, instance, io1, limits, volume};
use crate::{DiskError, DiskLimits};
use units::{BytesPerSec, Iops};

#[track_caller]
fn assert_refused(kind: &catalog::VolumeType, text: &str, words: &str) {
    let error = DiskLimits::of(kind, &volume(text), None).unwrap_err();
    assert!(matches!(error, DiskError::OutOfRange { .. }));
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn gp2_has_three_ios_a_gib_between_100_and_its_most() {
    assert_eq!(limits(&gp2(), "gp2:1000GiB").iops, Iops(3000.0));
    assert_eq!(limits(&gp2(), "gp2:20GiB").iops, Iops(100.0));
    assert_eq!(limits(&gp2(), "gp2:16TiB").iops, Iops(16_000.0));
}

#[test]
fn gp2_of_334_gib_sustains_250_mib_a_second_and_smaller_ones_burst_to_it() {
    assert_eq!(limits(&gp2(), "gp2:334GiB").throughput, BytesPerSec::mib(250.0));
    let small = limits(&gp2(), "gp2:200GiB");
    assert_eq!((small.throughput, small.burst_throughput), (BytesPerSec::mib(150.0), BytesPerSec::mib(250.0)));
    let tiny = limits(&gp2(), "gp2:170GiB");
    assert_eq!(tiny.burst_throughput, BytesPerSec::mib(128.0));
}

#[test]
fn io1_throughput_follows_its_io_rate() {
    assert_eq!(limits(&io1(), "io1:1000GiB,1000iops").throughput, BytesPerSec::mib(250.0));
    assert_eq!(limits(&io1(), "io1:1000GiB,6000iops").throughput, BytesPerSec::mib(500.0));
    assert_eq!(limits(&io1(), "io1:2000GiB,64000iops").throughput, BytesPerSec::mib(1000.0));
}

#[test]
fn sizes_that_are_not_sold_are_refused_with_the_range() {
    assert_refused(&gp3(), "gp3:20TiB", "1GiB to 16TiB");
    assert_refused(&io1(), "io1:3GiB", "4GiB to 16TiB");
}

#[test]
fn io_rates_over_the_ratio_tell_the_size_that_would_do() {
    assert_refused(&io1(), "io1:100GiB,6000iops", "6000iops need 120GiB");
    assert_refused(&gp3(), "gp3:10GiB,6000iops", "at most 5000iops");
    assert_refused(&gp3(), "gp3:1000GiB,17000iops", "at most 16000iops");
    assert_refused(&gp3(), "gp3:1000GiB,1000iops", "starts at 3000iops");
}

#[test]
fn a_small_gp3_still_has_what_is_included() {
    assert_eq!(limits(&gp3(), "gp3:1GiB,3000iops").iops, Iops(3000.0));
}

#[test]
fn rates_are_refused_where_the_type_takes_none() {
    assert_refused(&gp2(), "gp2:1000GiB,6000iops", "2000GiB have that rate");
    assert_refused(&gp2(), "gp2:1000GiB,20000iops", "its most is 16000iops");
    assert_refused(&gp2(), "gp2:1000GiB,250MiB/s", "follows from its size");
    assert_refused(&io1(), "io1:1000GiB,6000iops,500MiB/s", "follows from its I/O rate");
}

#[test]
fn throughput_over_the_io_rate_tells_the_rate_that_would_do() {
    assert_refused(&gp3(), "gp3:1000GiB,1000MiB/s", "1000MiB/s need 4000iops");
    assert_refused(&gp3(), "gp3:1000GiB,3000iops,751MiB/s", "at most 750MiB/s");
    assert_refused(&gp3(), "gp3:1000GiB,100MiB/s", "starts at 125MiB/s");
    assert_eq!(limits(&gp3(), "gp3:1000GiB,4000iops,1000MiB/s").throughput, BytesPerSec::mib(1000.0));
}

#[test]
fn the_highest_io1_rates_need_nitro() {
    let mut old = instance("m4.large");
    old.nitro = false;
    let volume = volume("io1:2000GiB,64000iops");
    let error = DiskLimits::of(&io1(), &volume, Some(&old)).unwrap_err();
    assert!(error.to_string().contains("at most 32000iops"), "{error}");
    assert!(DiskLimits::of(&io1(), &volume, Some(&instance("m5.large"))).is_ok());
}

#[test]
fn a_stripe_multiplies_what_its_volumes_have() {
    let one = limits(&gp3(), "gp3:1000GiB,6000iops,250MiB/s");
    let two = one.clone().striped(2);
    assert_eq!((two.size, two.iops, two.throughput), (one.size * 2u64, one.iops * 2.0, one.throughput * 2.0));
}

#[test]
fn a_stripe_bursts_as_all_its_volumes_do() {
    let pair = limits(&gp2(), "gp2:100GiB").striped(2);
    assert_eq!(pair.bursts(2), (Some(6000.0), None));
    assert_eq!(limits(&gp3(), "gp3:100GiB").bursts(1), (None, None));
}
