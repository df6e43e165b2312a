//! What a deployment costs a month.

use catalog::CatalogView;
use units::Usd;

use crate::rules::RULES;
use crate::{Deployment, DeploymentError};

/// A month's price of what runs all the time; traffic depends on the workload and is not in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct DeploymentCosts {
    /// Instances of all roles, on demand, 730 hours.
    pub compute: Usd,
    /// Data and log volumes.
    pub disks: Usd,
}

impl DeploymentCosts {
    /// Both together.
    pub fn total(&self) -> Usd {
        self.compute + self.disks
    }
}

impl Deployment {
    /// The price of a month.
    ///
    /// # Errors
    /// When the catalogue lacks a type or a price.
    pub fn monthly(&self, view: &CatalogView) -> Result<DeploymentCosts, DeploymentError> {
        let mut costs = DeploymentCosts::default();
        for (i, group) in self.nodes.iter().enumerate() {
            let at = |key: &str| format!("nodes.{i}.{key}");
            let hour = view
                .instance_price(&self.region, &group.instance)
                .map_err(|error| DeploymentError::new(at("instance"), error))?;
            costs.compute += hour * RULES.month_hours.value * f64::from(group.count);
            for (key, disk) in group.disks() {
                let month = disk
                    .monthly_on(view, &self.region, view.instance(&group.instance).ok())
                    .map_err(|error| DeploymentError::new(at(key), error))?;
                costs.disks += month * f64::from(group.count);
            }
        }
        Ok(costs)
    }
}
