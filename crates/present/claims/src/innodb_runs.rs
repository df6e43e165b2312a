//! Source 004's inserts in virtual time: the same 25 million rows on a gp2 and on an io1.

use std::sync::LazyLock;

use catalog::Catalog;
use deployment::Deployment;
use rayon::prelude::*;
use simulate::{SimulationOptions, SimulationRun};
use textfile::Text;
use timeline::Series;
use units::Nanos;
use workload::Workload;

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Ours};

/// Runs what a claim is of.
type Answer = fn() -> Result<Ours, ClaimError>;

pub(crate) const CLAIMS: &[(&str, Answer)] = &[("D02", later), ("D03", drawn)];

const INSERTS: &str = include_str!("../../../../examples/rds-inserts.toml");
/// The deployments, the slower volume first.
const ON: [&str; 2] =
    [include_str!("../../../../examples/rds-gp2.toml"), include_str!("../../../../examples/rds-io1.toml")];

/// The source's script is one Python process, whose 250 threads share one interpreter: it never sent more than 131,403 rows a
/// minute.
const DRIVER: Nanos = Nanos(60_000_000_000 / 131_403);
/// Longer than either takes.
const SPAN: Nanos = Nanos::secs(24 * 3600);
const MINUTE: Nanos = Nanos::secs(60);
/// Minutes between two points of what the source looked at: basic monitoring, "at five-minute frequency".
const POINT: usize = 5;

static RUNS: LazyLock<Result<Vec<SimulationRun>, String>> = LazyLock::new(|| ON.par_iter().map(|on| run(on)).collect());

fn run(on: &str) -> Result<SimulationRun, String> {
    let text = |name: &str, text: &str| Text::new(name, text.to_owned());
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let deployment = Deployment::from_text(&text("deployment", on)).map_err(|error| said(&error))?;
    let workload =
        Workload::from_text(&text("rds-inserts.toml", INSERTS), &mut |path| textfile::read_text(path, textfile::LIMIT));
    let task = workload.map_err(|error| said(&error))?.middle().map_err(|error| said(&error))?;
    let options = SimulationOptions {
        span: SPAN,
        warm_up: Nanos(0),
        step: MINUTE,
        driver: DRIVER,
        ..SimulationOptions::default()
    };
    let view = Catalog::embedded().at(deployment.as_of);
    simulate::simulate(&deployment, &task, &view, &options).map_err(|error| said(&error))
}

fn runs() -> Result<[&'static SimulationRun; 2], ClaimError> {
    match &*RUNS {
        Ok(runs) => Ok([&runs[0], &runs[1]]),
        Err(error) => Err(ClaimError::Other(error.clone())),
    }
}

/// When a run had added all rows, in minutes.
fn finished(run: &SimulationRun) -> Result<f64, ClaimError> {
    let at = run.summary.innodb.and_then(|innodb| innodb.finished);
    at.map(|at| at.as_secs_f64() / 60.0).ok_or_else(|| ClaimError::Other("the rows were not all added".to_owned()))
}

/// What the script did, for people.
fn assumed() -> String {
    "Assumed: the script sends no more than the source's best minute, 131,403 rows".to_owned()
}

/// By how much the gp2 finishes later, in minutes.
fn later() -> Result<Ours, ClaimError> {
    let [gp2, io1] = runs()?;
    let (gp2, io1) = (finished(gp2)?, finished(io1)?);
    let remark = format!("{}. io1 after {io1:.0} min, gp2 after {gp2:.0}.", assumed());
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::number(gp2 - io1)) })
}

/// I/Os a second over each of so many whole minutes.
fn iops(run: &SimulationRun, minutes: usize) -> Vec<f64> {
    let series = run.timeline.select("counted_ios", &[("disk", "data")]);
    let points: Vec<_> = series.flat_map(Series::points).collect();
    // The last minute is not whole.
    let whole = points[..points.len().saturating_sub(1)].chunks_exact(minutes);
    whole
        .map(|some| some.iter().map(|point| point.value).sum::<f64>() / (minutes as f64 * MINUTE.as_secs_f64()))
        .collect()
}

fn greatest(all: Vec<f64>) -> f64 {
    all.into_iter().fold(0.0, f64::max)
}

/// What the gp2 draws once its credits are gone, the median of all points; and what the io1 draws in its greatest.
fn drawn() -> Result<Ours, ClaimError> {
    let [gp2, io1] = runs()?;
    let (mut steady, peak) = (iops(gp2, POINT), greatest(iops(io1, POINT)));
    steady.sort_by(f64::total_cmp);
    let steady = steady.get(steady.len() / 2).copied().unwrap_or(f64::NAN);
    let bound = io1.summary.bound.first().map_or("nothing", |bound| &bound.what);
    let remark = format!(
        "{}. Over {POINT} minutes, as the source's metrics; over one the io1 peaks at {:.0}. It is held up most by {bound}.",
        assumed(),
        greatest(iops(io1, 1))
    );
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::Numbers(vec![steady, peak])) })
}
