//! What the series of an export are of: the dimensions that a column names, else those that the file names once, else the file.

use std::collections::{BTreeMap, BTreeSet};

use textfile::Text;
use timeline::SeriesLabels;

use super::known::Metric;
use super::{Column, ExportOptions};

/// The volume, the database and the instance of a file that names one of each.
#[derive(Debug, Default)]
pub(super) struct OnlyOnes(BTreeMap<&'static str, String>);

impl OnlyOnes {
    pub(super) fn of(columns: &[Column]) -> Self {
        let one = |key: &'static str| {
            let all: BTreeSet<String> = columns.iter().filter_map(|column| column.dimension(key)).collect();
            Some((key, all.into_iter().next_if_only()?))
        };
        Self(["VolumeId", "DBInstanceIdentifier", "InstanceId"].into_iter().filter_map(one).collect())
    }

    fn get(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }
}

/// The only element of an iterator.
trait OnlyOne: Iterator + Sized {
    fn next_if_only(mut self) -> Option<Self::Item> {
        let first = self.next()?;
        self.next().is_none().then_some(first)
    }
}

impl<I: Iterator> OnlyOne for I {}

fn stem(text: &Text) -> String {
    text.path().file_stem().map_or_else(|| "-".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The labels of a volume's counter.
pub(super) fn of_counter(column: &Column, text: &Text, only: &OnlyOnes) -> SeriesLabels {
    let volume = column.dimension("VolumeId").or_else(|| only.get("VolumeId")).unwrap_or_else(|| stem(text));
    let mut labels = SeriesLabels::from([("disk".to_owned(), volume)]);
    labels.extend(column.dimension("InstanceId").or_else(|| only.get("InstanceId")).map(|id| ("node".to_owned(), id)));
    labels
}

/// The labels of a column that was said to be a series of the vocabulary.
pub(super) fn of_ours(column: &Column, text: &Text, only: &OnlyOnes) -> SeriesLabels {
    let disk = column.dimension("disk").or_else(|| column.dimension("VolumeId")).or_else(|| only.get("VolumeId"));
    let mut labels = SeriesLabels::from([("disk".to_owned(), disk.unwrap_or_else(|| stem(text)))]);
    labels.extend(column.dimension("node").map(|node| ("node".to_owned(), node)));
    labels
}

/// The dimensions that name what the metric is of.
pub(super) fn of_metric(
    metric: &Metric,
    column: &Column,
    text: &Text,
    options: &ExportOptions,
    only: &OnlyOnes,
) -> SeriesLabels {
    let value = |dimension: &str| {
        let given = || options.labels.get(dimension).cloned();
        let last = metric.listed.dimensions.rsplit(' ').next();
        // The instance of a volume is told by the volume's own series, or it is not known.
        column.dimension(dimension).or_else(given).or_else(|| only.get(dimension).filter(|_| last == Some(dimension)))
    };
    let found = metric.listed.dimensions.split(' ').filter_map(|key| Some((key.to_owned(), value(key)?)));
    let mut labels: SeriesLabels = found.collect();
    // The last names the thing itself; the instance that a volume is attached to may be missing.
    let last = metric.listed.dimensions.rsplit(' ').next().unwrap_or_default();
    labels.entry(last.to_owned()).or_insert_with(|| stem(text));
    labels
}
