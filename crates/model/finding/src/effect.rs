//! What a change does to the limit that binds: made only where it does something.

use limits::BindingLimit;

/// What a change does to the limit that binds. One that raises a limit is above what it was; one that saves carries the peak.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RemedyEffect {
    /// Which limit.
    pub limit: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it is.
    pub before: f64,
    /// What it becomes.
    pub after: f64,
    /// What was delivered while it held, as a share of what it becomes; `None` where that is not known.
    pub used_after: Option<f64>,
    /// Nothing outside this file makes one.
    #[serde(skip)]
    checked: Checked,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Checked;

impl RemedyEffect {
    /// The effect of a change that raises a limit; `None` where it does not.
    pub fn raising(limit: BindingLimit, before: f64, after: f64, delivered: Option<f64>) -> Option<Self> {
        Self::raising_in(limit, limit.unit(), before, after, delivered)
    }

    /// The same in a unit that is not the limit's own.
    pub fn raising_in(
        limit: BindingLimit,
        unit: &'static str,
        before: f64,
        after: f64,
        delivered: Option<f64>,
    ) -> Option<Self> {
        let rises = before.is_finite() && after.is_finite() && after > before;
        rises.then(|| Self::new(limit, unit, [before, after], delivered))
    }

    /// The effect of a change that saves what is not used; `None` where it would not carry the peak.
    pub fn saving(limit: BindingLimit, before: f64, after: f64, peak: f64) -> Option<Self> {
        (after >= peak).then(|| Self::new(limit, limit.unit(), [before, after], Some(peak)))
    }

    fn new(limit: BindingLimit, unit: &'static str, [before, after]: [f64; 2], delivered: Option<f64>) -> Self {
        let used_after = delivered.filter(|rate| *rate > 0.0).map(|rate| (rate / after).min(1.0));
        Self { limit: limit.text(), unit, before, after, used_after, checked: Checked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_raises_nothing_is_no_effect() {
        let raising = |before, after| RemedyEffect::raising(BindingLimit::VolumeIops, before, after, None);
        assert!(raising(3000.0, 3000.0).is_none() && raising(3000.0, 2000.0).is_none());
        assert!(raising(3000.0, f64::INFINITY).is_none());
        assert_eq!(raising(3000.0, 6000.0).and_then(|effect| effect.used_after), None, "nothing known is not nothing");
    }

    #[test]
    fn a_saving_carries_the_peak() {
        assert!(RemedyEffect::saving(BindingLimit::VolumeIops, 6000.0, 3000.0, 3100.0).is_none());
        assert_eq!(
            RemedyEffect::saving(BindingLimit::VolumeIops, 6000.0, 3000.0, 1500.0).unwrap().used_after,
            Some(0.5)
        );
    }
}
