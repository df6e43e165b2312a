//! What a disk sustains: the catalogue's rules applied to its size and provisioning.

mod local;
mod rules;
mod unlimited;

pub(crate) use rules::most_iops;

use catalog::{BurstBucket, CatalogView, ConsistencyPromise, InstanceType, VolumeMedium, VolumeType};
use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::{Disk, DiskError, ServiceTime, Volume, VolumeCalibration};

/// Sustained limits of a disk (all volumes of a stripe together), before the instance's caps.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskLimits {
    /// Capacity.
    pub size: Bytes,
    /// Sustained I/Os a second, counted in units of `io_unit`.
    pub iops: Iops,
    /// Sustained bytes a second.
    pub throughput: BytesPerSec,
    /// Burst bucket of one volume of the stripe.
    pub burst: Option<BurstBucket>,
    /// Bytes a second while I/O credits last; equal to `throughput` where they do not matter (all but small gp2).
    pub burst_throughput: BytesPerSec,
    /// A request counts as one I/O for each of these, begun or whole.
    pub io_unit: Bytes,
    /// Adjacent small requests in flight together count as one I/O for each of these.
    pub merge: Bytes,
    /// Cost of a write in the I/O rate, in reads: 1 but on local flash, where reads and writes share the device.
    pub write_iops_cost: f64,
    /// Cost of a written byte in the throughput, in bytes read: 1 but on local flash.
    pub write_bytes_cost: f64,
    /// Whether it hangs on the instance's EBS link (network volumes) or not (local NVMe).
    pub shares_instance_caps: bool,
    /// How often it delivers what was provisioned, if promised.
    pub consistency: Option<ConsistencyPromise>,
    /// How long an I/O takes while no limit binds.
    pub service: ServiceTime,
}

impl DiskLimits {
    /// The limits of one network volume; `instance` only matters for rates that not every instance carries.
    ///
    /// # Errors
    /// When the size or a rate is beyond what the type allows, or the type has no known service time.
    pub fn of(kind: &VolumeType, volume: &Volume, instance: Option<&InstanceType>) -> Result<Self, DiskError> {
        rules::size(kind, volume)?;
        let iops = rules::iops(kind, volume, instance)?;
        let (throughput, burst_throughput) = rules::throughput(kind, volume, iops)?;
        let calibration = VolumeCalibration::of(&kind.name)?;
        Ok(Self {
            size: volume.size,
            iops,
            throughput,
            burst: kind.burst,
            burst_throughput,
            io_unit: kind.io_unit,
            merge: calibration.merge,
            write_iops_cost: 1.0,
            write_bytes_cost: 1.0,
            shares_instance_caps: kind.medium != VolumeMedium::LocalNvme,
            consistency: kind.consistency,
            service: calibration.service,
        })
    }

    /// The limits of a RAID 0 stripe of `n` volumes with these limits each.
    #[must_use]
    pub fn striped(mut self, n: u32) -> Self {
        let n = f64::from(n);
        self.size = self.size * n;
        self.iops = self.iops * n;
        self.throughput = self.throughput * n;
        self.burst_throughput = self.burst_throughput * n;
        self
    }

    /// I/Os and bytes a second of a stripe of `n` volumes while their credits last; `None` where they do not burst so.
    pub fn bursts(&self, n: u32) -> (Option<f64>, Option<f64>) {
        let n = f64::from(n.max(1));
        match self.burst {
            Some(BurstBucket::IoCredits { iops, .. }) => (Some(iops.0 * n), None),
            Some(BurstBucket::Timed { iops, throughput, .. }) => (Some(iops.0 * n), Some(throughput.0 * n)),
            Some(BurstBucket::ByteCredits { per_tib, max, .. }) => {
                let tebibytes = self.size.as_f64() / n / Bytes::gib(1024).as_f64();
                (None, Some((per_tib.0 * tebibytes).min(max.0) * n))
            }
            None => (None, None),
        }
    }
}

