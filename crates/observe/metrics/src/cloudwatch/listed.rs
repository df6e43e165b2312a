//! Metrics of CloudWatch that are read: those that are published here, and those of others (RDS, processors) in
//! `tables/elsewhere.csv`. Whoever asks CloudWatch or reads what it exported has them from here.

use std::sync::LazyLock;

use timeline::{MergeRule, SeriesUnit};
use units::Nanos;

/// A metric and how its points are to be read.
#[derive(Debug)]
pub struct ListedMetric {
    /// As CloudWatch writes it: `VolumeReadOps`.
    pub name: &'static str,
    /// `AWS/EBS`.
    pub namespace: &'static str,
    /// Names of its dimensions, spaces between them, the last that of the thing itself.
    pub dimensions: &'static str,
    /// The unit of its values.
    pub unit: SeriesUnit,
    /// The statistic that means something, as what merges points: Sum, Average as mean, Maximum as max.
    pub merge: MergeRule,
    /// How far apart its points are at the finest; with basic monitoring where that makes a difference.
    pub period: Nanos,
}

/// How both tables write a row; what else they have is for others.
#[derive(serde::Deserialize)]
struct Written {
    metric: String,
    namespace: String,
    dimensions: String,
    unit: String,
    statistic: String,
    period_s: String,
    source: String,
}

static LISTED: LazyLock<Vec<ListedMetric>> = LazyLock::new(|| {
    let tables = [include_str!("../../tables/cloudwatch.csv"), include_str!("../../tables/elsewhere.csv")];
    tables.into_iter().flat_map(|table| read(table).expect("tested: the table is right")).collect()
});

/// Every metric that is read, those of EBS and EC2 first.
pub fn listed() -> &'static [ListedMetric] {
    &LISTED
}

fn read(table: &str) -> Result<Vec<ListedMetric>, String> {
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    let listed = |row: Written| {
        let wrong = |what: &str| format!("{}: {what}", row.metric);
        if row.source.trim().is_empty() {
            return Err(wrong("no source"));
        }
        // `60 or 300`: the coarser is basic monitoring.
        let period = row.period_s.rsplit(' ').next().and_then(|seconds| seconds.parse().ok());
        Ok(ListedMetric {
            unit: row.unit.parse().map_err(|_| wrong("unknown unit"))?,
            merge: match row.statistic.as_str() {
                "Sum" => MergeRule::Sum,
                "Average" => MergeRule::Mean,
                "Maximum" => MergeRule::Max,
                _ => return Err(wrong("unknown statistic")),
            },
            period: period.map(Nanos::secs).ok_or_else(|| wrong("unknown period"))?,
            name: row.metric.leak(),
            namespace: row.namespace.leak(),
            dimensions: row.dimensions.leak(),
        })
    };
    rows.map(|row| listed(row.map_err(|error: csv::Error| error.to_string())?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;

    #[test]
    fn what_is_published_is_listed_alike() {
        for row in published() {
            let same = |one: &&ListedMetric| one.name == row.name && one.namespace != "AWS/RDS";
            let listed = listed().iter().find(same).unwrap();
            assert_eq!(
                (listed.unit, listed.merge, listed.period),
                (row.unit, row.merge, row.period(false)),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn a_database_tells_rates_and_levels_only() {
        // What is a rate or a level already has no other statistic than Average.
        let of_rds: Vec<&ListedMetric> = listed().iter().filter(|one| one.namespace == "AWS/RDS").collect();
        assert!(!of_rds.is_empty() && of_rds.iter().all(|one| one.merge == MergeRule::Mean));
    }

    #[test]
    fn a_row_needs_a_source_and_what_is_known() {
        let head = include_str!("../../tables/elsewhere.csv").lines().next().unwrap();
        let refused = |row: &str| read(&format!("{head}\n{row}\n")).unwrap_err();
        assert_eq!(refused("ReadIOPS,AWS/RDS,DBInstanceIdentifier,Count/Second,Average,60,"), "ReadIOPS: no source");
        assert!(refused("ReadIOPS,AWS/RDS,DBInstanceIdentifier,Furlongs,Average,60,guide").contains("unknown unit"));
    }
}
