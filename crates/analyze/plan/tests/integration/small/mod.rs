//! Small random markets and a synthetic engine with the properties that the planner relies on.

use catalog::{
    Cloud, ConsistencyPromise, Date, InstanceCaps, InstanceType, IopsBand, IopsRule, Provenance, SizeBand,
    ThroughputRule, VolumeMedium, VolumePrice, VolumeType,
};
use deployment::{BlockCompression, EngineSettings};
use disk::ServiceTime;
use engine::{
    ClusterMachines, EnginePrediction, IoDemand, NodeCapacity, OfferedLoad, OperationDemand, OperationLatency,
    OperationPath, Resource,
};
use plan::{
    DemandModel, EngineModel, InnodbSpace, InstanceOffer, LocalFlash, Market, NitroOnly, SearchSpace, TikvSpace,
    VolumeOffer,
};
use proptest::prelude::*;
use units::{Bytes, BytesPerSec, Iops, Nanos, Ratio, Usd};
use workload::{AvailabilityTarget, Engine, OperationProfile, Targets, Task};

const MIB: f64 = 1048576.0;

/// An engine whose latency grows with the use of throughput, and whose demand hangs on machines and settings.
#[derive(Debug, Clone)]
pub(crate) struct Synthetic {
    pub(crate) cpu: f64,
    pub(crate) reads: f64,
    pub(crate) writes: f64,
    pub(crate) kib: f64,
    pub(crate) log_share: f64,
    pub(crate) stored_gib: f64,
}

impl EngineModel for Synthetic {
    fn prepare<'a>(&'a self, task: &'a Task) -> Box<dyn DemandModel + 'a> {
        Box::new(Prepared { model: self, growth: 1.0 + task.targets.growth })
    }

    fn latency(&self, demand: &OperationDemand, capacity: &NodeCapacity, rate: f64) -> OperationLatency {
        let on_data = demand.data.bytes() + if capacity.log.is_none() { demand.log.bytes() } else { 0.0 };
        let data_use = rate * on_data / capacity.data.throughput.0;
        let time = |floor: Nanos, softness: f64, used: f64| floor.as_secs_f64() * (1.0 + softness * used * used);
        let read = time(capacity.data.service.read, capacity.data.service.softness, data_use);
        let sync = match &capacity.log {
            None => time(capacity.data.service.write, capacity.data.service.softness, data_use),
            Some(log) => time(log.service.write, log.service.softness, rate * demand.log.bytes() / log.throughput.0),
        };
        let mean = demand.path.cpu + demand.path.delay + demand.path.reads * read + demand.path.syncs * sync;
        let at = |factor: f64| Nanos::from_secs_f64(mean * factor);
        OperationLatency { mean: at(1.0), p50: at(0.9), p99: at(2.5) }
    }

    fn predict(&self, demand: &OperationDemand, capacity: &NodeCapacity, load: OfferedLoad) -> EnginePrediction {
        let (OfferedLoad::Open(rate) | OfferedLoad::Closed(rate)) = load;
        let latency = self.latency(demand, capacity, rate);
        EnginePrediction {
            throughput: rate,
            ceiling: rate,
            mean: latency.mean,
            p50: latency.p50,
            p99: latency.p99,
            utilisation: vec![(Resource::Cpu, demand.cpu * rate / capacity.cores)],
            bottleneck: Resource::Cpu,
        }
    }
}

struct Prepared<'a> {
    model: &'a Synthetic,
    growth: f64,
}

impl DemandModel for Prepared<'_> {
    fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand {
        let (m, n) = (self.model, f64::from(cluster.nodes));
        let squeeze = if settings.compression == Some(BlockCompression::Zstd) { 0.8 } else { 1.0 };
        let small = if settings.block_size == Some(Bytes::kib(4)) { 0.7 } else { 1.0 };
        // Saved traffic costs cores, so that neither choice always wins.
        let (saved, spent) = if settings.follower_read == Some(true) { (0.6, 1.2) } else { (1.0, 1.0) };
        let misses = (1.0 - cluster.memory.as_gib() / 64.0).max(0.1) * small;
        let io = |reads: f64, writes: f64| IoDemand {
            reads,
            read_bytes: reads * m.kib * 1024.0 * squeeze,
            writes,
            write_bytes: writes * m.kib * 1024.0 * squeeze,
        };
        OperationDemand {
            cpu: m.cpu * (2.0 - squeeze) / small.sqrt() / n * spent,
            data: io(m.reads * misses / n, m.writes / n),
            log: io(0.0, m.log_share * m.writes / n),
            syncs: m.writes / n,
            cross_zone: if cluster.zones > 1 { m.writes * m.kib * 1024.0 * saved } else { 0.0 },
            stored: Bytes((m.stored_gib * squeeze / small * self.growth / n * 1e9) as u64),
            log_stored: Bytes::mib(200),
            path: OperationPath {
                cpu: m.cpu * 0.1,
                delay: 0.0005,
                reads: m.reads * misses,
                read_size: m.kib * 1024.0,
                syncs: 1.0,
                sync_size: 4096.0,
                think: 0.0,
                spread: 0.0,
            },
        }
    }
}

