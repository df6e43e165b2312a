//! What a type makes of a size and of asked-for rates, and what it refuses.

use std::sync::LazyLock;

use catalog::{CatalogView, InstanceType, IopsRule, ThroughputRule, VolumeType};
use units::{Bytes, BytesPerSec, Iops};

use crate::{DiskError, Volume};

/// A row of `tables/nitro.csv`: types whose full I/O rate only Nitro instances carry.
#[derive(serde::Deserialize)]
struct NitroRow {
    kind: String,
    /// I/Os a second on other instances.
    iops_elsewhere: f64,
}

static NITRO: LazyLock<Vec<NitroRow>> =
    LazyLock::new(|| crate::table::rows(include_str!("../../tables/nitro.csv")).collect());

/// Refuses sizes that are not sold.
pub(super) fn size(kind: &VolumeType, volume: &Volume) -> Result<(), DiskError> {
    let (least, most) = kind.size;
    if (least..=most).contains(&volume.size) {
        return Ok(());
    }
    let hint = if volume.size > most { "; stripe several" } else { "" };
    Err(refuse(volume, format!("{} is sold from {least} to {most}, not {}{hint}", kind.name, volume.size)))
}

/// The sustained I/O rate.
pub(super) fn iops(kind: &VolumeType, volume: &Volume, instance: Option<&InstanceType>) -> Result<Iops, DiskError> {
    let gib = volume.size.as_gib();
    let name = &kind.name;
    match (kind.iops, volume.iops) {
        (IopsRule::Provisioned { min, .. }, None) => Ok(min),
        (IopsRule::Provisioned { min, max, max_per_gib }, Some(asked)) => {
            let by_size = max_per_gib.map_or(max, |per_gib| Iops(per_gib * gib).max(min));
            if asked.0 < min.0 {
                return Err(refuse(
                    volume,
                    format!("{name} starts at {min}, not {asked}; leave the rate out for {min}"),
                ));
            }
            if asked.0 > max.0 {
                return Err(refuse(volume, format!("{name} has at most {max}, not {asked}; stripe several volumes")));
            }
            if let Some(per_gib) = max_per_gib.filter(|_| asked.0 > by_size.0) {
                let size = Bytes::gib((asked.0 / per_gib).ceil() as u64);
                let what = format!(
                    "{name} of {} has at most {by_size} ({per_gib} a GiB), not {asked}; {asked} need {size}",
                    volume.size
                );
                return Err(refuse(volume, what));
            }
            nitro(kind, volume, asked, instance)?;
            Ok(asked)
        }
        (IopsRule::BySize { base, per_gib, min, max }, None) => Ok(Iops(base + per_gib * gib).max(min).min(max)),
        (IopsRule::BySize { base, per_gib, max, .. }, Some(asked)) => {
            let size = Bytes::gib(((asked.0 - base) / per_gib).ceil().max(1.0) as u64);
            let ratio = if per_gib > 0.0 { format!(" ({per_gib} a GiB)") } else { String::new() };
            let what = if asked.0 <= max.0 && per_gib > 0.0 {
                format!("leave {asked} out; {size} have that rate")
            } else {
                format!("leave {asked} out; its most is {max}")
            };
            Err(refuse(volume, format!("{name} takes no I/O rate, which follows from its size{ratio}: {what}")))
        }
        (IopsRule::ByInstance, _) => Err(DiskError::NeedsInstance { disk: volume.to_string() }),
    }
}

/// The size from which a type that takes no rates is sold under the same name with rates; `None` where it is not.
pub(super) fn takes_rates_from(view: &CatalogView, kind: &VolumeType) -> Option<Bytes> {
    let takes_rates = |kind: &VolumeType| matches!(kind.iops, IopsRule::Provisioned { .. });
    let larger = |other: &&&VolumeType| other.size.0 > kind.size.0 && takes_rates(other);
    if takes_rates(kind) { None } else { view.sizes_of(kind).iter().find(larger).map(|other| other.size.0) }
}

/// The most I/Os a second of one volume of a type on an instance; `None` where the instance does not matter.
pub(crate) fn most_iops(kind: &str, instance: &InstanceType) -> Option<u64> {
    NITRO.iter().find(|row| !instance.nitro && row.kind == kind).map(|row| row.iops_elsewhere as u64)
}

fn nitro(kind: &VolumeType, volume: &Volume, asked: Iops, instance: Option<&InstanceType>) -> Result<(), DiskError> {
    let elsewhere = NITRO.iter().find(|row| row.kind == kind.name).map(|row| Iops(row.iops_elsewhere));
    match (instance, elsewhere) {
        (Some(instance), Some(most)) if !instance.nitro && asked.0 > most.0 => {
            let what = format!(
                "{} carries at most {most} of an {}, not {asked}; choose an instance type on Nitro",
                instance.name, kind.name
            );
            Err(refuse(volume, what))
        }
        _ => Ok(()),
    }
}

/// The sustained throughput, and that while I/O credits last.
pub(super) fn throughput(
    kind: &VolumeType,
    volume: &Volume,
    iops: Iops,
) -> Result<(BytesPerSec, BytesPerSec), DiskError> {
    let name = &kind.name;
    match (&kind.throughput, volume.throughput) {
        (ThroughputRule::Provisioned { min, .. }, None) => Ok((*min, *min)),
        (ThroughputRule::Provisioned { min, max, max_per_iops }, Some(asked)) => {
            let by_iops = BytesPerSec(max_per_iops.as_f64() * iops.0).max(*min);
            if asked.0 < min.0 {
                return Err(refuse(volume, format!("{name} starts at {min}, not {asked}; leave it out for {min}")));
            }
            if asked.0 > max.0 {
                return Err(refuse(volume, format!("{name} has at most {max}, not {asked}; stripe several volumes")));
            }
            if asked.0 > by_iops.0 {
                let needed = Iops((asked.0 / max_per_iops.as_f64()).ceil());
                let what = format!(
                    "{name} with {iops} has at most {by_iops} ({max_per_iops} for each I/O a second), not {asked}; \
                     {asked} need {needed}"
                );
                return Err(refuse(volume, what));
            }
            Ok((asked, asked))
        }
        (ThroughputRule::ByIops(_) | ThroughputRule::BySize(_), Some(asked)) => {
            let from = if matches!(kind.throughput, ThroughputRule::ByIops(_)) { "I/O rate" } else { "size" };
            Err(refuse(volume, format!("{name} takes no throughput, which follows from its {from}: leave {asked} out")))
        }
        (ThroughputRule::ByIops(bands), None) => {
            let band = bands.iter().find(|b| b.up_to.0 >= iops.0).or(bands.last());
            let rate = band.map_or(BytesPerSec(0.0), |b| BytesPerSec(b.per_io.as_f64() * iops.0).min(b.max));
            Ok((rate, rate))
        }
        (ThroughputRule::BySize(bands), None) => {
            let band = bands.iter().rfind(|b| b.from <= volume.size).or(bands.first());
            Ok(band.map_or((BytesPerSec(0.0), BytesPerSec(0.0)), |b| {
                let rate = BytesPerSec(b.base.0 + b.per_gib.0 * volume.size.as_gib()).min(b.max);
                (rate, rate.max(b.burst))
            }))
        }
        (ThroughputRule::ByInstance, _) => Err(DiskError::NeedsInstance { disk: volume.to_string() }),
    }
}

fn refuse(volume: &Volume, what: String) -> DiskError {
    DiskError::out_of_range(volume, what)
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
