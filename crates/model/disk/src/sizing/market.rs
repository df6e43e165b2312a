//! Which disk carries rates that another does not, of what is sold on a day in a region.

use catalog::{CatalogView, Cloud, InstanceType, VolumeMedium, VolumeType};
use units::{Bytes, BytesPerSec, Iops, Ratio, Usd};

use super::conversion::becomes;
use super::{DiskRates, VolumeNeed, VolumeSizing};
use crate::limits::most_iops;
use crate::{Disk, DiskLimits};

/// Provisioned I/O rates are rounded up to this, where the type sells so much.
const IOPS_STEP: f64 = 100.0;

/// Provisioned MiB a second are rounded up to this, where the type sells so much.
const MIB_STEP: f64 = 5.0;

/// A disk carries rates that its limits miss by no more than rounding.
const CARRIES: f64 = 0.999;

/// Halvings with which [`DiskMarket::nearest`] looks for the most of a rate: to less than one I/O a second of any type.
const HALVINGS: u32 = 48;

/// Market of disks: a region's types and prices, for an instance.
#[derive(Debug, Clone, Copy)]
pub struct DiskMarket<'a> {
    /// The catalogue's facts of a day.
    pub view: &'a CatalogView,
    /// Where prices are looked up; without one, no price is known.
    pub region: Option<&'a str>,
    /// The instance that takes the disk, where it is known.
    pub instance: Option<&'a InstanceType>,
    /// Share of the time, over 0 and up to 1, for which all volumes of a disk must promise their rates; `None` asks for no promise.
    pub consistency: Option<Ratio>,
}

/// A disk that carries a need.
#[derive(Debug, Clone, PartialEq)]
pub struct SuitableDisk {
    /// The disk.
    pub disk: Disk,
    /// Sustained limits.
    pub limits: DiskLimits,
    /// Price a month; `None` where unknown.
    pub monthly: Option<Usd>,
}

