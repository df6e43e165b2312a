//! A layout: everything about a deployment but its settings and what is provisioned.

use disk::{ServiceTime, VolumeProvision};
use engine::{DiskCapacity, NodeCapacity, OperationDemand};
use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::market::{InstanceOffer, Market, VolumeOffer};
use crate::problem::Problem;

/// Equal nodes of one instance type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Body {
    /// Index into the market's instances.
    pub(crate) instance: usize,
    pub(crate) nodes: u32,
    /// Price of a month.
    pub(crate) compute: Usd,
    /// Demands on nodes of this shape.
    pub(crate) row: usize,
    /// Demands with the flash as read cache, if the instance has any.
    pub(crate) cached_row: Option<usize>,
}

/// Where the data lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Data {
    /// A stripe of volumes of a type (index into the market's volumes).
    Network { kind: usize, stripe: u32 },
    /// The instance's flash.
    Flash,
}

/// Where the log lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Log {
    /// With the data.
    Shared,
    /// On a volume of its own of a type.
    Own(usize),
}

/// Which machines, which disks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Layout {
    /// Index into the search's bodies.
    pub(crate) body: usize,
    pub(crate) data: Data,
    pub(crate) log: Log,
}

impl Layout {
    /// Whether both share a place in the ranking: they differ at most in how wide the data is striped.
    pub(crate) fn shares_place(&self, other: &Self) -> bool {
        let kind = |data: Data| if let Data::Network { kind, .. } = data { Some(kind) } else { None };
        (self.body, kind(self.data), self.log) == (other.body, kind(other.data), other.log)
    }
}

/// A layout with settings and provisioning that meets the targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) layout: Layout,
    pub(crate) nodes: u32,
    pub(crate) instance: usize,
    /// Which of the settings of its row, in the order of the space.
    pub(crate) settings: deployment::EngineSettings,
    pub(crate) ordinal: usize,
    pub(crate) cached: bool,
    pub(crate) data: VolumeProvision,
    pub(crate) log: VolumeProvision,
    pub(crate) compute: Usd,
    pub(crate) disks: Usd,
    pub(crate) transfer: Usd,
}

impl Candidate {
    pub(crate) fn monthly(&self) -> f64 {
        (self.compute + self.disks + self.transfer).0
    }

    /// Whether both are the same machines, disks and settings.
    pub(crate) fn same_deployment(&self, other: &Self) -> bool {
        Self { transfer: self.transfer, ordinal: self.ordinal, ..*other } == *self
    }

    /// The ranking: price first, then an order that no run of the program changes.
    pub(crate) fn rank(&self) -> (f64, Layout, usize) {
        (self.monthly(), self.layout, self.ordinal)
    }

    /// What each node has.
    pub(crate) fn capacity(&self, market: &Market, demand: &OperationDemand) -> NodeCapacity {
        let offer = &market.instances[self.instance];
        let data = match self.layout.data {
            Data::Flash => flash_capacity(offer, demand, self.layout.log),
            Data::Network { kind, stripe } => volume_capacity(&market.volumes[kind], self.data, stripe),
        };
        let log = match self.layout.log {
            Log::Shared => None,
            Log::Own(kind) => Some(volume_capacity(&market.volumes[kind], self.log, 1)),
        };
        capacity(offer, data, log)
    }
}

pub(crate) fn capacity(offer: &InstanceOffer, data: DiskCapacity, log: Option<DiskCapacity>) -> NodeCapacity {
    let instance = offer.kind.caps.map(|caps| (caps.iops, caps.throughput));
    NodeCapacity { data, log, instance, cores: offer.cores }
}

/// The instance's flash under the mix of reads and writes of a demand.
pub(crate) fn flash_capacity(offer: &InstanceOffer, demand: &OperationDemand, log: Log) -> DiskCapacity {
    let flash = offer.flash.as_ref().expect("data on flash only where there is some");
    let io = if log == Log::Shared { demand.data.plus(&demand.log) } else { demand.data };
    let (iops, throughput) = flash.rates_for(&io);
    DiskCapacity {
        iops,
        throughput,
        io_unit: flash.io_unit.as_f64(),
        service: flash.service,
        shares_instance_caps: false,
    }
}

pub(crate) fn volume_capacity(offer: &VolumeOffer, p: VolumeProvision, stripe: u32) -> DiskCapacity {
    let n = f64::from(stripe);
    network_capacity(offer.iops(p) * n, offer.throughput(p) * n, offer.kind.io_unit, offer.service)
}

/// A disk that is never full.
pub(crate) fn unlimited(offer: &VolumeOffer) -> DiskCapacity {
    network_capacity(Iops(1e15), BytesPerSec(1e18), offer.kind.io_unit, offer.service)
}

/// A disk that is never full, and in each of its times as fast as the fastest for sale that promises what is asked; `None` where none
/// does.
pub(crate) fn fastest(problem: &Problem<'_>) -> Option<DiskCapacity> {
    let (market, targets) = (problem.market, &problem.task.targets);
    // Nothing is promised of flash.
    let asked = [targets.durability, targets.consistency].into_iter().flatten().any(|share| share.0 > 0.0);
    let may_be_flash = problem.rule.local_flash && !asked;
    let flash = market.instances.iter().filter_map(|instance| instance.flash.map(|flash| flash.service));
    let flash = flash.filter(|_| may_be_flash);
    let volumes = market.volumes.iter().filter(|volume| volume.broken_promise(1, targets).is_none());
    let faster = |a: ServiceTime, b: ServiceTime| ServiceTime {
        read: a.read.min(b.read),
        write: a.write.min(b.write),
        sigma: a.sigma.min(b.sigma),
        link: a.link.max(b.link),
        softness: a.softness.min(b.softness),
        flush: a.flush.min(b.flush),
        program: a.program.min(b.program),
    };
    let service = volumes.map(|volume| volume.service).chain(flash).reduce(faster)?;
    Some(network_capacity(Iops(1e15), BytesPerSec(1e18), Bytes::mib(1), service))
}

fn network_capacity(iops: Iops, throughput: BytesPerSec, unit: Bytes, service: ServiceTime) -> DiskCapacity {
    DiskCapacity { iops, throughput, io_unit: unit.as_f64(), service, shares_instance_caps: true }
}
