//! Which series a volume, its instance and a database have: those of `observe` for EBS and EC2, `tables/rds.csv` for RDS.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use timeline::{Merge, Unit};
use units::Nanos;

use crate::api::Query;
use crate::range::Range;
use crate::{InstanceFacts, VolumeFacts};

/// A series and how CloudWatch is asked for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) query: Query,
    pub(crate) unit: Unit,
    pub(crate) labels: BTreeMap<String, String>,
}

impl Wanted {
    fn new(namespace: &'static str, metric: &'static str, of: Vec<(&'static str, String)>, how: How) -> Self {
        let labels = of.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let query = Query { namespace, metric, dimensions: of, statistic: how.merge, period: how.period };
        Self { query, unit: how.unit, labels }
    }
}

/// How a series is measured.
#[derive(Debug, Clone, Copy)]
struct How {
    unit: Unit,
    merge: Merge,
    period: i64,
}

/// The period of points that are published so far apart: none shorter, else a point would seem to be of a part of its time.
fn period(published: Nanos, range: Range) -> i64 {
    (published.max(range.step()).0 / 1_000_000_000).cast_signed()
}

/// The series of a volume. Those that its type never publishes are not asked for, so they are missing and not zero.
pub(crate) fn of_volume(volume: &VolumeFacts, range: Range) -> Vec<Wanted> {
    let mut all = Vec::new();
    for row in observe::published().iter().filter(|row| !row.of_instance && volume.was_of(|kind| row.is_of(kind))) {
        let how = How { unit: row.unit, merge: row.merge, period: period(row.period(true), range) };
        let id = ("VolumeId", volume.id.clone());
        if !row.names_instance {
            all.push(Wanted::new("AWS/EBS", row.name, vec![id], how));
            continue;
        }
        for instance in instances(volume).filter(|one| row.is_on(one.nitro != Some(false))) {
            let of = vec![("InstanceId", instance.id.clone()), id.clone()];
            all.push(Wanted::new("AWS/EBS", row.name, of, how));
        }
    }
    all
}

/// The series of an instance that are of its volumes.
pub(crate) fn of_instance(instance: &InstanceFacts, range: Range) -> Vec<Wanted> {
    let rows = observe::published().iter().filter(|row| row.of_instance && row.is_on(instance.nitro != Some(false)));
    rows.map(|row| {
        let how = How { unit: row.unit, merge: row.merge, period: period(row.period(instance.detailed), range) };
        Wanted::new("AWS/EC2", row.name, vec![("InstanceId", instance.id.clone())], how)
    })
    .collect()
}

/// The instances that a volume is attached to.
pub(crate) fn instances(volume: &VolumeFacts) -> impl Iterator<Item = &InstanceFacts> {
    volume.attachments.iter().map(|attachment| &attachment.instance)
}

/// How the table of RDS writes a row.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    metric: String,
    unit: String,
    statistic: String,
    period_s: u64,
    source: String,
}

static OF_RDS: LazyLock<Vec<(&'static str, How)>> =
    LazyLock::new(|| read(include_str!("../tables/rds.csv")).expect("tested: the table is right"));

fn read(text: &str) -> Result<Vec<(&'static str, How)>, String> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize::<Written>();
    rows.map(|row| {
        let row = row.map_err(|error| error.to_string())?;
        if row.source.trim().is_empty() {
            return Err(format!("{}: no source", row.metric));
        }
        if row.statistic != "Average" {
            return Err(format!(
                "{}: what is a rate or a level already has no other statistic than Average",
                row.metric
            ));
        }
        let unit = row.unit.parse().map_err(|error| format!("{}: {error}", row.metric))?;
        let how = How { unit, merge: Merge::Mean, period: row.period_s.cast_signed() };
        Ok((&*row.metric.leak(), how))
    })
    .collect()
}

/// The series of a database instance.
pub(crate) fn of_database(id: &str, range: Range) -> Vec<Wanted> {
    let row = |(name, how): &(&'static str, How)| {
        let how = How { period: period(Nanos::secs(how.period.unsigned_abs()), range), ..*how };
        Wanted::new("AWS/RDS", name, vec![("DBInstanceIdentifier", id.to_owned())], how)
    };
    OF_RDS.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twin::{instance, range, volume};

    fn names(wanted: &[Wanted]) -> Vec<&str> {
        wanted.iter().map(|one| one.query.metric).collect()
    }

    #[test]
    fn only_types_with_credits_are_asked_for_their_balance() {
        let asks = |disk: &str| names(&of_volume(&volume("vol-1", disk), range())).contains(&"BurstBalance");
        assert!(asks("gp2:100GiB") && asks("st1:500GiB"));
        assert!(!asks("gp3:100GiB,3000iops,125MiB/s") && !asks("io2:100GiB,5000iops"));
    }

    #[test]
    fn a_volume_that_was_gp2_is_asked_for_the_balance_of_then() {
        let mut volume = volume("vol-1", "gp3:100GiB,3000iops,125MiB/s");
        volume.modifications.push(crate::twin::modification("vol-1", "gp2:100GiB", "gp3:100GiB,3000iops,125MiB/s"));
        assert!(names(&of_volume(&volume, range())).contains(&"BurstBalance"));
    }

    #[test]
    fn checks_are_asked_for_on_nitro_and_where_nothing_is_known() {
        for (nitro, asked) in [(Some(true), true), (None, true), (Some(false), false)] {
            let mut volume = volume("vol-1", "gp3:100GiB,3000iops,125MiB/s");
            volume.attachments[0].instance.nitro = nitro;
            let wanted = of_volume(&volume, range());
            assert_eq!(names(&wanted).contains(&"VolumeIOPSExceededCheck"), asked, "{nitro:?}");
            let of_instance = of_instance(&volume.attachments[0].instance, range());
            assert_eq!(names(&of_instance).contains(&"EBSReadOps"), asked, "{nitro:?}");
        }
    }

    #[test]
    fn five_minute_points_are_never_asked_for_as_minutes() {
        for detailed in [false, true] {
            let wanted = of_instance(&InstanceFacts { detailed, ..instance("i-1") }, range());
            let period = |name: &str| wanted.iter().find(|one| one.query.metric == name).unwrap().query.period;
            assert_eq!(period("EBSReadOps"), if detailed { 60 } else { 300 });
            assert_eq!((period("EBSIOBalance%"), period("InstanceEBSIOPSExceededCheck")), (300, 60));
        }
    }

    #[test]
    fn labels_are_the_dimensions() {
        for one in of_volume(&volume("vol-1", "gp2:100GiB"), range()) {
            let named: BTreeMap<String, String> =
                one.query.dimensions.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
            assert_eq!(one.labels, named);
        }
    }

    #[test]
    fn a_row_of_rds_needs_a_source_and_the_average() {
        let head = include_str!("../tables/rds.csv").lines().next().unwrap();
        let refused = |row: &str| read(&format!("{head}\n{row}\n")).unwrap_err();
        assert_eq!(refused("ReadIOPS,Count/Second,Average,60,"), "ReadIOPS: no source");
        assert!(refused("ReadIOPS,Count/Second,Sum,60,guide").contains("no other statistic"));
        assert!(refused("ReadIOPS,Furlongs,Average,60,guide").contains("unknown unit"));
    }
}
