//! Volumes, instances, instance types and modifications of EC2. Lists are asked for with filters, not with identifiers: a
//! thing that has gone since is then missing, where its identifier would fail the whole call.

use aws_sdk_ec2::Client;
use aws_sdk_ec2::types::{self, Filter, InstanceTypeHypervisor, InstanceTypeInfo, MonitoringState};
use aws_smithy_types::DateTime;
use catalog::InstanceCaps;
use disk::Volume;
use jiff::Timestamp;
use units::{BytesPerSec, Iops, Nanos};

use super::fault::Faults;
use crate::api::{MOST_OF_A_FILTER, Page};
use crate::facts::Stated;
use crate::{AwsError, EbsModification, IamAction, InstanceEvent, InstanceFacts, VolumeAttachment, VolumeFacts};

/// Bursting instance types hold their maximum for at least so long once in 24 hours (EC2 user guide, EBS-optimized instances).
const BURST: Nanos = Nanos::secs(30 * 60);

pub(super) async fn volumes(
    client: &Client,
    faults: &Faults,
    id: Option<&str>,
    token: Option<String>,
) -> Result<Page<VolumeFacts>, AwsError> {
    const ACTION: IamAction = IamAction::DescribeVolumes;
    let call = client.describe_volumes().set_next_token(token);
    let call = match id {
        Some(id) => call.volume_ids(id),
        None => call.max_results(MOST_OF_A_FILTER as i32),
    };
    let answer = call.send().await.map_err(|error| match (Faults::code(&error), id) {
        (Some(code), Some(id)) if code.starts_with("InvalidVolume") || code == "InvalidParameterValue" => {
            faults.unknown("volume", id)
        }
        _ => faults.of(ACTION, &error),
    })?;
    let items = answer.volumes.unwrap_or_default().into_iter().map(volume).collect::<Option<_>>();
    let items = items.ok_or_else(|| AwsError::answer(ACTION, "a volume has no identifier, type or size"))?;
    Ok(Page { items, next: next(answer.next_token) })
}

fn volume(volume: types::Volume) -> Option<VolumeFacts> {
    let stated = Stated { gib: volume.size, iops: volume.iops, mib_s: volume.throughput };
    let attachment = |one: types::VolumeAttachment| {
        // One to a service of AWS's own names none.
        let instance = InstanceFacts { id: one.instance_id?, ..InstanceFacts::default() };
        Some(VolumeAttachment { device: one.device.unwrap_or_default(), since: time(one.attach_time), instance })
    };
    Some(VolumeFacts {
        id: volume.volume_id?,
        name: volume
            .tags
            .unwrap_or_default()
            .into_iter()
            .find(|tag| tag.key() == Some("Name"))
            .and_then(|tag| tag.value),
        zone: volume.availability_zone.unwrap_or_default(),
        disk: stated.disk(volume.volume_type?.as_str())?,
        state: volume.state.map(|state| state.as_str().to_owned()).unwrap_or_default(),
        created: time(volume.create_time),
        multi_attach: volume.multi_attach_enabled.unwrap_or(false),
        attachments: volume.attachments.unwrap_or_default().into_iter().filter_map(attachment).collect(),
        modifications: Vec::new(),
    })
}

pub(super) async fn instances(
    client: &Client,
    faults: &Faults,
    ids: &[String],
) -> Result<Vec<InstanceFacts>, AwsError> {
    let (mut all, mut token) = (Vec::new(), None);
    loop {
        let call = client.describe_instances().filters(filter("instance-id", ids)).set_next_token(token);
        let answer = call.send().await.map_err(|error| faults.of(IamAction::DescribeInstances, &error))?;
        let found =
            answer.reservations.unwrap_or_default().into_iter().flat_map(|one| one.instances.unwrap_or_default());
        all.extend(found.filter_map(|instance| {
            let monitoring = instance.monitoring.and_then(|monitoring| monitoring.state);
            Some(InstanceFacts {
                id: instance.instance_id?,
                instance_type: instance.instance_type.map(|name| name.as_str().to_owned()),
                detailed: monitoring == Some(MonitoringState::Enabled),
                ..InstanceFacts::default()
            })
        }));
        token = next(answer.next_token);
        if token.is_none() {
            return Ok(all);
        }
    }
}

