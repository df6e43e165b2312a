//! A disk as a device: stripe, cache, faults and modification round its volumes.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use super::cache::{Cache, CacheStats};
use super::credits::{BurstCredits, CreditBalance};
use super::fault::{DiskFault, Faults};
use super::modify::{Change, History, ModificationRules, ModificationState, ModifyError, VolumeModification};
use super::stripe::Layout;
use super::volume::{Done, Volume};
use super::{BehaviourConstants, DeviceSpec, InstanceLink, IoCompletion, IoOperation, IoRequest, IoStatus};
use crate::{DiskLimits, IoDirection};

/// A disk in virtual time. The same seed and the same requests give the same completions, to the nanosecond.
#[derive(Debug, Clone)]
pub struct Device {
    volumes: Vec<Volume>,
    layout: Layout,
    cache: Option<Cache>,
    faults: Faults,
    history: History,
    seed: u64,
    /// Decides which requests end with an error.
    rng: Xoshiro256PlusPlus,
    /// When the last request arrived.
    last: f64,
}

/// Source of random numbers of a part of a device.
#[derive(Debug, Clone, Copy)]
enum Stream {
    Volume(usize),
    Degraded(usize),
    Cache,
    Errors,
}

/// A seed for each part; those of equal volumes differ.
fn seed_of(seed: u64, stream: Stream) -> u64 {
    let (kind, index) = match stream {
        Stream::Volume(i) => (1, i as u64),
        Stream::Degraded(i) => (2, i as u64),
        Stream::Cache => (3, 0),
        Stream::Errors => (4, 0),
    };
    // The golden ratio's odd multiples lie far apart; the generator mixes the seed further.
    seed ^ (index * 8 + kind).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The seed of one volume of a device.
#[cfg(test)]
pub(crate) fn seed_of_volume(seed: u64, index: usize) -> u64 {
    seed_of(seed, Stream::Volume(index))
}

impl Device {
    /// A plain volume whose random numbers come straight from a seed.
    #[cfg(test)]
    pub(crate) fn of_volume(limits: DiskLimits, seed: u64) -> Self {
        let volume = Volume::new(limits.clone(), seed);
        Self { volumes: vec![volume], ..Self::new(limits, 0) }
    }

    /// A new device, its burst buckets full.
    pub fn new(spec: impl Into<DeviceSpec>, seed: u64) -> Self {
        let spec = spec.into();
        let count = spec.stripe.max(1) as usize;
        let volume = |i| Volume::new(spec.volume.clone(), seed_of(seed, Stream::Volume(i)));
        Self {
            volumes: (0..count).map(volume).collect(),
            layout: Layout::new(count, BehaviourConstants::embedded().stripe_chunk.0),
            cache: spec.cache.map(|cache| Cache::new(cache, seed_of(seed, Stream::Cache))),
            faults: Faults::default(),
            history: History::default(),
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed_of(seed, Stream::Errors)),
            last: 0.0,
        }
    }

    /// With degraded minutes, as often as the type's promise leaves room for, drawn from the seed.
    #[must_use]
    pub fn with_degraded_minutes(mut self) -> Self {
        for (i, volume) in self.volumes.iter_mut().enumerate() {
            volume.degrade(seed_of(self.seed, Stream::Degraded(i)));
        }
        self
    }

    /// Submits a request and tells when it is done. Requests to all devices of a host come in order of time: one that
    /// claims to be earlier than the last counts as arriving with it. Offsets are not held against the size.
    pub fn submit(&mut self, host: &mut InstanceLink, at: Nanos, io: IoRequest) -> IoCompletion {
        let at = host.arrive(at);
        if self.faults.is_empty() {
            let done = self.serve(host, at, io);
            return completion(done, IoStatus::Done);
        }
        if self.faults.power_cut_between(self.last, at)
            && let Some(cache) = &mut self.cache
        {
            cache.clear();
        }
        self.last = at;
        // A request to a device that is away takes nothing of any limit.
        if let Some((when, status)) = self.faults.cut(at, at.next_up()) {
            return completion(Done { start: when, at: when, bound_by: None }, status);
        }
        let done = self.serve(host, at, io);
        if let Some((when, status)) = self.faults.cut(at, done.at) {
            return completion(Done { start: done.start.min(when), at: when, ..done }, status);
        }
        let chance = self.faults.error_rate(done.start);
        let failed = chance > 0.0 && self.rng.random::<f64>() < chance;
        completion(done, if failed { IoStatus::Failed } else { IoStatus::Done })
    }

    fn serve(&mut self, host: &mut InstanceLink, at: f64, io: IoRequest) -> Done {
        let direction = match io.op {
            IoOperation::Read => IoDirection::Read,
            IoOperation::Write => IoDirection::Write,
            IoOperation::Flush => {
                let idle = Done { start: at, at, bound_by: None };
                return self.volumes.iter_mut().fold(idle, |all, volume| all.and(volume.flush(&self.faults, at)));
            }
        };
        let (offset, bytes) = (io.offset, u64::from(io.bytes));
        let (volumes, faults, layout) = (&mut self.volumes, &self.faults, self.layout);
        let mut below = |host: &mut InstanceLink| match volumes.as_mut_slice() {
            [volume] => volume.transfer(host, faults, at, direction, offset, bytes),
            volumes => layout
                .parts(offset, bytes)
                .map(|p| volumes[p.member].transfer(host, faults, at, direction, p.offset, p.bytes))
                .reduce(Done::and)
                .expect("a request has at least one part"),
        };
        match &mut self.cache {
            Some(cache) => cache.transfer(host, faults, at, (direction, offset, bytes), below),
            None => below(host),
        }
    }

    /// Lets something go wrong between two instants. Inject before requests are submitted that it should touch: what was
    /// answered is answered.
    pub fn inject(&mut self, fault: DiskFault, from: Nanos, until: Nanos) {
        self.faults.add(fault, from, until);
    }

    /// When what would start at `at` starts, for the stalls known so far: `at` itself if there is none.
    pub fn stalled_until(&self, at: Nanos) -> Nanos {
        Nanos(self.faults.stalled(at.0 as f64) as u64)
    }

    /// Ends all faults at an instant not before the last request. What waits for the end of a stall need not any more:
    /// the answer says by how much earlier than promised requests complete that were to complete after
    /// [`Device::stalled_until`].
    pub fn heal(&mut self, at: Nanos) -> Nanos {
        let now = at.0 as f64;
        if self.faults.power_cut_between(self.last, now)
            && let Some(cache) = &mut self.cache
        {
            cache.clear();
        }
        self.last = now;
        let until = self.faults.stalled(now);
        if until > now {
            self.volumes.iter_mut().for_each(|v| v.pull_in(now, until));
        }
        self.faults = Faults::default();
        Nanos((until - now) as u64)
    }

    /// Starts to change the limits of each volume.
    ///
    /// # Errors
    /// When the rules do not allow it at that time, or the volume would shrink.
    pub fn modify(
        &mut self,
        at: Nanos,
        to: &DiskLimits,
        rules: &ModificationRules,
    ) -> Result<VolumeModification, ModifyError> {
        for volume in &mut self.volumes {
            volume.settle(at.0 as f64);
        }
        let from = self.volumes[0].limits().size;
        let modification = self.history.start(at, from, to.size, rules)?;
        let (optimizing, completed) = (modification.optimizing.0 as f64, modification.completed.0 as f64);
        for volume in &mut self.volumes {
            volume.change(Change { to: to.clone(), optimizing, completed });
        }
        Ok(modification)
    }

    /// How far the last modification is.
    pub fn modification(&self, at: Nanos) -> ModificationState {
        self.history.state(at)
    }

    /// Burst credits at an instant not before the last request's start; of a stripe, the least.
    pub fn credits(&self, at: Nanos) -> BurstCredits {
        let least = |of: fn(BurstCredits) -> Option<CreditBalance>| {
            let all = self.volumes.iter().filter_map(|v| of(v.credits(at.0 as f64)));
            all.min_by(|a, b| a.now.total_cmp(&b.now))
        };
        BurstCredits { ios: least(|c| c.ios), bytes: least(|c| c.bytes) }
    }

    /// Takes all burst credits away, as after a long burst.
    pub fn exhaust_credits(&mut self, at: Nanos) {
        self.set_credits(at, 0.0);
    }

    /// Sets burst credits, of each volume, to a share (0 to 1) of the full bucket.
    pub fn set_credits(&mut self, at: Nanos, share: f64) {
        self.volumes.iter_mut().for_each(|v| v.set_credits(at, share));
    }

    /// I/Os since the start as the volumes' limits count them: large requests by their parts, small adjacent ones merged,
    /// all volumes together, reads from the cache not among them.
    pub fn counted(&self) -> f64 {
        self.volumes.iter().map(Volume::counted).sum()
    }

    /// How often reads found their blocks in the cache; `None` without one.
    pub fn cache_stats(&self) -> Option<CacheStats> {
        self.cache.as_ref().map(Cache::stats)
    }
}

/// Rounded up to whole nanoseconds: never earlier than the model says.
fn completion(done: Done, status: IoStatus) -> IoCompletion {
    // Without the call that `ceil` is on older processors.
    let up = |nanos: f64| {
        let whole = nanos as u64;
        Nanos(whole.saturating_add(u64::from((whole as f64) < nanos)))
    };
    IoCompletion { started: up(done.start), at: up(done.at), bound_by: done.bound_by, status }
}
