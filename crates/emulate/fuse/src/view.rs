//! The counters as others see them.

use disk::{CreditBalance, ModificationState};
use metrics::{CreditGauge, DiskSample, ModificationStage, NodeSample, RequestCounters};
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::FuseServer;
use crate::block::{Counters, Seen};
use crate::desk::Model;
use crate::passthrough::Passthrough;

fn credit(balance: CreditBalance) -> CreditGauge {
    CreditGauge { now: balance.now, capacity: balance.capacity, accrual: balance.accrual }
}

fn modification(state: ModificationState) -> ModificationStage {
    match state {
        ModificationState::None => ModificationStage::None,
        ModificationState::Modifying => ModificationStage::Modifying,
        ModificationState::Optimizing(done) => ModificationStage::Optimizing(done),
        ModificationState::Completed => ModificationStage::Completed,
    }
}

fn done(seen: Seen) -> RequestCounters {
    RequestCounters { count: seen.count, bytes: Bytes(seen.bytes), time: seen.time }
}

/// The same sample with what the kernel counted, for a disk that it serves itself.
fn counted_by_kernel(sample: DiskSample, kernel: Counters) -> DiskSample {
    let Counters { read, write, in_flight, busy, queued } = kernel;
    // Nothing limits such a disk, so that each request counts as one.
    let counted = (read.count + write.count) as f64;
    DiskSample { read: done(read), write: done(write), in_flight, busy, queued, counted, ..sample }
}

impl FuseServer {
    /// The counters of all disks; their `device` is `None`.
    pub fn sample(&self) -> NodeSample {
        let mut model = self.desk.model.lock();
        let at = self.now();
        let instance = model.node.host.credits(at);
        NodeSample {
            at,
            instance: self.instance.clone(),
            instance_ios: instance.ios.map(credit),
            instance_bytes: instance.bytes.map(credit),
            disks: (0..self.desk.disks.len()).map(|i| self.sample_of(i, &mut model, at)).collect(),
        }
    }

    fn sample_of(&self, i: usize, model: &mut Model, at: Nanos) -> DiskSample {
        let served = &self.desk.disks[i];
        let (device, meter) = (&model.node.devices[i], &mut model.meters[i]);
        let (busy, queued) = meter.busy_and_queued(at);
        let credits = device.credits(at);
        let mut sheet = served.sheet.lock();
        let sheet = sheet.at(at);
        let all = |of_each: f64| Some(of_each * f64::from(served.stripe)).filter(|limit| limit.is_finite());
        let sample = DiskSample {
            name: served.name.clone(),
            disk: sheet.disk.clone(),
            kind: served.kind.clone(),
            device: None,
            size: Bytes(served.size()),
            iops_limit: all(sheet.limits.iops.0).map(Iops),
            throughput_limit: all(sheet.limits.throughput.0).map(BytesPerSec),
            read: meter.read,
            write: meter.write,
            flush: meter.flush,
            counted: device.counted(),
            errors: meter.errors,
            in_flight: meter.in_flight,
            busy,
            queued,
            bound: meter.bounds(at),
            ios: credits.ios.map(credit),
            bytes: credits.bytes.map(credit),
            cache: device.cache_stats().map(|_| meter.cache),
            modification: modification(device.modification(at)),
            late: meter.late,
        };
        match served.passthrough.as_ref().and_then(Passthrough::counters) {
            Some(kernel) => counted_by_kernel(sample, kernel),
            None => sample,
        }
    }
}
