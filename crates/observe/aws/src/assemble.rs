//! Facts from several calls put together, and Timelines from their series.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use timeline::{Timeline, TimelineInfo};

use crate::api::{Api, MOST_OF_A_FILTER, Query};
use crate::fetch::{Fetched, fetch};
use crate::metrics::{self, Wanted};
use crate::range::MetricRange;
use crate::{AwsError, InstanceFacts, VolumeFacts};

/// What instance types let through, each asked for once. AWS has about a thousand types, which bounds it.
#[derive(Debug, Default)]
pub(crate) struct Types(Mutex<BTreeMap<String, InstanceFacts>>);

impl Types {
    fn learn(&self, api: &dyn Api, names: BTreeSet<String>) -> Result<BTreeMap<String, InstanceFacts>, AwsError> {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let new: Vec<String> = names.iter().filter(|name| !known.contains_key(*name)).cloned().collect();
        for some in new.chunks(MOST_OF_A_FILTER) {
            // One that AWS does not list is remembered too, as one of which nothing is known.
            known.extend(some.iter().map(|name| (name.clone(), InstanceFacts::default())));
            let listed = api.instance_types(some)?;
            known.extend(listed.into_iter().filter_map(|facts| Some((facts.instance_type.clone()?, facts))));
        }
        Ok(names.into_iter().filter_map(|name| Some((name.clone(), known.get(&name)?.clone()))).collect())
    }
}

/// Completes volumes that were listed with their instances, those instances' types, and their modifications.
pub(crate) fn complete(api: &dyn Api, types: &Types, volumes: &mut [VolumeFacts]) -> Result<(), AwsError> {
    for some in volumes.chunks_mut(MOST_OF_A_FILTER) {
        let ids: BTreeSet<String> = some.iter().flat_map(metrics::instances).map(|one| one.id.clone()).collect();
        let ids: Vec<String> = ids.into_iter().collect();
        let mut instances = BTreeMap::new();
        for few in ids.chunks(MOST_OF_A_FILTER) {
            instances.extend(api.instances(few)?.into_iter().map(|one| (one.id.clone(), one)));
        }
        let names = instances.values().filter_map(|one| one.instance_type.clone()).collect();
        let types = types.learn(api, names)?;
        for instance in instances.values_mut() {
            let known = instance.instance_type.as_ref().and_then(|name| types.get(name));
            (instance.nitro, instance.caps) = known.map_or((None, None), |known| (known.nitro, known.caps));
        }
        for attachment in some.iter_mut().flat_map(|volume| &mut volume.attachments) {
            if let Some(instance) = instances.get(&attachment.instance.id) {
                attachment.instance = instance.clone();
            }
        }
        let ids: Vec<String> = some.iter().map(|volume| volume.id.clone()).collect();
        let changes = api.modifications(&ids)?;
        for volume in some {
            let of_it = changes.iter().filter(|change| change.volume == volume.id);
            volume.modifications.extend(of_it.cloned());
            volume.modifications.sort_by_key(|change| change.started);
        }
    }
    Ok(())
}

/// The Timelines of volumes, in their order. An instance that several of them share is asked for once.
pub(crate) fn timelines(api: &dyn Api, volumes: &[VolumeFacts], range: MetricRange) -> Result<Vec<Timeline>, AwsError> {
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut of_instances: BTreeMap<&str, std::ops::Range<usize>> = BTreeMap::new();
    let mut add = |more: Vec<Wanted>| {
        let first = wanted.len();
        wanted.extend(more);
        first..wanted.len()
    };
    let mut of_volumes = Vec::new();
    for volume in volumes {
        of_volumes.push(add(metrics::of_volume(volume, range)));
        for instance in metrics::instances(volume).filter(|one| one.instance_type.is_some()) {
            of_instances.entry(&instance.id).or_insert_with(|| add(metrics::of_instance(instance, range)));
        }
    }
    let queries: Vec<Query> = wanted.iter().map(|one| one.query.clone()).collect();
    let fetched = fetch(api, &queries, range)?;
    let timeline = |(volume, own): (&VolumeFacts, std::ops::Range<usize>)| {
        let shared = metrics::instances(volume).filter_map(|one| of_instances.get(one.id.as_str()).cloned());
        let places: Vec<usize> = std::iter::once(own).chain(shared).flatten().collect();
        timeline(&format!("{} in {}", volume.id, api.region()), &wanted, &fetched, &places, range, notes_of(volume))
    };
    Ok(volumes.iter().zip(of_volumes).map(timeline).collect())
}

/// What a reader of the Timeline alone needs of the volume.
fn notes_of(volume: &VolumeFacts) -> BTreeMap<String, String> {
    let mut notes = BTreeMap::from([(format!("{}.disk", volume.id), volume.disk.to_string())]);
    for instance in metrics::instances(volume) {
        notes.extend(instance.instance_type.clone().map(|name| (format!("{}.type", instance.id), name)));
    }
    notes
}

/// The series at those places as one Timeline.
fn timeline(
    title: &str,
    wanted: &[Wanted],
    fetched: &[Fetched],
    places: &[usize],
    range: MetricRange,
    mut notes: BTreeMap<String, String>,
) -> Timeline {
    for place in places.iter().filter(|place| !fetched[**place].complete) {
        let one = &wanted[*place];
        let of: Vec<&str> = one.labels.values().map(String::as_str).collect();
        notes.insert(
            format!("{}.{}", of.join("."), one.query.metric),
            "incomplete: CloudWatch kept part of it back".into(),
        );
    }
    let series = places.iter().filter_map(|place| fetched[*place].series(&wanted[*place], range)).collect();
    let about = TimelineInfo { title: title.to_owned(), start: Some(range.from()), notes };
    Timeline { about, series }
}

/// The Timeline of series of one thing.
pub(crate) fn timeline_of(
    api: &dyn Api,
    title: &str,
    wanted: &[Wanted],
    range: MetricRange,
    notes: BTreeMap<String, String>,
) -> Result<Timeline, AwsError> {
    let queries: Vec<Query> = wanted.iter().map(|one| one.query.clone()).collect();
    let fetched = fetch(api, &queries, range)?;
    let places: Vec<usize> = (0..wanted.len()).collect();
    Ok(timeline(title, wanted, &fetched, &places, range, notes))
}
