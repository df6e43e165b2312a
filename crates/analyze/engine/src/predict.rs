//! How far given machines and disks go, and what comes out under a load.

use disk::{DiskLimits, ServiceTime};
use limits::BindingLimit;
use units::{BytesPerSec, Iops, Nanos};

use crate::demand::OperationDemand;
use crate::latency::{self, Population};

/// What can run out in the analytic form: the limits of [`BindingLimit`] that a prediction looks at. JSON names a disk by its
/// role, where the limit says `volume`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Cores of the storage nodes.
    Cpu,
    /// I/Os a second of the data volume.
    DataIops,
    /// Bytes a second of the data volume.
    DataThroughput,
    /// I/Os a second of the log volume.
    LogIops,
    /// Bytes a second of the log volume.
    LogThroughput,
    /// I/Os a second that the instance lets through.
    InstanceIops,
    /// Bytes a second that the instance lets through.
    InstanceThroughput,
    /// Clients that wait for their answers (closed loop): nothing is full.
    Clients,
}

impl From<Resource> for BindingLimit {
    fn from(resource: Resource) -> Self {
        match resource {
            Resource::Cpu => Self::Cpu,
            Resource::DataIops => Self::VolumeIops,
            Resource::DataThroughput => Self::VolumeThroughput,
            Resource::LogIops => Self::LogVolumeIops,
            Resource::LogThroughput => Self::LogVolumeThroughput,
            Resource::InstanceIops => Self::InstanceIops,
            Resource::InstanceThroughput => Self::InstanceThroughput,
            Resource::Clients => Self::Clients,
        }
    }
}

/// One disk's limits as the engine needs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiskCapacity {
    /// Sustained I/Os a second.
    pub iops: Iops,
    /// Sustained bytes a second.
    pub throughput: BytesPerSec,
    /// Bytes that count as one I/O.
    pub io_unit: f64,
    /// Latency while no limit binds.
    pub service: ServiceTime,
    /// Whether it shares the instance's caps.
    pub shares_instance_caps: bool,
}

impl From<&DiskLimits> for DiskCapacity {
    /// The sustained part: bursts do not carry a plan.
    fn from(limits: &DiskLimits) -> Self {
        Self {
            iops: limits.iops,
            throughput: limits.throughput,
            io_unit: limits.io_unit.as_f64(),
            service: limits.service,
            shares_instance_caps: limits.shares_instance_caps,
        }
    }
}

/// What one node has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeCapacity {
    /// The data disk.
    pub data: DiskCapacity,
    /// The log's own disk, if any.
    pub log: Option<DiskCapacity>,
    /// Sustained instance caps, if any.
    pub instance: Option<(Iops, BytesPerSec)>,
    /// Cores.
    pub cores: f64,
}

/// How operations arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OfferedLoad {
    /// So many clients, each waiting for its answer.
    Closed(f64),
    /// So many operations a second, whatever the latency.
    Open(f64),
}

/// What comes out.
#[derive(Debug, Clone, PartialEq)]
pub struct EnginePrediction {
    /// Operations a second.
    pub throughput: f64,
    /// Operations a second at which the first resource is full.
    pub ceiling: f64,
    /// Mean latency.
    pub mean: Nanos,
    /// Median latency.
    pub p50: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
    /// Share of each resource in use, at `throughput`.
    pub utilisation: Vec<(Resource, f64)>,
    /// What gives first.
    pub bottleneck: Resource,
}

