//! Claims on a real engine as recipes: a workload, a deployment without and with what is claimed of, and how both were made
//! as small as one machine.

use bench::{ArrivalSpacing, LoopKind, RunLimits, RunPlan};
use deployment::Deployment;
use reference_store::{LaunchedStore, REQUEST_TIMEOUT, StoreSettings, StoreSpec};
use textfile::Text;
use units::{Bytes, Nanos};
use workload::Workload;

use crate::run::ClaimError;

/// The recipes, by the claim that they are of.
const RECIPES: [(&str, &str); 6] = [
    ("A26", include_str!("../recipes/A26.toml")),
    ("B01", include_str!("../recipes/B01.toml")),
    ("B02", include_str!("../recipes/B02.toml")),
    ("B06", include_str!("../recipes/B06.toml")),
    ("B11", include_str!("../recipes/B11.toml")),
    ("B12", include_str!("../recipes/B12.toml")),
];

/// How a claim is measured.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Recipe {
    /// What was made smaller than in the source, and why, for people.
    pub(crate) scaled: String,
    /// Runs of each side.
    pub(crate) pairs: u32,
    /// How long each run warms up.
    warm_up: Nanos,
    /// How long each run is measured.
    measure: Nanos,
    /// Clients, each of which waits for its answer; or else `rate`.
    clients: Option<u32>,
    /// Operations sent a second, evenly, whatever becomes of them.
    rate: Option<f64>,
    /// What each node may take of the memory.
    memory: Bytes,
    /// The share of its limits that each disk delivers, so that disks bind and not this machine's processors.
    #[serde(default = "whole")]
    pub(crate) share: f64,
    /// The zone of the clients.
    zone: Option<String>,
    workload: toml::Table,
    deployment: toml::Table,
    /// What the claim is of: settings of the deployment, or `log`, a disk of its own for the raft log.
    #[serde(default)]
    with: toml::Table,
    /// What it is of instead, where nodes change it while they run.
    pub(crate) online: Option<Online>,
    /// How it is measured once more with the pilot doing what is claimed of.
    pub(crate) by_pilot: Option<ByPilot>,
    /// What the source says does nothing, measured beside it.
    instead: Option<toml::Table>,
    /// TiKV's keys for all sides.
    #[serde(default)]
    keys: toml::Table,
}

/// TiKV's keys and their values that nodes are given before each run.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Online {
    /// Of the side without what is claimed of.
    pub(crate) without: serde_json::Map<String, serde_json::Value>,
    /// Of the side with it.
    pub(crate) with: serde_json::Map<String, serde_json::Value>,
}

/// How a claim is measured with the pilot doing what is claimed of.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ByPilot {
    pairs: u32,
    warm_up: Nanos,
    measure: Nanos,
    /// TiKV's keys and their values with which each of the pilot's runs begins.
    pub(crate) keys: serde_json::Map<String, serde_json::Value>,
}

impl ByPilot {
    /// The recipe with these runs in place of its own.
    pub(crate) fn runs(&self, recipe: Recipe) -> Recipe {
        Recipe { pairs: self.pairs, warm_up: self.warm_up, measure: self.measure, ..recipe }
    }
}

/// What an open loop has on its way and waiting at most: seconds of what is sent.
const PATIENCE: f64 = 10.0;

/// Disks as they are sold.
fn whole() -> f64 {
    1.0
}

/// The keys are cut into so many regions: a handful for each node, as many as two processors serve without idle work.
const REGIONS: usize = 12;

impl Recipe {
    /// The recipe of a claim.
    pub(crate) fn of(id: &str) -> Result<Self, ClaimError> {
        let text = RECIPES.iter().find(|(of, _)| *of == id).map(|(_, text)| *text);
        let text = text.ok_or_else(|| ClaimError::Other(format!("there is no recipe for {id}")))?;
        Ok(textfile::from_toml(&Text::new(format!("recipes/{id}.toml"), text))?)
    }

    /// The side without what is claimed of.
    pub(crate) fn without(&self) -> Result<StoreSpec, ClaimError> {
        self.spec(&toml::Table::new(), "without")
    }

    /// The side with it.
    pub(crate) fn with(&self) -> Result<StoreSpec, ClaimError> {
        self.spec(&self.with, "with")
    }

    /// The side of which the source says that it does nothing, if there is one.
    pub(crate) fn instead(&self) -> Result<Option<StoreSpec>, ClaimError> {
        self.instead.as_ref().map(|change| self.spec(change, "instead")).transpose()
    }

