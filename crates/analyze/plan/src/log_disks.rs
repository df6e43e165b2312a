//! Which disk to give the raft log in a cloud: a middle one that carries it cheaply, and the best there is.

use catalog::{CatalogError, CatalogView, IopsRule, VolumeMedium, VolumeType};
use disk::{Volume, VolumeNeed};
use engine::IoDemand;
use units::{BytesPerSec, Iops, Usd};
use workload::IoRates;

use crate::market::{Market, VolumeOffer};
use crate::rules::PlanningCeilings;
use crate::space::SearchSpace;

/// A disk for the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogDisk {
    /// The cheapest volume of its type that carries the log; of a type without complete facts only its name is known.
    pub kind: String,
    /// What to buy of it.
    pub volume: Option<Volume>,
    /// Price of a month.
    pub monthly: Option<Usd>,
}

/// The disks to choose from for a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogDisks {
    /// The cheapest network SSD that carries the log, of those whose price, limits and latency are known.
    pub middle: Option<LogDisk>,
    /// The network SSD with the highest I/O rate that one volume can be given.
    pub high: Option<LogDisk>,
    /// Types that were not looked at, and the fact that is missing.
    pub passed_over: Vec<(String, String)>,
}

/// The disks for a log of the given rates, at the planning ceilings; `exclude` names types not to look at.
///
/// # Errors
/// When no region has that name.
pub fn log_disks(
    view: &CatalogView,
    region: &str,
    rates: &IoRates,
    exclude: &[&str],
) -> Result<LogDisks, CatalogError> {
    let market = Market::from_view(view, region)?;
    let looked_at = |name: &str| !exclude.contains(&name);
    let offers = || market.volumes.iter().filter(|offer| looked_at(&offer.kind.name));
    let middle = offers()
        .filter_map(|offer| log_disk(offer, rates))
        .min_by(|a, b| a.monthly.map(|m| m.0).partial_cmp(&b.monthly.map(|m| m.0)).expect("prices are numbers"));

    let for_machines = |kind: &&catalog::VolumeType| kind.medium == VolumeMedium::Ssd && kind.service.is_none();
    let types = view.volumes(view.region(region)?).filter(for_machines).filter(|kind| looked_at(&kind.name));
    let fastest = types.max_by(|a, b| most_iops(a).0.total_cmp(&most_iops(b).0));
    let high = fastest.map(|kind| {
        let offer = offers().find(|offer| offer.kind.name == kind.name);
        let unpriced = LogDisk { kind: kind.name.clone(), volume: None, monthly: None };
        offer.and_then(|offer| log_disk(offer, rates)).unwrap_or(unpriced)
    });
    let volumes = view.volumes(market.cloud().unwrap_or(view.region(region)?));
    let names: Vec<&str> = volumes.map(|kind| kind.name.as_str()).collect();
    let missing = market.missing.iter().filter(|m| names.contains(&m.name.as_str()));
    let passed_over = missing.map(|m| (m.name.clone(), m.fact.clone())).collect();
    Ok(LogDisks { middle, high, passed_over })
}

fn log_disk(offer: &VolumeOffer, rates: &IoRates) -> Option<LogDisk> {
    let (ceilings, space) = (PlanningCeilings::embedded(), SearchSpace::embedded());
    let io = IoDemand {
        reads: rates.reads,
        read_bytes: rates.read_bytes,
        writes: rates.writes,
        write_bytes: rates.write_bytes,
    };
    let need = VolumeNeed {
        size: space.log_size,
        iops: Iops(io.counted(offer.kind.io_unit.as_f64()) / ceilings.volume_iops),
        throughput: BytesPerSec(io.bytes() / ceilings.volume_throughput),
    };
    let provision = offer.least(need, None).ok()?;
    let (volume, monthly) = (Some(offer.volume(provision)), Some(offer.monthly(provision)));
    Some(LogDisk { kind: offer.kind.name.clone(), volume, monthly })
}

fn most_iops(kind: &VolumeType) -> Iops {
    match kind.iops {
        IopsRule::BySize { max, .. } | IopsRule::Provisioned { max, .. } => max,
        IopsRule::ByInstance => Iops(0.0),
    }
}

#[cfg(test)]
mod tests {
    use catalog::Catalog;
    use units::Bytes;

    use super::*;

    /// The raft disk of PingCAP's iostat (TiDB Best Practices on Public Cloud).
    fn rates() -> IoRates {
        IoRates {
            reads: 1033.0,
            read_bytes: 4132.0 * 1024.0,
            writes: 1141.33,
            write_bytes: 31685.33 * 1024.0,
            flushes: 571.0,
        }
    }

    fn kinds(region: &str, exclude: &[&str]) -> (String, String) {
        let disks = log_disks(&Catalog::embedded().at(None), region, &rates(), exclude).unwrap();
        (disks.middle.unwrap().kind, disks.high.unwrap().kind)
    }

    #[test]
    fn on_aws_the_included_rates_of_gp3_carry_the_log_and_io2_goes_highest() {
        assert_eq!(kinds("us-east-1", &[]), ("gp3".into(), "io2".into()));
        let disks = log_disks(&Catalog::embedded().at(None), "us-east-1", &rates(), &[]).unwrap();
        let volume = disks.middle.unwrap().volume.unwrap();
        assert_eq!((volume.size, volume.iops, volume.throughput), (Bytes::gib(20), None, None));
    }

    #[test]
    fn on_azure_they_are_premium_v2_and_ultra() {
        assert_eq!(kinds("eastus", &[]), ("premium-v2".into(), "ultra".into()));
    }

    #[test]
    fn on_google_cloud_pd_ssd_is_cheaper_than_pd_balanced_for_its_rate() {
        assert_eq!(kinds("us-central1", &["hyperdisk-balanced", "hyperdisk-extreme"]).0, "pd-ssd");
    }
}
