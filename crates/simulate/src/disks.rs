//! The disks of a node, on the same model that mounted disks run on, and what is counted of them.

use std::collections::VecDeque;

use catalog::{Burst, InstanceCaps, InstanceType, View};
use disk::{
    Balance, Bound, Completion, Device, Disk, DiskError, Fault, Host, Io, Limits, Modification as Course,
    ModificationRules, ModificationState, Op, Wish,
};
use limiter::{Allowance, Credit as PilotCredit, Done as Asked};
use observe::{Bounds, Cache, Credit, DiskSample, Done, Latencies, Modification, NodeSample};
use units::{Bytes, BytesPerSec, Iops, Nanos};

/// The requests that complete in one step of time.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    done: [(u64, u64, u64); 3],
    counted: f64,
}

/// Time covered by intervals that come in order of their starts.
#[derive(Debug, Clone, Copy, Default)]
struct Covered {
    until: u64,
    total: u64,
}

impl Covered {
    fn add(&mut self, from: u64, until: u64) {
        self.total += until.saturating_sub(from.max(self.until));
        self.until = self.until.max(until);
    }

    /// What of it lies before an instant.
    fn before(&self, at: Nanos) -> Nanos {
        Nanos(self.total - self.until.saturating_sub(at.0).min(self.total))
    }
}

/// A disk with its counters.
#[derive(Debug, Clone)]
struct Counted {
    device: Device,
    sample: DiskSample,
    /// What completes in the step that the clock is in and in those after it.
    steps: VecDeque<Step>,
    counted: f64,
    submitted: u64,
    /// Reads and writes among them, and their bytes.
    asked: Asked,
    /// I/Os or bytes a second while credits last, if they matter.
    burst: f64,
    /// Whether it hangs on the instance's link.
    linked: bool,
    busy: Covered,
    /// By [`Bound`], `Nothing` not among them.
    bound: [Covered; 5],
    latencies: Latencies,
    /// Until when a fault lasts.
    faulty: Nanos,
    /// The modification under way.
    becomes: Option<Becomes>,
}

/// A disk on its way to another.
#[derive(Debug, Clone)]
struct Becomes {
    course: Course,
    disk: Disk,
    limits: Limits,
    /// What its limits were.
    from: (Option<Iops>, Option<BytesPerSec>),
}

/// Which disk of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// The data disk.
    Data,
    /// The log's own, or the data disk where it has none.
    Log,
}

/// The disks of one node.
#[derive(Debug, Clone)]
pub(crate) struct Disks {
    host: Host,
    disks: Vec<Counted>,
    instance: String,
    caps: Option<InstanceCaps>,
    step: Nanos,
    /// The number of the step that the clock is in.
    now: u64,
}

