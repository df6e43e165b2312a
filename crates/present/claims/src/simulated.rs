//! Claims in virtual time: each recipe's deployments are simulated, and ours is read from their summaries.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use catalog::Catalog;
use deployment::Deployment;
use rayon::prelude::*;
use simulate::{EventScript, SimulationOptions, SimulationRun, SimulationSetup, SweepVariant};
use textfile::Text;
use timeline::SeriesPoints;
use units::Nanos;
use workload::{Task, Workload};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Ours};
use crate::{disk_runs, innodb_runs, pd_runs};

/// The recipes.
const RECIPES: &str = include_str!("../recipes/simulate.toml");

/// Simulated so long, after a warm-up in which caches of write-back and queues fill.
const SPAN: Nanos = Nanos::secs(600);
const WARM_UP: Nanos = Nanos::secs(60);

macro_rules! files {
    ($($name:literal in $folder:literal),* $(,)?) => {
        /// The deployments and workloads that recipes name.
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../../", $folder, "/", $name, ".toml")))),*];
    };
}

files! {
    "tpcc-5000" in "examples",
    "tpcc-5000-m5.2xlarge" in "examples",
    "tpcc-5000-m5.4xlarge" in "examples",
    "tpcc-5000-m5d.2xlarge" in "examples",
    "tpcc-5000-raid0" in "examples",
    "ycsb-a-uniform" in "examples",
    "social-inserts" in "examples",
    "raft-shared" in "examples",
    "raft-dedicated" in "examples",
    "tpcc-5000-r5b" in "crates/present/claims/recipes",
    "tpcc-5000-i3" in "crates/present/claims/recipes",
    "azure-e16s" in "crates/present/claims/recipes",
    "sysbench-read-write" in "crates/present/claims/recipes",
}

/// How a claim is simulated.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Recipe {
    runs: Vec<Scene>,
    metrics: Vec<Metric>,
    ours: Reading,
    /// What happens at the beginning of every run, as a line of an event.
    events: Option<String>,
    /// What the source does not tell.
    assumed: Option<String>,
}

/// A run.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    /// The deployment.
    on: String,
    /// The workload.
    of: String,
    /// Settings, as sweeps take them.
    #[serde(default)]
    with: Vec<String>,
}

/// A number of a run.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Metric {
    /// In the workload's unit.
    Throughput,
    /// Statements a second.
    Queries,
    /// Mean latency of a statement, in milliseconds.
    Mean,
    /// The 99th percentile of an operation, in milliseconds.
    P99,
    /// Reads of all disks a second.
    ReadIops,
    /// Bytes that they read a second.
    ReadThroughput,
}

/// What is made of the runs.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reading {
    Each,
    Ratio,
    Furthest,
}

static ALL: LazyLock<BTreeMap<String, Recipe>> =
    LazyLock::new(|| toml::from_str(RECIPES).expect("tested: recipes that ship with the program are read"));

/// Whether a claim is simulated.
pub(crate) fn known(id: &str) -> bool {
    ALL.contains_key(id) || computed(id).is_some()
}

/// Claims that are runs of their own kind.
fn computed(id: &str) -> Option<fn() -> Result<Ours, ClaimError>> {
    let mut all = disk_runs::CLAIMS.iter().chain(innodb_runs::CLAIMS).chain(pd_runs::CLAIMS);
    all.find(|(of, _)| *of == id).map(|(_, ours)| *ours)
}

/// Simulates what a claim is of.
pub(crate) fn simulated(id: &str) -> Result<Ours, ClaimError> {
    if let Some(ours) = computed(id) {
        return ours();
    }
    let recipe = ALL.get(id).ok_or_else(|| ClaimError::Other(format!("there is no recipe for {id}")))?;
    let one = |scene: &Scene| -> Result<(Vec<f64>, String), ClaimError> {
        let made = scene.made(recipe.events.as_deref())?;
        let (run, task) = &*made;
        let bound = run.summary.bound.first().map_or("nothing", |bound| &bound.what).to_owned();
        Ok((recipe.metrics.iter().map(|metric| metric.of(run, task)).collect(), bound))
    };
    let runs = recipe.runs.par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
    let (tables, mut bound): (Vec<Vec<f64>>, Vec<String>) = runs.into_iter().unzip();
    let ratio = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| b / a).collect::<Vec<f64>>();
    let numbers = match recipe.ours {
        Reading::Each => {
            (0..recipe.metrics.len()).flat_map(|metric| tables.iter().map(move |run| run[metric])).collect()
        }
        Reading::Ratio => ratio(&tables[0], &tables[1]),
        Reading::Furthest => {
            let pairs = tables.chunks_exact(2).flat_map(|pair| ratio(&pair[0], &pair[1]));
            pairs.max_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs())).into_iter().collect()
        }
    };
    bound.dedup();
    let assumed = recipe.assumed.as_ref().map(|assumed| format!("Assumed: {assumed}. ")).unwrap_or_default();
    let remark = format!("{assumed}Held up most by {}.", bound.join(", then "));
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::Numbers(numbers)) })
}

