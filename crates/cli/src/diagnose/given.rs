//! Arguments that every source has: known facts, and the folder of the answer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use catalog::{Date, Release};
use deployment::Deployment;
use diagnose::KnownFacts;
use disk::Disk;
use ingest::stack::{self, FoldedDevices, StackOptions};
use timeline::Timeline;
use units::Ratio;

use super::watch::Asked;

use crate::failure::Failure;
use crate::inputs;

/// Arguments of every source.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct Given {
    /// Deployment, a TOML file: its disks, instances, settings and region
    #[arg(long, value_name = "DEPLOYMENT")]
    on: Option<PathBuf>,
    /// Disk: data=gp3:500GiB, n1/data=…, vol-0a1b=…; without a name, all others; may be repeated
    #[arg(long, value_name = "[NAME=]DISK")]
    disk: Vec<String>,
    /// Name of a disk by its device: data=nvme1n1, log=nvme2n1, n1/data=…; may be repeated
    #[arg(long, value_name = "[NODE/]NAME=DEVICE")]
    device: Vec<String>,
    /// Only this disk, or the disk under this partition or layer; may be repeated
    #[arg(long, value_name = "[NODE/]DISK")]
    only: Vec<String>,
    /// Not this disk; may be repeated
    #[arg(long, value_name = "[NODE/]DISK")]
    ignore: Vec<String>,
    /// Instance type: m5.2xlarge, or n1=m5.2xlarge; may be repeated
    #[arg(long, value_name = "[NODE=]TYPE")]
    instance: Vec<String>,
    /// Threads of a pool, where not TiKV's default: unified_read_po=8; may be repeated
    #[arg(long, value_name = "POOL=THREADS")]
    pool: Vec<String>,
    /// TiKV release whose defaults apply, such as 8.5.3 [default: as PD reports, else the newest known]
    #[arg(long, value_name = "RELEASE")]
    tikv: Option<Release>,
    /// Offer only disks that promise their rates for this share of the time: 99.9%
    #[arg(long, value_name = "SHARE")]
    consistency: Option<Ratio>,
    /// Region of the prices [default: the deployment's]
    #[arg(long)]
    pub(crate) region: Option<String>,
    /// Day whose limits and prices apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    /// Write verdicts.json and report.html into a folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

impl Given {
    /// The known facts: those of the command line, else of the deployment that a source brings along.
    pub(crate) fn known(&self, brought: Option<Deployment>) -> Result<KnownFacts, Failure> {
        let deployment = match &self.on {
            Some(path) => {
                let read = inputs::deployment(path)?;
                let view = inputs::view(self.as_of.or(read.noun.as_of));
                read.noun.validate(&view).map_err(|error| error.locate(&read.text))?;
                Some(read.noun)
            }
            None => brought,
        };
        let day = self.as_of.or(deployment.as_ref().and_then(|deployment| deployment.as_of));
        let mut known = KnownFacts {
            deployment,
            region: self.region.clone(),
            consistency: self.consistency,
            release: self.tikv,
            ..KnownFacts::nothing(inputs::view(day))
        };
        for text in &self.disk {
            let (name, disk) = named(text);
            let disk: Disk = disk.parse().map_err(|error| Failure::input(format!("--disk {text}: {error}")))?;
            known.disks.insert(name.unwrap_or("*").to_owned(), disk);
        }
        for text in &self.instance {
            match named(text) {
                (Some(node), instance) => drop(known.instances.insert(node.to_owned(), instance.to_owned())),
                (None, instance) => known.instance = Some(instance.to_owned()),
            }
        }
        for text in &self.pool {
            let wrong = || Failure::input(format!("--pool {text}: expected POOL=THREADS, such as unified_read_po=8"));
            let (Some(pool), threads) = named(text) else { return Err(wrong()) };
            let threads: u32 = threads.parse().ok().filter(|threads| *threads > 0).ok_or_else(wrong)?;
            known.pools.insert(pool.to_owned(), f64::from(threads));
        }
        known.check().map_err(|error| Failure::input(error.to_string()))?;
        Ok(known)
    }
}

