//! The disks of a node, on the same model that mounted disks run on, and what is counted of them.

mod counted;
mod throttle;

use catalog::{CatalogView, InstanceCaps, InstanceType};
use compaction_control::{CompletedIo as Asked, CreditState as PilotCredit, DiskAllowance};
use disk::{
    CreditBalance, Device, Disk, DiskError, DiskFault, DiskLimits, InstanceLink, IoOperation, IoRequest,
    ModificationRules, RequestedRate,
};
use metrics::{CreditGauge, DiskLatencies, NodeSample};
use units::Nanos;

use counted::{Becomes, Counted};
use throttle::Throttle;
pub(crate) use throttle::Wants;

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
    host: InstanceLink,
    disks: Vec<Counted>,
    instance: String,
    caps: Option<InstanceCaps>,
    /// What the kernel lets at the data disk of writes through its page cache.
    throttle: Throttle,
    /// The largest request that a disk takes.
    request_most: u32,
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
        view: &CatalogView,
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
        let host = InstanceLink::new(instance.caps.as_ref());
        let caps = instance.caps;
        let throttle = Throttle::new(Nanos(0));
        Ok(Self { host, disks, instance: instance.name.clone(), caps, throttle, request_most: u32::MAX, step, now: 0 })
    }

    /// Behind a kernel that holds writes back while reads take longer than `target`, and cuts requests over `most` bytes.
    pub(crate) fn served(self, target: Nanos, most: u32) -> Self {
        Self { throttle: Throttle::new(target), request_most: most.max(1), ..self }
    }

    /// Bursts begin without credits.
    pub(crate) fn exhaust(&mut self) {
        self.host.exhaust_credits(Nanos(0));
        self.disks.iter_mut().for_each(|disk| disk.device.exhaust_credits(Nanos(0)));
    }

    /// From the start each disk delivers this share of its limits: the data disk, and the log's own.
    pub(crate) fn degrade(&mut self, shares: [f64; 2]) {
        for (disk, share) in self.disks.iter_mut().zip(shares).filter(|(_, share)| *share < 1.0) {
            disk.device.inject(DiskFault::Degrade(share), Nanos(0), Nanos(u64::MAX));
        }
    }

    /// Whether the log lies on the data disk.
    pub(crate) fn share_one(&self) -> bool {
        self.disks.len() == 1
    }

    /// Requests so far, flushes of the disk among them.
    pub(crate) fn submitted(&self) -> u64 {
        self.disks.iter().map(Counted::submitted).sum()
    }

    /// Submits a request, in pieces if it is larger than the disk takes: when all of it is done.
    pub(crate) fn submit(&mut self, which: Which, at: Nanos, op: IoOperation, offset: u64, bytes: u32) -> Nanos {
        let index = if which == Which::Data { 0 } else { self.disks.len() - 1 };
        let disk = &mut self.disks[index];
        let (mut from, mut done) = (0, at);
        loop {
            let piece = (bytes - from).min(self.request_most);
            let io = IoRequest { op, offset: offset + u64::from(from), bytes: piece };
            let completion = disk.device.submit(&mut self.host, at, io);
            let past = completion.at.0.saturating_sub(self.now * self.step.0);
            // Nearly all are done in this step, and a division takes long.
            let ahead = if past < self.step.0 { 0 } else { (past / self.step.0) as usize };
            disk.count(at, op, piece, completion, ahead);
            done = done.max(completion.at);
            from += piece;
            if from >= bytes {
                break;
            }
        }
        if index == 0 {
            self.throttle.sent(at, op, done);
        }
        done
    }

    /// Whether the kernel lets one more write at the data disk; then it counts as there until it is [`written`](Self::written).
    pub(crate) fn lets(&mut self, now: Nanos, wants: Wants) -> bool {
        self.throttle.lets(now, wants)
    }

    /// A write that was let at the data disk is done.
    pub(crate) fn written(&mut self, now: Nanos) {
        self.throttle.done(now);
    }

    /// A fault of a disk begins, or all end.
    pub(crate) fn wish(&mut self, disk: usize, now: Nanos, wish: RequestedRate) {
        let this = &mut self.disks[disk];
        match wish {
            RequestedRate::Inject(fault, lasts) => {
                let until = Nanos(now.0.saturating_add(lasts.0));
                this.device.inject(fault, now, until);
                this.faulty = this.faulty.max(until);
            }
            // What was promised to complete later than need be, does so: nobody is told twice.
            RequestedRate::Heal => {
                this.device.heal(now);
                this.faulty = now;
            }
            RequestedRate::Credits(share) => this.device.set_credits(now, share),
            RequestedRate::Attach => {}
        }
    }

    /// The power of a disk goes: what a cache held is lost.
    pub(crate) fn lose_cache(&mut self, disk: usize, now: Nanos, wish: RequestedRate) {
        if let RequestedRate::Inject(fault @ DiskFault::PowerCut, _) = wish {
            self.disks[disk].device.inject(fault, now, now);
        }
    }

    /// A disk begins to become another, whose volumes each and all together have these limits.
    pub(crate) fn modify(
        &mut self,
        disk: usize,
        now: Nanos,
        (to, each, whole): (&Disk, &DiskLimits, &DiskLimits),
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

    /// Bytes of the data disk; nothing if there is none.
    pub(crate) fn size(&self) -> f64 {
        self.disks.first().map_or(0.0, |disk| disk.sample.size.as_f64())
    }

    /// Requests so far of the data disk, and of all that hang on the instance's link.
    pub(crate) fn done(&self) -> [Asked; 2] {
        let data = self.disks.first().map(Counted::asked).unwrap_or_default();
        let all = self.disks.iter().filter(|disk| disk.linked).map(Counted::asked).sum();
        [data, all]
    }

    /// What the data disk lets through, and what the instance does.
    pub(crate) fn allowances(&self, now: Nanos) -> [DiskAllowance; 2] {
        let credit = |balance: Option<CreditBalance>, burst: f64| {
            balance.map(|balance| PilotCredit { left: balance.now, burst })
        };
        let data = self.disks.first().map(|disk| {
            let credits = disk.device.credits(now);
            DiskAllowance {
                iops: disk.sample.iops_limit,
                throughput: disk.sample.throughput_limit,
                io_credit: credit(credits.ios, disk.burst[0]),
                byte_credit: credit(credits.bytes, disk.burst[1]),
            }
        });
        let credits = self.host.credits(now);
        let instance = self.caps.as_ref().map(|caps| DiskAllowance {
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
    pub(crate) fn latencies(&self) -> Vec<DiskLatencies> {
        self.disks.iter().map(|disk| disk.latencies.clone()).collect()
    }
}

fn credit(balance: CreditBalance) -> CreditGauge {
    CreditGauge { now: balance.now, capacity: balance.capacity, accrual: balance.accrual }
}
