//! What the disk model says of a volume under a load: the requests of a busy interval, sent again in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use catalog::InstanceCaps;
use disk::{Device, DiskLimits, InstanceLink, IoOperation, IoRequest};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::{BytesPerSec, Iops, Nanos};

use crate::RequestMix;

/// So many I/Os are looked at: the mean of the log-normal service time is then known to half a percent.
const LOOKED_AT: usize = 5_000;

/// What passes before: limits let some through at once, and a queue has to build.
const BEFORE: Nanos = Nanos::secs(1);

/// I/Os start so many bytes apart, so that none merge: those that do are counted as one already.
const APART: u64 = 4 << 20;

/// What a volume delivers, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VolumePrediction {
    /// I/Os a second.
    pub iops: Iops,
    /// Bytes a second.
    pub throughput: BytesPerSec,
    /// I/Os as a share of the sustained limit.
    pub iops_use: f64,
    /// Bytes as a share of the sustained limit.
    pub throughput_use: f64,
    /// Mean latency.
    pub latency: Nanos,
    /// The 99th percentile.
    pub p99: Nanos,
}

/// What a volume with these limits makes of a load, behind an instance's limits if any, with no burst credits left. Clients
/// that a limit held up send their next request when one is answered; others send at the rate that was seen.
pub fn predict(mix: &RequestMix, limits: &DiskLimits, caps: Option<&InstanceCaps>, seed: u64) -> VolumePrediction {
    let mut run = Run::new(mix, limits, caps, seed);
    let depth = mix.depth.filter(|depth| mix.held_up && *depth >= 1.0);
    match depth {
        Some(depth) => run.closed(depth.round() as usize),
        None => run.open(mix.iops.0),
    }
    run.outcome(limits)
}

struct Run {
    device: Device,
    host: InstanceLink,
    rng: Xoshiro256PlusPlus,
    reads: f64,
    bytes: u32,
    offset: u64,
    from: Option<Nanos>,
    until: Nanos,
    latencies: Vec<u64>,
}

impl Run {
    fn new(mix: &RequestMix, limits: &DiskLimits, caps: Option<&InstanceCaps>, seed: u64) -> Self {
        let (mut device, mut host) = (Device::new(limits.clone(), seed), InstanceLink::new(caps));
        device.exhaust_credits(Nanos(0));
        host.exhaust_credits(Nanos(0));
        Self {
            device,
            host,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            reads: mix.reads,
            bytes: mix.size().0.clamp(512, APART / 4) as u32,
            offset: 0,
            from: None,
            until: Nanos(0),
            latencies: Vec::new(),
        }
    }

    /// Sends a request; the answer says when it is done.
    fn send(&mut self, at: Nanos) -> Nanos {
        let op = if self.rng.random::<f64>() < self.reads { IoOperation::Read } else { IoOperation::Write };
        self.offset = self.offset.wrapping_add(APART);
        let done = self.device.submit(&mut self.host, at, IoRequest { op, offset: self.offset, bytes: self.bytes }).at;
        if at >= BEFORE {
            self.from.get_or_insert(at);
            self.until = at;
            self.latencies.push((done - at).0);
        }
        done
    }

    fn closed(&mut self, depth: usize) {
        let mut free: BinaryHeap<Reverse<Nanos>> = std::iter::repeat_n(Reverse(Nanos(0)), depth).collect();
        while self.latencies.len() < LOOKED_AT {
            let Some(Reverse(at)) = free.pop() else { return };
            let done = self.send(at);
            free.push(Reverse(done));
        }
    }

    /// Arrivals at random, as of many clients that know nothing of each other.
    fn open(&mut self, rate: f64) {
        let mut at = 0.0;
        // A slow stream is looked at for as long as a fast one, not for as many requests.
        let most = BEFORE.as_secs_f64() + 60.0;
        while self.latencies.len() < LOOKED_AT && rate > 0.0 && at < most {
            at -= (1.0 - self.rng.random::<f64>()).ln() / rate;
            self.send(Nanos::from_secs_f64(at));
        }
    }

    fn outcome(mut self, limits: &DiskLimits) -> VolumePrediction {
        self.latencies.sort_unstable();
        let count = self.latencies.len();
        let span = (self.until - self.from.unwrap_or(self.until)).as_secs_f64();
        let iops = if span > 0.0 { count as f64 / span } else { 0.0 };
        let bytes = iops * f64::from(self.bytes);
        let mean = self.latencies.iter().sum::<u64>() / (count as u64).max(1);
        VolumePrediction {
            iops: Iops(iops),
            throughput: BytesPerSec(bytes),
            iops_use: iops / limits.iops.0,
            throughput_use: bytes / limits.throughput.0,
            latency: Nanos(mean),
            p99: Nanos(self.latencies.get(count * 99 / 100).copied().unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{limits, mix};

    #[test]
    fn clients_that_waited_send_as_much_as_the_larger_limit_lets_them() {
        let waiting = RequestMix { held_up: true, depth: Some(32.0), ..mix(3000.0, 4.0) };
        let after = predict(&waiting, &limits("gp3:100GiB,9000iops"), None, 1);
        assert!((after.iops.0 / 9000.0 - 1.0).abs() < 0.02, "{after:?}");
        // Little's law: what is in flight is the rate times the latency.
        assert!((after.iops.0 * after.latency.as_secs_f64() / 32.0 - 1.0).abs() < 0.05, "{after:?}");
        let wide = predict(&waiting, &limits("gp3:200GiB,80000iops,1000MiB/s"), None, 1);
        assert!(wide.iops_use < 0.9 && wide.latency < after.latency, "{wide:?}");
    }

    #[test]
    fn others_send_as_before_and_wait_for_the_disk_alone() {
        let free = mix(1000.0, 16.0);
        let limits = limits("gp3:100GiB");
        let after = predict(&free, &limits, None, 1);
        assert!((after.iops.0 / 1000.0 - 1.0).abs() < 0.05, "{after:?}");
        let read = limits.service.median(disk::IoDirection::Read, free.size(), after.throughput_use);
        let write = limits.service.median(disk::IoDirection::Write, free.size(), after.throughput_use);
        let mean = (limits.service.mean(read) + limits.service.mean(write)) / 2.0;
        assert!((after.latency.as_secs_f64() / mean - 1.0).abs() < 0.1, "{after:?} against {mean} s");
        assert!(after.p99 > after.latency);
    }

    #[test]
    fn a_volume_without_load_is_not_used() {
        let idle = predict(&mix(0.0, 4.0), &limits("gp3:100GiB"), None, 1);
        assert_eq!((idle.iops, idle.latency), (Iops(0.0), Nanos(0)));
    }
}