pub(super) async fn instance_types(
    client: &Client,
    faults: &Faults,
    names: &[String],
) -> Result<Vec<InstanceFacts>, AwsError> {
    let (mut all, mut token) = (Vec::new(), None);
    loop {
        let call = client.describe_instance_types().filters(filter("instance-type", names)).set_next_token(token);
        let answer = call.send().await.map_err(|error| faults.of(IamAction::DescribeInstanceTypes, &error))?;
        all.extend(answer.instance_types.unwrap_or_default().iter().map(|info| InstanceFacts {
            instance_type: info.instance_type.as_ref().map(|name| name.as_str().to_owned()),
            // Bare metal states none; DescribeInstances states `xen` for Nitro, too, and so tells nothing.
            nitro: info.hypervisor.as_ref().map(|one| *one == InstanceTypeHypervisor::Nitro),
            caps: caps(info),
            ..InstanceFacts::default()
        }));
        token = next(answer.next_token);
        if token.is_none() {
            return Ok(all);
        }
    }
}

/// AWS states instance throughput in decimal MB a second.
fn caps(info: &InstanceTypeInfo) -> Option<InstanceCaps> {
    let ebs = info.ebs_info.as_ref()?.ebs_optimized_info.as_ref()?;
    let iops = Iops(ebs.baseline_iops?.into());
    let throughput = BytesPerSec::mb(ebs.baseline_throughput_in_m_bps?);
    let burst_iops = ebs.maximum_iops.map_or(iops, |most| Iops(most.into())).max(iops);
    let burst_throughput = ebs.maximum_throughput_in_m_bps.map_or(throughput, BytesPerSec::mb).max(throughput);
    let bursts = burst_iops > iops || burst_throughput > throughput;
    Some(InstanceCaps {
        iops,
        throughput,
        burst_iops,
        burst_throughput,
        burst_time: if bursts { BURST } else { Nanos(0) },
    })
}

pub(super) async fn modifications(
    client: &Client,
    faults: &Faults,
    volumes: &[String],
) -> Result<Vec<EbsModification>, AwsError> {
    let (mut all, mut token) = (Vec::new(), None);
    loop {
        let call = client.describe_volumes_modifications().filters(filter("volume-id", volumes)).set_next_token(token);
        let answer = call.send().await.map_err(|error| faults.of(IamAction::DescribeVolumesModifications, &error))?;
        let told = answer.volumes_modifications.unwrap_or_default().into_iter().map(modification);
        // One that is left out would be taken for one that is over.
        let told: Option<Vec<_>> = told.collect();
        let strange = "a modification has no volume, state or beginning";
        all.extend(told.ok_or_else(|| AwsError::answer(IamAction::DescribeVolumesModifications, strange))?);
        token = next(answer.next_token);
        if token.is_none() {
            return Ok(all);
        }
    }
}

pub(super) async fn modify(
    client: &Client,
    faults: &Faults,
    id: &str,
    to: &Volume,
) -> Result<EbsModification, AwsError> {
    const ACTION: IamAction = IamAction::ModifyVolume;
    // All that is wanted in one call: each call is one of the few of a day.
    let whole = |rate: f64| i32::try_from(rate.round() as i64).ok();
    let call = client
        .modify_volume()
        .volume_id(id)
        .volume_type(types::VolumeType::from(to.kind.as_str()))
        .set_size(whole(to.size.as_gib()))
        .set_iops(to.iops.and_then(|iops| whole(iops.0)))
        .set_throughput(to.throughput.and_then(|rate| whole(rate.as_mib())));
    let answer = call.send().await.map_err(|error| match Faults::code(&error) {
        Some("InvalidVolume.NotFound" | "InvalidVolumeID.Malformed") => faults.unknown("volume", id),
        Some(code @ ("IncorrectModificationState" | "VolumeModificationRateExceeded" | "IncorrectState")) => {
            AwsError::NotNow { volume: id.to_owned(), code: code.to_owned() }
        }
        Some(code) if code.starts_with("Invalid") || code == "VolumeTypeNotAvailableInZone" => {
            AwsError::Invalid { volume: id.to_owned(), code: code.to_owned() }
        }
        _ => faults.of(ACTION, &error),
    })?;
    let change = answer.volume_modification.and_then(modification);
    change.ok_or_else(|| AwsError::answer(ACTION, "it tells of no modification"))
}

