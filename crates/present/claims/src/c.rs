//! Source 002: volumes that outlive their node, and which type to take.

use availability::{ClusterShape, FailureRates, NodeStorage, ZoneAndNode, assess};
use catalog::{IopsRule, ThroughputRule, VolumeType};
use engine::EngineCalibration;
use plan::{Market, PlanOptions, Planner, RejectedCandidate, RejectionReason};
use textfile::Text;
use workload::{Task, Workload};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] = &[("C01", recovery), ("C02", volume_types), ("C07", chosen_volume)];

/// The workload of the source's comparison of volume types.
const TPCC: &str = include_str!("../tables/tpcc-5000-r5b.toml");

/// What ends the outage after one zone and one node elsewhere, for three replicas over three zones.
fn recovery(_s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let after = |storage| -> Result<ZoneAndNode, ClaimError> {
        let scenario = ClusterShape { replicas: 3, zones: 3, nodes: 3, storage, ..ClusterShape::default() };
        let lost = assess(&scenario, &FailureRates::default())?.zone_and_node;
        lost.ok_or_else(|| ClaimError::Other("no quorum is lost".into()))
    };
    let (local, volume) = (after(NodeStorage::Local)?, after(NodeStorage::Reattachable)?);
    let tell = |lost: ZoneAndNode| {
        format!("{:.1e} a year, back after {:.0} min", -(-lost.losses_per_year).exp_m1(), lost.minutes_to_recover)
    };
    let remark = format!(
        "a given range: on local disks {}, if an outage of the zone costs its nodes their local data, as is assumed; on volumes {}",
        tell(local),
        tell(volume)
    );
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::words([local.recovery, volume.recovery])) })
}

/// Durability, bandwidth and IOPS by type, in the source's words.
fn volume_types(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let row = |name: &str| -> Result<String, ClaimError> {
        let kind = s.view.volume(name)?;
        let (low, high) =
            kind.durability.ok_or_else(|| ClaimError::Other(format!("the catalogue has no durability of {name}")))?;
        Ok(format!("{} / {} / {}", range(low * 100.0, high * 100.0), bandwidth(&kind.throughput), iops(kind)))
    };
    Ok(ClaimValue::Words(["gp2", "gp3", "io1", "io2"].into_iter().map(row).collect::<Result<_, _>>()?).into())
}

fn bandwidth(rule: &ThroughputRule) -> String {
    match rule {
        ThroughputRule::Provisioned { min, max, .. } => range(min.as_mib(), max.as_mib()),
        ThroughputRule::ByIops(bands) => {
            format!("up to {}", bands.iter().map(|band| band.max.as_mib()).fold(0.0, f64::max))
        }
        ThroughputRule::BySize(bands) => bands.last().map_or(0.0, |band| band.max.as_mib()).to_string(),
        ThroughputRule::ByInstance => "by instance".to_owned(),
    }
}

fn iops(kind: &VolumeType) -> String {
    match kind.iops {
        IopsRule::BySize { per_gib, .. } => format!("{per_gib} per GB"),
        // Where throughput is sold besides, both rates start from what every volume has for free.
        IopsRule::Provisioned { min, max, .. } => match kind.throughput {
            ThroughputRule::Provisioned { .. } => range(min.0, max.0),
            _ => format!("up to {}", max.0),
        },
        IopsRule::ByInstance => "by instance".to_owned(),
    }
}

fn range(low: f64, high: f64) -> String {
    // Percentages such as 99.9 come from fractions and carry their rounding.
    let tidy = |number: f64| (number * 1e6).round() / 1e6;
    if tidy(low) == tidy(high) { tidy(low).to_string() } else { format!("{}-{}", tidy(low), tidy(high)) }
}

/// The data volume of the cheapest deployment on three r5b.2xlarge.
fn chosen_volume(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let workload =
        Workload::from_text(&Text::new("tpcc-5000-r5b.toml", TPCC), &mut |_| unreachable!("no iostat in it"))?;
    let task = workload.middle().map_err(|error| ClaimError::Other(error.to_string()))?;
    let (kind, remark) = choose(s, &task, &["gp2", "gp3", "io1"])?;
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::words([kind])) })
}

/// The chosen type among `kinds`, and what the others cost more or lack.
fn choose(s: &Setting<'_>, task: &Task, kinds: &[&str]) -> Result<(String, String), ClaimError> {
    let market = Market::from_view(&s.view, s.region)?;
    let options = PlanOptions {
        instance: Some("r5b.2xlarge".to_owned()),
        nodes: Some(3),
        exclude: market.disks().filter(|disk| !kinds.contains(disk)).map(str::to_owned).collect(),
        ..PlanOptions::default()
    };
    let answer = Planner::new(EngineCalibration::embedded(), &market).plan(task, &options)?;
    let first = answer.plans.first().ok_or_else(|| ClaimError::Other(answer.shortfalls.join("; ")))?;
    let disk = first.deployment.nodes.iter().find_map(|group| group.data.as_ref());
    let kind = disk.map(|disk| disk.volume.kind.clone());
    let others = answer.why_not.iter().filter_map(|other| match (&other.subject, &other.reason) {
        (RejectedCandidate::Disk(name), RejectionReason::Costs { more, .. }) => {
            Some(format!("{name} costs {more} more"))
        }
        (RejectedCandidate::Disk(name), RejectionReason::RuledOut { constraint }) => {
            Some(format!("{name}: {constraint}"))
        }
        _ => None,
    });
    let remark = others.filter(|text| kinds.iter().any(|kind| text.starts_with(kind))).collect::<Vec<_>>().join("; ");
    Ok((kind.ok_or_else(|| ClaimError::Other("the plan has no data disk".into()))?, remark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_type_does_not_hang_on_the_exact_load() {
        let catalog = catalog::Catalog::embedded();
        let source = crate::sources().iter().find(|source| source.source == "002").unwrap();
        let setting = Setting { catalog, view: catalog.at(Some(source.as_of)), region: &source.region };
        let workload = Workload::from_text(&Text::new("", TPCC), &mut |_| unreachable!()).unwrap();
        for throughput in [5_000.0, 10_000.0, 15_000.0, 22_000.0] {
            let mut task = workload.middle().unwrap();
            task.targets.throughput = throughput;
            assert_eq!(choose(&setting, &task, &["gp2", "gp3", "io1"]).unwrap().0, "gp3", "{throughput}");
        }
    }
}
