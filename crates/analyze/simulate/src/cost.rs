//! What a simulated run costs: instances and disks by the month, traffic between zones by what crossed.

use catalog::CatalogView;
use deployment::{Deployment, DeploymentError};
use units::Usd;

use crate::RunSummary;

/// Seconds of the month that prices are of: 730 hours, as the clouds' price lists count them.
const MONTH: f64 = 730.0 * 3600.0;

/// The price of a deployment under the load of a run.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RunCost {
    /// Instances and disks, a month.
    pub machines: Usd,
    /// Traffic between zones at the rate of the run, a month.
    pub transfer: Usd,
    /// All of it for each million operations; `None` if none ended.
    pub per_million: Option<Usd>,
}

impl RunCost {
    /// The cost of a run.
    ///
    /// # Errors
    /// When the catalogue lacks a price.
    pub fn of(deployment: &Deployment, view: &CatalogView, summary: &RunSummary) -> Result<Self, DeploymentError> {
        let machines = deployment.monthly(view)?.total();
        let used = &summary.used;
        let crossed = (used.cross_zone_peer_bytes + used.cross_zone_client_bytes) / used.seconds * MONTH;
        let price = view.region(&deployment.region).and_then(|cloud| view.transfer(cloud)).map(|price| price.per_gb);
        let transfer = price.unwrap_or_default() * (crossed / 1e9);
        let operations = summary.operations_per_second * MONTH;
        let per_million = (operations > 0.0).then(|| (machines + transfer) * (1e6 / operations));
        Ok(Self { machines, transfer, per_million })
    }

    /// Machines and transfer.
    pub fn monthly(&self) -> Usd {
        self.machines + self.transfer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{deployment, seconds, task, view};
    use crate::{SimulationOptions, simulate};

    #[test]
    fn twice_the_load_on_the_same_machines_costs_less_each_and_more_to_carry_across() {
        let deployment = deployment("gp3:500GiB", None);
        let at = |rate: f64| {
            let summary = simulate(&deployment, &task(rate), &view(), &SimulationOptions { seed: 1, ..seconds(5) })
                .unwrap()
                .summary;
            RunCost::of(&deployment, &view(), &summary).unwrap()
        };
        let (one, two) = (at(300.0), at(600.0));
        assert_eq!(one.machines, two.machines);
        assert!(two.transfer > one.transfer);
        assert!(two.per_million.unwrap() < one.per_million.unwrap());
        assert_eq!(one.monthly(), one.machines + one.transfer);
    }
}
