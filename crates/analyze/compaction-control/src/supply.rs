//! What the limits of the volume and of the instance leave for flushes and compactions beside the foreground.

use crate::signals::{BackgroundWork, CompletedIo, DiskAllowance};
use crate::{Constants, LimiterSignals};
use limits::BindingLimit;

/// What a byte that the limiter lets through takes of a disk, and what the rest of the disk's work is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Supply {
    /// Bytes on the disk for a byte that flushes and compactions write: itself, and what compactions read for it.
    cost: f64,
    /// Of the volume and of the instance, I/Os and bytes.
    used: [[Used; 2]; 2],
    /// Bytes a second that flushes and compactions were granted just now, and over some seconds.
    granted: f64,
    granted_lately: f64,
}

/// What is done a second of what a limit counts: I/Os, as many as are needed, or bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Used {
    /// By others than flushes and compactions.
    foreground: f64,
    /// The least that others did; it falls at once and rises slowly. Infinite until something was seen.
    least: f64,
    /// What all read just now.
    reads: f64,
    /// What all wrote, over some seconds.
    writes: f64,
    /// What all did, over some seconds.
    lately: f64,
}

impl Default for Used {
    fn default() -> Self {
        Self { foreground: 0.0, least: f64::INFINITY, reads: 0.0, writes: 0.0, lately: 0.0 }
    }
}

impl Used {
    /// Others did so much a second, of which a peak is `kept` in part, and by which the least has `risen` in part.
    fn window(&mut self, others: f64, (kept, risen): (f64, f64)) {
        let others = others.max(0.0);
        self.foreground = others.max(others + (self.foreground - others) * kept);
        self.least = if others < self.least { others } else { self.least + (others - self.least) * risen };
    }

    /// So much was read and written a second, of which flushes and compactions had `background` at most; averages take the new in by
    /// these shares.
    fn glance(&mut self, [read, written]: [f64; 2], background: f64, (new, some): (f64, f64)) {
        self.reads += (read - self.reads) * new;
        self.writes += (written - self.writes) * some;
        self.lately += (read + written - self.lately) * some;
        let all = self.reads + self.writes;
        self.foreground = self.foreground.max(all - background).min(self.lately.max(all));
    }
}

/// The shares of each limit that may be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shares {
    /// By foreground, flushes and compactions together.
    pub(crate) all: f64,
    /// By flushes and compactions alone: a foreground that rises finds so much of the disk taken until that is seen.
    pub(crate) own: f64,
}

/// Whose allowance gives out first: of the volume and of the instance, I/Os and bytes.
const LIMITS: [[BindingLimit; 2]; 2] = [
    [BindingLimit::VolumeIops, BindingLimit::VolumeThroughput],
    [BindingLimit::InstanceIops, BindingLimit::InstanceThroughput],
];

impl Supply {
    /// Before anything was seen: compactions read what they write.
    pub(crate) fn new() -> Self {
        Self { cost: 2.0, ..Self::default() }
    }

    /// Takes a span of so many seconds over which the engine's counters are known. What is not the engine's is the
    /// foreground's; its estimate rises at once and falls slowly.
    pub(crate) fn window(&mut self, seconds: f64, disks: [CompletedIo; 2], engine: &BackgroundWork, c: &Constants) {
        let read = share(disks[0].read, engine.compaction_read) * engine.compaction_read;
        let background = engine.written() + read;
        if engine.written() > 0.0 {
            self.cost = background / engine.written();
        }
        let part = ((-seconds / c.calm).exp(), 1.0 - (-seconds / c.memory).exp());
        for ([ios, bytes], disk) in self.used.iter_mut().zip(disks) {
            let needed = disk.ios - gathered(&disk, engine.written(), c) - background / c.background_io;
            ios.window(needed / seconds, part);
            bytes.window((disk.bytes() - background) / seconds, part);
        }
    }

    /// Takes a shorter span, in which flushes and compactions wrote no more than `granted` bytes a second: what they cannot
    /// have done was the foreground's, which did no more than all that was done. So a rise of reads is seen at once, and its end in
    /// seconds: a disk that is seen to be idle again need not wait until a peak is forgotten. Writes reach the disk when the kernel
    /// writes back, all at once: only those of some seconds tell something.
    pub(crate) fn glance(&mut self, seconds: f64, disks: [CompletedIo; 2], granted: f64, c: &Constants) {
        let (new, some) = (1.0 - (-seconds / c.glance).exp(), 1.0 - (-seconds / c.clear).exp());
        self.granted += (granted - self.granted) * new;
        self.granted_lately += (granted - self.granted_lately) * some;
        // Of each byte that was granted, itself is written, and the rest read.
        let background = self.granted * (self.cost - 1.0) + self.granted_lately;
        for ([ios, bytes], disk) in self.used.iter_mut().zip(disks) {
            let writes = disk.writes - gathered(&disk, self.granted_lately * seconds, c);
            let done = [disk.ios - disk.writes, writes].map(|ios| ios / seconds);
            ios.glance(done, background / c.background_io, (new, some));
            bytes.glance([disk.read, disk.written].map(|bytes| bytes / seconds), background, (new, some));
        }
    }

