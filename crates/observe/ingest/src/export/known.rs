//! Which metric of CloudWatch a series is, of those that crate `observe` lists.

use std::sync::LazyLock;

use metrics::ListedMetric;
use timeline::MergeRule;

/// CloudWatch's statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statistic {
    Sum,
    Average,
    Maximum,
    Minimum,
    SampleCount,
}

impl Statistic {
    pub(super) const ALL: [Self; 5] = [Self::Sum, Self::Average, Self::Maximum, Self::Minimum, Self::SampleCount];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Average => "Average",
            Self::Maximum => "Maximum",
            Self::Minimum => "Minimum",
            Self::SampleCount => "SampleCount",
        }
    }

    pub(super) fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|statistic| statistic.name().eq_ignore_ascii_case(word))
    }
}

/// A metric that is read.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) listed: &'static ListedMetric,
    /// The one that means something.
    pub(super) statistic: Statistic,
}

impl Metric {
    /// How points of that statistic merge; `None` if it means nothing. What is counted or moved in a period is its sum
    /// alone: the mean is over reports (on Nitro) or operations (on Xen). Of levels every statistic but the sum is one.
    pub(super) fn merge(&self, statistic: Option<Statistic>) -> Option<MergeRule> {
        match (self.statistic, statistic.unwrap_or(self.statistic)) {
            (Statistic::Sum, Statistic::Sum) => Some(MergeRule::Sum),
            (Statistic::Sum, _) | (_, Statistic::Sum | Statistic::SampleCount) => None,
            (_, Statistic::Average) => Some(MergeRule::Mean),
            (_, Statistic::Maximum) => Some(MergeRule::Max),
            (_, Statistic::Minimum) => Some(MergeRule::Min),
        }
    }
}

static METRICS: LazyLock<Vec<Metric>> = LazyLock::new(|| {
    let statistic = |merge: MergeRule| match merge {
        MergeRule::Sum => Statistic::Sum,
        MergeRule::Mean => Statistic::Average,
        MergeRule::Max => Statistic::Maximum,
        MergeRule::Min => Statistic::Minimum,
    };
    metrics::listed().iter().map(|listed| Metric { listed, statistic: statistic(listed.merge) }).collect()
});

/// The metric that a series' words name. Between two of one name the namespace decides (`us-east-1:AWS/RDS`), then a dimension, then
/// the namespace that the file's other series have in common.
pub(super) fn find(words: &[String], common: Option<&str>) -> Option<&'static Metric> {
    let has = |part: &str| words.iter().any(|word| word.contains(part));
    let named = |metric: &&Metric| words.iter().any(|word| word == metric.listed.name);
    let candidates: Vec<&Metric> = METRICS.iter().filter(named).collect();
    let fits = |metric: &&&Metric| metric.listed.dimensions.split(' ').any(&has);
    let chosen = candidates.iter().find(|metric| has(metric.listed.namespace)).or_else(|| candidates.iter().find(fits));
    let chosen = chosen.or_else(|| candidates.iter().find(|metric| Some(metric.listed.namespace) == common));
    chosen.or(candidates.first()).copied()
}

/// The namespace of which all metrics are that nothing but their names tells apart, if there is one and a metric that only it has.
pub(super) fn common_namespace<'w>(columns: impl Iterator<Item = &'w [String]>) -> Option<&'static str> {
    let namespaces = |words: &[String]| -> Vec<&'static str> {
        let named = |metric: &&Metric| words.iter().any(|word| word == metric.listed.name);
        METRICS.iter().filter(named).map(|metric| metric.listed.namespace).collect()
    };
    let is_said = |words: &&[String]| words.iter().any(|word| word.contains("AWS/") || word.contains(':'));
    let all: Vec<Vec<&str>> =
        columns.filter(|words| !is_said(words)).map(namespaces).filter(|all| !all.is_empty()).collect();
    let mut alone = all.iter().filter(|all| all.len() == 1).map(|all| all[0]);
    let chosen = alone.next()?;
    (alone.all(|one| one == chosen) && all.iter().all(|all| all.contains(&chosen))).then_some(chosen)
}

/// The statistic that means something of the metric that a series' words name.
pub(crate) fn statistic_of(words: &[String]) -> Option<Statistic> {
    find(words, None).map(|metric| metric.statistic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_namespace_tells_metrics_of_one_name_apart() {
        let of = |text: &str| find(&words(text), None).map(|metric| metric.listed.namespace);
        assert_eq!(of("us-east-1:AWS/RDS DBInstanceIdentifier:db BurstBalance Average 300"), Some("AWS/RDS"));
        assert_eq!(of("us-east-1:AWS/EBS VolumeId:vol-1 BurstBalance Average 300"), Some("AWS/EBS"));
        assert_eq!(of("DBInstanceIdentifier:db BurstBalance"), Some("AWS/RDS"));
        assert_eq!(of("BurstBalance"), Some("AWS/EBS"));
        assert_eq!(of("NetworkIn"), None);
    }

    #[test]
    fn bare_names_are_of_the_namespace_that_has_all_of_them() {
        let common = |names: &[&str]| {
            let columns: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
            common_namespace(columns.iter().map(Vec::as_slice))
        };
        assert_eq!(common(&["ReadIOPS", "BurstBalance", "CPUUtilization"]), Some("AWS/RDS"));
        assert_eq!(common(&["VolumeReadOps", "BurstBalance"]), Some("AWS/EBS"));
        assert_eq!(common(&["BurstBalance"]), None, "nothing tells");
        assert_eq!(common(&["ReadIOPS", "VolumeReadOps"]), None, "of two");
        assert_eq!(find(&words("BurstBalance"), Some("AWS/RDS")).unwrap().listed.namespace, "AWS/RDS");
    }

    #[test]
    fn only_sums_of_what_adds_up_mean_something() {
        for metric in METRICS.iter() {
            assert_eq!(metric.merge(Some(Statistic::SampleCount)), None, "{}", metric.listed.name);
            let sum = metric.merge(Some(Statistic::Sum));
            assert_eq!(sum.is_some(), metric.merge(Some(Statistic::Average)).is_none(), "{}", metric.listed.name);
            assert!(metric.merge(None).is_some());
        }
    }
}
