//! Source 001: what a write-heavy TiKV node asks of its disks, and a disk of its own for the raft log.

use catalog::{CatalogView, IopsRule};
use deployment::Deployment;
use plan::LogDisk;
use textfile::Text;
use workload::{IoRates, parse_iostat};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] =
    &[("B03", |_| device(DATA)), ("B04", |_| device(RAFT)), ("B07", cost_of_a_raft_disk), ("B10", raft_disks)];

/// An example that ships with the program.
macro_rules! example {
    ($name:literal) => {
        Text::new(concat!("examples/", $name), include_str!(concat!("../../../../examples/", $name)))
    };
}

/// The data disk in the iostat example.
const DATA: &str = "sdb";
/// The raft disk in the iostat example.
const RAFT: &str = "sdd";

/// The rates of a device in the iostat example.
fn example_rates(name: &str) -> Result<IoRates, ClaimError> {
    let devices = parse_iostat(&example!("tikv-node-iostat.txt"))?;
    let device = devices.iter().find(|device| device.device == name);
    Ok(device.ok_or_else(|| ClaimError::Other(format!("the example has no device {name}")))?.rates)
}

/// They in iostat's own units.
fn device(name: &str) -> Result<Ours, ClaimError> {
    let rates = example_rates(name)?;
    let kilobytes = |bytes: f64| bytes / 1024.0;
    let numbers = [rates.reads, kilobytes(rates.read_bytes), rates.writes, kilobytes(rates.write_bytes), rates.flushes];
    Ok(ClaimValue::Numbers(numbers.to_vec()).into())
}

/// Percent by which a raft disk of its own makes the cluster dearer.
fn cost_of_a_raft_disk(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let month = |text: &Text| -> Result<f64, ClaimError> {
        Ok(textfile::from_toml::<Deployment>(text)?.monthly(&s.view)?.total().0)
    };
    let shared = month(&example!("raft-shared.toml"))?;
    let dedicated = month(&example!("raft-dedicated.toml"))?;
    let remark = "the source names neither instance nor data disk: those of the example files are assumed, near the cost \
                  that its percentage implies";
    Ok(Ours { remark: Some(remark.to_owned()), ..Ours::from(ClaimValue::number((dedicated / shared - 1.0) * 100.0)) })
}

/// The source's clouds with a region of each.
const CLOUDS: [(&str, &str); 3] = [("AWS", "us-west-2"), ("GCP", "us-central1"), ("Azure", "eastus")];
/// What the source does not weigh, though it was for sale.
const NOT_WEIGHED: [&str; 2] = ["hyperdisk-balanced", "hyperdisk-extreme"];
/// The source's names of types that the catalogue calls otherwise.
const NAMES: [(&str, &str); 1] = [("premium-v2", "Premium SSD v2")];

/// The middle and the highest disk for the raft log of the iostat example, in each cloud.
fn raft_disks(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let rates = example_rates(RAFT)?;
    let view = s.catalog.at(None);
    let (mut middle, mut high) = (Vec::new(), Vec::new());
    for (cloud, region) in CLOUDS {
        let disks = plan::log_disks(&view, region, &rates, &NOT_WEIGHED)?;
        middle.push(format!("{cloud} {}", in_words(&view, disks.middle)?));
        high.push(format!("{cloud} {}", in_words(&view, disks.high)?));
    }
    let remark = "for the raft disk of B04, with today's facts: those of GCP and Azure are no older";
    Ok(Ours {
        remark: Some(remark.to_owned()),
        ..Ours::from(ClaimValue::words([middle.join(" / "), high.join(" / ")]))
    })
}

/// The type, and the size where the rate follows from it.
fn in_words(view: &CatalogView, disk: Option<LogDisk>) -> Result<String, ClaimError> {
    let Some(disk) = disk else { return Ok("none".to_owned()) };
    let name = NAMES.iter().find(|(ours, _)| *ours == disk.kind).map_or(disk.kind.as_str(), |(_, theirs)| theirs);
    let by_size = matches!(view.volume(&disk.kind)?.iops, IopsRule::BySize { .. });
    Ok(match disk.volume.filter(|_| by_size) {
        Some(volume) => format!("{name} {} GB", volume.size.as_gib()),
        None => name.to_owned(),
    })
}