    /// Bytes a second that flushes and compactions may write when these shares of each limit may be used, and the limit that
    /// says so; infinite and `None` without limits. A limit of which the least that others do and `lasting` bytes a second need more
    /// is used as far as they do: what does not fit in a quiet hour will not fit later, and a backlog would only grow until flow control.
    pub(crate) fn left(
        &self,
        signals: &LimiterSignals,
        shares: Shares,
        lasting: Option<f64>,
        c: &Constants,
    ) -> (f64, Option<BindingLimit>) {
        let mut least = (f64::INFINITY, None);
        let allowances: [&DiskAllowance; 2] = [&signals.volume, &signals.instance];
        for ((allowance, used), limits) in allowances.into_iter().zip(&self.used).zip(LIMITS) {
            let rates = allowance.rates(c.credit_horizon);
            let each = [c.background_io / self.cost, 1.0 / self.cost];
            for (((rate, used), each), limit) in rates.into_iter().zip(used).zip(each).zip(limits) {
                let (mut all, mut own) = (shares.all * rate, shares.own * rate);
                if let Some(lasting) = lasting {
                    let needed = |of: f64| (c.margin * of).min(c.crowded * rate);
                    let lasting = lasting / each;
                    (all, own) = (all.max(needed(used.least + lasting)), own.max(needed(lasting)));
                }
                let beside = (all - used.foreground).min(own);
                let left = beside.max(0.0) * each;
                if left < least.0 {
                    least = (left, Some(limit));
                }
            }
        }
        least
    }
}

/// I/Os of what was done that a busy disk would spare, where flushes and compactions wrote so many bytes: all other writes are the
/// log's, which takes what I/Os there are and makes do with fewer.
fn gathered(done: &CompletedIo, written: f64, c: &Constants) -> f64 {
    c.gathered * (done.writes - written / c.background_io).max(0.0)
}

