//! Tasks, machines and disks for the tests of this crate.

use disk::ServiceTime;
use units::{Bytes, BytesPerSec, Iops, Nanos};
use workload::{AvailabilityTarget, Engine, OperationProfile, SkewBand, Task};

use crate::{ClusterMachines, DiskCapacity, NodeCapacity};

/// Point updates of 1 KiB rows, uniform over 300 GB, 10,000 a second; raw keys.
pub(crate) fn updates(engine: Engine) -> Task {
    let raw = OperationProfile::raw_keys(Bytes::kib(1), Bytes(300_000_000_000), 0.6);
    let popularity = vec![SkewBand { data: 1.0, accesses: 1.0, clustered: false }];
    let mut task =
        Task::open_loop(engine, OperationProfile { updates: 1.0, random_keys: false, popularity, ..raw }, 10_000.0);
    task.targets.availability = AvailabilityTarget::Zone;
    task
}

/// Point reads of the same data.
pub(crate) fn reads(engine: Engine) -> Task {
    let mut task = updates(engine);
    task.profile.updates = 0.0;
    task.profile.point_reads = 1.0;
    task
}

/// Three nodes of 16 vCPU and 64 GiB in three zones.
pub(crate) fn three_nodes() -> ClusterMachines {
    ClusterMachines { nodes: 3, vcpu: 16, memory: Bytes::gib(64), zones: 3 }
}

/// A gp3-like disk.
pub(crate) fn volume(iops: f64, mib: f64) -> DiskCapacity {
    DiskCapacity {
        iops: Iops(iops),
        throughput: BytesPerSec::mib(mib),
        io_unit: 262_144.0,
        service: ServiceTime {
            read: Nanos::micros(440),
            write: Nanos::micros(600),
            sigma: 0.3,
            link: BytesPerSec::mib(1000.0),
            softness: 1.0,
            flush: Nanos(0),
            program: Nanos(0),
        },
        shares_instance_caps: true,
    }
}

/// One such disk for data and log on 16 cores behind an instance that lets 593.75 MB/s through.
pub(crate) fn shared(iops: f64, mib: f64) -> NodeCapacity {
    NodeCapacity {
        data: volume(iops, mib),
        log: None,
        instance: Some((Iops(18_750.0), BytesPerSec::mb(593.75))),
        cores: 16.0,
    }
}
