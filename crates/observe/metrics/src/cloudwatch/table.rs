//! Which metrics CloudWatch has, with unit, statistic, period and the volume types that report them:
//! `tables/cloudwatch.csv`.

use std::sync::LazyLock;

use timeline::{MergeRule, SeriesSpec, SeriesUnit};
use units::Nanos;

/// A metric, by CloudWatch's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
pub(super) enum Metric {
    VolumeReadOps,
    VolumeWriteOps,
    VolumeReadBytes,
    VolumeWriteBytes,
    VolumeTotalReadTime,
    VolumeTotalWriteTime,
    VolumeIdleTime,
    VolumeQueueLength,
    VolumeThroughputPercentage,
    VolumeConsumedReadWriteOps,
    BurstBalance,
    VolumeIOPSExceededCheck,
    VolumeThroughputExceededCheck,
    VolumeStalledIOCheck,
    VolumeAvgReadLatency,
    VolumeAvgWriteLatency,
    EBSReadOps,
    EBSWriteOps,
    EBSReadBytes,
    EBSWriteBytes,
    #[serde(rename = "EBSIOBalance%")]
    EBSIOBalance,
    #[serde(rename = "EBSByteBalance%")]
    EBSByteBalance,
    InstanceEBSIOPSExceededCheck,
    InstanceEBSThroughputExceededCheck,
}

/// How the table writes a row.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    metric: String,
    namespace: String,
    dimensions: String,
    unit: String,
    statistic: String,
    period_s: String,
    kinds: String,
    nitro_only: String,
    source: String,
}

/// A metric of AWS/EBS or AWS/EC2 and how it is published: a row of `tables/cloudwatch.csv`.
#[derive(Debug)]
pub struct CloudWatchMetric {
    pub(super) metric: Metric,
    /// As CloudWatch writes it: `VolumeReadOps`.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: SeriesUnit,
    /// The statistic that means something, as what merges points: Sum, Average as mean, Maximum as max.
    pub merge: MergeRule,
    /// Of the instance (AWS/EC2), not of a volume (AWS/EBS).
    pub of_instance: bool,
    /// Of a volume, labelled with its instance too.
    pub names_instance: bool,
    period: Period,
    kinds: String,
    nitro_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Minute,
    FiveMinutes,
    /// One minute with detailed monitoring, else five.
    AsMonitored,
}

pub(super) const MINUTE: Nanos = Nanos::secs(60);
pub(super) const FIVE_MINUTES: Nanos = Nanos::secs(300);

impl CloudWatchMetric {
    /// How far apart its points are, given whether its instance has detailed monitoring.
    pub fn period(&self, detailed: bool) -> Nanos {
        match self.period {
            Period::Minute => MINUTE,
            Period::AsMonitored if detailed => MINUTE,
            Period::FiveMinutes | Period::AsMonitored => FIVE_MINUTES,
        }
    }

    /// The series of its points.
    pub(super) fn spec(&self) -> SeriesSpec {
        SeriesSpec::foreign(self.name, self.unit, self.merge)
    }

    /// Whether volumes of that type report it.
    pub fn is_of(&self, kind: &str) -> bool {
        self.kinds.split(' ').any(|one| one == kind)
    }

    /// Whether an instance of that generation reports it.
    pub fn is_on(&self, nitro: bool) -> bool {
        nitro || !self.nitro_only
    }
}

pub(super) static ROWS: LazyLock<Vec<CloudWatchMetric>> =
    LazyLock::new(|| read(include_str!("../../tables/cloudwatch.csv")).expect("tested: the table is right"));

fn read(text: &'static str) -> Result<Vec<CloudWatchMetric>, String> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(|row| row_of(row.map_err(|e| e.to_string())?)).collect()
}

fn row_of(row: Written) -> Result<CloudWatchMetric, String> {
    let unknown = |what: &str| format!("{}: unknown {what}", row.metric);
    if row.source.trim().is_empty() {
        return Err(format!("{}: no source", row.metric));
    }
    let name: Result<Metric, serde::de::value::Error> =
        serde::Deserialize::deserialize(serde::de::value::StrDeserializer::new(&row.metric));
    let (of_instance, names_instance) = match (row.namespace.as_str(), row.dimensions.as_str()) {
        ("AWS/EBS", "VolumeId") => (false, false),
        ("AWS/EBS", "InstanceId VolumeId") => (false, true),
        ("AWS/EC2", "InstanceId") => (true, true),
        _ => return Err(unknown("namespace or dimensions")),
    };
    Ok(CloudWatchMetric {
        metric: name.map_err(|error| error.to_string())?,
        unit: match row.unit.as_str() {
            "Count" => SeriesUnit::Count,
            "Bytes" => SeriesUnit::Bytes,
            "Seconds" => SeriesUnit::Seconds,
            "Milliseconds" => SeriesUnit::Milliseconds,
            "Percent" => SeriesUnit::Percent,
            "None" => SeriesUnit::None,
            _ => return Err(unknown("unit")),
        },
        merge: match row.statistic.as_str() {
            "Sum" => MergeRule::Sum,
            "Average" => MergeRule::Mean,
            "Maximum" => MergeRule::Max,
            _ => return Err(unknown("statistic")),
        },
        period: match row.period_s.as_str() {
            "60" => Period::Minute,
            "300" => Period::FiveMinutes,
            "60 or 300" => Period::AsMonitored,
            _ => return Err(unknown("period")),
        },
        nitro_only: match row.nitro_only.as_str() {
            "yes" => true,
            "no" => false,
            _ => return Err(unknown("generation")),
        },
        of_instance,
        names_instance,
        name: row.metric.leak(),
        kinds: row.kinds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_metric_is_in_the_table_once() {
        let metrics: HashSet<Metric> = ROWS.iter().map(|row| row.metric).collect();
        assert_eq!((ROWS.len(), metrics.len()), (24, 24));
    }

    #[test]
    fn a_row_without_source_is_refused() {
        let table = include_str!("../../tables/cloudwatch.csv").lines().next().unwrap();
        let row = format!("{table}\nVolumeReadOps,AWS/EBS,VolumeId,Count,Sum,60,gp2,no,\n");
        assert_eq!(read(row.leak()).unwrap_err(), "VolumeReadOps: no source");
    }

    #[test]
    fn sums_are_of_counts_bytes_and_seconds_only() {
        for row in ROWS.iter() {
            let adds_up = matches!(row.unit, SeriesUnit::Count | SeriesUnit::Bytes | SeriesUnit::Seconds);
            assert!(row.merge != MergeRule::Sum || adds_up, "{}", row.name);
        }
    }
}
