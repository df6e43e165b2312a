//! Simulated runs of deployments, and numbers read from them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use simulate::{EventScript, LatencySummary, SimulationOptions, SimulationRun, SimulationSetup};
use textfile::Text;
use timeline::{Series, SeriesPoints};
use units::Nanos;
use workload::Task;

use crate::combine::Combination;
use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::files::LedgerPath;
use crate::rung::Rung;

const MINUTE: Nanos = Nanos::secs(60);

/// `[simulation]`: runs in virtual time, and metrics of them, combined.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SimulationRecipe {
    runs: Vec<SimulatedRun>,
    /// Metrics of every run that has none of its own.
    #[serde(default)]
    metrics: Vec<SimulatedMetric>,
    #[serde(default)]
    ours: Combination,
    /// Events of every run, as in a file of events.
    #[serde(default)]
    events: Vec<toml::Table>,
    /// Measured time.
    #[serde(default = "ten_minutes")]
    span: Nanos,
    /// Time at the beginning, in which write-back caches and queues fill, that is not measured.
    #[serde(default = "one_minute")]
    warm_up: Nanos,
    /// Time between two points of the series.
    step: Option<Nanos>,
    /// Time over which IOPS are averaged before their median or peak is taken.
    #[serde(default = "one_minute")]
    window: Nanos,
    /// Statements a minute that the clients' program sends at most, whatever the number of its clients.
    driver_per_minute: Option<u64>,
}

fn ten_minutes() -> Nanos {
    Nanos::secs(600)
}

fn one_minute() -> Nanos {
    MINUTE
}

/// A run.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SimulatedRun {
    /// The deployment.
    on: LedgerPath,
    /// The workload.
    of: LedgerPath,
    /// Settings, as `diskwright simulate --sweep` takes them, each with one value.
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    metrics: Vec<SimulatedMetric>,
}

/// A number of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SimulatedMetric {
    /// In the workload's unit.
    Throughput,
    /// Statements a second.
    Queries,
    /// Mean latency of a statement, in milliseconds.
    Mean,
    /// 99th percentile of the latency of an operation, in milliseconds.
    P99,
    /// Reads of all disks a second.
    ReadIops,
    /// Bytes read from all disks a second.
    ReadThroughput,
    /// Median over windows of the I/Os a second of data disks.
    MedianIops,
    /// Greatest window of the I/Os a second of data disks.
    PeakIops,
    /// Minutes until all rows are added (InnoDB's inserts).
    Finished,
}

impl Evaluator for SimulationRecipe {
    fn rung(&self) -> Rung {
        Rung::Simulate
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        let runs = self.runs.iter().enumerate();
        runs.flat_map(|(i, run)| [(format!("runs.{i}.on"), &run.on), (format!("runs.{i}.of"), &run.of)]).collect()
    }

    fn check(&self) -> Result<(), RecipeFault> {
        self.ours.check("runs", self.runs.len())?;
        let own = |run: &SimulatedRun| if run.metrics.is_empty() { self.metrics.len() } else { run.metrics.len() };
        let first = self.runs.first().map_or(0, own);
        if first == 0 || self.runs.iter().any(|run| own(run) != first) {
            let problem =
                "a run has no metric, or fewer than another; expected as many of each, such as [\"throughput\"]";
            return Err(RecipeFault::new("metrics", problem));
        }
        if self.window < MINUTE || !self.window.0.is_multiple_of(MINUTE.0) {
            return Err(RecipeFault::new("window", format!("`window` is {}; expected whole minutes", self.window)));
        }
        match self.driver_per_minute {
            Some(0) => Err(RecipeFault::new("driver-per-minute", "`driver-per-minute` is 0; expected more")),
            _ => Ok(()),
        }
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let one = |run: &SimulatedRun| -> Result<(Vec<f64>, String), ClaimError> {
            let done = self.done(context, run)?;
            let (result, task) = &*done;
            let bottleneck = result.summary.bound.first().map_or("nothing", |bound| &bound.what).to_owned();
            let metrics = if run.metrics.is_empty() { &self.metrics } else { &run.metrics };
            let numbers = metrics.iter().map(|metric| metric.of(result, task, self));
            Ok((numbers.collect::<Result<Vec<_>, _>>()?, bottleneck))
        };
        let runs = self.runs.par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let (numbers, mut bottlenecks): (Vec<Vec<f64>>, Vec<String>) = runs.into_iter().unzip();
        bottlenecks.dedup();
        let apart = if self.ours == Combination::Difference { listed(&numbers) } else { String::new() };
        let remark = format!("{apart}Held up most by {}.", bottlenecks.join(", then "));
        Ok(ClaimAnswer::from(self.ours.of(&numbers)).remark(remark))
    }
}

/// The first metric of every run, for people.
fn listed(runs: &[Vec<f64>]) -> String {
    let numbers: Vec<String> = runs.iter().flatten().map(|number| format!("{number:.0}")).collect();
    format!("The runs have {}. ", numbers.join(" and "))
}

/// A run and its task, or why there is none; simulated once, by the claim that asks first.
type SharedRun = Arc<OnceLock<Result<Arc<(SimulationRun, Task)>, Arc<ClaimError>>>>;

/// What decides a run, bit for bit.
type RunKey = (PathBuf, PathBuf, String);

