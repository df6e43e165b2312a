//! An AWS in memory that answers the same every time, page by page, and fails as it is told to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use jiff::Timestamp;

use crate::api::{Answer, Api, Page, Query, Status};
use crate::range::MetricRange;
use crate::{
    AwsError, DbFacts, EbsModification, IamAction, InstanceEvent, InstanceFacts, VolumeAttachment, VolumeFacts,
};

/// Two hours by the minute.
pub(crate) fn range() -> MetricRange {
    let at = |text: &str| -> Timestamp { text.parse().unwrap() };
    MetricRange::new(at("2026-11-21T08:00:00Z"), at("2026-11-21T10:00:00Z"), at("2026-11-21T12:00:00Z")).unwrap()
}

pub(crate) fn instance(id: &str) -> InstanceFacts {
    InstanceFacts { id: id.to_owned(), instance_type: Some("m5.large".to_owned()), ..InstanceFacts::default() }
}

/// A volume on the instance `i-…` of the same number.
pub(crate) fn volume(id: &str, disk: &str) -> VolumeFacts {
    let on =
        VolumeAttachment { device: "/dev/sdf".to_owned(), since: None, instance: instance(&id.replace("vol", "i")) };
    VolumeFacts {
        id: id.to_owned(),
        name: None,
        zone: "us-west-2a".to_owned(),
        disk: disk.parse().unwrap(),
        state: "in-use".to_owned(),
        created: None,
        multi_attach: false,
        attachments: vec![on],
        modifications: Vec::new(),
    }
}

pub(crate) fn modification(volume: &str, before: &str, after: &str) -> EbsModification {
    EbsModification {
        volume: volume.to_owned(),
        before: Some(before.parse().unwrap()),
        after: Some(after.parse().unwrap()),
        state: "completed".to_owned(),
        started: None,
        ended: None,
    }
}

/// What the twin knows, and how it behaves.
#[derive(Default)]
pub(crate) struct Twin {
    pub(crate) volumes: Vec<VolumeFacts>,
    pub(crate) types: Vec<InstanceFacts>,
    pub(crate) modifications: Vec<EbsModification>,
    pub(crate) databases: Vec<DbFacts>,
    pub(crate) events: Vec<InstanceEvent>,
    /// By metric and last dimension: starts of points in seconds after the range's, and values.
    pub(crate) points: BTreeMap<(&'static str, String), Vec<(i64, f64)>>,
    /// So many points of each series are on a page; 0 for all.
    pub(crate) page: usize,
    /// So many volumes are on a page; 0 for all.
    pub(crate) volumes_a_page: usize,
    /// The states of coming metric answers' series, before all are complete.
    pub(crate) statuses: Mutex<VecDeque<Status>>,
    /// A token that is given again and again.
    pub(crate) stuck: bool,
    /// The page of volumes that is denied.
    pub(crate) denied_page: Option<usize>,
    /// The number of queries of each metric call.
    pub(crate) calls: Mutex<Vec<usize>>,
    /// The names that were asked of instance types.
    pub(crate) types_asked: Mutex<Vec<String>>,
}

/// The `page`th so many of all, and the token of the next.
fn paged<T: Clone>(all: &[T], size: usize, token: Option<String>) -> Page<T> {
    let size = if size == 0 { all.len().max(1) } else { size };
    let page: usize = token.map_or(0, |token| token.parse().unwrap());
    let items = all.iter().skip(page * size).take(size).cloned().collect();
    Page { items, next: ((page + 1) * size < all.len()).then(|| (page + 1).to_string()) }
}

impl Api for Twin {
    fn region(&self) -> &str {
        "us-west-2"
    }

    fn volumes(&self, id: Option<&str>, token: Option<String>) -> Result<Page<VolumeFacts>, AwsError> {
        if self.denied_page.is_some_and(|page| token.clone().unwrap_or("0".to_owned()) == page.to_string()) {
            return Err(AwsError::Denied { action: IamAction::DescribeVolumes });
        }
        let all: Vec<VolumeFacts> = self.volumes.iter().filter(|v| id.is_none_or(|id| v.id == id)).cloned().collect();
        Ok(paged(&all, self.volumes_a_page, token))
    }

    fn instances(&self, ids: &[String]) -> Result<Vec<InstanceFacts>, AwsError> {
        Ok(ids.iter().map(|id| instance(id)).collect())
    }

    fn instance_types(&self, names: &[String]) -> Result<Vec<InstanceFacts>, AwsError> {
        self.types_asked.lock().unwrap().extend(names.iter().cloned());
        Ok(self.types.clone())
    }

    fn modifications(&self, volumes: &[String]) -> Result<Vec<EbsModification>, AwsError> {
        Ok(self.modifications.iter().filter(|change| volumes.contains(&change.volume)).cloned().collect())
    }

    fn modify(&self, volume: &str, to: &disk::Volume) -> Result<EbsModification, AwsError> {
        let before = self.volumes.iter().find(|one| one.id == volume).map(|one| one.disk.to_string());
        let region = self.region().to_owned();
        let unknown = AwsError::Unknown { what: "volume", name: volume.to_owned(), region };
        Ok(modification(volume, &before.ok_or(unknown)?, &to.to_string()))
    }

    fn db_instance(&self, id: &str) -> Result<DbFacts, AwsError> {
        let found = self.databases.iter().find(|one| one.id == id).cloned();
        let region = self.region().to_owned();
        found.ok_or_else(|| AwsError::Unknown { what: "database", name: id.to_owned(), region })
    }

    fn events(&self, token: Option<String>) -> Result<Page<InstanceEvent>, AwsError> {
        Ok(paged(&self.events, 1, token))
    }

    fn db_token(&self, host: &str, port: u16, user: &str) -> Result<String, AwsError> {
        Ok(format!("{user}@{host}:{port}"))
    }

    fn metric_data(
        &self,
        queries: &[Query],
        range: MetricRange,
        token: Option<String>,
    ) -> Result<Page<Answer>, AwsError> {
        self.calls.lock().unwrap().push(queries.len());
        let start = range.seconds().0;
        let mut next = None;
        let answer = |(index, query): (usize, &Query)| {
            let of = query.dimensions.last().map(|(_, value)| value.clone()).unwrap_or_default();
            let all = self.points.get(&(query.metric, of)).map(Vec::as_slice).unwrap_or_default();
            let page = paged(all, self.page, token.clone());
            let status = if page.next.is_some() { Status::Partial } else { Status::Complete };
            next = next.take().or(page.next);
            let status = self.statuses.lock().unwrap().pop_front().unwrap_or(status);
            Answer { query: index, points: page.items.iter().map(|(at, v)| (start + at, *v)).collect(), status }
        };
        let items = queries.iter().enumerate().map(answer).collect();
        Ok(Page { items, next: if self.stuck { Some("0".to_owned()) } else { next } })
    }
}
