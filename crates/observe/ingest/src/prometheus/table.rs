//! What is asked: `tables/*.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use catalog::{Release, ReleaseSet};
use timeline::{MergeRule, SeriesSpec, SeriesUnit, vocabulary};

/// Which series are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SeriesGroup {
    /// Disks as node_exporter, or our mounts under its names, count them.
    Disks,
    /// Processors, pressure and filesystems of machines.
    Machines,
    /// What EBS volumes count of themselves.
    Volumes,
    /// What only our own mounted disks tell: limits, credits, what held requests up.
    Mounts,
    /// TiKV and our reference store.
    Tikv,
    /// The placement driver.
    Pd,
    /// TiDB.
    Tidb,
}

impl SeriesGroup {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Disks, Self::Machines, Self::Volumes, Self::Mounts, Self::Tikv, Self::Pd, Self::Tidb];

    fn table(self) -> &'static str {
        match self {
            Self::Disks => include_str!("../../tables/disks.toml"),
            Self::Machines => include_str!("../../tables/machines.toml"),
            Self::Volumes => include_str!("../../tables/volumes.toml"),
            Self::Mounts => include_str!("../../tables/mounts.toml"),
            Self::Tikv => include_str!("../../tables/tikv.toml"),
            Self::Pd => include_str!("../../tables/pd.toml"),
            Self::Tidb => include_str!("../../tables/tidb.toml"),
        }
    }
}

/// A series that can come of a Prometheus, for lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesRow {
    /// Which group it is of.
    pub group: SeriesGroup,
    /// Its name.
    pub name: &'static str,
    /// Its unit; of histograms none.
    pub unit: SeriesUnit,
    /// How its points merge; `None` for histograms.
    pub merge: Option<MergeRule>,
    /// What it is.
    pub meaning: &'static str,
}

/// All series that can come of a Prometheus.
pub fn series() -> impl Iterator<Item = SeriesRow> {
    let row = |query: &'static Query| SeriesRow {
        group: query.group,
        name: &query.series,
        unit: query.spec.unit,
        merge: query.spec.merge(),
        meaning: &query.meaning,
    };
    QUERIES.iter().map(row)
}

/// One thing to ask.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) group: SeriesGroup,
    /// The program that tells it: instances of one program on one machine must not be taken for each other.
    pub(super) exporter: String,
    pub(super) series: String,
    /// The series in the vocabulary.
    pub(super) spec: SeriesSpec,
    /// Our labels by name, and Prometheus' that give their values.
    pub(super) labels: BTreeMap<String, String>,
    /// Labels that are always the same.
    pub(super) fixed: BTreeMap<String, String>,
    /// Whether a server is asked for it; what is not is read from saved metrics alone.
    pub(super) live: bool,
    /// Whether its exporter is one that most clusters lack.
    pub(super) optional: bool,
    /// The releases that tell it; all if none are said.
    releases: Option<ReleaseSet>,
    /// Alternatives.
    promql: Vec<String>,
    meaning: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    exporter: String,
    #[serde(default)]
    optional: bool,
    query: Vec<Written>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    series: String,
    unit: String,
    merge: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    fixed: BTreeMap<String, String>,
    #[serde(default = "yes")]
    live: bool,
    releases: Option<String>,
    promql: Vec<String>,
    meaning: String,
    source: String,
}

fn yes() -> bool {
    true
}

pub(super) static QUERIES: LazyLock<Vec<Query>> = LazyLock::new(|| {
    SeriesGroup::ALL
        .into_iter()
        .flat_map(|group| read(group, group.table()).expect("tested: the tables are right"))
        .collect()
});

fn read(group: SeriesGroup, text: &str) -> Result<Vec<Query>, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    let query = |row: Written| {
        let wrong = |what: &str| format!("{}: {what}", row.series);
        if row.source.trim().is_empty() || row.meaning.trim().is_empty() || row.promql.is_empty() {
            return Err(wrong("lacks a source, a meaning or a query"));
        }
        let merge = match row.merge.as_str() {
            "histogram" => None,
            word => Some(word.parse().map_err(|error| wrong(&format!("{error}")))?),
        };
        let unit: SeriesUnit = row.unit.parse().map_err(|error| wrong(&format!("{error}")))?;
        let is = |spec: &&SeriesSpec| spec.name == row.series && spec.unit == unit && spec.merge() == merge;
        let spec = vocabulary::ALL.iter().find(is).copied();
        let spec = spec
            .ok_or_else(|| wrong("is not so in the vocabulary of series: expected its name, unit and merge there"))?;
        let releases = row
            .releases
            .as_deref()
            .map(str::parse::<ReleaseSet>)
            .transpose()
            .map_err(|error| wrong(&format!("{error}")))?;
        Ok(Query {
            group,
            live: row.live,
            optional: table.optional,
            releases,
            exporter: table.exporter.clone(),
            spec,
            series: row.series,
            labels: row.labels,
            fixed: row.fixed,
            promql: row.promql,
            meaning: row.meaning,
        })
    };
    table.query.into_iter().map(query).collect()
}