impl DiskMarket<'_> {
    /// Other disks that a disk can become in place and that sustain the rates: as many volumes, each of its size or more. The
    /// cheapest comes first, those without a price last.
    pub fn carriers(&self, disk: &Disk, rates: DiskRates) -> Vec<SuitableDisk> {
        let now = disk.limits(self.view, self.instance).ok();
        let kinds = self.kinds(disk).into_iter();
        let mut fit: Vec<SuitableDisk> = kinds
            .filter_map(|kind| self.least(&kind, disk, rates))
            .filter(|one| one.differs(disk, now.as_ref()))
            .collect();
        fit.sort_by(|a, b| a.price().total_cmp(&b.price()));
        fit
    }

    /// The disk that comes nearest to rates that no carrier sustains; `None` where none sustains more than the disk does.
    pub fn nearest(&self, disk: &Disk, rates: DiskRates) -> Option<SuitableDisk> {
        let now = disk.limits(self.view, self.instance).ok()?;
        let asks = [(rates.iops.0, now.iops.0), (rates.throughput.0, now.throughput.0)];
        let reached = |one: &SuitableDisk| {
            let has = [one.limits.iops.0, one.limits.throughput.0];
            let asked = has.into_iter().zip(asks).filter(|(_, (asked, now))| asked > now);
            asked.map(|(has, (asked, _))| (has / asked).min(1.0)).fold(1.0, f64::min)
        };
        let rises = |one: &SuitableDisk| {
            let (iops, throughput) = (one.limits.iops.0, one.limits.throughput.0);
            (rates.iops.0 > now.iops.0 && iops > now.iops.0)
                || (rates.throughput.0 > now.throughput.0 && throughput > now.throughput.0)
        };
        let kinds = self.kinds(disk).into_iter();
        let all = kinds.filter_map(|kind| self.most(&kind, disk, &now, rates)).filter(rises);
        all.min_by(|a, b| reached(b).total_cmp(&reached(a)).then(a.price().total_cmp(&b.price())))
    }

    /// The cheapest single volume of a cloud's network SSD types that carries a need; one without a price only where none has one.
    pub fn cheapest_ssd(&self, cloud: Cloud, need: VolumeNeed) -> Option<SuitableDisk> {
        let service = self.instance.and_then(|instance| instance.service.as_ref());
        let sold = |kind: &&VolumeType| kind.medium == VolumeMedium::Ssd && kind.service.as_ref() == service;
        let kinds = self.view.volumes(cloud).filter(sold).map(|kind| self.view.said_name(&kind.name));
        let all = kinds.filter_map(|kind| {
            let disk = Disk::from(self.provision(kind, need)?);
            self.suitable(disk)
        });
        all.min_by(|a, b| a.price().total_cmp(&b.price()))
    }

    /// The types that a disk can become. Local flash and a disk without limits are no volumes that a cloud modifies.
    fn kinds(&self, disk: &Disk) -> Vec<String> {
        if disk.volume.is_local() || disk.volume.is_unlimited() {
            return Vec::new();
        }
        let kind = disk.volume.kind.as_str();
        let own = becomes(self.view.said_name(kind)).into_iter();
        match self.view.volume(kind).ok().and_then(|kind| kind.service.as_ref()) {
            // Without the class only the service's own names tell whose disk it is.
            Some(service) => {
                let sold = |said| self.view.sold_by(service, said).map(|kind| kind.name.clone());
                own.filter_map(sold).collect()
            }
            None => own.map(str::to_owned).collect(),
        }
    }

    /// The cheapest disk of a type that sustains the rates.
    fn least(&self, kind: &str, disk: &Disk, rates: DiskRates) -> Option<SuitableDisk> {
        let share = 1.0 / f64::from(disk.stripe);
        let exact =
            VolumeNeed { size: disk.volume.size, iops: rates.iops * share, throughput: rates.throughput * share };
        let round = |value: f64, step: f64| (value / step).ceil() * step;
        let rounded = VolumeNeed {
            iops: Iops(round(exact.iops.0, IOPS_STEP)),
            throughput: BytesPerSec::mib(round(exact.throughput.as_mib(), MIB_STEP)),
            ..exact
        };
        let mut volume = self.provision(kind, rounded).or_else(|| self.provision(kind, exact))?;
        // A size that is no whole number of GiB stays as it is.
        if volume.size == Bytes::gib(disk.volume.size.0.div_ceil(1 << 30)) && volume.kind == disk.volume.kind {
            volume.size = disk.volume.size;
        }
        let found = self.suitable(Disk { volume, ..disk.clone() })?;
        let carries =
            found.limits.iops.0 >= rates.iops.0 * CARRIES && found.limits.throughput.0 >= rates.throughput.0 * CARRIES;
        carries.then_some(found)
    }

    /// The volume of a type that the closed form buys.
    fn provision(&self, kind: &str, need: VolumeNeed) -> Option<crate::Volume> {
        let now = self.view.volume_on(kind, need.size, self.instance).ok()?;
        // A service has other rules from a size on: the dearer step may be the first that will do.
        let sizes = self.view.sizes_of(now).into_iter().filter(|step| step.size.1 >= need.size);
        let steps = sizes.filter_map(|step| {
            let price = self.region.and_then(|region| self.view.volume_price(region, &step.name).ok());
            let sizing = VolumeSizing::new(step, price);
            let most = self.instance.and_then(|instance| most_iops(&step.name, instance));
            let volume = sizing.volume(sizing.least(need, most).ok()?);
            let volume = crate::Volume { kind: kind.to_owned(), ..volume };
            let usd = self
                .region
                .and_then(|region| Disk::from(volume.clone()).monthly_on(self.view, region, self.instance).ok());
            Some((usd.map_or(f64::INFINITY, |usd| usd.0), volume))
        });
        steps.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, volume)| volume)
    }

    fn suitable(&self, disk: Disk) -> Option<SuitableDisk> {
        let limits = disk.limits(self.view, self.instance).ok()?;
        let kind = disk.kind(self.view, self.instance).ok()?;
        if self.consistency.is_some_and(|asked| kind.on_time(disk.stripe) < asked.0) {
            return None;
        }
        let monthly = self.region.and_then(|region| disk.monthly_on(self.view, region, self.instance).ok());
        Some(SuitableDisk { limits, monthly, disk })
    }

    /// The disk of a type that comes nearest to the rates: the most IOPS first, then the most throughput beside them.
    fn most(&self, kind: &str, disk: &Disk, now: &DiskLimits, rates: DiskRates) -> Option<SuitableDisk> {
        let between = |now: f64, asked: f64, share: f64| now + (asked - now).max(0.0) * share;
        let at = |of_iops: f64, of_throughput: f64| {
            let iops = Iops(between(now.iops.0, rates.iops.0, of_iops));
            let throughput = BytesPerSec(between(now.throughput.0, rates.throughput.0, of_throughput));
            self.least(kind, disk, DiskRates { iops, throughput })
        };
        let of_iops = greatest(|share| at(share, 0.0).is_some())?;
        let of_throughput = greatest(|share| at(of_iops, share).is_some())?;
        at(of_iops, of_throughput)
    }
}

impl SuitableDisk {
    fn price(&self) -> f64 {
        self.monthly.map_or(f64::INFINITY, |usd| usd.0)
    }

    /// Whether it is another disk than one with these limits: of another type or size, or with other rates.
    fn differs(&self, disk: &Disk, limits: Option<&DiskLimits>) -> bool {
        let same = |now: &DiskLimits| (now.iops, now.throughput) == (self.limits.iops, self.limits.throughput);
        self.disk != *disk
            && (self.disk.volume.kind != disk.volume.kind
                || self.disk.volume.size != disk.volume.size
                || !limits.is_some_and(same))
    }
}

/// The greatest share, 0 to 1, for which something holds that holds for every smaller one; `None` where it does not hold at 0.
fn greatest(holds: impl Fn(f64) -> bool) -> Option<f64> {
    if !holds(0.0) {
        return None;
    }
    if holds(1.0) {
        return Some(1.0);
    }
    let (mut least, mut most) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = (least + most) / 2.0;
        if holds(middle) { least = middle } else { most = middle }
    }
    Some(least)
}

#[cfg(test)]
#[path = "market_tests.rs"]
mod tests;
