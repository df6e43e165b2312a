//! What is for sale in one region on one day.

use std::collections::BTreeSet;

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
    /// Indices of the market's volume types that it does not take, or to which its limits are not known.
    pub refuses: Vec<usize>,
}

impl InstanceOffer {
    /// Whether it takes a volume type, by its index in the market.
    pub fn takes(&self, volume: usize) -> bool {
        !self.refuses.contains(&volume)
    }
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
    /// Families that the region offers and of which no size has a price in the catalogue.
    pub unpriced: Vec<String>,
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
            unpriced: Vec::new(),
        };
        let offered = view.offered(region);
        let priced = |kind: &InstanceType| view.instance_price(region, &kind.name).is_ok();
        let families: BTreeSet<&str> =
            view.instances(cloud).filter(|kind| priced(kind)).map(|kind| kind.family.as_str()).collect();
        let unpriced = offered.into_iter().flatten().filter(|family| !families.contains(family.as_str()));
        market.unpriced = unpriced.cloned().collect();
        // What a region neither prices nor offers is not sold there, which is no news.
        let sold = |kind: &&InstanceType| priced(kind) || offered.is_none_or(|all| all.contains(&kind.family));
        for kind in view.instances(cloud).filter(sold) {
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
        market.attach(view);
        Ok(market)
    }

    /// Finds which instance takes which volume type. An instance that takes none, or a volume type that none takes, is missing.
    fn attach(&mut self, view: &CatalogView) {
        let mut why: Vec<Option<String>> = vec![None; self.volumes.len()];
        for offer in &mut self.instances {
            for (i, volume) in self.volumes.iter().enumerate() {
                if let Err(error) = view.takes(&offer.kind, &volume.kind) {
                    offer.refuses.push(i);
                    why[i] = Some(error.to_string());
                }
            }
        }
        let instances = &self.instances;
        for (i, volume) in
            self.volumes.iter().enumerate().filter(|(i, _)| instances.iter().all(|offer| !offer.takes(*i)))
        {
            if let Some(fact) = why[i].take() {
                let subject = RejectedCandidate::Disk(volume.kind.name.clone());
                self.missing.push(MissingFact { name: volume.kind.name.clone(), subject, fact });
            }
        }
        let idle: Vec<bool> = (0..self.volumes.len()).map(|i| instances.iter().all(|offer| !offer.takes(i))).collect();
        let place = |i: usize| idle[..i].iter().filter(|idle| !**idle).count();
        for offer in &mut self.instances {
            offer.refuses = offer.refuses.iter().filter(|i| !idle[**i]).map(|i| place(*i)).collect();
        }
        let mut idle = idle.into_iter();
        self.volumes.retain(|_| !idle.next().unwrap_or_default());
        let all = self.volumes.len();
        let (takes_any, missing) = (&mut self.instances, &mut self.missing);
        takes_any.retain(|offer| {
            let bare = offer.flash.is_none() && offer.refuses.len() == all;
            if bare {
                let fact = format!("{} takes none of the disks whose price and limits are known here", offer.kind.name);
                let subject = RejectedCandidate::Family(offer.kind.family.clone());
                missing.push(MissingFact { name: offer.kind.name.clone(), subject, fact });
            }
            !bare
        });
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
    let cores = kind.sustained_threads().map_err(|e| e.to_string())? * kind.thread_speed();
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
    Ok(InstanceOffer { kind: kind.clone(), hourly, cores, flash, refuses: Vec::new() })
}

fn volume_offer(view: &CatalogView, region: &str, kind: &VolumeType) -> Result<VolumeOffer, String> {
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
    fn a_disk_without_limits_of_instances_is_missing_by_name_and_no_machine_gets_a_disk_that_it_does_not_take() {
        let view = catalog::Catalog::embedded().at(None);
        let market = Market::from_view(&view, "us-central1").unwrap();
        let missing = |name: &str| market.missing.iter().find(|fact| fact.name == name).map(|fact| fact.fact.clone());
        assert!(missing("hyperdisk-balanced").unwrap().contains("no limits of an instance to a disk"));
        assert!(missing("c4-standard-8").unwrap().contains("no limits of c4-standard-8"));
        let takes = |market: &Market, instance: &str, kind: &str| {
            let offer = market.instances.iter().find(|offer| offer.kind.name == instance)?;
            let volume = market.volumes.iter().position(|volume| volume.kind.name == kind)?;
            Some(offer.takes(volume))
        };
        assert_eq!(takes(&market, "n2-standard-8", "pd-ssd"), Some(true));
        let azure = Market::from_view(&view, "eastus").unwrap();
        assert_eq!(takes(&azure, "Standard_L8s_v3", "premium-v1-p30"), Some(true));
        for offer in market.instances.iter().chain(&azure.instances) {
            let volumes = if offer.kind.cloud == Cloud::Gcp { &market.volumes } else { &azure.volumes };
            for (i, volume) in volumes.iter().enumerate() {
                assert_eq!(offer.takes(i), view.takes(&offer.kind, &volume.kind).is_ok(), "{}", offer.kind.name);
            }
        }
    }
}