impl Query {
    /// Whether a cluster of some releases may tell it; one that does not say which it has may.
    pub(super) fn is_told_by(&self, running: &[Release]) -> bool {
        let told = |releases: &ReleaseSet| running.iter().any(|release| releases.contains(*release));
        running.is_empty() || self.releases.as_ref().is_none_or(told)
    }

    /// Its alternatives, as the tables have them.
    pub(super) fn promql(&self) -> &[String] {
        &self.promql
    }

    /// The query's text for a window, a selector and a matcher of devices. What another version of the exporter names
    /// otherwise is taken of the nodes that do not know the first name.
    pub(super) fn text(&self, window: &str, selector: &str, devices: &str) -> String {
        let fill = |text: &String| text.replace("$w", window).replace("$s", selector).replace("$d", devices);
        let parts: Vec<String> = self.promql.iter().map(|text| format!("({})", fill(text))).collect();
        parts.join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_query_keeps_the_instance_and_the_labels_that_it_promises() {
        for query in QUERIES.iter() {
            for text in &query.promql {
                let name = &query.series;
                assert!(text.contains("instance"), "{name}");
                assert!(text.contains("[$w]") && text.contains("$s"), "{name}: {text}");
                assert!(query.labels.values().all(|label| text.contains(label.as_str())), "{name}: {text}");
                assert_eq!(query.spec.merge().is_none(), text.contains(", le)"), "{name}: {text}");
                let (open, close) = (text.matches('(').count(), text.matches(')').count());
                assert_eq!(open, close, "{name}: {text}");
            }
        }
    }

    #[test]
    fn sums_are_of_growth_and_levels_are_not() {
        for query in QUERIES.iter() {
            let growth = query.promql.iter().all(|text| text.contains("increase("));
            let level = query.promql.iter().all(|text| text.contains("_over_time("));
            let rate = query.promql.iter().all(|text| text.contains("rate("));
            match query.spec.merge() {
                Some(MergeRule::Sum) | None => assert!(growth, "{}", query.series),
                Some(MergeRule::Mean) => {
                    assert!(level || rate || query.series == "write_amplification", "{}", query.series)
                }
                Some(MergeRule::Max) => {
                    assert!(query.promql.iter().all(|t| t.contains("max_over")), "{}", query.series)
                }
                Some(MergeRule::Min) => {
                    assert!(query.promql.iter().all(|t| t.contains("min_over")), "{}", query.series)
                }
            }
        }
    }

    #[test]
    fn a_series_is_asked_for_once_with_one_set_of_fixed_labels() {
        let mut seen = BTreeSet::new();
        for query in QUERIES.iter() {
            assert!(!query.live || seen.insert((&query.series, &query.fixed)), "{}", query.series);
        }
    }

    #[test]
    fn a_series_outside_the_vocabulary_or_in_another_unit_is_refused() {
        let row = |series: &str, unit: &str| {
            let table = format!(
                "exporter = 'x'\n[[query]]\nseries = '{series}'\nunit = '{unit}'\nmerge = 'sum'\npromql = ['x']\n\
                 meaning = 'm'\nsource = 's'\n"
            );
            read(SeriesGroup::Disks, &table)
        };
        assert!(row("read_ops", "Count").is_ok());
        for (series, unit) in [("reed_ops", "Count"), ("read_ops", "Bytes")] {
            assert!(row(series, unit).unwrap_err().contains("the vocabulary"), "{series} {unit}");
        }
    }

    #[test]
    fn alternatives_are_joined_and_filled() {
        let query = QUERIES.iter().find(|query| query.series == "read_ops").unwrap();
        let text = query.text("60s", "job=\"x\"", "device!~\"loop.*\"");
        let expected = "(sum by (instance, device) (increase(node_disk_reads_completed_total{device!~\"loop.*\",job=\"x\"}[60s]))) \
                        or (sum by (instance, device) (increase(node_disk_reads_completed{device!~\"loop.*\",job=\"x\"}[60s])))";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_series_is_asked_of_the_releases_that_tell_it_and_of_those_that_do_not_say_which_they_are() {
        let query = |series: &str| QUERIES.iter().find(|query| query.series == series).unwrap();
        let (limit, compactions) = (query("memory_limit"), query("running_compactions"));
        let (old, new) = (Release::new(7, 5, 7), Release::NEWEST);
        assert!(!limit.is_told_by(&[old]) && limit.is_told_by(&[old, new]) && limit.is_told_by(&[]));
        assert!(!compactions.is_told_by(&[new]) && compactions.is_told_by(&[]));
        assert!(query("flush_bytes").is_told_by(&[old]));
    }

    #[test]
    fn a_row_without_source_is_refused() {
        let table = "exporter = 'x'\n[[query]]\nseries = 'a'\nunit = 'Count'\nmerge = 'sum'\npromql = ['x']\n\
                     meaning = 'm'\nsource = ''\n";
        assert!(read(SeriesGroup::Disks, table).unwrap_err().contains("lacks a source"));
    }
}