impl Disk {
    /// Sustained limits of the disk on an instance; local NVMe needs a known instance. A cached disk has the limits
    /// of its volume: what the cache serves does not reach it.
    ///
    /// # Errors
    /// When the type is unknown that day, when the size or a rate is beyond what it allows, or when the instance
    /// cannot hold the disk or its cache.
    pub fn limits(&self, view: &CatalogView, instance: Option<&InstanceType>) -> Result<DiskLimits, DiskError> {
        if let (Some(cache), Some(instance)) = (&self.cache, instance) {
            let taken = if self.volume.is_local() { self.volume.size.0.saturating_mul(self.stripe.into()) } else { 0 };
            local::limits(instance, cache, 1, Bytes(taken))?;
        }
        Ok(self.limits_of_each(view, instance)?.striped(self.stripe))
    }

    /// The limits of one volume of the stripe.
    pub(crate) fn limits_of_each(
        &self,
        view: &CatalogView,
        instance: Option<&InstanceType>,
    ) -> Result<DiskLimits, DiskError> {
        if self.volume.is_local() {
            let instance = instance.ok_or_else(|| DiskError::NeedsInstance { disk: self.to_string() })?;
            return local::limits(instance, &self.volume, self.stripe, Bytes(0));
        }
        if self.volume.is_unlimited() {
            return unlimited::limits(&self.volume);
        }
        if let Some(most) = instance.and_then(|i| i.max_volumes).filter(|most| self.stripe > *most) {
            let instance = instance.map_or("", |i| &i.name);
            let what = format!("{instance} takes at most {most} volumes, not {}", self.stripe);
            return Err(DiskError::out_of_range(self, what));
        }
        let kind = self.kind(view, instance)?;
        DiskLimits::of(kind, &self.volume, instance)
            .map_err(|error| error.with_hint(rules::takes_rates_from(view, kind)))
    }

    /// The limits of the cache's flash, if there is a cache.
    pub(crate) fn cache_limits(&self, instance: Option<&InstanceType>) -> Result<Option<DiskLimits>, DiskError> {
        let Some(cache) = &self.cache else { return Ok(None) };
        let instance = instance.ok_or_else(|| DiskError::NeedsInstance { disk: self.to_string() })?;
        local::limits(instance, cache, 1, Bytes(0)).map(Some)
    }

    /// The type that the instance gets under the disk's name; [`CatalogView::volume_on`] tells how.
    ///
    /// # Errors
    /// When the type is unknown that day, or not for that instance.
    pub fn kind<'v>(
        &self,
        view: &'v CatalogView,
        instance: Option<&InstanceType>,
    ) -> Result<&'v VolumeType, DiskError> {
        let whole = self.volume.size * f64::from(self.stripe);
        let kind = view.volume_on(&self.volume.kind, whole, instance)?;
        match &kind.service {
            Some(service) if self.stripe > 1 => {
                let what = format!("{service} has one disk for a database, and stripes it itself: name its whole size");
                Err(DiskError::out_of_range(self, what))
            }
            _ => Ok(kind),
        }
    }

    /// The price of the disk for a month of 730 hours. Local flash, and so a cache, is in the instance's price; an
    /// unlimited disk has none. What a machine takes; [`monthly_on`](Self::monthly_on) asks for an instance.
    ///
    /// # Errors
    /// When the catalogue lacks the type or its price in that region, or the type does not allow the volume.
    pub fn monthly(&self, view: &CatalogView, region: &str) -> Result<Usd, DiskError> {
        self.monthly_on(view, region, None)
    }

    /// The price of the disk as the instance gets it: a class of RDS pays for RDS's storage.
    ///
    /// # Errors
    /// As [`monthly`](Self::monthly).
    pub fn monthly_on(
        &self,
        view: &CatalogView,
        region: &str,
        instance: Option<&InstanceType>,
    ) -> Result<Usd, DiskError> {
        if self.volume.is_local() || self.volume.is_unlimited() {
            return Ok(Usd(0.0));
        }
        let kind = self.kind(view, instance)?;
        rules::size(kind, &self.volume)?;
        let iops = rules::iops(kind, &self.volume, None)?;
        let (throughput, _) = rules::throughput(kind, &self.volume, iops)?;
        let price = view.volume_price(region, &kind.name)?;
        Ok(price.monthly(self.volume.size, iops, throughput) * f64::from(self.stripe))
    }
}
