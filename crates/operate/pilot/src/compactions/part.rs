//! A part of what disks let through.

use compaction_control::{CreditState, DiskAllowance};
use units::{BytesPerSec, Iops};

use super::disks::{DiskSource, StoreDiskView};
use crate::{ClockReading, WorldError};

/// Disks of which a store may use only a part: others use them too, or they deliver less than they promise.
pub struct PartialDisk {
    disks: Box<dyn DiskSource>,
    share: f64,
}

impl PartialDisk {
    /// This share, over 0 and up to 1, of all limits and credits.
    pub fn of(disks: Box<dyn DiskSource>, share: f64) -> Self {
        Self { disks, share }
    }
}

impl DiskSource for PartialDisk {
    fn look(&self, now: ClockReading) -> Result<StoreDiskView, WorldError> {
        let looked = self.disks.look(now)?;
        Ok(StoreDiskView {
            volume: part(looked.volume, self.share),
            instance: part(looked.instance, self.share),
            ..looked
        })
    }
}

fn part(whole: DiskAllowance, share: f64) -> DiskAllowance {
    let credit = |credit: CreditState| CreditState { left: credit.left * share, burst: credit.burst * share };
    DiskAllowance {
        iops: whole.iops.map(|iops| Iops(iops.0 * share)),
        throughput: whole.throughput.map(|throughput| BytesPerSec(throughput.0 * share)),
        io_credit: whole.io_credit.map(credit),
        byte_credit: whole.byte_credit.map(credit),
    }
}

#[cfg(test)]
mod tests {
    use compaction_control::CompletedIo;

    use super::*;

    struct Whole;

    impl DiskSource for Whole {
        fn look(&self, _: ClockReading) -> Result<StoreDiskView, WorldError> {
            let volume = DiskAllowance {
                iops: Some(Iops(3000.0)),
                throughput: None,
                io_credit: Some(CreditState { left: 100.0, burst: 6000.0 }),
                byte_credit: None,
            };
            let instance = DiskAllowance { throughput: Some(BytesPerSec(500.0)), ..DiskAllowance::default() };
            Ok(StoreDiskView {
                volume_done: CompletedIo { ios: 7.0, ..CompletedIo::default() },
                volume,
                instance,
                ..StoreDiskView::default()
            })
        }
    }

    #[test]
    fn limits_and_credits_shrink_and_what_was_done_does_not() {
        let now = ClockReading { wall: jiff::Timestamp::UNIX_EPOCH, mono: units::Nanos(0) };
        let (whole, part) = (Whole.look(now).unwrap(), PartialDisk::of(Box::new(Whole), 0.25).look(now).unwrap());
        assert_eq!(part.volume_done, whole.volume_done);
        assert_eq!((part.volume.iops, part.volume.throughput), (Some(Iops(750.0)), None));
        assert_eq!(part.volume.io_credit, Some(CreditState { left: 25.0, burst: 1500.0 }));
        assert_eq!(part.instance.throughput, Some(BytesPerSec(125.0)));
    }
}
