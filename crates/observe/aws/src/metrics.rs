//! Which series a volume, its instance and a database have, of those that crate `observe` publishes and lists.

use std::collections::BTreeMap;

use timeline::{MergeRule, SeriesUnit};
use units::Nanos;

use crate::api::Query;
use crate::range::MetricRange;
use crate::{InstanceFacts, VolumeFacts};

/// A series and how CloudWatch is asked for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) query: Query,
    pub(crate) unit: SeriesUnit,
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
    unit: SeriesUnit,
    merge: MergeRule,
    period: i64,
}

/// The period of points that are published so far apart: none shorter, else a point would seem to be of a part of its time.
fn period(published: Nanos, range: MetricRange) -> i64 {
    (published.max(range.step()).0 / 1_000_000_000).cast_signed()
}

/// The series of a volume. Those that its type never publishes are not asked for, so they are missing and not zero.
pub(crate) fn of_volume(volume: &VolumeFacts, range: MetricRange) -> Vec<Wanted> {
    let mut all = Vec::new();
    for row in metrics::published().iter().filter(|row| !row.of_instance && volume.was_of(|kind| row.is_of(kind))) {
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
pub(crate) fn of_instance(instance: &InstanceFacts, range: MetricRange) -> Vec<Wanted> {
    let rows = metrics::published().iter().filter(|row| row.of_instance && row.is_on(instance.nitro != Some(false)));
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

/// The series of a database instance.
pub(crate) fn of_database(id: &str, range: MetricRange) -> Vec<Wanted> {
    let rows = metrics::listed().iter().filter(|row| row.namespace == "AWS/RDS");
    rows.map(|row| {
        let how = How { unit: row.unit, merge: row.merge, period: period(row.period, range) };
        Wanted::new("AWS/RDS", row.name, vec![("DBInstanceIdentifier", id.to_owned())], how)
    })
    .collect()
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
}