fn file(name: &str) -> Result<Text, ClaimError> {
    let text = FILES.iter().find(|(of, _)| *of == name).map(|(_, text)| *text);
    let text = text.ok_or_else(|| ClaimError::Other(format!("no deployment or workload is called {name}")))?;
    Ok(Text::new(format!("{name}.toml"), text))
}

/// A run and its task, or why there is none; made once, by who asks first.
type Made = Arc<OnceLock<Result<Arc<(SimulationRun, Task)>, String>>>;

impl Scene {
    /// The run. Runs are alike bit for bit: claims that ask for the same share one.
    fn made(&self, events: Option<&str>) -> Result<Arc<(SimulationRun, Task)>, ClaimError> {
        static MADE: Mutex<BTreeMap<String, Made>> = Mutex::new(BTreeMap::new());
        let which = format!("{self:?} {events:?}");
        let made = MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(which).or_default().clone();
        let run = || {
            let SimulationSetup { deployment, task, options } =
                self.variant(events).map_err(|error| error.to_string())?.setup;
            let view = Catalog::embedded().at(deployment.as_of);
            let mut run = simulate::simulate(&deployment, &task, &view, &options).map_err(|error| error.to_string())?;
            // No claim reads histograms in time, and those of all runs take gigabytes.
            run.timeline.series.retain(|series| matches!(series.points, SeriesPoints::Values(..)));
            Ok(Arc::new((run, task)))
        };
        made.get_or_init(run).clone().map_err(ClaimError::Other)
    }

    fn variant(&self, events: Option<&str>) -> Result<SweepVariant, ClaimError> {
        let script = match events {
            Some(line) => EventScript::from_text(&Text::new("events", format!("[[events]]\nat = \"0s\"\n{line}\n")))?,
            None => EventScript::default(),
        };
        let options = SimulationOptions { span: SPAN, warm_up: WARM_UP, script, ..SimulationOptions::default() };
        let deployment = Deployment::from_text(&file(&self.on)?)?;
        let workload = Workload::from_text(&file(&self.of)?, &mut |path| textfile::read_text(path, textfile::LIMIT))?;
        let task = workload.middle().map_err(|error| ClaimError::Other(error.to_string()))?;
        let variants = simulate::variants(&SimulationSetup { deployment, task, options }, &self.with)
            .map_err(|error| ClaimError::Other(error.to_string()))?;
        variants.into_iter().next().ok_or_else(|| ClaimError::Other("a recipe names no run".to_owned()))
    }
}

impl Metric {
    fn of(self, run: &SimulationRun, task: &Task) -> f64 {
        let summary = &run.summary;
        let statements = task.profile.statements;
        let millis = |at: fn(&simulate::LatencySummary) -> Nanos| {
            summary.latency.as_ref().map_or(f64::NAN, |latency| at(latency).as_millis_f64())
        };
        match self {
            Self::Throughput => summary.throughput,
            Self::Queries => summary.operations_per_second * statements,
            Self::Mean => millis(|latency| latency.mean) / statements,
            Self::P99 => millis(|latency| latency.p99),
            Self::ReadIops => per_second(run, "read_ops"),
            Self::ReadThroughput => per_second(run, "read_bytes"),
        }
    }
}

/// A counter of all disks, a second of what was measured.
fn per_second(run: &SimulationRun, name: &str) -> f64 {
    let measured = run.timeline.window(run.summary.from, run.summary.until);
    let of = |points: &SeriesPoints| match points {
        SeriesPoints::Values(_, points) => points.iter().map(|point| point.value).sum(),
        SeriesPoints::Latencies(_) => 0.0,
    };
    let sum: f64 = measured.series.iter().filter(|series| series.name == name).map(|series| of(&series.points)).sum();
    sum / (run.summary.until - run.summary.from).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rung, claims};

    #[test]
    fn every_recipe_is_of_a_claim_in_virtual_time_and_its_runs_can_be_made() {
        for (id, recipe) in ALL.iter() {
            assert!(claims().iter().any(|claim| claim.id == *id && claim.rung == Rung::Simulate), "{id}");
            for scene in &recipe.runs {
                scene.variant(recipe.events.as_deref()).unwrap_or_else(|error| panic!("{id}: {error}"));
            }
        }
    }

    #[test]
    fn ratios_are_of_runs_that_differ() {
        for (id, recipe) in ALL.iter().filter(|(_, recipe)| !matches!(recipe.ours, Reading::Each)) {
            for pair in recipe.runs.chunks(2) {
                let [a, b] = [&pair[0], &pair[1]].map(|scene| scene.variant(None).unwrap().setup);
                assert_ne!(a, b, "{id}");
            }
        }
    }
}
