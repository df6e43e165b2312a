//! Recipe of a comparison on the reference store: a workload, a deployment without and with a change, and how both were made small
//! enough for one machine.

use bench::{ArrivalSpacing, LoopKind, RunLimits, RunPlan};
use deployment::Deployment;
use reference_store::{LaunchedStore, REQUEST_TIMEOUT, StoreSettings, StoreSpec};
use textfile::Text;
use units::{Bytes, Nanos};
use workload::Workload;

use crate::error::ClaimError;
use crate::evaluator::RecipeFault;

/// `[store]`: the reference store without and with a change, in turn.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StoreRecipe {
    pub(crate) metric: StoreMetric,
    /// What was made smaller than in the source, and why, for people.
    pub(crate) scaled: String,
    /// Runs of each side.
    pub(crate) pairs: u32,
    /// Warm-up of each run.
    pub(crate) warm_up: Nanos,
    /// Measured time of each run.
    measure: Nanos,
    /// Clients of a closed loop; or else `rate`.
    clients: Option<u32>,
    /// Offered load of an open loop, in operations a second.
    rate: Option<f64>,
    /// Memory of each node.
    memory: Bytes,
    /// Share of its limits that each disk delivers, so that disks saturate before this machine's processors.
    #[serde(default = "whole")]
    pub(crate) share: f64,
    /// The zone of the clients.
    zone: Option<String>,
    workload: toml::Table,
    deployment: toml::Table,
    /// The change: settings of the deployment, or `data` or `log`, the disks of every node.
    #[serde(default)]
    with: toml::Table,
    /// The change of running nodes, in place of `with`.
    pub(crate) online: Option<OnlineKeys>,
    /// Runs with the pilot in place of the change.
    pub(crate) by_pilot: Option<PilotRuns>,
    /// A change that does nothing by the source, measured beside the other.
    instead: Option<toml::Table>,
    /// TiKV's keys of all sides.
    #[serde(default)]
    keys: toml::Table,
}

/// What is compared between the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoreMetric {
    /// Coefficient of variation of the operations of each second: with the change over without.
    Unsteadiness,
    /// Bytes that compactions write for each byte that clients write: with over without.
    CompactionBytes,
    /// Bytes between the client and nodes of other zones for each operation: with over without.
    ClientBytesBetweenZones,
    /// Bytes between nodes of different zones for each operation: with over without.
    PeerBytesBetweenZones,
    /// Percent by which throughput is higher and by which the 99th percentile is lower with the change.
    ThroughputAndP99,
}

/// TiKV's keys and their values, set on running nodes before each run.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnlineKeys {
    /// Keys of the side without the change.
    pub(crate) without: serde_json::Map<String, serde_json::Value>,
    /// Keys of the side with it.
    pub(crate) with: serde_json::Map<String, serde_json::Value>,
}

/// Runs with the pilot in place of the change.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PilotRuns {
    pairs: u32,
    warm_up: Nanos,
    measure: Nanos,
    /// TiKV's keys and their values when each of the pilot's runs begins.
    pub(crate) keys: serde_json::Map<String, serde_json::Value>,
}

impl PilotRuns {
    /// The recipe with these runs in place of its own.
    pub(crate) fn runs(&self, recipe: StoreRecipe) -> StoreRecipe {
        StoreRecipe { pairs: self.pairs, warm_up: self.warm_up, measure: self.measure, ..recipe }
    }
}

/// Operations in flight and waiting of an open loop at most, in seconds of its rate.
const PATIENCE: f64 = 10.0;

fn whole() -> f64 {
    1.0
}

/// Regions of the key space: a handful for each node, as many as two processors serve without idle work.
const REGIONS: usize = 12;

impl StoreRecipe {
    /// Refuses keys that contradict each other.
    pub(crate) fn check(&self) -> Result<(), RecipeFault> {
        if self.pairs == 0 {
            return Err(RecipeFault::new("pairs", "`pairs` is 0; expected at least 1"));
        }
        self.load()?;
        if !self.with.is_empty() && self.online.is_some() {
            return Err(RecipeFault::new("online", "both `with` and `online` are the change; expected one of them"));
        }
        if self.online.is_none() && (self.metric == StoreMetric::Unsteadiness || self.by_pilot.is_some()) {
            let problem =
                "the sides are changed on running nodes; expected `[store.online.without]` and `[store.online.with]`";
            return Err(RecipeFault::new("metric", problem));
        }
        Ok(())
    }

    /// The side without the change.
    pub(crate) fn without(&self) -> Result<StoreSpec, ClaimError> {
        self.spec(&toml::Table::new(), "without")
    }

    /// The side with the change.
    pub(crate) fn with(&self) -> Result<StoreSpec, ClaimError> {
        self.spec(&self.with, "with")
    }

    /// The side with the change that does nothing by the source.
    pub(crate) fn instead(&self) -> Result<Option<StoreSpec>, ClaimError> {
        self.instead.as_ref().map(|change| self.spec(change, "instead")).transpose()
    }

    fn load(&self) -> Result<LoopKind, RecipeFault> {
        match (self.clients, self.rate) {
            (Some(clients), None) => Ok(LoopKind::Closed { clients, think: Nanos(0) }),
            (None, Some(rate)) => {
                let most = (rate * PATIENCE) as u32;
                Ok(LoopKind::Open { rate, arrivals: ArrivalSpacing::Constant, in_flight: most, backlog: most })
            }
            _ => Err(RecipeFault::new("clients", "expected either `clients` or `rate`")),
        }
    }

    fn spec(&self, change: &toml::Table, title: &str) -> Result<StoreSpec, ClaimError> {
        let load = self.load().expect("checked when the ledger was read");
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
            ..RunPlan::new(title, &workload.name, load, REQUEST_TIMEOUT)
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

/// The deployment with a change.
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

    fn recipe(text: &str) -> StoreRecipe {
        let fixed =
            "metric = 'compaction-bytes'\nscaled = 's'\npairs = 2\nwarm-up = '1s'\nmeasure = '2s'\nmemory = '1GiB'\n";
        toml::from_str(&format!("{fixed}{text}\n[workload]\n[deployment]\n")).unwrap()
    }

    #[test]
    fn a_load_is_a_closed_or_an_open_loop() {
        assert!(recipe("clients = 4").check().is_ok() && recipe("rate = 10.0").check().is_ok());
        assert_eq!(recipe("").check().unwrap_err().key, "clients");
        assert_eq!(recipe("clients = 4\nrate = 10.0").check().unwrap_err().key, "clients");
    }

    #[test]
    fn a_change_goes_to_every_node_or_to_the_settings() {
        let deployment: toml::Table = "nodes = [{ data = 'a' }, { data = 'b' }]".parse().unwrap();
        let change: toml::Table = "log = 'c'\ncompression = 'zstd'".parse().unwrap();
        let changed = changed(&deployment, &change);
        assert!(changed["nodes"].as_array().unwrap().iter().all(|node| node["log"].as_str() == Some("c")));
        assert_eq!(changed["settings"]["compression"].as_str(), Some("zstd"));
    }
}
