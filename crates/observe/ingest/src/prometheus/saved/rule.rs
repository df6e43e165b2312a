//! What a query's text makes of one metric's samples.

use std::sync::LazyLock;

use super::super::answer::Found;
use super::super::table::{QUERIES, Query};
use super::NAME;

/// What is made of the samples of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// The growth between two.
    Increase,
    /// The growth a second.
    Rate,
    /// The level at the later of two.
    Level,
}

/// A metric, which of its series, and the series of ours that they become.
#[derive(Debug)]
pub(super) struct SampleRule {
    pub(super) metric: String,
    matchers: Vec<LabelMatcher>,
    pub(super) fold: Fold,
    pub(super) factor: f64,
    pub(super) query: &'static Query,
}

#[derive(Debug)]
struct LabelMatcher {
    label: String,
    /// Exactly this text; patterns are matched by their alternatives.
    alternatives: Vec<String>,
    is_pattern: bool,
    negative: bool,
}

/// The rules of all queries that are of one metric; histograms and quotients of metrics are not.
pub(super) static RULES: LazyLock<Vec<SampleRule>> =
    LazyLock::new(|| QUERIES.iter().filter(|query| query.spec.merge().is_some()).flat_map(rules).collect());

fn rules(query: &'static Query) -> Vec<SampleRule> {
    query.promql().iter().filter_map(|text| rule(text, query)).collect()
}

/// `AGGREGATE by (…) (FOLD(METRIC{MATCHERS}[$w]))`, and `/ NUMBER` behind it.
fn rule(text: &str, query: &'static Query) -> Option<SampleRule> {
    let folds = [
        ("increase(", Fold::Increase),
        ("rate(", Fold::Rate),
        ("max_over_time(", Fold::Level),
        ("min_over_time(", Fold::Level),
        ("avg_over_time(", Fold::Level),
    ];
    let (at, fold, length) = folds.iter().find_map(|(name, fold)| Some((text.find(name)?, *fold, name.len())))?;
    // A second metric in the text is a quotient, or a count of others.
    if text.matches("[$w]").count() != 1 || text.starts_with("count") {
        return None;
    }
    let inner = &text[at + length..text.find("[$w]")?];
    let (metric, matchers) = inner.split_once('{')?;
    let behind = text.rsplit_once(')').map_or("", |(_, behind)| behind.trim());
    let factor = match behind.split_once(' ') {
        None if behind.is_empty() => 1.0,
        Some(("/", number)) => 1.0 / number.parse::<f64>().ok()?,
        Some(("*", number)) => number.parse().ok()?,
        _ => return None,
    };
    let matchers = matchers.strip_suffix('}')?;
    let matchers =
        split(matchers).into_iter().filter(|one| !one.starts_with('$')).map(matcher).collect::<Option<_>>()?;
    let plain = metric.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    plain.then(|| SampleRule { metric: metric.to_owned(), matchers, fold, factor, query })
}

/// Matchers at their commas, which may stand in texts, too.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn matcher(text: &str) -> Option<LabelMatcher> {
    let (label, rest) = text.split_at(text.find(['=', '!'])?);
    let (operator, value) = rest.split_at(rest.find('"')?);
    let value = value.trim_matches('"');
    let is_pattern = operator.contains('~');
    let alternatives = if is_pattern { value.split('|').map(str::to_owned).collect() } else { vec![value.to_owned()] };
    Some(LabelMatcher { label: label.trim().to_owned(), alternatives, is_pattern, negative: operator.starts_with('!') })
}

impl LabelMatcher {
    fn fits(&self, found: &Found) -> bool {
        let value = found.labels.get(&self.label).map_or("", String::as_str);
        let is = |one: &String| match one.strip_suffix(".*").or_else(|| one.strip_suffix(".+")) {
            Some(begin) if self.is_pattern => value.starts_with(begin),
            _ => value == one,
        };
        self.alternatives.iter().any(is) != self.negative
    }
}

impl SampleRule {
    /// Whether a series is one of its metric that its matchers fit.
    pub(super) fn fits(&self, found: &Found) -> bool {
        found.labels.get(NAME).is_some_and(|name| *name == self.metric)
            && self.matchers.iter().all(|one| one.fits(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_one_metric_are_rules_and_keep_their_factors() {
        let of = |metric: &str| RULES.iter().filter(|rule| rule.metric == metric).collect::<Vec<_>>();
        let old = of("node_disk_read_time_ms");
        assert_eq!((old.len(), old[0].fold, old[0].factor), (1, Fold::Increase, 1e-3));
        assert_eq!(of("node_disk_io_time_weighted_seconds_total")[0].fold, Fold::Rate);
        assert_eq!(of("node_filesystem_avail_bytes")[0].fold, Fold::Level);
        assert!(of("node_cpu_seconds_total").iter().all(|rule| rule.query.series == "host_cpu_time"));
    }

    #[test]
    fn every_query_of_disks_and_volumes_can_be_read_from_samples() {
        use super::super::super::table::SeriesGroup;
        let wanted = QUERIES.iter().filter(|query| matches!(query.group, SeriesGroup::Disks | SeriesGroup::Volumes));
        for query in wanted {
            assert!(RULES.iter().any(|rule| std::ptr::eq(rule.query, query)), "{}", query.series);
        }
    }

    #[test]
    fn a_pattern_fits_by_its_alternatives_and_its_beginning() {
        let found =
            |mount: &str| Found { labels: [("mountpoint".to_owned(), mount.to_owned())].into(), values: Vec::new() };
        let one = matcher("mountpoint!~\"/run|/sys.*\"").unwrap();
        assert_eq!(
            ["/data", "/run", "/sys/fs", "/runs"].map(|mount| one.fits(&found(mount))),
            [true, false, false, true]
        );
    }
}
