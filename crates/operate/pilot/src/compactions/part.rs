//! A part of what disks let through.

use compaction_control::{Allowance, Credit};
use units::{BytesPerSec, Iops};

use super::disks::{Disks, Looked};
use crate::{Now, WorldError};

/// Disks of which a store may use only a part: others use them too, or they deliver less than they promise.
pub struct Part {
    disks: Box<dyn Disks>,
    share: f64,
}

impl Part {
    /// This share, over 0 and up to 1, of all limits and credits.
    pub fn of(disks: Box<dyn Disks>, share: f64) -> Self {
        Self { disks, share }
    }
}

impl Disks for Part {
    fn look(&self, now: Now) -> Result<Looked, WorldError> {
        let looked = self.disks.look(now)?;
        Ok(Looked { volume: part(looked.volume, self.share), instance: part(looked.instance, self.share), ..looked })
    }
}

fn part(whole: Allowance, share: f64) -> Allowance {
    let credit = |credit: Credit| Credit { left: credit.left * share, burst: credit.burst * share };
    Allowance {
        iops: whole.iops.map(|iops| Iops(iops.0 * share)),
        throughput: whole.throughput.map(|throughput| BytesPerSec(throughput.0 * share)),
        io_credit: whole.io_credit.map(credit),
        byte_credit: whole.byte_credit.map(credit),
    }
}

#[cfg(test)]
mod tests {
    use compaction_control::Done;

    use super::*;

    struct Whole;

    impl Disks for Whole {
        fn look(&self, _: Now) -> Result<Looked, WorldError> {
            let volume = Allowance {
                iops: Some(Iops(3000.0)),
                throughput: None,
                io_credit: Some(Credit { left: 100.0, burst: 6000.0 }),
                byte_credit: None,
            };
            let instance = Allowance { throughput: Some(BytesPerSec(500.0)), ..Allowance::default() };
            Ok(Looked { volume_done: Done { ios: 7.0, ..Done::default() }, volume, instance, ..Looked::default() })
        }
    }

    #[test]
    fn limits_and_credits_shrink_and_what_was_done_does_not() {
        let now = Now { wall: jiff::Timestamp::UNIX_EPOCH, mono: units::Nanos(0) };
        let (whole, part) = (Whole.look(now).unwrap(), Part::of(Box::new(Whole), 0.25).look(now).unwrap());
        assert_eq!(part.volume_done, whole.volume_done);
        assert_eq!((part.volume.iops, part.volume.throughput), (Some(Iops(750.0)), None));
        assert_eq!(part.volume.io_credit, Some(Credit { left: 25.0, burst: 1500.0 }));
        assert_eq!(part.instance.throughput, Some(BytesPerSec(125.0)));
    }
}
