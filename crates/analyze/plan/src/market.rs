//! What is for sale in one region on one day.

use std::sync::LazyLock;

use catalog::{CatalogError, CatalogView, Cloud, Date, InstanceType, VolumeMedium, VolumePrice, VolumeType};
use disk::{BeyondLimit, Disk, ServiceTime, Volume, VolumeNeed, VolumeProvision, VolumeSizing};
use engine::IoDemand;
use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::{LayoutConstraint, RejectedCandidate};

/// An instance type and its price.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceOffer {
    /// The type.
    pub kind: InstanceType,
    /// Price of an hour.
    pub hourly: Usd,
    /// Cores that it sustains, in threads of an m5: its hardware threads times their speed, fewer where they burst.
    pub cores: f64,
    /// Its own flash, where its limits are known.
    pub flash: Option<LocalFlash>,
}

/// The flash of an instance, all devices as one disk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFlash {
    /// Capacity.
    pub size: Bytes,
    /// Sustained I/Os a second.
    pub iops: Iops,
    /// Sustained throughput.
    pub throughput: BytesPerSec,
    /// Bytes that count as one I/O.
    pub io_unit: Bytes,
    /// What a write takes of the I/O rate, in reads.
    pub write_iops_cost: f64,
    /// What a written byte takes of the throughput, in bytes read.
    pub write_bytes_cost: f64,
    /// Latency while no limit binds.
    pub service: ServiceTime,
}

/// A type of network SSD volume and its price.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeOffer {
    /// The type.
    pub kind: VolumeType,
    /// Its price.
    pub price: VolumePrice,
    /// Latency while no limit binds.
    pub service: ServiceTime,
}

/// Something that exists but cannot be planned with, and the fact that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingFact {
    /// The instance type or volume type.
    pub name: String,
    /// The family or disk type to which it belongs.
    pub subject: RejectedCandidate,
    /// What the catalogue lacks, for people.
    pub fact: String,
}

/// What is for sale in one region on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct Market {
    /// The region.
    pub region: String,
    /// The day whose facts hold; `None` for the newest.
    pub as_of: Option<Date>,
    /// Instances with price and limits.
    pub instances: Vec<InstanceOffer>,
    /// Network SSD volumes with price and limits.
    pub volumes: Vec<VolumeOffer>,
    /// Price of a GB (10⁹ bytes) moved between zones; `None` where the catalogue has none.
    pub transfer: Option<Usd>,
    /// What was left out for want of a fact.
    pub missing: Vec<MissingFact>,
}

/// The disk type's name of the instance's own flash.
pub const FLASH: &str = Volume::LOCAL;

impl Market {
    /// Everything that has a price and limits in a region.
    ///
    /// # Errors
    /// When no region has that name.
    pub fn from_view(view: &CatalogView, region: &str) -> Result<Self, CatalogError> {
        let cloud = view.region(region)?;
        let mut market = Self {
            region: region.to_owned(),
            as_of: view.date(),
            instances: Vec::new(),
            volumes: Vec::new(),
            transfer: view.transfer(cloud).ok().map(|t| t.per_gb),
            missing: Vec::new(),
        };
        for kind in view.instances(cloud) {
            match instance_offer(view, region, kind) {
                Ok(offer) => market.instances.push(offer),
                Err(fact) => market.missing.push(MissingFact {
                    name: kind.name.clone(),
                    subject: RejectedCandidate::Family(kind.family.clone()),
                    fact,
                }),
            }
        }
        for kind in view.volumes(cloud).filter(|v| v.medium == VolumeMedium::Ssd && v.service.is_none()) {
            match volume_offer(view, region, kind) {
                Ok(offer) => market.volumes.push(offer),
                Err(fact) => market.missing.push(MissingFact {
                    name: kind.name.clone(),
                    subject: RejectedCandidate::Disk(kind.name.clone()),
                    fact,
                }),
            }
        }
        Ok(market)
    }

    /// The cloud, if anything is for sale.
    pub fn cloud(&self) -> Option<Cloud> {
        self.instances.first().map(|i| i.kind.cloud)
    }

    /// Names of the disk types for data: network volumes and, if any instance has it, its own flash.
    pub fn disks(&self) -> impl Iterator<Item = &str> {
        let flash = self.instances.iter().any(|i| i.flash.is_some()).then_some(FLASH);
        self.volumes.iter().map(|v| v.kind.name.as_str()).chain(flash)
    }
}

fn instance_offer(view: &CatalogView, region: &str, kind: &InstanceType) -> Result<InstanceOffer, String> {
    let hourly = view.instance_price(region, &kind.name).map_err(|e| e.to_string())?;
    if kind.caps.is_none() {
        return Err(format!("the catalogue has no limits of {} to network volumes", kind.name));
    }
    let cores = kind.sustained_threads().map_err(|e| e.to_string())? * thread_speed(view, kind)?;
    // Flash whose limits nobody published is left alone; the instance still serves with network volumes.
    let flash = kind.local.and_then(|local| {
        let limits = volume(FLASH, local.size).limits(view, Some(kind)).ok()?;
        Some(LocalFlash {
            size: limits.size,
            iops: limits.iops,
            throughput: limits.throughput,
            io_unit: limits.io_unit,
            write_iops_cost: limits.write_iops_cost,
            write_bytes_cost: limits.write_bytes_cost,
            service: limits.service,
        })
    });
    Ok(InstanceOffer { kind: kind.clone(), hourly, cores, flash })
}