impl SimulationRecipe {
    /// The run. Claims that ask for the same run share it.
    fn done(
        &self,
        context: &EvaluationContext<'_>,
        run: &SimulatedRun,
    ) -> Result<Arc<(SimulationRun, Task)>, ClaimError> {
        static RUNS: Mutex<BTreeMap<RunKey, SharedRun>> = Mutex::new(BTreeMap::new());
        let options = (&run.with, &self.events, self.span, self.warm_up, self.step, self.driver_per_minute);
        let key = (context.files.name(&run.on), context.files.name(&run.of), format!("{options:?}"));
        let shared = RUNS.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let simulated = || -> Result<_, ClaimError> {
            let SimulationSetup { deployment, task, options } = self.setup(context, run)?;
            let view = context.catalog.at(deployment.as_of);
            let mut run = simulate::simulate(&deployment, &task, &view, &options)?;
            // No metric reads histograms over time, and those of all runs take gigabytes.
            run.timeline.series.retain(|series| matches!(series.points, SeriesPoints::Values(..)));
            Ok(Arc::new((run, task)))
        };
        Ok(shared.get_or_init(|| simulated().map_err(Arc::new)).clone()?)
    }

    /// The deployment, task and options of a run.
    fn setup(&self, context: &EvaluationContext<'_>, run: &SimulatedRun) -> Result<SimulationSetup, ClaimError> {
        let mut options = SimulationOptions {
            span: self.span,
            warm_up: self.warm_up,
            script: self.script()?,
            ..SimulationOptions::default()
        };
        options.step = self.step.unwrap_or(options.step);
        options.driver = self.driver_per_minute.map_or(options.driver, |rows| Nanos(MINUTE.0 / rows));
        let base = SimulationSetup { deployment: context.deployment(&run.on)?, task: context.task(&run.of)?, options };
        let variants = simulate::variants(&base, &run.with)?;
        Ok(variants.into_iter().next().map_or(base, |variant| variant.setup))
    }

    fn script(&self) -> Result<EventScript, ClaimError> {
        if self.events.is_empty() {
            return Ok(EventScript::default());
        }
        let events = self.events.iter().cloned().map(toml::Value::Table).collect();
        let document = toml::Table::from_iter([("events".to_owned(), toml::Value::Array(events))]);
        Ok(EventScript::from_text(&Text::new("events", document.to_string()))?)
    }

    /// Setups of all runs, for tests of a ledger.
    #[cfg(test)]
    pub(crate) fn setups(&self, context: &EvaluationContext<'_>) -> Result<Vec<SimulationSetup>, ClaimError> {
        self.runs.iter().map(|run| self.setup(context, run)).collect()
    }

    /// Whether runs are compared with each other.
    #[cfg(test)]
    pub(crate) fn compares(&self) -> bool {
        self.ours != Combination::Each
    }
}

impl SimulatedMetric {
    fn of(self, run: &SimulationRun, task: &Task, recipe: &SimulationRecipe) -> Result<f64, ClaimError> {
        let summary = &run.summary;
        let statements = task.profile.statements;
        let millis = |at: fn(&LatencySummary) -> Nanos| {
            summary.latency.as_ref().map_or(f64::NAN, |latency| at(latency).as_millis_f64())
        };
        Ok(match self {
            Self::Throughput => summary.throughput,
            Self::Queries => summary.operations_per_second * statements,
            Self::Mean => millis(|latency| latency.mean) / statements,
            Self::P99 => millis(|latency| latency.p99),
            Self::ReadIops => per_second(run, "read_ops"),
            Self::ReadThroughput => per_second(run, "read_bytes"),
            Self::MedianIops => {
                let mut windows = data_iops(run, recipe.window);
                windows.sort_by(f64::total_cmp);
                windows.get(windows.len() / 2).copied().unwrap_or(f64::NAN)
            }
            Self::PeakIops => data_iops(run, recipe.window).into_iter().fold(0.0, f64::max),
            Self::Finished => {
                let at = summary.innodb.and_then(|innodb| innodb.finished);
                at.ok_or(ClaimError::Unfinished { span: recipe.span })?.as_secs_f64() / 60.0
            }
        })
    }
}

/// A counter of all disks a second of measured time.
fn per_second(run: &SimulationRun, name: &str) -> f64 {
    let measured = run.timeline.window(run.summary.from, run.summary.until);
    let of = |points: &SeriesPoints| match points {
        SeriesPoints::Values(_, points) => points.iter().map(|point| point.value).sum(),
        SeriesPoints::Latencies(_) => 0.0,
    };
    let sum: f64 = measured.series.iter().filter(|series| series.name == name).map(|series| of(&series.points)).sum();
    sum / (run.summary.until - run.summary.from).as_secs_f64()
}

/// I/Os a second of data disks over each window, of points that are a minute each.
fn data_iops(run: &SimulationRun, window: Nanos) -> Vec<f64> {
    let minutes = (window.0 / MINUTE.0) as usize;
    let series = run.timeline.select("counted_ios", &[("disk", "data")]);
    let points: Vec<_> = series.flat_map(Series::points).collect();
    // The last minute is not whole.
    let whole = points[..points.len().saturating_sub(1)].chunks_exact(minutes);
    whole
        .map(|some| some.iter().map(|point| point.value).sum::<f64>() / (minutes as f64 * MINUTE.as_secs_f64()))
        .collect()
}