/// The share of `wanted` bytes that can have been among `seen`.
fn share(seen: f64, wanted: f64) -> f64 {
    if wanted > 0.0 { (seen / wanted).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use units::{BytesPerSec, Iops};

    use super::*;
    use crate::CreditState;

    const MIB: f64 = 1024.0 * 1024.0;
    const WHOLE: Shares = Shares { all: 1.0, own: 1.0 };

    fn c() -> &'static Constants {
        Constants::embedded()
    }

    fn gp3() -> LimiterSignals {
        let volume = DiskAllowance {
            iops: Some(Iops(3000.0)),
            throughput: Some(BytesPerSec::mib(125.0)),
            ..DiskAllowance::default()
        };
        LimiterSignals { volume, ..LimiterSignals::default() }
    }

    #[test]
    fn what_is_not_the_engines_is_the_foregrounds() {
        let mut supply = Supply::new();
        let done = CompletedIo { ios: 6000.0, read: 500.0 * MIB, written: 400.0 * MIB, ..CompletedIo::default() };
        let engine =
            BackgroundWork { flushed: 50.0 * MIB, compaction_read: 200.0 * MIB, compaction_written: 200.0 * MIB };
        supply.window(10.0, [done, done], &engine, c());
        // 900 in all, less 50 + 200 written and 200 read.
        assert_eq!(supply.used[0][1].foreground, 45.0 * MIB);
        assert_eq!(supply.cost, 450.0 / 250.0);
        let (left, limit) = supply.left(&gp3(), WHOLE, None, c());
        assert!((left - (125.0 - 45.0) / 1.8 * MIB).abs() < 1.0, "{left}");
        assert_eq!(limit, Some(BindingLimit::VolumeThroughput));
    }

    #[test]
    fn small_requests_of_the_foreground_leave_fewer_ios() {
        let mut supply = Supply::new();
        let done = CompletedIo { ios: 28_000.0, read: 28_000.0 * 4096.0, ..CompletedIo::default() };
        supply.window(10.0, [done, done], &BackgroundWork::default(), c());
        let (left, limit) = supply.left(&gp3(), WHOLE, None, c());
        assert_eq!(limit, Some(BindingLimit::VolumeIops));
        assert!((left - 200.0 * c().background_io / 2.0).abs() < 1.0, "{left}");
    }

    #[test]
    fn credits_are_spread_over_their_horizon() {
        let credit = |left| Some(CreditState { left, burst: 3000.0 });
        let volume =
            |left| DiskAllowance { iops: Some(Iops(300.0)), io_credit: credit(left), ..DiskAllowance::default() };
        assert_eq!(volume(0.0).rates(c().credit_horizon)[0], 300.0);
        assert_eq!(volume(c().credit_horizon * 200.0).rates(c().credit_horizon)[0], 500.0);
        assert_eq!(volume(1e12).rates(c().credit_horizon)[0], 3000.0);
    }

    #[test]
    fn a_scan_is_seen_within_seconds_and_forgotten_slowly_while_nothing_is_seen() {
        let mut supply = Supply::new();
        let quiet = CompletedIo { ios: 20.0, written: 5.0 * MIB, ..CompletedIo::default() };
        (0..20).for_each(|_| supply.glance(1.0, [quiet, quiet], 20.0 * MIB, c()));
        assert_eq!(supply.used[0][1].foreground, 0.0);
        let second = CompletedIo { ios: 500.0, read: 120.0 * MIB, ..quiet };
        (0..2).for_each(|_| supply.glance(1.0, [second, second], 20.0 * MIB, c()));
        let seen = supply.used[0][1].foreground;
        assert!((seen / (85.0 * MIB) - 1.0).abs() < 0.01, "{seen}");
        supply.window(c().calm, [CompletedIo::default(); 2], &BackgroundWork::default(), c());
        let kept = supply.used[0][1].foreground / seen;
        assert!((kept - (-1.0f64).exp()).abs() < 1e-9, "{kept}");
    }

    #[test]
    fn a_scan_that_is_over_is_seen_to_be() {
        let mut supply = Supply::new();
        let second =
            |read: f64| [CompletedIo { ios: 500.0, read: read * MIB, written: 5.0 * MIB, ..CompletedIo::default() }; 2];
        (0..20).for_each(|_| supply.glance(1.0, second(95.0), 4.0 * MIB, c()));
        assert!(supply.used[0][1].foreground > 90.0 * MIB);
        (0..10).for_each(|_| supply.glance(1.0, second(5.0), 4.0 * MIB, c()));
        let seen = supply.used[0][1].foreground / MIB;
        assert!(seen < 11.0, "{seen} of the 10 that all did");
    }

    #[test]
    fn a_log_makes_do_with_fewer_ios_than_it_takes_and_reads_do_not() {
        let left = |writes: f64| {
            let mut supply = Supply::new();
            let done = CompletedIo { ios: 28_000.0, writes, written: 28_000.0 * 4096.0, ..CompletedIo::default() };
            supply.window(10.0, [done, done], &BackgroundWork::default(), c());
            supply.left(&gp3(), WHOLE, None, c()).0
        };
        assert!(left(28_000.0) > 2.0 * left(0.0), "{} and {}", left(28_000.0), left(0.0));
        // What flushes and compactions write is needed.
        let mut supply = Supply::new();
        let done = CompletedIo { ios: 4000.0, writes: 4000.0, written: 1000.0 * MIB, ..CompletedIo::default() };
        let engine = BackgroundWork { flushed: 1000.0 * MIB, ..BackgroundWork::default() };
        supply.window(10.0, [done, done], &engine, c());
        assert_eq!(supply.used[0].map(|used| used.foreground), [0.0, 0.0]);
    }

    #[test]
    fn what_the_kernel_writes_back_at_once_is_not_taken_for_others_work() {
        let foreground = |at_once: CompletedIo| {
            let mut supply = Supply { cost: 1.0, ..Supply::new() };
            let mut most: f64 = 0.0;
            for look in 0..60 {
                let done = if look % 4 == 0 { at_once } else { CompletedIo::default() };
                supply.glance(0.25, [done, done], 20.0 * MIB, c());
                most = most.max(supply.used[0][1].foreground / MIB);
            }
            most
        };
        let written = foreground(CompletedIo { written: 20.0 * MIB, ..CompletedIo::default() });
        let read = foreground(CompletedIo { read: 20.0 * MIB, ..CompletedIo::default() });
        assert!(written < 8.0 && read > 40.0, "{written} and {read}");
    }

    #[test]
    fn a_rise_finds_a_share_of_an_idle_disk_free() {
        let (left, _) = Supply::new().left(&gp3(), Shares { all: 0.8, own: 0.5 }, None, c());
        assert!((left - 0.5 * 125.0 / 2.0 * MIB).abs() < 1.0, "{left}");
    }
}
