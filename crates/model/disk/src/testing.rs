//! Volume and instance types written by hand, so that tests of the model do not hang on the catalogue's data.

use catalog::{
    BurstBucket, Cloud, ConsistencyPromise, InstanceCaps, InstanceType, IopsBand, IopsRule, LocalStore, Provenance,
    SizeBand, ThroughputRule, VolumeMedium, VolumeType,
};
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::{DiskLimits, Volume};

fn provenance() -> Provenance {
    Provenance { source: "test", as_of: catalog::Date::constant(2023, 5, 31) }
}

fn volume_type(name: &str, size: (u64, u64), iops: IopsRule, throughput: ThroughputRule) -> VolumeType {
    VolumeType {
        name: name.to_owned(),
        cloud: Cloud::Aws,
        service: None,
        medium: VolumeMedium::Ssd,
        size: (Bytes::gib(size.0), Bytes::gib(size.1)),
        iops,
        throughput,
        burst: None,
        io_unit: Bytes::kib(256),
        durability: None,
        consistency: Some(ConsistencyPromise { delivered: 0.9, of_the_time: 0.99 }),
        provenance: provenance(),
    }
}

pub(crate) fn gp3() -> VolumeType {
    let iops = IopsRule::Provisioned { min: Iops(3000.0), max: Iops(16_000.0), max_per_gib: Some(500.0) };
    let throughput = ThroughputRule::Provisioned {
        min: BytesPerSec::mib(125.0),
        max: BytesPerSec::mib(1000.0),
        max_per_iops: Bytes::kib(256),
    };
    volume_type("gp3", (1, 16_384), iops, throughput)
}

pub(crate) fn io1() -> VolumeType {
    let iops = IopsRule::Provisioned { min: Iops(100.0), max: Iops(64_000.0), max_per_gib: Some(50.0) };
    let throughput = ThroughputRule::ByIops(vec![
        IopsBand { up_to: Iops(32_000.0), per_io: Bytes::kib(256), max: BytesPerSec::mib(500.0) },
        IopsBand { up_to: Iops(64_000.0), per_io: Bytes::kib(16), max: BytesPerSec::mib(1000.0) },
    ]);
    volume_type("io1", (4, 16_384), iops, throughput)
}

pub(crate) fn gp2() -> VolumeType {
    let iops = IopsRule::BySize { base: 0.0, per_gib: 3.0, min: Iops(100.0), max: Iops(16_000.0) };
    let band = |from, base, per_gib, burst| SizeBand {
        from: Bytes::gib(from),
        base: BytesPerSec::mib(base),
        per_gib: BytesPerSec::mib(per_gib),
        max: BytesPerSec::mib(250.0),
        burst: BytesPerSec::mib(burst),
    };
    let throughput = ThroughputRule::BySize(vec![band(1, 128.0, 0.0, 128.0), band(171, 0.0, 0.75, 250.0)]);
    let mut kind = volume_type("gp2", (1, 16_384), iops, throughput);
    kind.burst = Some(BurstBucket::IoCredits { iops: Iops(3000.0), capacity: 5.4e6 });
    kind
}

/// The limits of a volume on any Nitro instance.
pub(crate) fn limits(kind: &VolumeType, text: &str) -> DiskLimits {
    DiskLimits::of(kind, &volume(text), None).unwrap()
}

pub(crate) fn volume(text: &str) -> Volume {
    text.parse::<crate::Disk>().unwrap().volume
}

/// An m5.2xlarge under some name.
pub(crate) fn instance(name: &str) -> InstanceType {
    InstanceType {
        name: name.to_owned(),
        family: name.split('.').next().unwrap_or(name).to_owned(),
        cloud: Cloud::Aws,
        service: None,
        vcpu: 8,
        memory: Bytes::gib(32),
        arch: "x86_64".to_owned(),
        speed: Some(1.0),
        nitro: true,
        caps: Some(InstanceCaps {
            iops: Iops(12_000.0),
            throughput: BytesPerSec::mb(287.5),
            burst_iops: Iops(18_750.0),
            burst_throughput: BytesPerSec::mb(593.75),
            burst_time: Nanos::secs(1800),
        }),
        max_volumes: Some(28),
        local: None,
        provenance: provenance(),
    }
}

/// With the flash of an m5d.2xlarge as measured by PingCAP, on so many devices.
pub(crate) fn with_flash(mut instance: InstanceType, count: u32) -> InstanceType {
    instance.local = Some(LocalStore {
        count,
        size: Bytes::gib(279),
        read_iops: Some(Iops(117_000.0)),
        write_iops: Some(Iops(56_800.0)),
        read_throughput: Some(BytesPerSec::mib(2312.0)),
        write_throughput: Some(BytesPerSec::mib(259.0)),
    });
    instance
}
