//! The instance: limits that all its network volumes share.

use catalog::InstanceCaps;
use limits::BindingLimit;
use units::Nanos;

use super::bucket::Limiter;
use super::{BurstCredits, later};

/// Link of an instance to its network volumes. All devices of one instance share it.
#[derive(Debug, Clone)]
pub struct InstanceLink {
    /// Limits on I/Os and on bytes; none where nothing is published.
    caps: Option<(Limiter, Limiter)>,
    /// When the last request was let through.
    last: f64,
    now: Nanos,
}

/// A gate's answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passed {
    /// When it lets the request through.
    pub(crate) start: f64,
    /// Limit that made the request wait longest.
    pub(crate) bound_by: Option<BindingLimit>,
}

impl InstanceLink {
    /// An instance with these caps, its burst buckets full; without caps nothing is shared.
    pub fn new(caps: Option<&InstanceCaps>) -> Self {
        Self { caps: caps.map(Limiter::of_instance), last: 0.0, now: Nanos(0) }
    }

    /// Time is that of the latest request: one that claims to be earlier counts as arriving with it.
    pub(crate) fn arrive(&mut self, at: Nanos) -> f64 {
        self.now = self.now.max(at);
        self.now.0 as f64
    }

    /// Lets a request through, in order of arrival.
    pub(crate) fn pass(&mut self, at: f64, ios: f64, bytes: f64) -> Passed {
        let Some((io_limit, byte_limit)) = &mut self.caps else {
            return Passed { start: at, bound_by: None };
        };
        let from = later(at, self.last);
        let by_ios = io_limit.earliest(from, ios);
        let by_bytes = byte_limit.earliest(from, bytes);
        let start = later(by_ios, by_bytes);
        io_limit.take(start, ios, 1.0);
        byte_limit.take(start, bytes, 1.0);
        self.last = start;
        let bound_by = if by_ios > by_bytes { BindingLimit::InstanceIops } else { BindingLimit::InstanceThroughput };
        Passed { start, bound_by: (start > at).then_some(bound_by) }
    }

    /// The instance's burst credits at an instant.
    pub fn credits(&self, at: Nanos) -> BurstCredits {
        let at = at.0 as f64;
        let report = |limit: &Limiter| limit.credits().map(|c| c.report(at));
        match &self.caps {
            Some((ios, bytes)) => BurstCredits { ios: report(ios), bytes: report(bytes) },
            None => BurstCredits::default(),
        }
    }

    /// Takes all burst credits away, as after a long burst.
    pub fn exhaust_credits(&mut self, at: Nanos) {
        self.set_credits(at, 0.0);
    }

    /// Sets burst credits to a share (0 to 1) of the full bucket.
    pub fn set_credits(&mut self, at: Nanos, share: f64) {
        if let Some((ios, bytes)) = &mut self.caps {
            for credits in [ios, bytes].into_iter().filter_map(Limiter::credits_mut) {
                credits.set(at.0 as f64, share);
            }
        }
    }
}
