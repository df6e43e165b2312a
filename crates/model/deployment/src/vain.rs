//! Rates that are paid for and cannot pass: volumes sell more than their instance lets through.

use catalog::CatalogView;
use disk::{Disk, DiskLimits, DiskMarket, DiskRates};
use units::{BytesPerSec, Iops, Usd};

use crate::{Deployment, NodeGroup};

/// Volumes that sell more than their instance's link lets through for good.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RatesInVain {
    /// The instance type.
    pub instance: String,
    /// Nodes of the group.
    pub nodes: u32,
    /// The data disk.
    pub disk: String,
    /// I/Os a second that the volumes of one node sell, and that its instance lets through.
    pub iops: [Iops; 2],
    /// Bytes a second that they sell, and that it lets through.
    pub throughput: [BytesPerSec; 2],
    /// A data disk of the same type that sells no more than passes; `None` where it cannot be had for less.
    pub enough: Option<String>,
    /// What that saves a month on one node.
    pub monthly_usd_saved: Option<Usd>,
}

/// Rates sold beyond this share of what passes are rounding: clouds print links in MB/s and volumes in MiB/s.
const ROUNDING: f64 = 1.02;

/// The storage groups whose volumes sell more than passes.
pub fn rates_in_vain(deployment: &Deployment, view: &CatalogView) -> Vec<RatesInVain> {
    deployment.storage().filter_map(|(_, group)| of_group(deployment, group, view)).collect()
}

fn of_group(deployment: &Deployment, group: &NodeGroup, view: &CatalogView) -> Option<RatesInVain> {
    let instance = view.instance(&group.instance).ok()?;
    let caps = instance.caps?;
    let limits = |disk: &Disk| disk.limits(view, Some(instance)).ok().filter(|limits| limits.shares_instance_caps);
    let data = group.data.as_ref()?;
    let of_data = limits(data)?;
    let of_log = group.log.as_ref().and_then(limits);
    let all = || [Some(&of_data), of_log.as_ref()].into_iter().flatten();
    let iops: f64 = all().map(|limits: &DiskLimits| limits.iops.0).sum();
    let throughput: f64 = all().map(|limits| limits.throughput.0).sum();
    if iops <= caps.iops.0 * ROUNDING && throughput <= caps.throughput.0 * ROUNDING {
        return None;
    }
    let market = DiskMarket { view, region: Some(&deployment.region), instance: Some(instance), consistency: None };
    let passing = DiskRates { iops: of_data.iops.min(caps.iops), throughput: of_data.throughput.min(caps.throughput) };
    let same_kind = |to: &disk::SuitableDisk| to.disk.volume.kind == data.volume.kind;
    let cheaper = market.carriers(data, passing).into_iter().find(same_kind).and_then(|to| {
        let saved = data.monthly(view, &deployment.region).ok()?.0 - to.monthly?.0;
        (saved > 0.005).then(|| (to.disk.to_string(), Usd(saved)))
    });
    let (enough, monthly_usd_saved) = cheaper.unzip();
    Some(RatesInVain {
        instance: group.instance.clone(),
        nodes: group.count,
        disk: data.to_string(),
        iops: [Iops(iops), caps.iops],
        throughput: [BytesPerSec(throughput), caps.throughput],
        enough,
        monthly_usd_saved,
    })
}

#[cfg(test)]
mod tests {
    use catalog::Catalog;

    use super::*;
    use crate::{EngineSettings, NodeRole};

    fn on(instance: &str, data: &str) -> Vec<RatesInVain> {
        let deployment = Deployment {
            name: String::new(),
            engine: workload::Engine::TiKv,
            region: "us-east-1".to_owned(),
            as_of: None,
            zones: 1,
            nodes: vec![NodeGroup {
                role: NodeRole::Storage,
                count: 1,
                instance: instance.to_owned(),
                data: Some(data.parse().unwrap()),
                log: None,
            }],
            settings: EngineSettings::default(),
            asks: None,
        };
        rates_in_vain(&deployment, &Catalog::embedded().at(None))
    }

    #[test]
    fn a_volume_that_sells_more_than_its_link_lets_through_is_named_with_what_that_costs() {
        let found = on("r5.large", "gp3:500GiB,6000iops,500MiB/s").remove(0);
        assert_eq!(found.iops, [Iops(6000.0), Iops(3600.0)]);
        assert!(found.monthly_usd_saved.is_some_and(|usd| usd.0 > 10.0), "{found:?}");
    }

    #[test]
    fn a_volume_that_its_link_carries_is_not() {
        assert_eq!(on("m5.4xlarge", "gp3:500GiB,6000iops,500MiB/s"), []);
        assert_eq!(on("r6gd.4xlarge", "nvme:800GiB"), [], "local flash hangs on no link");
    }
}
