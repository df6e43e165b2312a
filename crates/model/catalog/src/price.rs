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
    /// Source and date of the newest of its parts.
    pub provenance: Provenance,
}

impl VolumePrice {
    /// The monthly price of one volume; infinite beyond the largest of [`fixed_sizes`](Self::fixed_sizes), as it cannot
    /// be bought.
    pub fn monthly(&self, size: Bytes, iops: Iops, throughput: BytesPerSec) -> Usd {
        if !self.fixed_sizes.is_empty() {
            let fits = self.fixed_sizes.iter().find(|(s, _)| *s >= size);
            return fits.map_or(Usd(f64::INFINITY), |(_, usd)| *usd);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Catalog;

    fn newest(region: &str, volume: &str) -> VolumePrice {
        Catalog::embedded().at(None).volume_price(region, volume).unwrap().clone()
    }

    #[test]
    fn four_hundred_gib_of_io1_with_5000_iops_cost_375_dollars() {
        let usd = newest("us-west-2", "io1").monthly(Bytes::gib(400), Iops(5000.0), BytesPerSec(0.0));
        assert!((usd.0 - 375.0).abs() < 1e-9, "{usd}");
    }

    #[test]
    fn only_what_is_over_the_included_is_paid() {
        let gp3 = newest("us-east-1", "gp3");
        let usd = |iops, mib| gp3.monthly(Bytes::gib(100), Iops(iops), BytesPerSec::mib(mib)).0;
        assert!((usd(3000.0, 125.0) - 8.0).abs() < 1e-9);
        assert!((usd(4000.0, 225.0) - (8.0 + 5.0 + 4.0)).abs() < 1e-9);
    }

    #[test]
    fn a_fixed_size_is_paid_whole_and_no_larger_one_can_be_bought() {
        let p30 = newest("eastus", "premium-v1-p30");
        let usd = |gib| p30.monthly(Bytes::gib(gib), Iops(0.0), BytesPerSec(0.0));
        assert_eq!((usd(600), usd(1024)), (Usd(135.17), Usd(135.17)));
        assert_eq!(usd(1025), Usd(f64::INFINITY));
    }

    proptest! {
        #[test]
        fn each_tier_is_paid_at_its_own_price(iops in 0.0..256_000.0f64) {
            let io2 = newest("us-east-1", "io2");
            let usd = io2.monthly(Bytes(0), Iops(iops), BytesPerSec(0.0)).0;
            let tier = |from: f64, to: f64, price: f64| (iops.min(to) - from).max(0.0) * price;
            let expected = tier(0.0, 32e3, 0.065) + tier(32e3, 64e3, 0.0455) + tier(64e3, 256e3, 0.03185);
            prop_assert!((usd - expected).abs() < 1e-6, "{} {}", usd, expected);
        }
    }
}