impl Disks {
    /// New disks with their names, counted in steps.
    ///
    /// # Errors
    /// When the instance cannot have one of them.
    pub(crate) fn new<'a>(
        disks: impl Iterator<Item = (&'static str, &'a Disk)>,
        instance: &InstanceType,
        view: &View,
        (seed, degraded): (u64, bool),
        step: Nanos,
    ) -> Result<Self, DiskError> {
        let counted = |(index, (name, disk)): (usize, (&str, &Disk))| {
            let limits = disk.limits(view, Some(instance))?;
            let device = Device::new(disk.spec(view, Some(instance))?, seed.wrapping_add(index as u64));
            let device = if degraded { device.with_degraded_minutes() } else { device };
            Ok::<_, DiskError>(Counted::new(name, disk, &limits, device))
        };
        let disks = disks.enumerate().map(counted).collect::<Result<_, _>>()?;
        let host = Host::new(instance.caps.as_ref());
        let caps = instance.caps;
        Ok(Self { host, disks, instance: instance.name.clone(), caps, step, now: 0 })
    }

    /// Bursts begin without credits.
    pub(crate) fn exhaust(&mut self) {
        self.host.exhaust_credits(Nanos(0));
        self.disks.iter_mut().for_each(|disk| disk.device.exhaust_credits(Nanos(0)));
    }

    /// From the start each disk delivers this share of its limits: the data disk, and the log's own.
    pub(crate) fn degrade(&mut self, shares: [f64; 2]) {
        for (disk, share) in self.disks.iter_mut().zip(shares).filter(|(_, share)| *share < 1.0) {
            disk.device.inject(Fault::Degrade(share), Nanos(0), Nanos(u64::MAX));
        }
    }

    /// Requests so far, flushes of the disk among them.
    pub(crate) fn submitted(&self) -> u64 {
        self.disks.iter().map(|disk| disk.submitted).sum()
    }

    /// Submits a request: when it is done.
    pub(crate) fn submit(&mut self, which: Which, at: Nanos, op: Op, offset: u64, bytes: u32) -> Nanos {
        let last = self.disks.len() - 1;
        let disk = &mut self.disks[if which == Which::Data { 0 } else { last }];
        let completion = disk.device.submit(&mut self.host, at, Io { op, offset, bytes });
        let ahead = (completion.at.0 / self.step.0).saturating_sub(self.now) as usize;
        disk.count(at, op, bytes, completion, ahead);
        completion.at
    }

    /// A fault of a disk begins, or all end.
    pub(crate) fn wish(&mut self, disk: usize, now: Nanos, wish: Wish) {
        let this = &mut self.disks[disk];
        match wish {
            Wish::Inject(fault, lasts) => {
                let until = Nanos(now.0.saturating_add(lasts.0));
                this.device.inject(fault, now, until);
                this.faulty = this.faulty.max(until);
            }
            // What was promised to complete later than need be, does so: nobody is told twice.
            Wish::Heal => {
                this.device.heal(now);
                this.faulty = now;
            }
            Wish::Credits(share) => this.device.set_credits(now, share),
            Wish::Attach => {}
        }
    }

    /// The power of a disk goes: what a cache held is lost.
    pub(crate) fn lose_cache(&mut self, disk: usize, now: Nanos, wish: Wish) {
        if let Wish::Inject(fault @ Fault::PowerCut, _) = wish {
            self.disks[disk].device.inject(fault, now, now);
        }
    }

    /// A disk begins to become another, whose volumes each and all together have these limits.
    pub(crate) fn modify(
        &mut self,
        disk: usize,
        now: Nanos,
        (to, each, whole): (&Disk, &Limits, &Limits),
        rules: &ModificationRules,
    ) {
        let this = &mut self.disks[disk];
        // It was tried before time zero.
        if let Ok(course) = this.device.modify(now, each, rules) {
            let from = (this.sample.iops_limit, this.sample.throughput_limit);
            this.becomes = Some(Becomes { course, disk: to.clone(), limits: whole.clone(), from });
        }
    }

    /// Whether a disk has a fault at an instant.
    pub(crate) fn faulty(&self, disk: usize, at: Nanos) -> bool {
        at < self.disks[disk].faulty
    }

    /// Bytes a second that the data disk sustains; `None` if nothing limits it.
    pub(crate) fn throughput(&self) -> Option<f64> {
        self.disks.first()?.sample.throughput_limit.map(|limit| limit.0)
    }

    /// Bytes of the data disk; nothing if there is none.
    pub(crate) fn size(&self) -> f64 {
        self.disks.first().map_or(0.0, |disk| disk.sample.size.as_f64())
    }

    /// Requests so far of the data disk, and of all that hang on the instance's link.
    pub(crate) fn done(&self) -> [Asked; 2] {
        let data = self.disks.first().map(|disk| disk.asked).unwrap_or_default();
        let all = self.disks.iter().filter(|disk| disk.linked).fold(Asked::default(), |sum, disk| Asked {
            ios: sum.ios + disk.asked.ios,
            read: sum.read + disk.asked.read,
            written: sum.written + disk.asked.written,
        });
        [data, all]
    }

    /// What the data disk lets through, and what the instance does.
    pub(crate) fn allowances(&self, now: Nanos) -> [Allowance; 2] {
        let credit =
            |balance: Option<Balance>, burst: f64| balance.map(|balance| PilotCredit { left: balance.now, burst });
        let data = self.disks.first().map(|disk| {
            let credits = disk.device.credits(now);
            Allowance {
                iops: disk.sample.iops_limit,
                throughput: disk.sample.throughput_limit,
                io_credit: credit(credits.ios, disk.burst),
                byte_credit: credit(credits.bytes, disk.burst),
            }
        });
        let credits = self.host.credits(now);
        let instance = self.caps.as_ref().map(|caps| Allowance {
            iops: Some(caps.iops),
            throughput: Some(caps.throughput),
            io_credit: credit(credits.ios, caps.burst_iops.0),
            byte_credit: credit(credits.bytes, caps.burst_throughput.0),
        });
        [data.unwrap_or_default(), instance.unwrap_or_default()]
    }

    /// What was counted before anything happened.
    pub(crate) fn baseline(&self) -> NodeSample {
        let credits = self.host.credits(Nanos(0));
        NodeSample {
            at: Nanos(0),
            instance: Some(self.instance.clone()),
            instance_ios: credits.ios.map(credit),
            instance_bytes: credits.bytes.map(credit),
            disks: self.disks.iter().map(|disk| disk.sample.clone()).collect(),
        }
    }

    /// Ends the step that the clock is in, and tells what was counted until its end.
    pub(crate) fn sample(&mut self) -> NodeSample {
        self.now += 1;
        let at = Nanos(self.now * self.step.0);
        let credits = self.host.credits(at);
        NodeSample {
            at,
            instance: Some(self.instance.clone()),
            instance_ios: credits.ios.map(credit),
            instance_bytes: credits.bytes.map(credit),
            disks: self.disks.iter_mut().map(|disk| disk.sample(at)).collect(),
        }
    }

    /// The latencies of all requests so far.
    pub(crate) fn latencies(&self) -> Vec<Latencies> {
        self.disks.iter().map(|disk| disk.latencies.clone()).collect()
    }
}