/// Share of each resource that one operation a second uses; zero for a resource that the node does not have.
pub fn utilisation(demand: &OperationDemand, capacity: &NodeCapacity) -> [(Resource, f64); 7] {
    let (on_data, on_log) = match capacity.log {
        Some(_) => (demand.data, demand.log),
        None => (demand.data.plus(&demand.log), Default::default()),
    };
    let log = capacity.log.as_ref();
    let counted = |io: &crate::IoDemand, disk: &DiskCapacity| io.counted(disk.io_unit);
    // The instance sees what its network volumes see, counted the same way.
    let shared = |of: fn(&crate::IoDemand, f64) -> f64| {
        let data = if capacity.data.shares_instance_caps { of(&on_data, capacity.data.io_unit) } else { 0.0 };
        let log = log.filter(|l| l.shares_instance_caps).map_or(0.0, |l| of(&on_log, l.io_unit));
        data + log
    };
    let instance = |of: fn(&crate::IoDemand, f64) -> f64, cap: fn(&(Iops, BytesPerSec)) -> f64| {
        capacity.instance.as_ref().map_or(0.0, |caps| shared(of) / cap(caps))
    };
    [
        (Resource::Cpu, demand.cpu / capacity.cores),
        (Resource::DataIops, counted(&on_data, &capacity.data) / capacity.data.iops.0),
        (Resource::DataThroughput, on_data.bytes() / capacity.data.throughput.0),
        (Resource::LogIops, log.map_or(0.0, |l| counted(&on_log, l) / l.iops.0)),
        (Resource::LogThroughput, log.map_or(0.0, |l| on_log.bytes() / l.throughput.0)),
        (Resource::InstanceIops, instance(|io, unit| io.counted(unit), |caps| caps.0.0)),
        (Resource::InstanceThroughput, instance(|io, _| io.bytes(), |caps| caps.1.0)),
    ]
}

/// Operations a second of the cluster at which the first resource is full, and which.
pub fn ceiling(demand: &OperationDemand, capacity: &NodeCapacity) -> (f64, Resource) {
    let fullest = utilisation(demand, capacity).into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    fullest.map_or((f64::INFINITY, Resource::Clients), |(resource, share)| (1.0 / share, resource))
}

/// What comes out of `load` on a cluster whose nodes have `capacity`.
///
/// A closed loop obeys the response law N = X (Z + R(X)) of mean-value analysis: R grows with X, so there is one X below the
/// ceiling, found by bisection; where the clients could push past the ceiling, X stays there and the rest of R is waiting.
pub fn predict(demand: &OperationDemand, capacity: &NodeCapacity, load: OfferedLoad) -> EnginePrediction {
    let (ceiling, first) = ceiling(demand, capacity);
    let (throughput, population) = match load {
        OfferedLoad::Open(rate) => (rate.min(ceiling), Population::Open),
        OfferedLoad::Closed(clients) => {
            let cycle = |rate: f64| {
                let latency = latency::at(demand, capacity, rate, Population::Closed(clients));
                demand.path.think + latency.mean.as_secs_f64()
            };
            let fits = |rate: f64| rate * cycle(rate) <= clients;
            let (mut low, mut high) = (0.0, ceiling);
            if !fits(ceiling) {
                for _ in 0..60 {
                    let middle = (low + high) / 2.0;
                    if fits(middle) { low = middle } else { high = middle }
                }
                (low, Population::Closed(clients))
            } else {
                (ceiling, Population::Closed(clients))
            }
        }
    };
    let saturated = throughput >= ceiling * 0.999;
    let mut latency = latency::at(demand, capacity, throughput, population);
    if let (OfferedLoad::Closed(clients), true) = (load, saturated) {
        let waiting = clients / throughput - demand.path.think - latency.mean.as_secs_f64();
        latency = latency.plus_waiting(waiting.max(0.0));
    }
    let bottleneck = if matches!(load, OfferedLoad::Closed(_)) && !saturated { Resource::Clients } else { first };
    EnginePrediction {
        throughput,
        ceiling,
        mean: latency.mean,
        p50: latency.p50,
        p99: latency.p99,
        utilisation: utilisation(demand, capacity).map(|(resource, share)| (resource, share * throughput)).to_vec(),
        bottleneck,
    }
}

#[cfg(test)]
mod resource_tests {
    use super::*;

    #[test]
    fn a_resource_is_named_like_its_limit() {
        let capacity = |resource: Resource| serde_json::to_value(resource).unwrap().as_str().unwrap().to_owned();
        for resource in [
            Resource::Cpu,
            Resource::DataIops,
            Resource::DataThroughput,
            Resource::LogIops,
            Resource::LogThroughput,
            Resource::InstanceIops,
            Resource::InstanceThroughput,
            Resource::Clients,
        ] {
            let by_role = capacity(resource).replace("data-", "volume-").replace("log-", "log-volume-");
            assert_eq!(by_role, BindingLimit::from(resource).name());
        }
    }
}
