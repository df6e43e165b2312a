//! What can go wrong, and when.

use units::Nanos;

use super::IoStatus;

/// Something that goes wrong for a while.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiskFault {
    /// Nothing starts until it is over.
    Stall,
    /// Service times are multiplied.
    Slow(f64),
    /// Delay added to every service time.
    Delay(Nanos),
    /// This share of requests, 0 to 1, ends with an error.
    Errors(f64),
    /// This share of the limits, over 0 and up to 1, is delivered.
    Degrade(f64),
    /// The device is gone: requests fail, those in flight too. It is attached again at the end.
    Detach,
    /// The power is off: requests in flight are lost, and so is a cache; what was completed stays.
    PowerCut,
}

/// The faults of a device, each with its time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(Vec<Window>);

#[derive(Debug, Clone, Copy)]
struct Window {
    fault: DiskFault,
    from: f64,
    until: f64,
}

impl Window {
    fn covers(&self, at: f64) -> bool {
        (self.from..self.until).contains(&at)
    }
}

impl Faults {
    pub(crate) fn add(&mut self, fault: DiskFault, from: Nanos, until: Nanos) {
        let clean = match fault {
            DiskFault::Slow(k) => DiskFault::Slow(k.max(0.0)),
            DiskFault::Errors(p) => DiskFault::Errors(p.clamp(0.0, 1.0)),
            DiskFault::Degrade(share) => DiskFault::Degrade(share.clamp(1e-6, 1.0)),
            other => other,
        };
        self.0.push(Window { fault: clean, from: from.0 as f64, until: until.0 as f64 });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn at(&self, at: f64) -> impl Iterator<Item = DiskFault> {
        self.0.iter().filter(move |w| w.covers(at)).map(|w| w.fault)
    }

    /// When work ready at `start` really starts.
    pub(crate) fn stalled(&self, mut start: f64) -> f64 {
        // The end of one stall may lie in another: each round leaves at least one behind.
        while let Some(stall) = self.0.iter().find(|w| w.fault == DiskFault::Stall && w.covers(start)) {
            start = stall.until;
        }
        start
    }

    /// The factor on service times.
    pub(crate) fn slowness(&self, at: f64) -> f64 {
        self.at(at).map(|f| if let DiskFault::Slow(k) = f { k } else { 1.0 }).product()
    }

    /// Nanoseconds added to service times.
    pub(crate) fn delay(&self, at: f64) -> f64 {
        self.at(at).map(|f| if let DiskFault::Delay(by) = f { by.0 as f64 } else { 0.0 }).sum()
    }

    /// The share of the limits delivered.
    pub(crate) fn delivered(&self, at: f64) -> f64 {
        self.at(at).map(|f| if let DiskFault::Degrade(share) = f { share } else { 1.0 }).product()
    }

    /// The chance that a request ends with an error.
    pub(crate) fn error_rate(&self, at: f64) -> f64 {
        1.0 - self.at(at).map(|f| if let DiskFault::Errors(p) = f { 1.0 - p } else { 1.0 }).product::<f64>()
    }

    /// Whether a request from `at` to `done` is cut off, when and how.
    pub(crate) fn cut(&self, at: f64, done: f64) -> Option<(f64, IoStatus)> {
        let cuts = self.0.iter().filter_map(|w| match w.fault {
            DiskFault::Detach => Some((w, IoStatus::Detached)),
            DiskFault::PowerCut => Some((w, IoStatus::Lost)),
            _ => None,
        });
        cuts.filter(|(w, _)| w.from < done && at < w.until)
            .map(|(w, status)| (w.from.max(at), status))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether the power went in `(after, upto]`.
    pub(crate) fn power_cut_between(&self, after: f64, upto: f64) -> bool {
        self.0.iter().any(|w| w.fault == DiskFault::PowerCut && w.from > after && w.from <= upto)
    }
}