impl Counted {
    fn new(name: &str, disk: &Disk, limits: &Limits, device: Device) -> Self {
        let limited = !disk.volume.is_unlimited();
        let sample = DiskSample {
            name: name.to_owned(),
            disk: disk.to_string(),
            kind: disk.volume.kind.clone(),
            device: None,
            size: limits.size,
            iops_limit: limited.then_some(limits.iops),
            throughput_limit: limited.then_some(limits.throughput),
            read: Done::default(),
            write: Done::default(),
            flush: Done::default(),
            counted: 0.0,
            errors: 0,
            in_flight: 0,
            busy: Nanos(0),
            queued: Nanos(0),
            bound: Bounds::default(),
            ios: None,
            bytes: None,
            cache: None,
            modification: Modification::None,
            late: Nanos(0),
        };
        let latencies = Latencies { read: timeline::latencies(), write: timeline::latencies() };
        let steps = VecDeque::from([Step::default()]);
        let (busy, bound) = (Covered::default(), [Covered::default(); 5]);
        let (faulty, becomes) = (Nanos(0), None);
        Self {
            device,
            sample,
            steps,
            counted: 0.0,
            submitted: 0,
            asked: Asked::default(),
            burst: burst(limits, disk.stripe),
            linked: limits.shares_instance_caps,
            busy,
            bound,
            latencies,
            faulty,
            becomes,
        }
    }

    fn count(&mut self, at: Nanos, op: Op, bytes: u32, completion: Completion, ahead: usize) {
        while self.steps.len() <= ahead {
            self.steps.push_back(Step::default());
        }
        let step = &mut self.steps[ahead];
        let took = completion.at - at;
        let (kind, latencies) = match op {
            Op::Read => (0, Some(&mut self.latencies.read)),
            Op::Write => (1, Some(&mut self.latencies.write)),
            Op::Flush => (2, None),
        };
        if let Some(latencies) = latencies {
            latencies.record(took.0.max(1)).expect("the histogram grows");
        }
        let done = &mut step.done[kind];
        *done = (done.0 + 1, done.1 + if kind == 2 { 0 } else { u64::from(bytes) }, done.2 + took.0);
        let counted = self.device.counted();
        step.counted += counted - self.counted;
        self.counted = counted;
        self.submitted += 1;
        match op {
            Op::Read => self.asked.read += f64::from(bytes),
            Op::Write => self.asked.written += f64::from(bytes),
            Op::Flush => {}
        }
        self.asked.ios += if op == Op::Flush { 0.0 } else { 1.0 };
        self.busy.add(at.0, completion.at.0);
        let bound = match completion.bound_by {
            Bound::Nothing => return,
            Bound::VolumeIops => 0,
            Bound::VolumeThroughput => 1,
            Bound::InstanceIops => 2,
            Bound::InstanceThroughput => 3,
            Bound::Fault => 4,
        };
        self.bound[bound].add(at.0, completion.started.0);
    }