fn modification(change: types::VolumeModification) -> Option<EbsModification> {
    let disk = |kind: Option<types::VolumeType>, stated: Stated| stated.disk(kind?.as_str());
    let (gib, iops, mib_s) = (change.original_size, change.original_iops, change.original_throughput);
    let before = disk(change.original_volume_type, Stated { gib, iops, mib_s });
    let (gib, iops, mib_s) = (change.target_size, change.target_iops, change.target_throughput);
    let after = disk(change.target_volume_type, Stated { gib, iops, mib_s });
    Some(EbsModification {
        volume: change.volume_id?,
        before,
        after,
        state: change.modification_state?.as_str().to_owned(),
        started: Some(time(change.start_time)?),
        ended: time(change.end_time),
    })
}

/// Those that a filter knows by their codes: to ask for single instances fails as soon as one of them is gone.
pub(super) async fn events(
    client: &Client,
    faults: &Faults,
    token: Option<String>,
) -> Result<Page<InstanceEvent>, AwsError> {
    /// The most that are given at once.
    const MOST: i32 = 1000;
    let codes = types::EventCode::values().iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
    let call = client.describe_instance_status().include_all_instances(true).filters(filter("event.code", &codes));
    let answer = call.max_results(MOST).set_next_token(token).send().await;
    let answer = answer.map_err(|error| faults.of(IamAction::DescribeInstanceStatus, &error))?;
    let items = answer.instance_statuses.unwrap_or_default().into_iter().map(planned).collect::<Option<Vec<_>>>();
    // An event that is left out would be taken for one that is over.
    let strange =
        || AwsError::answer(IamAction::DescribeInstanceStatus, "an event has no identifier, code or instance");
    Ok(Page { items: items.ok_or_else(strange)?.concat(), next: next(answer.next_token) })
}

fn planned(status: types::InstanceStatus) -> Option<Vec<InstanceEvent>> {
    let (instance, events) = (status.instance_id, status.events.unwrap_or_default());
    let event = |event: types::InstanceStatusEvent| {
        Some(InstanceEvent {
            instance: instance.clone()?,
            id: event.instance_event_id?,
            code: event.code?.as_str().to_owned(),
            description: event.description.unwrap_or_default(),
            not_before: time(event.not_before),
            not_after: time(event.not_after),
        })
    };
    events.into_iter().map(event).collect()
}

fn filter(name: &str, values: &[String]) -> Filter {
    Filter::builder().name(name).set_values(Some(values.to_vec())).build()
}

fn next(token: Option<String>) -> Option<String> {
    token.filter(|token| !token.is_empty())
}

fn time(time: Option<DateTime>) -> Option<Timestamp> {
    time.and_then(|time| Timestamp::from_second(time.secs()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modification_or_an_event_of_which_a_part_is_missing_is_none_that_is_over() {
        let whole = || {
            let change = types::VolumeModification::builder().volume_id("vol-1").start_time(DateTime::from_secs(1));
            change.modification_state(types::VolumeModificationState::Optimizing)
        };
        assert_eq!(modification(whole().build()).map(|change| change.state), Some("optimizing".to_owned()));
        for part in [whole().set_volume_id(None), whole().set_modification_state(None), whole().set_start_time(None)] {
            assert_eq!(modification(part.build()), None);
        }
        let event =
            || types::InstanceStatusEvent::builder().instance_event_id("e").code(types::EventCode::SystemReboot);
        let status = |id: Option<&str>, event: types::InstanceStatusEvent| {
            let status = types::InstanceStatus::builder().set_instance_id(id.map(str::to_owned));
            planned(status.events(event).build()).map(|events| events.len())
        };
        assert_eq!(status(Some("i-1"), event().build()), Some(1));
        assert_eq!(status(None, event().build()), None);
        assert_eq!(status(Some("i-1"), event().set_instance_event_id(None).build()), None);
        assert_eq!(status(Some("i-1"), event().set_code(None).build()), None);
        assert_eq!(planned(types::InstanceStatus::builder().build()), Some(Vec::new()), "nothing is planned for it");
    }
}
