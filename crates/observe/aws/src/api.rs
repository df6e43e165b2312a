//! The edge: what this crate needs of AWS, in its own words. The SDK is behind it, and in tests a twin.

use disk::Volume;
use timeline::MergeRule;

use crate::range::MetricRange;
use crate::{AwsError, DbFacts, EbsModification, InstanceEvent, InstanceFacts, VolumeFacts};

/// The most values of a filter that EC2 takes in one call, and so the most volumes that are read at once.
pub(crate) const MOST_OF_A_FILTER: usize = 200;

/// The most queries of one GetMetricData call.
pub(crate) const MOST_QUERIES: usize = 500;

/// A part of a list, and the token of the next.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<String>,
}

/// One series that CloudWatch is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query {
    pub(crate) namespace: &'static str,
    pub(crate) metric: &'static str,
    pub(crate) dimensions: Vec<(&'static str, String)>,
    pub(crate) statistic: MergeRule,
    /// In seconds.
    pub(crate) period: i64,
}

/// How much of a series an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// All of it.
    Complete,
    /// More is to come, or was to come.
    Partial,
    /// The service failed on it.
    Failed,
    /// It may not be read.
    Forbidden,
}

/// A part of the answer to one query.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Which of the queries.
    pub(crate) query: usize,
    /// Starts of periods in seconds of Unix time, and values.
    pub(crate) points: Vec<(i64, f64)>,
    pub(crate) status: Status,
}

/// What is asked of AWS. Calls block, and may be made from several threads.
pub(crate) trait Api: Send + Sync {
    fn region(&self) -> &str;

    /// One volume, or the next page of all of them; without attached instances' details and modifications.
    fn volumes(&self, id: Option<&str>, token: Option<String>) -> Result<Page<VolumeFacts>, AwsError>;

    /// Those of the instances that are there, without `nitro` and `caps`; at most [`MOST_OF_A_FILTER`].
    fn instances(&self, ids: &[String]) -> Result<Vec<InstanceFacts>, AwsError>;

    /// `nitro` and `caps` of instance types, in facts that have no `id`; at most [`MOST_OF_A_FILTER`].
    fn instance_types(&self, names: &[String]) -> Result<Vec<InstanceFacts>, AwsError>;

    /// What happened to those volumes; at most [`MOST_OF_A_FILTER`].
    fn modifications(&self, volumes: &[String]) -> Result<Vec<EbsModification>, AwsError>;

    /// Begins a modification of one volume.
    fn modify(&self, volume: &str, to: &Volume) -> Result<EbsModification, AwsError>;

    /// What is planned for instances, a page of them.
    fn events(&self, token: Option<String>) -> Result<Page<InstanceEvent>, AwsError>;

    fn db_instance(&self, id: &str) -> Result<DbFacts, AwsError>;

    /// What a user logs in to a database with; signed here.
    fn db_token(&self, host: &str, port: u16, user: &str) -> Result<String, AwsError>;

    /// At most [`MOST_QUERIES`], in order of time.
    fn metric_data(
        &self,
        queries: &[Query],
        range: MetricRange,
        token: Option<String>,
    ) -> Result<Page<Answer>, AwsError>;
}
