//! Asks CloudWatch for series, at most 500 a call, page by page, until each is complete or nothing more comes of it.

use std::collections::BTreeSet;

use timeline::{Series, SeriesPoint, SeriesPoints};
use units::Nanos;

use crate::api::{Answer, Api, MOST_QUERIES, Query, Status};
use crate::metrics::Wanted;
use crate::range::MetricRange;
use crate::{AwsError, IamAction};

/// How often a series is asked for that came back incomplete. The SDK's own retries are beneath.
const ROUNDS: usize = 3;

/// More pages than any answer has: 500 queries of 15 days by the minute are 108 of 100,800 points. A service that gives
/// tokens for ever is stopped here.
const MOST_PAGES: usize = 10_000;

/// What came of a query.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    /// In order of time, of periods within the range, each once.
    points: Vec<(i64, f64)>,
    /// Whether CloudWatch gave all it has.
    pub(crate) complete: bool,
}

impl Fetched {
    /// As a series whose times count from the range's start; `None` without points: what was never published is missing.
    pub(crate) fn series(&self, wanted: &Wanted, range: MetricRange) -> Option<Series> {
        let start = range.seconds().0;
        let nanos = |second: i64| Nanos::secs((second - start).unsigned_abs());
        let period = wanted.query.period;
        let point =
            |(at, value): &(i64, f64)| SeriesPoint { from: nanos(*at), until: nanos(at + period), value: *value };
        (!self.points.is_empty()).then(|| Series {
            name: wanted.query.metric.to_owned(),
            labels: wanted.labels.clone(),
            unit: wanted.unit,
            points: SeriesPoints::Values(wanted.query.statistic, self.points.iter().map(point).collect()),
        })
    }

    /// Keeps what a Timeline can hold: whole periods of the range, finite, in order, each once (the later answer counts).
    fn tidy(&mut self, period: i64, range: MetricRange) {
        let (from, until) = range.seconds();
        self.points.retain(|(at, value)| *at >= from && at + period <= until && value.is_finite());
        if !self.points.is_sorted_by(|one, other| one.0 + period <= other.0) {
            self.points.reverse();
            self.points.sort_by_key(|(at, _)| *at);
            let mut before: Option<i64> = None;
            self.points.retain(|(at, _)| {
                let apart = before.is_none_or(|before| *at >= before + period);
                before = if apart { Some(*at) } else { before };
                apart
            });
        }
    }
}

/// The answers to those queries, in their order.
pub(crate) fn fetch(api: &dyn Api, queries: &[Query], range: MetricRange) -> Result<Vec<Fetched>, AwsError> {
    let mut all: Vec<Fetched> = queries.iter().map(|_| Fetched::default()).collect();
    let mut open: Vec<usize> = (0..queries.len()).collect();
    for _ in 0..ROUNDS {
        for some in open.chunks(MOST_QUERIES) {
            let asked: Vec<Query> = some.iter().map(|i| queries[*i].clone()).collect();
            each_answer(api, &asked, range, |answer| {
                let query = some[answer.query];
                all[query].complete = answer.status == Status::Complete;
                if all[query].points.is_empty() {
                    all[query].points = answer.points;
                } else {
                    all[query].points.extend(answer.points);
                }
            })?;
        }
        open.retain(|i| !all[*i].complete);
        if open.is_empty() {
            break;
        }
    }
    for (fetched, query) in all.iter_mut().zip(queries) {
        fetched.tidy(query.period, range);
    }
    Ok(all)
}

/// Shows each part of the answers of all pages.
fn each_answer(
    api: &dyn Api,
    queries: &[Query],
    range: MetricRange,
    mut show: impl FnMut(Answer),
) -> Result<(), AwsError> {
    const ACTION: IamAction = IamAction::GetMetricData;
    let mut token = None;
    let mut seen = BTreeSet::new();
    for _ in 0..MOST_PAGES {
        let page = api.metric_data(queries, range, token.take())?;
        for answer in page.items {
            if answer.status == Status::Forbidden {
                return Err(AwsError::Denied { action: ACTION });
            }
            show(answer);
        }
        match page.next {
            None => return Ok(()),
            Some(next) if !seen.insert(next.clone()) => {
                return Err(AwsError::answer(ACTION, "it gives the same page token again"));
            }
            next => token = next,
        }
    }
    Err(AwsError::answer(ACTION, format!("it has more than {MOST_PAGES} pages")))
}

#[cfg(test)]
mod tests;