pub(crate) fn space() -> SearchSpace {
    SearchSpace {
        nodes: [3, 4],
        stripes: 2,
        log_size: Bytes::gib(2),
        root_volumes: 1,
        tikv: TikvSpace {
            vcpu: 1,
            memory: Bytes(0),
            block_size: vec![Bytes::kib(32), Bytes::kib(4)],
            block_cache: vec![0.45],
            compression: vec![BlockCompression::Default, BlockCompression::Zstd],
            value_separation: Bytes::kib(1),
            separation_row: Bytes::gib(1),
            follower_read: vec![false, true],
            grpc_compression: vec![false],
        },
        innodb: InnodbSpace { block_cache: vec![0.75] },
        nitro_only: vec![NitroOnly { kind: "io".into(), over: 18 }],
    }
}

fn provenance() -> Provenance {
    Provenance { source: "a test", as_of: Date::constant(2026, 11, 1) }
}

fn service(read_us: u64, write_us: u64, softness: f64) -> ServiceTime {
    ServiceTime {
        read: Nanos::micros(read_us),
        write: Nanos::micros(write_us),
        sigma: 0.3,
        link: BytesPerSec::mib(1000.0),
        softness,
        flush: Nanos(0),
        program: Nanos(0),
    }
}

prop_compose! {
    fn instance(index: usize)(
        vcpu in 2_u32..9, memory in 4_u64..32, hourly in 0.01..0.2f64, cap_iops in 20.0..120.0f64,
        cap_mib in 4.0..40.0f64, nitro: bool, volumes in prop::option::of(2_u32..5), family in 0..2_usize,
        sustained in prop::sample::select(vec![1.0, 0.4]),
        flash in prop::option::of((2_u64..30, 20.0..90.0f64, 4.0..25.0f64)),
    ) -> InstanceOffer {
        let (iops, throughput) = (Iops(cap_iops), BytesPerSec::mib(cap_mib));
        InstanceOffer {
            kind: InstanceType {
                name: format!("i{index}"),
                family: ["even", "odd"][family].to_owned(),
                cloud: Cloud::Aws,
                service: None,
                vcpu,
                memory: Bytes::gib(memory),
                arch: "x86_64".into(),
                speed: None,
                nitro,
                caps: Some(InstanceCaps {
                    iops, throughput, burst_iops: iops, burst_throughput: throughput, burst_time: Nanos(0),
                }),
                max_volumes: volumes,
                local: None,
                provenance: provenance(),
            },
            hourly: Usd(hourly),
            cores: f64::from(vcpu) * sustained,
            flash: flash.map(|(gib, iops, mib)| LocalFlash {
                size: Bytes::gib(gib),
                iops: Iops(iops),
                throughput: BytesPerSec::mib(mib),
                io_unit: Bytes::kib(4),
                write_iops_cost: 2.0,
                write_bytes_cost: 1.5,
                service: service(90, 30, 0.1),
            }),
        }
    }
}

/// The limits of a type by its name.
fn volume_type(name: &str, durability: f64, consistency: f64) -> VolumeType {
    let (size, iops, throughput) = match name {
        "gp2" => (
            (1, 14),
            IopsRule::BySize { base: 1.0, per_gib: 3.0, min: Iops(5.0), max: Iops(36.0) },
            ThroughputRule::BySize(vec![
                SizeBand {
                    from: Bytes(0),
                    base: BytesPerSec::mib(3.0),
                    per_gib: BytesPerSec(0.0),
                    max: BytesPerSec::mib(3.0),
                    burst: BytesPerSec::mib(3.0),
                },
                SizeBand {
                    from: Bytes::gib(5),
                    base: BytesPerSec::mib(1.0),
                    per_gib: BytesPerSec::mib(0.7),
                    max: BytesPerSec::mib(9.0),
                    burst: BytesPerSec::mib(9.0),
                },
            ]),
        ),
        "gp3" => (
            (1, 9),
            IopsRule::Provisioned { min: Iops(10.0), max: Iops(26.0), max_per_gib: Some(4.0) },
            ThroughputRule::Provisioned {
                min: BytesPerSec::mib(2.5),
                max: BytesPerSec::mib(9.0),
                max_per_iops: Bytes((0.4 * MIB) as u64),
            },
        ),
        _ => (
            (2, 10),
            IopsRule::Provisioned { min: Iops(4.0), max: Iops(30.0), max_per_gib: Some(5.0) },
            ThroughputRule::ByIops(vec![
                IopsBand { up_to: Iops(15.0), per_io: Bytes((0.5 * MIB) as u64), max: BytesPerSec::mib(6.0) },
                IopsBand { up_to: Iops(30.0), per_io: Bytes((0.4 * MIB) as u64), max: BytesPerSec::mib(11.0) },
            ]),
        ),
    };
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
        durability: Some((durability, durability)),
        consistency: Some(ConsistencyPromise { delivered: 0.9, of_the_time: consistency }),
        provenance: provenance(),
    }
}