    fn sample(&mut self, at: Nanos) -> DiskSample {
        let step = self.steps.pop_front().unwrap_or_default();
        if self.steps.is_empty() {
            self.steps.push_back(Step::default());
        }
        let sample = &mut self.sample;
        let kinds = [&mut sample.read, &mut sample.write, &mut sample.flush];
        for (done, (count, bytes, time)) in kinds.into_iter().zip(step.done) {
            done.count += count;
            done.bytes += Bytes(bytes);
            done.time += Nanos(time);
            sample.queued += Nanos(time);
        }
        sample.counted += step.counted;
        sample.in_flight = self.submitted - sample.answered();
        sample.busy = self.busy.before(at);
        let bound = self.bound.map(|covered| covered.before(at));
        sample.bound = Bounds {
            volume_iops: bound[0],
            volume_throughput: bound[1],
            instance_iops: bound[2],
            instance_throughput: bound[3],
            fault: bound[4],
        };
        let credits = self.device.credits(at);
        sample.ios = credits.ios.map(credit);
        sample.bytes = credits.bytes.map(credit);
        sample.cache = self.device.cache_stats().map(|stats| Cache {
            hits: stats.hits,
            misses: stats.misses,
            hit_bytes: Bytes(0),
            hit_time: Nanos(0),
        });
        self.modified(at);
        self.sample.clone()
    }

    /// How far a modification is, and what the disk is by then.
    fn modified(&mut self, at: Nanos) {
        let Some(Becomes { course, disk, limits, from }) = &self.becomes else { return };
        let sample = &mut self.sample;
        let state = self.device.modification(at);
        let done = match state {
            ModificationState::Optimizing(done) => done,
            ModificationState::Completed => 1.0,
            _ => 0.0,
        };
        // As the model has it: in proportion to how far it is.
        let between = |old: f64, new: f64| old + (new - old) * done;
        sample.iops_limit = from.0.map(|old| Iops(between(old.0, limits.iops.0)));
        sample.throughput_limit = from.1.map(|old| BytesPerSec(between(old.0, limits.throughput.0)));
        sample.modification = match state {
            ModificationState::None => Modification::None,
            ModificationState::Modifying => Modification::Modifying,
            ModificationState::Optimizing(done) => Modification::Optimizing(done),
            ModificationState::Completed => Modification::Completed,
        };
        if at >= course.optimizing {
            sample.size = limits.size;
        }
        if at >= course.completed {
            (sample.disk, sample.kind) = (disk.to_string(), disk.volume.kind.clone());
            self.becomes = None;
        }
    }
}

/// I/Os or bytes a second of a stripe of so many volumes while their credits last; infinite where they do not burst so.
fn burst(limits: &Limits, stripe: u32) -> f64 {
    let each = match limits.burst {
        Some(Burst::IoCredits { iops, .. }) => iops.0,
        Some(Burst::ByteCredits { per_tib, max, .. }) => {
            let size = limits.size.as_f64() / f64::from(stripe.max(1)) / Bytes::gib(1024).as_f64();
            (per_tib.0 * size).min(max.0)
        }
        _ => f64::INFINITY,
    };
    each * f64::from(stripe.max(1))
}

fn credit(balance: Balance) -> Credit {
    Credit { now: balance.now, capacity: balance.capacity, accrual: balance.accrual }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_intervals_cover_their_union() {
        let mut covered = Covered::default();
        covered.add(0, 10);
        covered.add(5, 12);
        covered.add(20, 30);
        assert_eq!(covered.total, 22);
        assert_eq!(covered.before(Nanos(25)), Nanos(17));
    }
}
