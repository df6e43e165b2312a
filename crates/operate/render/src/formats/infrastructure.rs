//! What CloudFormation and Terraform share: instances, their volumes, and alarms on both.

use catalog::VolumeMedium;
use disk::DiskLimits;
use units::Bytes;

use crate::alarms::{ALARMS, CloudWatchAlarm, Of};
use crate::document::Why;
use crate::hosts::Host;
use crate::site::{Group, Site};

/// A volume of an instance.
#[derive(Debug)]
pub(super) struct Volume {
    /// `data`, `data-2`, `log`
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) gib: u64,
    /// As provisioned, or what the type must be told.
    pub(super) iops: Option<u64>,
    /// In MiB/s, as provisioned.
    pub(super) throughput: Option<u64>,
    pub(super) device: String,
    pub(super) why: Why,
    /// What one volume sustains.
    pub(super) each: DiskLimits,
}

/// Device names of attached volumes: f to p are recommended for them (EC2 user guide, device naming).
fn device(index: usize) -> String {
    let letters = ('f'..='p').chain('b'..='e').chain('q'..='z');
    letters
        .into_iter()
        .nth(index)
        .map_or_else(|| format!("/dev/sdb{}", (b'a' + (index % 25) as u8) as char), |l| format!("/dev/sd{l}"))
}

/// The network volumes of a machine.
pub(super) fn volumes(site: &Site<'_>, group: &Group<'_>) -> Vec<Volume> {
    let mut volumes: Vec<Volume> = Vec::new();
    let disks = [Some(("data", group.data.1)), group.log.as_ref().map(|(_, log)| ("log", *log))];
    for (role, disk) in disks.into_iter().flatten() {
        let Ok(kind) = disk.kind(site.view, Some(group.instance)) else { continue };
        if kind.medium == VolumeMedium::LocalNvme {
            continue;
        }
        let Ok(each) = DiskLimits::of(kind, &disk.volume, Some(group.instance)) else { continue };
        for i in 1..=disk.stripe {
            let name = if disk.stripe == 1 { role.to_owned() } else { format!("{role}-{i}") };
            let provisioned = matches!(kind.iops, catalog::IopsRule::Provisioned { .. });
            let throughput = matches!(kind.throughput, catalog::ThroughputRule::Provisioned { .. });
            let what = if disk.stripe == 1 {
                format!("The {role} disk as planned, {disk}")
            } else {
                format!("Volume {i} of the {role} disk as planned, {disk}")
            };
            let text = format!("{what}: sustains {:.0} I/Os a second and {:.1}", each.iops.0, each.throughput);
            volumes.push(Volume {
                name,
                kind: kind.name.clone(),
                gib: disk.volume.size.ceil_gib().0 / Bytes::gib(1).0,
                iops: provisioned.then_some(each.iops.0.round() as u64),
                throughput: throughput.then_some(each.throughput.as_mib().round() as u64),
                device: device(volumes.len()),
                why: Why::new(text, format!("{} ({})", kind.provenance.source, kind.provenance.as_of)),
                each: each.clone(),
            });
        }
    }
    volumes
}

/// The machines that are made: those of a group. Others are named in a cluster's files only.
pub(super) fn machines<'s, 'a>(site: &'s Site<'a>) -> impl Iterator<Item = &'s Host<'a>> {
    site.hosts.iter().filter(|host| host.group.is_some())
}

/// An alarm on a volume or an instance.
#[derive(Debug)]
pub(super) struct Alarm<'v> {
    pub(super) rule: &'static CloudWatchAlarm,
    /// `None` if it is on the instance.
    pub(super) volume: Option<&'v Volume>,
    pub(super) threshold: f64,
    pub(super) why: Why,
}

/// The alarms of a machine.
pub(super) fn alarms<'v>(group: &Group<'_>, volumes: &'v [Volume]) -> Vec<Alarm<'v>> {
    let mut alarms = Vec::new();
    let nitro = group.instance.nitro;
    for rule in &ALARMS.cloudwatch {
        let fits = |volume: &&Volume| rule.fits(&volume.kind, &volume.each, nitro);
        let why = |threshold: f64| {
            Why::new(format!("{}. Threshold {threshold}: {}", rule.text, rule.source), rule.link.clone())
        };
        match rule.of {
            Of::Volume => alarms.extend(volumes.iter().filter(fits).map(|volume| {
                let threshold = rule.threshold(volume.each.iops.0);
                Alarm { rule, volume: Some(volume), threshold, why: why(threshold) }
            })),
            Of::Instance => alarms.extend(volumes.iter().find(fits).map(|_| {
                let threshold = rule.threshold(0.0);
                Alarm { rule, volume: None, threshold, why: why(threshold) }
            })),
        }
    }
    alarms
}

/// The name of a resource: words after each other, each with a capital, letters and digits only.
pub(super) fn logical(words: &[&str]) -> String {
    let pieces = words
        .iter()
        .flat_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric()))
        .filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece[..1].to_ascii_uppercase() + &piece[1..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names_of_their_own() {
        let names: std::collections::BTreeSet<String> = (0..50).map(device).collect();
        assert_eq!(names.len(), 50);
        assert_eq!(device(0), "/dev/sdf");
    }

    #[test]
    fn names_of_resources_have_letters_and_digits_only() {
        assert_eq!(logical(&["tikv-1", "data-2", "burst-balance"]), "Tikv1Data2BurstBalance");
    }
}
