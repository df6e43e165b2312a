//! What the limits of the volume and of the instance leave for flushes and compactions beside the foreground.

use crate::signals::{Allowance, Done, Engine};
use crate::{Constants, Signals};

/// What a byte that the limiter lets through takes of a disk, and what the rest of the disk's work is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Supply {
    /// Bytes on the disk for a byte that flushes and compactions write: itself, and what compactions read for it.
    cost: f64,
    /// What others do a second, volume and instance: I/Os and bytes.
    foreground: [[f64; 2]; 2],
    /// The least that others did a second; it falls at once and rises slowly. Infinite until something was seen.
    least: [[f64; 2]; 2],
    /// What all do a second, over the last seconds, and what flushes and compactions were granted in them.
    all: [[f64; 2]; 2],
    granted: f64,
    /// What all do a second, over some more seconds.
    lately: [[f64; 2]; 2],
}

/// The shares of each limit that may be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shares {
    /// By foreground, flushes and compactions together.
    pub(crate) all: f64,
    /// By flushes and compactions alone: a foreground that rises finds so much of the disk taken until that is seen.
    pub(crate) own: f64,
}

/// One of the four limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// I/Os a second of the volume.
    VolumeIops,
    /// Bytes a second of the volume.
    VolumeThroughput,
    /// I/Os a second of the instance.
    InstanceIops,
    /// Bytes a second of the instance.
    InstanceThroughput,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::VolumeIops => "the volume's IOPS",
            Self::VolumeThroughput => "the volume's throughput",
            Self::InstanceIops => "the instance's IOPS",
            Self::InstanceThroughput => "the instance's throughput",
        })
    }
}

const LIMITS: [[Limit; 2]; 2] =
    [[Limit::VolumeIops, Limit::VolumeThroughput], [Limit::InstanceIops, Limit::InstanceThroughput]];

impl Supply {
    /// Before anything was seen: compactions read what they write.
    pub(crate) fn new() -> Self {
        Self { cost: 2.0, least: [[f64::INFINITY; 2]; 2], ..Self::default() }
    }

    /// Takes a span of so many seconds over which the engine's counters are known. What is not the engine's is the
    /// foreground's; its estimate rises at once and falls slowly.
    pub(crate) fn window(&mut self, seconds: f64, disks: [Done; 2], engine: &Engine, c: &Constants) {
        let read = share(disks[0].read, engine.compaction_read) * engine.compaction_read;
        let background = engine.written() + read;
        if engine.written() > 0.0 {
            self.cost = background / engine.written();
        }
        let kept = (-seconds / c.calm).exp();
        let risen = 1.0 - (-seconds / c.memory).exp();
        for ((estimate, least), disk) in self.foreground.iter_mut().zip(&mut self.least).zip(disks) {
            let seen = [disk.ios - background / c.background_io, disk.bytes() - background];
            for ((estimate, least), seen) in estimate.iter_mut().zip(least).zip(seen) {
                let seen = seen.max(0.0) / seconds;
                *estimate = if seen > *estimate { seen } else { seen + (*estimate - seen) * kept };
                *least = if seen < *least { seen } else { *least + (seen - *least) * risen };
            }
        }
    }

    /// Takes a shorter span, in which flushes and compactions wrote no more than `granted` bytes a second: what they cannot
    /// have done was the foreground's, which did no more than all that was done. So a rise is seen at once, and its end in
    /// seconds: a disk that is seen to be idle again need not wait until a peak is forgotten.
    pub(crate) fn glance(&mut self, seconds: f64, disks: [Done; 2], granted: f64, c: &Constants) {
        let new = 1.0 - (-seconds / c.glance).exp();
        self.granted += (granted - self.granted) * new;
        let background = [self.granted * self.cost / c.background_io, self.granted * self.cost];
        let some = 1.0 - (-seconds / c.clear).exp();
        for (((estimate, all), lately), disk) in
            self.foreground.iter_mut().zip(&mut self.all).zip(&mut self.lately).zip(disks)
        {
            for (at, seen) in [disk.ios, disk.bytes()].into_iter().enumerate() {
                all[at] += (seen / seconds - all[at]) * new;
                lately[at] += (seen / seconds - lately[at]) * some;
                estimate[at] = estimate[at].max(all[at] - background[at]).min(lately[at].max(all[at]));
            }
        }
    }

    /// Bytes a second that flushes and compactions may write when these shares of each limit may be used, and the limit that
    /// says so; infinite and `None` without limits. A limit of which the least that others do and `lasting` bytes a second need more
    /// is used as far as they do: what does not fit in a quiet hour will not fit later, and a backlog would only grow until flow control.
    pub(crate) fn left(
        &self,
        signals: &Signals,
        shares: Shares,
        lasting: Option<f64>,
        c: &Constants,
    ) -> (f64, Option<Limit>) {
        let mut least = (f64::INFINITY, None);
        let allowances: [&Allowance; 2] = [&signals.volume, &signals.instance];
        let others = self.foreground.iter().zip(&self.least);
        for ((allowance, (foreground, quiet)), limits) in allowances.into_iter().zip(others).zip(LIMITS) {
            let rates = allowance.rates(c.credit_horizon);
            let each = [c.background_io / self.cost, 1.0 / self.cost];
            for (at, limit) in limits.into_iter().enumerate() {
                let (mut all, mut own) = (shares.all * rates[at], shares.own * rates[at]);
                if let Some(lasting) = lasting {
                    let needed = |of: f64| (c.margin * of).min(c.crowded * rates[at]);
                    let lasting = lasting / each[at];
                    (all, own) = (all.max(needed(quiet[at] + lasting)), own.max(needed(lasting)));
                }
                let beside = (all - foreground[at]).min(own);
                let left = beside.max(0.0) * each[at];
                if left < least.0 {
                    least = (left, Some(limit));
                }
            }
        }
        least
    }
}