prop_compose! {
    fn volume(name: &'static str)(
        per_gib in 0.5..3.0f64, per_iops in 0.05..0.8f64, per_mib in 0.1..3.0f64, read in 200_u64..1500, write in 300_u64..2000,
        durable in prop::sample::select(vec![0.998, 0.99999]), consistent in prop::sample::select(vec![0.99, 0.999]),
        fixed: bool, softness in 1.0..8.0f64,
    ) -> VolumeOffer {
        let kind = volume_type(name, durable, consistent);
        let sold = matches!(kind.iops, IopsRule::Provisioned { .. });
        let fixed_sizes: &[(u64, f64)] = if fixed && name == "gp2" { &[(3, 4.0), (6, 7.0), (13, 11.0)] } else { &[] };
        VolumeOffer {
            price: VolumePrice {
                per_gib: Usd(per_gib),
                included_iops: Iops(if name == "gp3" { 10.0 } else { 0.0 }),
                iops_tiers: if sold { vec![(Iops(0.0), Usd(per_iops)), (Iops(16.0), Usd(per_iops * 0.7))] } else { vec![] },
                included_throughput: BytesPerSec::mib(if name == "gp3" { 2.5 } else { 0.0 }),
                per_mib_s: Usd(if name == "gp3" { per_mib } else { 0.0 }),
                fixed_sizes: fixed_sizes.iter().map(|(gib, usd)| (Bytes::gib(*gib), Usd(*usd))).collect(),
                provenance: provenance(),
            },
            service: service(read, write, softness),
            kind,
        }
    }
}

prop_compose! {
    pub(crate) fn market()(
        instances in (instance(0), instance(1), instance(2), instance(3), 2..5_usize),
        volumes in (volume("gp2"), volume("gp3"), volume("io")),
        chosen in prop::sample::subsequence(vec![0, 1, 2], 2..=3),
    ) -> Market {
        let (a, b, c, d, count) = instances;
        let volumes = [volumes.0, volumes.1, volumes.2];
        Market {
            region: "test-1".into(),
            as_of: None,
            instances: [a, b, c, d].into_iter().take(count).collect(),
            volumes: chosen.into_iter().map(|i: usize| volumes[i].clone()).collect(),
            transfer: Some(Usd(0.02)),
            missing: Vec::new(),
        }
    }
}

prop_compose! {
    pub(crate) fn engine()(
        cpu in 0.05..1.5f64, reads in 0.2..9.0f64, writes in 0.1..4.0f64, kib in 8.0..300.0f64, log_share in 0.1..1.0f64,
        stored_gib in 2.0..30.0f64,
    ) -> Synthetic {
        Synthetic { cpu, reads, writes, kib, log_share, stored_gib }
    }
}

prop_compose! {
    pub(crate) fn task()(
        rate in 1.0..16.0f64, growth in prop::sample::select(vec![0.0, 0.3]), p99_ms in prop::option::weighted(0.8, 5_u64..60),
        clients in prop::option::of(0.02..0.3f64),
        survives in prop::sample::select(vec![AvailabilityTarget::Node, AvailabilityTarget::Zone, AvailabilityTarget::ZoneAndNode]),
        durable in prop::sample::select(vec![None, None, None, Some(0.998)]),
        consistent in prop::sample::select(vec![None, None, None, Some(0.99)]),
        capacity in prop::option::weighted(0.2, 1_u64..12),
    ) -> Task {
        Task {
            engine: Engine::TiKv,
            profile: profile(),
            clients: clients.map(|cycle| cycle * rate),
            targets: Targets {
                throughput: rate,
                p99: p99_ms.map(Nanos::millis),
                growth,
                availability: survives,
                durability: durable.map(Ratio),
                consistency: consistent.map(Ratio),
                capacity: capacity.map(Bytes::gib),
            },
            measured: None,
            growth: None,
        }
    }
}

/// The planner hands it to the engine unread, but for the unit and the row.
fn profile() -> OperationProfile {
    OperationProfile { point_reads: 1.0, updates: 1.0, ..OperationProfile::raw_keys(Bytes(100), Bytes::gib(10), 0.5) }
}
