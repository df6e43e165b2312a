//! Alarms as data: what is watched, from which threshold on, and where that is from.

use std::sync::LazyLock;

use catalog::BurstBucket;
use disk::DiskLimits;
use serde::Deserialize;

/// `tables/alarms.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alarms {
    pub(crate) cloudwatch: Vec<CloudWatchAlarm>,
    pub(crate) prometheus: Vec<PrometheusAlert>,
}

/// What an alarm of CloudWatch is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Of {
    Volume,
    Instance,
}

/// An alarm of CloudWatch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CloudWatchAlarm {
    pub(crate) name: String,
    pub(crate) of: Of,
    pub(crate) namespace: String,
    pub(crate) metric: String,
    pub(crate) dimensions: Vec<String>,
    pub(crate) statistic: String,
    pub(crate) comparison: String,
    threshold: Option<f64>,
    threshold_per_iops: Option<f64>,
    pub(crate) period_s: u32,
    pub(crate) periods: u32,
    /// The volume types that have the metric.
    kinds: Vec<String>,
    /// Whether only instances of the Nitro generation have it.
    #[serde(default)]
    nitro: bool,
    /// Whether only volumes that burst above their baseline have it.
    #[serde(default)]
    bursting: bool,
    pub(crate) text: String,
    pub(crate) source: String,
    pub(crate) link: String,
}

impl CloudWatchAlarm {
    /// Whether a volume of a type on an instance has the metric.
    pub(crate) fn fits(&self, kind: &str, each: &DiskLimits, nitro: bool) -> bool {
        let bursts = matches!(each.burst, Some(BurstBucket::IoCredits { iops, .. }) if each.iops < iops)
            || matches!(each.burst, Some(BurstBucket::ByteCredits { .. }));
        self.kinds.iter().any(|known| known == kind) && (nitro || !self.nitro) && (bursts || !self.bursting)
    }

    /// The threshold for a volume that sustains so many I/Os a second.
    pub(crate) fn threshold(&self, iops: f64) -> f64 {
        self.threshold.unwrap_or_else(|| (self.threshold_per_iops.unwrap_or(0.0) * iops).ceil())
    }
}

/// An alert rule of Prometheus.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PrometheusAlert {
    pub(crate) name: String,
    /// `tikv`, or `any`.
    pub(crate) engine: String,
    pub(crate) expr: String,
    #[serde(rename = "for")]
    pub(crate) lasting: String,
    pub(crate) severity: String,
    pub(crate) summary: String,
    pub(crate) action: String,
    pub(crate) source: String,
}

pub(crate) static ALARMS: LazyLock<Alarms> =
    LazyLock::new(|| toml::from_str(include_str!("../tables/alarms.toml")).expect("the embedded table is tested"));

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The metrics that our own disks are counted in, which are CloudWatch's.
    const METRICS: &str = include_str!("../../../observe/metrics/tables/cloudwatch.csv");

    #[test]
    fn every_alarm_has_one_threshold_and_a_source() {
        for alarm in &ALARMS.cloudwatch {
            assert!(alarm.threshold.is_some() != alarm.threshold_per_iops.is_some(), "{}", alarm.name);
            assert!(!alarm.source.is_empty() && alarm.periods > 0, "{}", alarm.name);
        }
        assert!(ALARMS.prometheus.iter().all(|alert| !alert.source.is_empty() && !alert.action.is_empty()));
    }

    #[test]
    fn every_alarm_is_on_a_metric_that_is_counted_with_its_dimensions_and_volume_types() {
        let rows: Vec<HashMap<String, String>> =
            csv::Reader::from_reader(METRICS.as_bytes()).into_deserialize().collect::<Result<_, _>>().unwrap();
        for alarm in &ALARMS.cloudwatch {
            let row =
                rows.iter().find(|row| row["metric"] == alarm.metric).unwrap_or_else(|| panic!("{}", alarm.metric));
            assert_eq!(row["namespace"], alarm.namespace, "{}", alarm.name);
            assert_eq!(row["dimensions"], alarm.dimensions.join(" "), "{}", alarm.name);
            assert_eq!(row["nitro_only"] == "yes", alarm.nitro, "{}", alarm.name);
            assert!(alarm.kinds.iter().all(|kind| row["kinds"].split(' ').any(|k| k == kind)), "{}", alarm.name);
        }
    }
}