/// The share of `wanted` bytes that can have been among `seen`.
fn share(seen: f64, wanted: f64) -> f64 {
    if wanted > 0.0 { (seen / wanted).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use units::{BytesPerSec, Iops};

    use super::*;
    use crate::Credit;

    const MIB: f64 = 1024.0 * 1024.0;
    const WHOLE: Shares = Shares { all: 1.0, own: 1.0 };

    fn c() -> &'static Constants {
        Constants::embedded()
    }

    fn gp3() -> Signals {
        let volume =
            Allowance { iops: Some(Iops(3000.0)), throughput: Some(BytesPerSec::mib(125.0)), ..Allowance::default() };
        Signals { volume, ..Signals::default() }
    }

    #[test]
    fn what_is_not_the_engines_is_the_foregrounds() {
        let mut supply = Supply::new();
        let done = Done { ios: 6000.0, read: 500.0 * MIB, written: 400.0 * MIB };
        let engine = Engine { flushed: 50.0 * MIB, compaction_read: 200.0 * MIB, compaction_written: 200.0 * MIB };
        supply.window(10.0, [done, done], &engine, c());
        // 900 in all, less 50 + 200 written and 200 read.
        assert_eq!(supply.foreground[0][1], 45.0 * MIB);
        assert_eq!(supply.cost, 450.0 / 250.0);
        let (left, limit) = supply.left(&gp3(), WHOLE, None, c());
        assert!((left - (125.0 - 45.0) / 1.8 * MIB).abs() < 1.0, "{left}");
        assert_eq!(limit, Some(Limit::VolumeThroughput));
    }

    #[test]
    fn small_requests_of_the_foreground_leave_fewer_ios() {
        let mut supply = Supply::new();
        let done = Done { ios: 28_000.0, read: 28_000.0 * 4096.0, written: 0.0 };
        supply.window(10.0, [done, done], &Engine::default(), c());
        let (left, limit) = supply.left(&gp3(), WHOLE, None, c());
        assert_eq!(limit, Some(Limit::VolumeIops));
        assert!((left - 200.0 * c().background_io / 2.0).abs() < 1.0, "{left}");
    }

    #[test]
    fn credits_are_spread_over_their_horizon() {
        let credit = |left| Some(Credit { left, burst: 3000.0 });
        let volume = |left| Allowance { iops: Some(Iops(300.0)), io_credit: credit(left), ..Allowance::default() };
        assert_eq!(volume(0.0).rates(c().credit_horizon)[0], 300.0);
        assert_eq!(volume(c().credit_horizon * 200.0).rates(c().credit_horizon)[0], 500.0);
        assert_eq!(volume(1e12).rates(c().credit_horizon)[0], 3000.0);
    }

    #[test]
    fn a_scan_is_seen_within_seconds_and_forgotten_slowly_while_nothing_is_seen() {
        let mut supply = Supply::new();
        let second = Done { ios: 500.0, read: 120.0 * MIB, written: 5.0 * MIB };
        (0..20).for_each(|_| supply.glance(1.0, [second, second], 20.0 * MIB, c()));
        let seen = supply.foreground[0][1];
        assert!((seen / (85.0 * MIB) - 1.0).abs() < 0.01, "{seen}");
        supply.window(c().calm, [Done::default(); 2], &Engine::default(), c());
        let kept = supply.foreground[0][1] / seen;
        assert!((kept - (-1.0f64).exp()).abs() < 1e-9, "{kept}");
    }

    #[test]
    fn a_scan_that_is_over_is_seen_to_be() {
        let mut supply = Supply::new();
        let second = |read: f64| [Done { ios: 500.0, read: read * MIB, written: 5.0 * MIB }; 2];
        (0..20).for_each(|_| supply.glance(1.0, second(95.0), 4.0 * MIB, c()));
        assert!(supply.foreground[0][1] > 90.0 * MIB);
        (0..10).for_each(|_| supply.glance(1.0, second(5.0), 4.0 * MIB, c()));
        let seen = supply.foreground[0][1] / MIB;
        assert!(seen < 11.0, "{seen} of the 10 that all did");
    }

    #[test]
    fn a_rise_finds_a_share_of_an_idle_disk_free() {
        let (left, _) = Supply::new().left(&gp3(), Shares { all: 0.8, own: 0.5 }, None, c());
        assert!((left - 0.5 * 125.0 / 2.0 * MIB).abs() < 1.0, "{left}");
    }
}
