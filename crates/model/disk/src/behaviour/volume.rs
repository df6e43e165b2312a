//! One volume: its gate, its service times, and how both change.

use limits::BindingLimit;
use units::Nanos;

use super::account::Account;
use super::bucket::Limiter;
use super::degrade::Spells;
use super::fault::Faults;
use super::host::Passed;
use super::modify::Change;
use super::sample::{Sampler, Utilisation};
use super::{BurstCredits, InstanceLink, later};
use crate::{DiskLimits, IoDirection};

/// One volume of a device.
#[derive(Debug, Clone)]
pub(crate) struct Volume {
    limits: DiskLimits,
    ios: Limiter,
    bytes: Limiter,
    /// Cost of a byte without I/O credits, in bytes with credits.
    dry_byte_cost: f64,
    account: Account,
    load: Utilisation,
    /// Utilisation by writes alone, by I/Os or by bytes, whichever is more. At its limit flash programs on all its dies, collection of
    /// garbage included.
    writes: Utilisation,
    sampler: Sampler,
    spells: Option<Spells>,
    /// Boxed, for it is rare and every request looks.
    change: Option<Box<Change>>,
    /// When the last request was let through.
    last: f64,
    /// I/Os in the units of the limits, since the start.
    counted: f64,
}

/// A part of a request, done by one volume.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) start: f64,
    pub(crate) at: f64,
    pub(crate) bound_by: Option<BindingLimit>,
}

impl Done {
    /// Wait of a request as a whole, from those of its two parts.
    pub(crate) fn and(self, other: Self) -> Self {
        let later = if other.start > self.start { other } else { self };
        Self { at: self.at.max(other.at), ..later }
    }
}

impl Volume {
    pub(crate) fn new(limits: DiskLimits, seed: u64) -> Self {
        let (ios, bytes) = Limiter::of_volume(&limits);
        Self {
            ios,
            bytes,
            dry_byte_cost: dry_byte_cost(&limits),
            account: Account::new(&limits),
            load: Utilisation::default(),
            writes: Utilisation::default(),
            sampler: Sampler::new(limits.service, seed),
            spells: None,
            change: None,
            last: 0.0,
            counted: 0.0,
            limits,
        }
    }

    /// Lets degraded minutes happen as often as the type's promise leaves room for; none where nothing is promised.
    pub(crate) fn degrade(&mut self, seed: u64) {
        self.spells = self.limits.consistency.map(|promise| Spells::new(promise, seed));
    }

    /// A read or write of one part.
    pub(crate) fn transfer(
        &mut self,
        host: &mut InstanceLink,
        faults: &Faults,
        at: f64,
        direction: IoDirection,
        offset: u64,
        bytes: u64,
    ) -> Done {
        let (counted, run) = self.account.count(direction, offset, bytes, at);
        self.counted += counted as f64;
        let (ios, size) = match direction {
            IoDirection::Read => (counted as f64, bytes as f64),
            IoDirection::Write => {
                (counted as f64 * self.limits.write_iops_cost, bytes as f64 * self.limits.write_bytes_cost)
            }
        };
        let shared = if self.limits.shares_instance_caps {
            host.pass(at, ios, size)
        } else {
            Passed { start: at, bound_by: None }
        };
        let own = self.pass(faults, shared.start, ios, size);
        let load = self.load.add(own.start, size * self.bytes.pace());
        let writing = self.writing(direction, own.start, ios, size);
        let mut service = self.sampler.draw(direction, bytes, load, writing);
        if !faults.is_empty() {
            service = service * faults.slowness(own.start) + faults.delay(own.start);
        }
        let done = own.start + service;
        self.account.in_flight(run, done);
        let waited_here = own.start - shared.start >= shared.start - at;
        Done { start: own.start, at: done, bound_by: if waited_here { own.bound_by } else { shared.bound_by } }
    }

    /// The share of what the volume can write that it writes at `at`, before this I/O; zero where no read waits for it.
    fn writing(&mut self, direction: IoDirection, at: f64, ios: f64, size: f64) -> f64 {
        if !self.sampler.reads_wait_for_writes() {
            return 0.0;
        }
        let busy = match direction {
            IoDirection::Read => 0.0,
            IoDirection::Write => (ios * self.ios.pace()).max(size * self.bytes.pace()),
        };
        self.writes.add(at, busy)
    }

