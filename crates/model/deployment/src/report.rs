//! What a check finds: every limit, what is asked of it and what it delivers.

use limits::BindingLimit;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::rules::RULES;

/// One limit of one group of nodes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct LimitLine {
    /// Which.
    pub limit: BindingLimit,
    /// The instance type of the nodes.
    pub instance: String,
    /// Load of one node, in `unit`.
    pub asked: f64,
    /// Sustained limit of one node, in `unit`.
    pub delivered: f64,
    /// `IOPS`, `MiB/s` (volumes), `MB/s` (instances, as clouds print them), `GiB` or `cores`.
    pub unit: &'static str,
    /// Asked over delivered.
    pub utilisation: f64,
    /// How long a full bucket carries what is asked; `None` if no burst is needed or none suffices.
    pub burst_seconds: Option<f64>,
}

impl LimitLine {
    /// Whether more is asked than is delivered for good.
    pub fn violated(&self) -> bool {
        // What plans provision to the last I/O must not fail over a rounding.
        self.utilisation > 1.0 + 1e-9
    }

    /// Whether it holds, but with less headroom than is prudent.
    pub fn tight(&self) -> bool {
        !self.violated() && self.utilisation > 1.0 - RULES.headroom.value
    }
}

/// All limits of a deployment's storage nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckReport {
    /// Whether everything asked is delivered for good, without burst.
    pub deliverable: bool,
    /// Every limit.
    pub lines: Vec<LimitLine>,
}

impl CheckReport {
    pub(crate) fn new(lines: Vec<LimitLine>) -> Self {
        Self { deliverable: !lines.iter().any(LimitLine::violated), lines }
    }

    /// Limits of which more is asked than they deliver for good.
    pub fn violations(&self) -> impl Iterator<Item = &LimitLine> {
        self.lines.iter().filter(|line| line.violated())
    }

    /// Limits that hold, but with less headroom than is prudent.
    pub fn warnings(&self) -> impl Iterator<Item = &LimitLine> {
        self.lines.iter().filter(|line| line.tight())
    }

    /// How long all goes well from full buckets, in seconds: until the first of them is empty. `None` if nothing is
    /// violated, or if some violation is carried by no burst.
    pub fn carried_seconds(&self) -> Option<f64> {
        let times: Option<Vec<f64>> = self.violations().map(|line| line.burst_seconds).collect();
        times?.into_iter().reduce(f64::min)
    }
}

impl Serialize for CheckReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 5)?;
        report.serialize_field("deliverable", &self.deliverable)?;
        report.serialize_field("violations", &self.violations().collect::<Vec<_>>())?;
        report.serialize_field("warnings", &self.warnings().collect::<Vec<_>>())?;
        report.serialize_field("carried_seconds", &self.carried_seconds())?;
        report.serialize_field("limits", &self.lines)?;
        report.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(asked: f64, burst_seconds: Option<f64>) -> LimitLine {
        LimitLine {
            limit: BindingLimit::VolumeIops,
            instance: "m5.large".into(),
            asked,
            delivered: 1000.0,
            unit: "IOPS",
            utilisation: asked / 1000.0,
            burst_seconds,
        }
    }

    #[test]
    fn less_than_a_fifth_of_headroom_is_a_warning() {
        assert!(!line(800.0, None).tight() && line(801.0, None).tight() && line(1000.0, None).tight());
        assert!(!line(1001.0, None).tight() && line(1001.0, None).violated());
    }

    #[test]
    fn the_first_bucket_to_run_dry_ends_it() {
        let report = CheckReport::new(vec![line(1500.0, Some(600.0)), line(10.0, None), line(1200.0, Some(60.0))]);
        assert_eq!(report.carried_seconds(), Some(60.0));
    }

    #[test]
    fn one_violation_without_burst_is_carried_by_nothing() {
        let report = CheckReport::new(vec![line(1500.0, Some(600.0)), line(1200.0, None)]);
        assert_eq!(report.carried_seconds(), None);
        assert_eq!(CheckReport::new(vec![line(10.0, None)]).carried_seconds(), None);
    }

    #[test]
    fn json_names_are_the_names() {
        let json = serde_json::to_value(CheckReport::new(vec![line(1001.0, None)])).unwrap();
        assert_eq!(json["violations"][0]["limit"], BindingLimit::VolumeIops.name());
        assert_eq!(json["violations"][0]["burst_seconds"], serde_json::Value::Null);
        assert_eq!(json["deliverable"], false);
    }
}
