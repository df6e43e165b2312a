//! Prices of volumes and of traffic between zones.

use units::{Bytes, BytesPerSec, Iops, Usd};

use crate::Provenance;

/// The monthly price of a volume of one type in one region.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumePrice {
    /// For each GiB.
    pub per_gib: Usd,
    /// I/O rate that is free of charge.
    pub included_iops: Iops,
    /// For each I/O a second in the tier from its first number (over `included_iops`) upwards, in ascending order;
    /// empty where I/Os are not sold.
    pub iops_tiers: Vec<(Iops, Usd)>,
    /// Throughput that is free of charge.
    pub included_throughput: BytesPerSec,
    /// For each MiB/s over it; zero where throughput is not sold.
    pub per_mib_s: Usd,
    /// Where a type is sold only in fixed sizes (Azure Premium SSD v1): size and monthly price, ascending. Else empty.
    pub fixed_sizes: Vec<(Bytes, Usd)>,
    /// Source and date.
    pub provenance: Provenance,
}

impl VolumePrice {
    /// The monthly price of one volume.
    pub fn monthly(&self, size: Bytes, iops: Iops, throughput: BytesPerSec) -> Usd {
        if let Some((_, usd)) = self.fixed_sizes.iter().find(|(s, _)| *s >= size) {
            return *usd;
        }
        let mut usd = self.per_gib * size.as_gib();
        for (i, (from, price)) in self.iops_tiers.iter().enumerate() {
            let from = from.max(self.included_iops);
            let to = self.iops_tiers.get(i + 1).map_or(iops, |(next, _)| iops.min(*next));
            usd += *price * (to.0 - from.0).max(0.0);
        }
        usd + self.per_mib_s * (throughput.as_mib() - self.included_throughput.as_mib()).max(0.0)
    }
}

/// The price of traffic between two zones of one region.
#[derive(Debug, Clone, PartialEq)]
pub struct TransferPrice {
    /// For each GB (10⁹ bytes) moved, both sides together.
    pub per_gb: Usd,
    /// Source and date.
    pub provenance: Provenance,
}
