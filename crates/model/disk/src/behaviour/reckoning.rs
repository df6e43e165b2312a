//! Burst credits that nobody tells of, by what was done.

use catalog::{CatalogView, InstanceCaps, InstanceType};
use units::{Bytes, Nanos};

use super::bucket::Limiter;
use super::credits::{BurstCredits, CreditBucket};
use crate::{Disk, DiskError};

/// The credits that a disk, or an instance, has at least, by what it has done since it was first looked at, and by the laws that
/// [`Device`](crate::Device) and [`Host`](crate::Host) go by. It begins with none: what there was before is not known, and a cloud lets
/// nothing pass for which there are no credits, so that there are never fewer than here. Of a stripe they are those of all volumes
/// together, over which work is spread evenly.
#[derive(Debug, Clone)]
pub struct CreditEstimate {
    ios: Option<CreditBucket>,
    bytes: Option<CreditBucket>,
    /// Largest request that counts as one I/O, in bytes.
    unit: Bytes,
}

impl CreditEstimate {
    /// Credits of a disk.
    ///
    /// # Errors
    /// The errors of [`Disk::limits`].
    pub fn of_disk(disk: &Disk, view: &CatalogView, instance: Option<&InstanceType>) -> Result<Self, DiskError> {
        let limits = disk.limits_of_each(view, instance)?;
        Ok(Self::of(Limiter::of_volume(&limits), disk.stripe, limits.io_unit))
    }

    /// Credits of an instance.
    pub fn of_instance(caps: &InstanceCaps) -> Self {
        Self::of(Limiter::of_instance(caps), 1, Bytes(u64::MAX))
    }

    /// Credits of `count` volumes with these limits each, as one.
    fn of((ios, bytes): (Limiter, Limiter), count: u32, unit: Bytes) -> Self {
        let count = f64::from(count);
        let [ios, bytes] = [ios, bytes].map(|limiter| {
            let each = limiter.credits()?.report(0.0);
            Some(CreditBucket::full(count * each.capacity, count * each.accrual).with_balance(0.0, 0.0))
        });
        Self { ios, bytes, unit }
    }

    /// Books what was done since the last booking, and until now.
    pub fn book(&mut self, now: Nanos, ios: f64, bytes: f64) {
        let at = now.0 as f64;
        let ios = ios.max(bytes / self.unit.as_f64());
        for (credits, done) in [(&mut self.ios, ios), (&mut self.bytes, bytes)] {
            if let Some(credits) = credits {
                credits.take(at, done);
            }
        }
    }

    /// Nothing is known any more of what was done.
    pub fn forget(&mut self, now: Nanos) {
        for credits in [&mut self.ios, &mut self.bytes].into_iter().flatten() {
            credits.set(now.0 as f64, 0.0);
        }
    }

    /// Credits left as of the last booking.
    pub fn credits(&self) -> BurstCredits {
        let report = |credits: &CreditBucket| credits.report(credits.last());
        BurstCredits { ios: self.ios.as_ref().map(report), bytes: self.bytes.as_ref().map(report) }
    }
}

#[cfg(test)]
mod tests {
    use catalog::Catalog;
    use proptest::prelude::*;

    use super::*;
    use crate::{Device, InstanceLink, IoOperation, IoRequest};

    fn reckoning(disk: &str) -> CreditEstimate {
        CreditEstimate::of_disk(&disk.parse().unwrap(), &Catalog::embedded().at(None), None).unwrap()
    }

    #[test]
    fn what_a_volume_does_not_use_is_saved_up_to_its_bucket() {
        let mut gp2 = reckoning("gp2:500GiB");
        assert_eq!(gp2.credits().ios.unwrap().now, 0.0);
        // It earns 1,500 a second.
        gp2.book(Nanos::secs(100), 50_000.0, 0.0);
        assert_eq!(gp2.credits().ios.unwrap().now, 100_000.0);
        gp2.book(Nanos::secs(110), 30_000.0, 0.0);
        assert_eq!(gp2.credits().ios.unwrap().now, 85_000.0);
        gp2.book(Nanos::secs(1_000_000), 0.0, 0.0);
        assert_eq!(gp2.credits().ios.unwrap().now, 5.4e6);
        gp2.forget(Nanos::secs(1_000_000));
        assert_eq!(gp2.credits().ios.unwrap().now, 0.0);
    }

    #[test]
    fn a_stripe_has_the_credits_of_all_its_volumes_and_who_does_not_burst_has_none() {
        let mut pair = reckoning("2x(gp2:500GiB)");
        pair.book(Nanos::secs(100), 50_000.0, 0.0);
        assert_eq!(pair.credits().ios.unwrap().now, 250_000.0);
        assert_eq!(reckoning("gp3:500GiB").credits(), BurstCredits::default());
    }

    proptest! {
        /// Whatever it had when it was first looked at, and whatever was asked of it.
        #[test]
        fn a_volume_has_never_less_than_is_reckoned(
            begins in 0.0..1.0f64,
            asked in prop::collection::vec((1_000..40_000_000u64, 1..9u32), 1..400),
        ) {
            let view = Catalog::embedded().at(None);
            let disk: Disk = "gp2:40GiB".parse().unwrap();
            let (mut host, mut device) = (InstanceLink::new(None), Device::new(disk.spec(&view, None).unwrap(), 1));
            device.set_credits(Nanos(0), begins);
            let mut reckoned = CreditEstimate::of_disk(&disk, &view, None).unwrap();
            let (mut at, mut ios, mut bytes, mut done) = (Nanos(0), 0.0, 0.0, Nanos(0));
            for (gap, blocks) in asked {
                at += Nanos(gap);
                let io = IoRequest { op: IoOperation::Write, offset: 1 << 30, bytes: blocks << 16 };
                done = done.max(device.submit(&mut host, at, io).started);
                ios += 1.0;
                bytes += f64::from(io.bytes);
            }
            reckoned.book(done, ios, bytes);
            let (has, least) = (device.credits(done).ios.unwrap().now, reckoned.credits().ios.unwrap().now);
            prop_assert!(least <= has + 1.0, "{least} > {has}");
        }
    }
}
