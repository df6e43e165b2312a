//! How many I/Os a second the behaviour answers, on one core.

use std::hint::black_box;

use catalog::InstanceCaps;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use diskwright_disk::{
    CachePolicy, CacheSpec, Device, DeviceSpec, DiskLimits, InstanceLink, IoOperation, IoRequest, VolumeCalibration,
};
use units::{Bytes, BytesPerSec, Iops, Nanos};

/// I/Os in one measured round.
const ROUND: u64 = 1024;

fn gp3(iops: f64, throughput: f64) -> DiskLimits {
    let calibration = VolumeCalibration::of("gp3").expect("gp3 is calibrated");
    let throughput = BytesPerSec::mib(throughput);
    DiskLimits {
        size: Bytes::gib(1000),
        iops: Iops(iops),
        throughput,
        burst: None,
        burst_throughput: throughput,
        io_unit: Bytes::kib(256),
        merge: calibration.merge,
        write_iops_cost: 1.0,
        write_bytes_cost: 1.0,
        shares_instance_caps: true,
        consistency: None,
        service: calibration.service,
    }
}

/// An m5.2xlarge.
fn caps() -> InstanceCaps {
    InstanceCaps {
        iops: Iops(12_000.0),
        throughput: BytesPerSec::mb(287.5),
        burst_iops: Iops(18_750.0),
        burst_throughput: BytesPerSec::mb(593.75),
        burst_time: Nanos::secs(1800),
    }
}

/// Random 4 KiB requests, `reads` in ten of them reads, made beforehand.
fn requests(reads: u64) -> Vec<IoRequest> {
    let mut state = 1u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let io = |random: u64| IoRequest {
        op: if random % 10 < reads { IoOperation::Read } else { IoOperation::Write },
        offset: (random >> 8) % (1000 << 18) * 4096,
        bytes: 4096,
    };
    (0..ROUND).map(|_| io(random())).collect()
}

fn submits(c: &mut Criterion) {
    let mut group = c.benchmark_group("submit");
    group.throughput(Throughput::Elements(ROUND));
    let plain: DeviceSpec = gp3(16_000.0, 1000.0).into();
    let flash = DiskLimits { shares_instance_caps: false, size: Bytes::gib(4), ..gp3(117_000.0, 2312.0) };
    let cache = Some(CacheSpec { limits: flash, policy: CachePolicy::WriteAround });
    let cases = [
        ("gp3 4 KiB random reads", plain.clone(), 10, 80_000),
        ("gp3 4 KiB 70/30", plain.clone(), 7, 80_000),
        ("gp3 4 KiB 70/30 over its limit", plain.clone(), 7, 50_000),
        ("stripe of 4, 4 KiB 70/30", DeviceSpec { stripe: 4, ..plain.clone() }, 7, 80_000),
        ("cached gp3 4 KiB 70/30, reads hit", DeviceSpec { cache, ..plain }, 7, 80_000),
    ];
    for (name, spec, reads, gap) in cases {
        let ios = requests(reads);
        let (mut host, mut device, mut now) = (InstanceLink::new(Some(&caps())), Device::new(spec, 1), Nanos(0));
        group.bench_function(name, |b| {
            b.iter(|| {
                for io in &ios {
                    now += Nanos(gap);
                    black_box(device.submit(&mut host, now, *io));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, submits);
criterion_main!(benches);