    /// The volume's own gate, in order of arrival.
    fn pass(&mut self, faults: &Faults, at: f64, ios: f64, size: f64) -> Passed {
        let from = later(at, self.last);
        self.settle(from);
        let mut slowdown = 1.0;
        if let Some(spells) = &mut self.spells {
            slowdown /= spells.delivered(from);
        }
        let mut size = size;
        if self.dry_byte_cost > 1.0 && self.ios.credits().is_some_and(|c| c.balance(from) < ios) {
            size *= self.dry_byte_cost;
        }
        let by_ios = self.ios.earliest(from, ios);
        let by_bytes = self.bytes.earliest(from, size);
        let mut start = later(by_ios, by_bytes);
        let mut bound_by = if by_ios > by_bytes { BindingLimit::VolumeIops } else { BindingLimit::VolumeThroughput };
        if !faults.is_empty() {
            slowdown /= faults.delivered(from);
            let stalled = faults.stalled(start);
            if stalled - start > start - at {
                bound_by = BindingLimit::Fault;
            }
            start = stalled;
        }
        self.ios.take(start, ios, slowdown);
        self.bytes.take(start, size, slowdown);
        self.last = start;
        Passed { start, bound_by: (start > at).then_some(bound_by) }
    }

    /// Makes completed writes durable: takes no share of any limit, but waits for stalls.
    pub(crate) fn flush(&mut self, faults: &Faults, at: f64) -> Done {
        let start = faults.stalled(at);
        let done = start + self.sampler.draw_flush() * faults.slowness(start) + faults.delay(start);
        Done { start, at: done, bound_by: (start > at).then_some(BindingLimit::Fault) }
    }

    pub(crate) fn limits(&self) -> &DiskLimits {
        &self.limits
    }

    pub(crate) fn credits(&self, at: f64) -> BurstCredits {
        let report = |limit: &Limiter| limit.credits().map(|c| c.report(at));
        BurstCredits { ios: report(&self.ios), bytes: report(&self.bytes) }
    }

    pub(crate) fn set_credits(&mut self, at: Nanos, share: f64) {
        for credits in [&mut self.ios, &mut self.bytes].into_iter().filter_map(Limiter::credits_mut) {
            credits.set(at.0 as f64, share);
        }
    }

    /// I/Os counted by the limits since the start.
    pub(crate) fn counted(&self) -> f64 {
        self.counted
    }

    /// Lets what waits for a stall's end at `until` go ahead at `at` already.
    pub(crate) fn pull_in(&mut self, at: f64, until: f64) {
        if self.last >= until {
            self.last -= until - at;
        }
        self.ios.pull_in(at, until);
        self.bytes.pull_in(at, until);
    }

    /// Starts to become a volume with other limits.
    pub(crate) fn change(&mut self, change: Change) {
        self.change = Some(Box::new(change));
    }

    /// Brings the limits to where a modification has got by an instant.
    pub(crate) fn settle(&mut self, at: f64) {
        let Some(change) = self.change.take() else { return };
        let (ios, bytes) = Limiter::of_volume(&change.to);
        if at >= change.completed {
            self.ios.become_like(ios, at);
            self.bytes.become_like(bytes, at);
            self.dry_byte_cost = dry_byte_cost(&change.to);
            self.account = Account::new(&change.to);
            self.sampler.set_service(change.to.service);
            self.limits = change.to;
            return;
        }
        let done = change.progress(at);
        let (old_ios, old_bytes) = Limiter::of_volume(&self.limits);
        self.ios.set_rate(old_ios.rate() + (ios.rate() - old_ios.rate()) * done);
        self.bytes.set_rate(old_bytes.rate() + (bytes.rate() - old_bytes.rate()) * done);
        self.change = Some(change);
    }
}

/// The throughput while I/O credits last over that after.
fn dry_byte_cost(limits: &DiskLimits) -> f64 {
    (limits.burst_throughput / limits.throughput).max(1.0)
}
