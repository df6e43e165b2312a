//! Arguments that every source has: known facts, and the folder of the answer.

use std::path::PathBuf;

use catalog::{Date, Release};
use deployment::Deployment;
use diagnose::KnownFacts;
use disk::Disk;
use units::Ratio;

use crate::failure::Failure;
use crate::inputs;

/// Arguments of every source.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Given {
    /// Deployment, a TOML file: its disks, instances, settings and region
    #[arg(long, value_name = "DEPLOYMENT")]
    on: Option<PathBuf>,
    /// Disk: data=gp3:500GiB, n1/data=…, vol-0a1b=…; without a name, all others; may be repeated
    #[arg(long, value_name = "[NAME=]DISK")]
    disk: Vec<String>,
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
