//! Figures that follow from the settings of a run: how large its data are, and what its traffic between zones costs.

use bench::{BenchReport, RunPlan};
use catalog::Catalog;
use units::Usd;
use workload::operations::OperationRecipe;

use crate::{LaunchedStore, StoreSettings};

impl StoreSettings {
    /// Loaded rows on a node, of all replicas, over the memory that it may take; `None` where no limit was given, or the database
    /// is there already.
    pub fn data_over_memory(&self, recipe: &OperationRecipe) -> Option<f64> {
        let LaunchedStore { deployment, options, .. } = self.source.launched()?;
        let memory = options.memory.filter(|memory| memory.0 > 0)?;
        let nodes = f64::from(deployment.storage_nodes().max(1));
        Some(recipe.loaded_bytes() * f64::from(deployment.replicas()) / nodes / memory.as_f64())
    }

    /// The report of the runs of a plan, before the first of them.
    pub fn empty_report(&self, plan: &RunPlan, recipe: &OperationRecipe) -> BenchReport {
        BenchReport { data_over_memory: self.data_over_memory(recipe), ..plan.report(recipe, Vec::new()) }
    }

    /// The price of a GB (10⁹ bytes) between zones on the deployment's day; `None` where the catalogue has none, or the database
    /// is there already.
    pub fn transfer_per_gb(&self) -> Option<Usd> {
        let LaunchedStore { deployment, .. } = self.source.launched()?;
        let view = Catalog::embedded().at(deployment.as_of);
        let cloud = view.region(&deployment.region).ok()?;
        view.transfer(cloud).ok().map(|price| price.per_gb)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bench::DatabaseSource;
    use deployment::Deployment;
    use textfile::Text;
    use units::Bytes;
    use workload::Workload;
    use workload::operations::WorkloadScale;

    use super::*;

    /// Of a thousand rows, on so many nodes with so many replicas.
    fn settings(nodes: u32, replicas: u32, memory: Option<Bytes>) -> (StoreSettings, OperationRecipe) {
        let none = &mut |_: &Path| unreachable!("the text names no file");
        let deployment = format!(
            "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 3\n[[nodes]]\nrole = \"storage\"\ncount = {nodes}\n\
             instance = \"m5.2xlarge\"\ndata = \"gp3:100GiB\"\n[settings]\nreplicas = {replicas}\n"
        );
        let workload = "engine = \"tikv\"\nregion = \"us-west-2\"\n[ycsb]\nworkload = \"A\"\nrecords = 1000\n\
                        [targets]\nthroughput = 1\n";
        let launched = LaunchedStore {
            deployment: Deployment::from_text(&Text::new("d.toml", deployment)).unwrap(),
            options: cluster::ClusterOptions { memory, ..cluster::ClusterOptions::default() },
            regions: 1,
            share: 1.0,
        };
        let workload = Workload::from_text(&Text::new("w.toml", workload), none).unwrap();
        let recipe = OperationRecipe::new(&workload, WorkloadScale::default()).unwrap();
        (StoreSettings::new(workload, DatabaseSource::Launched(Box::new(launched))), recipe)
    }

    #[test]
    fn data_are_compared_with_the_memory_of_the_node_that_holds_them() {
        let of = |nodes, replicas, memory| {
            let (settings, recipe) = settings(nodes, replicas, memory);
            settings.data_over_memory(&recipe)
        };
        let rows = settings(1, 1, None).1.loaded_bytes();
        let alone = of(1, 1, Some(Bytes::kib(100))).unwrap();
        assert!((alone - rows / 102_400.0).abs() < 1e-9 && alone > 5.0, "{alone}");
        let all = of(3, 3, Some(Bytes::kib(100))).unwrap();
        assert!((all - alone).abs() < 1e-9, "each node has a replica of all: {all}");
        assert!((of(6, 3, Some(Bytes::kib(100))).unwrap() - alone / 2.0).abs() < 1e-9);
        assert_eq!(of(3, 3, None), None);
    }

    #[test]
    fn traffic_between_zones_has_the_price_of_the_deployments_cloud() {
        // A cent at either end.
        assert_eq!(settings(3, 3, None).0.transfer_per_gb(), Some(Usd(0.02)));
        let there = settings(3, 3, None).0;
        let there = StoreSettings { source: DatabaseSource::Existing("tikv://127.0.0.1:1".to_owned()), ..there };
        assert_eq!(there.transfer_per_gb(), None);
    }
}