    fn load(&self) -> Result<LoopKind, ClaimError> {
        match (self.clients, self.rate) {
            (Some(clients), None) => Ok(LoopKind::Closed { clients, think: Nanos(0) }),
            (None, Some(rate)) => {
                let most = (rate * PATIENCE) as u32;
                Ok(LoopKind::Open { rate, arrivals: ArrivalSpacing::Constant, in_flight: most, backlog: most })
            }
            _ => Err(ClaimError::Other("a recipe has either clients or a rate".to_owned())),
        }
    }

    fn spec(&self, change: &toml::Table, title: &str) -> Result<StoreSpec, ClaimError> {
        let text = |table: &toml::Table| Text::new("recipe", table.to_string());
        let workload =
            Workload::from_text(&text(&self.workload), &mut |path| textfile::read_text(path, textfile::LIMIT))?;
        let deployment = Deployment::from_text(&text(&changed(&self.deployment, change)))?;
        let plan = RunPlan {
            limits: RunLimits {
                warm_least: self.warm_up,
                warm_most: self.warm_up,
                measure_least: self.measure,
                measure_most: self.measure,
                ..RunLimits::default()
            },
            ..RunPlan::new(title, &workload.name, self.load()?, REQUEST_TIMEOUT)
        };
        let options = cluster::ClusterOptions {
            memory: Some(self.memory),
            keys: self.keys.clone(),
            ..cluster::ClusterOptions::default()
        };
        let launched = LaunchedStore { deployment, options, regions: REGIONS, share: self.share };
        let mut spec = StoreSettings::launched(workload, launched, plan);
        spec.settings.client.zone = self.zone.clone();
        Ok(spec)
    }
}

/// A deployment with a change.
fn changed(deployment: &toml::Table, change: &toml::Table) -> toml::Table {
    let mut all = deployment.clone();
    for (key, value) in change {
        if matches!(key.as_str(), "data" | "log") {
            let nodes = all.get_mut("nodes").and_then(toml::Value::as_array_mut).into_iter().flatten();
            for node in nodes.filter_map(toml::Value::as_table_mut) {
                node.insert(key.clone(), value.clone());
            }
        } else if let Some(settings) = all.entry("settings").or_insert_with(|| toml::Table::new().into()).as_table_mut()
        {
            settings.insert(key.clone(), value.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(spec: &StoreSpec) -> &Deployment {
        &spec.settings.source.launched().expect("a recipe launches its own database").deployment
    }

    #[test]
    fn every_recipe_is_two_deployments_that_differ() {
        for (id, _) in RECIPES {
            let recipe = Recipe::of(id).unwrap_or_else(|error| panic!("{id}: {error}"));
            let (without, with) = (recipe.without().unwrap(), recipe.with().unwrap());
            let online = recipe.online.as_ref().is_some_and(|online| online.without != online.with);
            assert!(online || deployment(&without) != deployment(&with), "{id}");
            assert_eq!(without.plan.limits, with.plan.limits, "{id}");
            assert!(recipe.pairs >= 2 && !recipe.scaled.trim().is_empty(), "{id}");
            recipe.instead().unwrap();
        }
    }

    /// RocksDB's limiter grants a tenth of a second of its rate at once (its refill period), and asks for the rate again only when
    /// that is used up: as fast as the new rate at the least.
    #[test]
    fn a_rate_that_is_lowered_online_holds_before_it_is_measured() {
        let rate = |side: &serde_json::Map<String, serde_json::Value>| {
            let rate = side.get("rocksdb.rate-bytes-per-sec").and_then(|rate| rate.as_str()?.parse::<Bytes>().ok());
            rate.map(|rate| rate.0 as f64)
        };
        let recipes = RECIPES.map(|(id, _)| (id, Recipe::of(id).unwrap()));
        let lowered: Vec<_> = recipes
            .iter()
            .filter_map(|(id, recipe)| recipe.online.as_ref().map(|online| (id, recipe.warm_up, online)))
            .filter_map(|(id, warm_up, online)| Some((id, warm_up, rate(&online.without)?, rate(&online.with)?)))
            .collect();
        assert!(!lowered.is_empty(), "no recipe lowers the rate of compactions");
        for (id, warm_up, without, with) in lowered {
            let used_up = 0.1 * without / with;
            assert!(used_up < warm_up.as_secs_f64(), "{id}: {used_up:.1} s after a warm-up of {warm_up}");
        }
    }

    #[test]
    fn every_claim_on_a_real_engine_has_a_recipe() {
        let claims = crate::on_rung(crate::Rung::Bench).into_iter();
        // A study is a recipe of its own.
        let claims = claims.map(|claim| claim.id.as_str()).filter(|id| !crate::studied::known(id));
        assert!(claims.eq(RECIPES.iter().map(|(id, _)| *id)));
    }
}
