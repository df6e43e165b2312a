//! Results of a sweep: each run with its cost, and the best of them.

use catalog::CatalogView;
use deployment::DeploymentError;
use units::Usd;

use super::SweepVariant;
use crate::{RunCost, RunSummary, SimulateError};

/// One run of a sweep with its result.
#[derive(Debug)]
pub struct SweepRun {
    /// The settings.
    pub variant: SweepVariant,
    /// What it carried and costs.
    pub result: Result<(RunSummary, RunCost), SweepRunError>,
}

/// Why a run of a sweep has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SweepRunError {
    /// It cannot be simulated.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// It has no price.
    #[error(transparent)]
    Price(#[from] DeploymentError),
}

impl SweepRun {
    /// A run with its cost.
    pub fn new(variant: SweepVariant, view: &CatalogView, result: Result<RunSummary, SimulateError>) -> Self {
        let result = result.map_err(SweepRunError::from).and_then(|summary| {
            let cost = RunCost::of(&variant.setup.deployment, view, &summary)?;
            Ok((summary, cost))
        });
        Self { variant, result }
    }

    /// Whether all that was offered was carried.
    pub fn is_carried(&self) -> bool {
        self.result.as_ref().is_ok_and(|(summary, _)| summary.saturated.is_none() && summary.full.is_none())
    }

    /// The settings as `name value`, with commas between.
    pub fn choices(&self) -> String {
        let choice = |(name, value): &(&str, String)| format!("{name} {value}");
        self.variant.choices.iter().map(choice).collect::<Vec<_>>().join(", ")
    }
}

fn carried(runs: &[SweepRun]) -> impl Iterator<Item = (&SweepRun, &RunSummary, &RunCost)> {
    let carried = runs.iter().filter(|run| run.is_carried());
    carried.filter_map(|run| run.result.as_ref().ok().map(|(summary, cost)| (run, summary, cost)))
}

/// The run with the highest throughput, of those that carried what was offered.
pub fn fastest(runs: &[SweepRun]) -> Option<(&SweepRun, &RunSummary)> {
    let fastest = carried(runs).max_by(|a, b| a.1.throughput.total_cmp(&b.1.throughput));
    fastest.map(|(run, summary, _)| (run, summary))
}

/// The run with the lowest price of an operation, of those that carried what was offered, and the price of a million.
pub fn cheapest(runs: &[SweepRun]) -> Option<(&SweepRun, Usd)> {
    let price = |cost: &RunCost| cost.per_million.unwrap_or(Usd(f64::INFINITY)).0;
    let (run, _, cost) = carried(runs).min_by(|a, b| price(a.2).total_cmp(&price(b.2)))?;
    Some((run, cost.per_million?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::{simulate_all, tests::sweep};
    use crate::testing::view;

    #[test]
    fn the_fastest_and_the_cheapest_run_are_of_those_that_carry_their_load() {
        let variants = sweep(&["clients=4,16"]).unwrap();
        let results = simulate_all(&variants, &view(), &|_, _| true, |run| run.summary);
        let mut runs: Vec<SweepRun> = variants
            .into_iter()
            .zip(results)
            .map(|(variant, result)| SweepRun::new(variant, &view(), result))
            .collect();
        assert_eq!(fastest(&runs).unwrap().0.choices(), "clients 16");
        assert_eq!(cheapest(&runs).unwrap().0.choices(), "clients 16", "more operations on the same machines");
        runs[1].result = Err(SimulateError::Ended.into());
        assert_eq!(fastest(&runs).unwrap().0.choices(), "clients 4");
        runs[0].result = Err(SimulateError::Ended.into());
        assert!(fastest(&runs).is_none() && cheapest(&runs).is_none());
    }
}
