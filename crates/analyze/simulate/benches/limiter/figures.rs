//! What a run under a limiter shows.

/// What a run shows.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Figures {
    /// Operations a second that ended.
    pub(crate) done: f64,
    /// Seconds.
    pub(crate) p99: f64,
    pub(crate) p50: f64,
    /// The most bytes that waited for compaction, those half way, and those at the end.
    pub(crate) pending: f64,
    pub(crate) middle: f64,
    pub(crate) left: f64,
    /// The most files on L0.
    pub(crate) l0: f64,
    /// How often the rate changed, an hour.
    pub(crate) changes: f64,
}

impl Figures {
    /// Of a run that ended so many operations a second with these latencies in nanoseconds, from its series second by second.
    pub(crate) fn of(
        done: f64,
        latencies: &timeline::LatencyHistogram,
        [pending, l0]: [&[f64]; 2],
        changes: f64,
    ) -> Self {
        let at = |quantile| latencies.value_at_quantile(quantile) as f64 / 1e9;
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        Self {
            done,
            p99: at(0.99),
            p50: at(0.5),
            pending: most(pending),
            middle: pending.get(pending.len() / 2).copied().unwrap_or_default(),
            left: pending.last().copied().unwrap_or_default(),
            l0: most(l0),
            changes,
        }
    }
}

/// The values of the first series of a name.
pub(crate) fn values(timeline: &timeline::Timeline, name: &str) -> Vec<f64> {
    let series = timeline.series.iter().filter(|series| series.name == name);
    series
        .filter_map(|series| match &series.points {
            timeline::SeriesPoints::Values(_, points) => {
                Some(points.iter().map(|point| point.value).collect::<Vec<_>>())
            }
            timeline::SeriesPoints::Latencies(_) => None,
        })
        .next()
        .unwrap_or_default()
}