/// What a hardware thread does against an m5's, in which the engines' constants are told.
///
/// Where the catalogue compares no processor of a cloud, all count as an m5's; where it compares some, the others are not
/// planned with: old ones and those beside accelerators.
fn thread_speed(view: &CatalogView, kind: &InstanceType) -> Result<f64, String> {
    if kind.speed.is_none() && view.instances(kind.cloud).any(|i| i.speed.is_some()) {
        return Err(format!("the catalogue has no processor speed of the {} family", kind.family));
    }
    Ok(kind.thread_speed())
}

/// A row of `tables/instance_limits.csv`: a volume type for which no source tells what an instance lets through.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct UnknownOnInstances {
    kind: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

static UNKNOWN_ON_INSTANCES: LazyLock<Vec<UnknownOnInstances>> = LazyLock::new(|| {
    let rows = csv::Reader::from_reader(include_str!("../tables/instance_limits.csv").as_bytes()).into_deserialize();
    rows.map(|row| row.expect("tested: every row fits its type")).collect()
});

fn volume_offer(view: &CatalogView, region: &str, kind: &VolumeType) -> Result<VolumeOffer, String> {
    if UNKNOWN_ON_INSTANCES.iter().any(|row| row.kind == kind.name) {
        return Err(format!("the catalogue has no limits of instances to {}", kind.name));
    }
    let price = view.volume_price(region, &kind.name).map_err(|e| e.to_string())?;
    let limits = volume(&kind.name, kind.size.0).limits(view, None).map_err(|e| e.to_string())?;
    Ok(VolumeOffer { kind: kind.clone(), price: price.clone(), service: limits.service })
}

fn volume(kind: &str, size: Bytes) -> Disk {
    Disk { stripe: 1, volume: Volume { kind: kind.to_owned(), size, iops: None, throughput: None }, cache: None }
}

impl LocalFlash {
    /// The I/Os and bytes a second that are left for a mix of reads and writes, which share the device.
    pub fn rates_for(&self, io: &IoDemand) -> (Iops, BytesPerSec) {
        let unit = self.io_unit.as_f64();
        let (reads, writes) = (io.reads.max(io.read_bytes / unit), io.writes.max(io.write_bytes / unit));
        let share =
            |read: f64, write: f64, cost: f64| if write > 0.0 { (read + write) / (read + write * cost) } else { 1.0 };
        let iops = self.iops * share(reads, writes, self.write_iops_cost);
        (iops, self.throughput * share(io.read_bytes, io.write_bytes, self.write_bytes_cost))
    }
}

impl VolumeOffer {
    /// The law of sizing volumes of this type, as it is sold here.
    fn sizing(&self) -> VolumeSizing<'_> {
        VolumeSizing::new(&self.kind, Some(&self.price))
    }

    /// Sustained I/Os a second.
    pub fn iops(&self, p: VolumeProvision) -> Iops {
        self.sizing().iops(p)
    }

    /// Sustained throughput.
    pub fn throughput(&self, p: VolumeProvision) -> BytesPerSec {
        self.sizing().throughput(p)
    }

    /// Price of a month.
    pub fn monthly(&self, p: VolumeProvision) -> Usd {
        self.price.monthly(Bytes::gib(p.gib), self.iops(p), self.throughput(p))
    }

    /// The volume as a deployment writes it.
    pub fn volume(&self, p: VolumeProvision) -> Volume {
        self.sizing().volume(p)
    }

    /// The cheapest volume that carries `need`, with at most `most_iops` I/Os a second provisioned.
    ///
    /// # Errors
    /// The limit that no volume of the type reaches.
    pub fn least(&self, need: VolumeNeed, most_iops: Option<u64>) -> Result<VolumeProvision, BeyondLimit> {
        self.sizing().least(need, most_iops)
    }

    /// The volume of `least` with what its throughput hangs on raised to `rung`.
    ///
    /// # Errors
    /// The limit that is then exceeded.
    pub fn raise(
        &self,
        least: VolumeProvision,
        rung: u64,
        most_iops: Option<u64>,
    ) -> Result<VolumeProvision, BeyondLimit> {
        self.sizing().raise(least, rung, most_iops)
    }

    /// The rungs of what throughput hangs on: that of `least`, and the highest there is.
    pub fn rungs(&self, least: VolumeProvision, most_iops: Option<u64>) -> (u64, u64) {
        self.sizing().rungs(least, most_iops)
    }

    /// The promise that a stripe of `n` such volumes fails, if any: of durability, then of consistency.
    pub(crate) fn broken_promise(&self, n: u32, targets: &workload::Targets) -> Option<(LayoutConstraint, f64, f64)> {
        // Volumes fail apart from each other: a stripe is whole only while all its volumes are.
        let durable = self.kind.durability.map_or(0.0, |(low, _)| low.powi(n as i32));
        let consistent = self.kind.on_time(n);
        let short = |asked: Option<units::Ratio>, given: f64| asked.map(|a| a.0).filter(|a| given + 1e-12 < *a);
        short(targets.durability, durable).map(|asked| (LayoutConstraint::Durability, asked, durable)).or_else(|| {
            short(targets.consistency, consistent).map(|asked| (LayoutConstraint::Consistency, asked, consistent))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_without_instance_limits_is_missing_by_name_and_has_a_source() {
        let view = catalog::Catalog::embedded().at(None);
        let market = Market::from_view(&view, "us-central1").unwrap();
        for row in UNKNOWN_ON_INSTANCES.iter() {
            assert!(!row.source.is_empty(), "{}", row.kind);
            assert!(market.volumes.iter().all(|offer| offer.kind.name != row.kind));
            let sold = view.volume(&row.kind).is_ok();
            assert_eq!(market.missing.iter().any(|fact| fact.name == row.kind), sold, "{}", row.kind);
        }
    }
}
