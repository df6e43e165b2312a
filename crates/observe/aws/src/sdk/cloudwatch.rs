//! GetMetricData.

use aws_sdk_cloudwatch::Client;
use aws_sdk_cloudwatch::types::{Dimension, Metric, MetricDataQuery, MetricDataResult, MetricStat, ScanBy, StatusCode};
use aws_smithy_types::DateTime;
use timeline::MergeRule;

use super::fault::Faults;
use crate::api::{Answer, Page, Query, Status};
use crate::range::MetricRange;
use crate::{AwsError, IamAction};

const ACTION: IamAction = IamAction::GetMetricData;

/// The most points that CloudWatch puts into one answer.
const MOST_POINTS: i32 = 100_800;

pub(super) async fn metric_data(
    client: &Client,
    faults: &Faults,
    queries: &[Query],
    range: MetricRange,
    token: Option<String>,
) -> Result<Page<Answer>, AwsError> {
    let (from, until) = range.seconds();
    let answer = client
        .get_metric_data()
        .set_metric_data_queries(Some(queries.iter().enumerate().map(query).collect()))
        .start_time(DateTime::from_secs(from))
        .end_time(DateTime::from_secs(until))
        .scan_by(ScanBy::TimestampAscending)
        .max_datapoints(MOST_POINTS)
        .set_next_token(token)
        .send()
        .await
        .map_err(|error| faults.of(ACTION, &error))?;
    let items = answer.metric_data_results.unwrap_or_default().into_iter().map(|one| result(one, queries.len()));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next: answer.next_token.filter(|token| !token.is_empty()) })
}

fn query((index, query): (usize, &Query)) -> MetricDataQuery {
    let dimension = |(name, value): &(&str, String)| Dimension::builder().name(*name).value(value).build();
    let dimensions = query.dimensions.iter().map(dimension).collect();
    let metric =
        Metric::builder().namespace(query.namespace).metric_name(query.metric).set_dimensions(Some(dimensions));
    let statistic = match query.statistic {
        MergeRule::Sum => "Sum",
        MergeRule::Mean => "Average",
        MergeRule::Max => "Maximum",
        MergeRule::Min => "Minimum",
    };
    let period = i32::try_from(query.period).unwrap_or(i32::MAX);
    let stat = MetricStat::builder().metric(metric.build()).period(period).stat(statistic).build();
    MetricDataQuery::builder().id(format!("q{index}")).metric_stat(stat).build()
}

fn result(result: MetricDataResult, queries: usize) -> Result<Answer, AwsError> {
    let id = result.id.unwrap_or_default();
    let query = id.strip_prefix('q').and_then(|index| index.parse().ok()).filter(|index| *index < queries);
    let query = query.ok_or_else(|| AwsError::answer(ACTION, "it names a series that was not asked for"))?;
    let (times, values) = (result.timestamps.unwrap_or_default(), result.values.unwrap_or_default());
    if times.len() != values.len() {
        let what = format!("it has {} times for {} values", times.len(), values.len());
        return Err(AwsError::answer(ACTION, what));
    }
    let status = match result.status_code {
        Some(StatusCode::PartialData) => Status::Partial,
        Some(StatusCode::InternalError) => Status::Failed,
        Some(StatusCode::Forbidden) => Status::Forbidden,
        // A later SDK may know more words; what came is what there is.
        _ => Status::Complete,
    };
    Ok(Answer { query, points: times.iter().map(DateTime::secs).zip(values).collect(), status })
}