impl Given {
    /// What is asked about a Timeline in which a request may be counted at several layers of devices: one disk is left for each
    /// volume or stripe, and what was said of a layer holds for the disk under it.
    pub(super) fn asked(
        &self,
        of: String,
        mut timeline: Timeline,
        mut known: KnownFacts,
        mapper_names: bool,
    ) -> Result<Asked, Failure> {
        let volumes = |disk: &Disk| disk.stripe;
        let by_role =
            known.deployment.iter().flat_map(Deployment::storage).filter_map(|(_, group)| group.data.as_ref());
        let others = known.disks.get("*").or(by_role.max_by_key(|disk| disk.stripe)).map(volumes);
        let claimed = known.disks.iter().filter(|(name, _)| *name != "*");
        let options = StackOptions {
            claimed: claimed.map(|(name, disk)| (name.clone(), volumes(disk))).collect(),
            others,
            only: self.only.iter().cloned().collect(),
            ignore: self.ignore.iter().cloned().collect(),
            mapper_names,
        };
        let folded = stack::fold(&mut timeline, &options).map_err(|error| Failure::input(error.to_string()))?;
        learn_folded(&mut known, &folded);
        let mut names = BTreeMap::new();
        for text in &self.device {
            let (Some(name), device) = named(text) else {
                return Err(Failure::input(format!("--device {text}: expected NAME=DEVICE, such as data=nvme1n1")));
            };
            names.insert(name.to_owned(), device.to_owned());
        }
        stack::rename(&mut timeline, &names, &folded).map_err(|error| Failure::input(error.to_string()))?;
        if let Some(deployment) = &known.deployment {
            let mut groups = deployment.storage();
            let alone = groups.next().filter(|(_, group)| groups.next().is_none() && group.log.is_none());
            if alone.is_some() && names.is_empty() {
                stack::name_only_busy(&mut timeline, "data");
            }
        }
        Ok(Asked { of, timeline, known })
    }
}

/// Takes what was said of devices that were folded: a layer's disk is the one under it, and a stripe is made of its members.
fn learn_folded(known: &mut KnownFacts, folded: &FoldedDevices) {
    let key = |node: &str, device: &str| {
        if node.is_empty() { device.to_owned() } else { format!("{node}/{device}") }
    };
    let said = |known: &KnownFacts, node: &str, device: &str| {
        known.disks.get(&key(node, device)).or_else(|| known.disks.get(device)).cloned()
    };
    for ((node, device), target) in &folded.stands_for {
        let is_member = folded.stripes.get(&(node.clone(), target.clone())).is_some_and(|all| all.contains(device));
        if let Some(disk) = said(known, node, device).filter(|_| !is_member) {
            known.disks.entry(key(node, target)).or_insert(disk);
        }
    }
    for ((node, stripe), members) in &folded.stripes {
        if said(known, node, stripe).is_some() {
            continue;
        }
        let of_members = members.iter().find_map(|member| said(known, node, member));
        let each = of_members.or_else(|| known.disks.get("*").cloned()).filter(|disk| disk.stripe == 1);
        if let Some(disk) = each {
            let stripe_of = Disk { stripe: u32::try_from(members.len()).unwrap_or(u32::MAX), ..disk };
            known.disks.insert(key(node, stripe), stripe_of);
        }
    }
}

/// `name=what` or `what`.
fn named(text: &str) -> (Option<&str>, &str) {
    text.split_once('=').map_or((None, text), |(name, what)| (Some(name.trim()), what.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_before_the_disk() {
        assert_eq!(named("data=gp3:1GiB,3000iops"), (Some("data"), "gp3:1GiB,3000iops"));
        assert_eq!(named("gp2:400GiB"), (None, "gp2:400GiB"));
    }
}
