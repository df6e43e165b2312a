//! `diskwright plan`: the cheapest deployments that meet a workload.

mod prove;

use std::path::{Path, PathBuf};
use std::time::Instant;

use catalog::Date;
use engine::EngineCalibration;
use plan::{Market, PlanOptions, PlanProgress, Planner};
use report::PageQuestion;
use report::page::{Page, PageOrigin, PriceDates};
use report::verbs::plan::{self as plan_report, PlannedAnswer};
use report::verbs::plan_page;
use run::{AnswerPatience, ComputedAnswer};
use units::{Nanos, Usd};

use crate::failure::Failure;
use crate::inputs;
use crate::origin::origin;
use crate::output::Output;
use crate::plan::prove::Prover;
use crate::progress;

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright plan examples/tpcc-5000.toml
  diskwright plan examples/tpcc-5000.toml --region eu-west-1 --exclude gp2 --top 10
  diskwright plan examples/tpcc-5000.toml --pin instance=m5.4xlarge --pin disk=gp3 --out plans
  diskwright plan examples/social-inserts.toml --as-of 2020-11 --json | jq '.plans[0].monthly_usd'
  diskwright plan examples/mix.toml --prove 1

With --prove, the best plans are made as small as this machine, run on the reference store with the
same ratios of load to limits and of data to memory, and predicted figures are printed beside
measured ones. That takes about three minutes a plan, root, and the programs of `make store`.

Exits with 1 if no deployment meets the targets; the closest is shown with what falls short. With
--prove, also if the best plan did not carry its load.")]
pub(crate) struct Args {
    /// Workload, a TOML file; - reads standard input
    workload: PathBuf,
    /// Region [default: the workload's]
    #[arg(long)]
    region: Option<String>,
    /// Day whose limits and prices apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    /// Fix a choice: instance=m5.4xlarge, nodes=6 or disk=gp3; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pin: Vec<String>,
    /// Leave out a disk type, a family or an instance type; may be repeated
    #[arg(long, value_name = "NAME")]
    exclude: Vec<String>,
    /// Highest price a month
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    max_usd: Option<Usd>,
    /// Number of plans to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    top: u16,
    /// Number of futures to sample where the workload has intervals; 0 plans for the middle only
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(..=MOST_FUTURES))]
    futures: u32,
    /// Random seed of the futures (same seed, same result)
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Give up if it would take longer than this, by an estimate from its first seconds; the first plans have to be found within it, too.
    /// What --prove runs is not counted
    #[arg(long, value_name = "SPAN", default_value = "1d")]
    patience: Nanos,
    /// Write each deployment and report.html into this folder, which is made if needed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run this number of the best plans on this machine, and print predicted beside measured figures
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    prove: Option<u16>,
    /// Folder of the disks and logs of --prove, best in memory; all of it is removed
    #[arg(long, value_name = "DIR", default_value = "/dev/shm/diskwright-prove", requires = "prove")]
    scratch: PathBuf,
}

/// A hundred thousand give a share to within a third of a percent; each takes some hundred bytes.
const MOST_FUTURES: i64 = 100_000;

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let start = Instant::now();
    let mut options = PlanOptions {
        exclude: args.exclude.clone(),
        max_usd: args.max_usd,
        top: args.top.into(),
        ..PlanOptions::default()
    };
    for pin in &args.pin {
        options.pin(pin)?;
    }
    let read = inputs::workload(&args.workload)?;
    let day = args.as_of.or(read.noun.as_of);
    let prover = args.prove.map(|plans| Prover::new(plans, &read.noun, &args.scratch)).transpose()?;
    let region = args.region.as_ref().unwrap_or(&read.noun.region);
    let view = inputs::view(day);
    let market = Market::from_view(&view, region).map_err(|error| match args.region {
        Some(_) => Failure::from(error),
        None => read.text.error_at_key("region", error.to_string()).into(),
    })?;
    let (searched, patience) = (PlanProgress::default(), AnswerPatience::new(ComputedAnswer::Plan, args.patience));
    let watch = |done| patience.lasts(start.elapsed(), done);
    let planner = Planner::new(EngineCalibration::embedded(), &market).counted(&searched).watched(&watch);
    let search = || planner.plan_uncertain(&read.noun, &options, args.futures, args.seed);
    let answer = progress::measured("planning", || searched.share(), search);
    patience.lasted()?;
    let answer = answer?;
    let mut planned = PlannedAnswer {
        title: read.noun.name.clone(),
        asked: PageQuestion::new(&read.noun, region, day, read.noun.middle()?.profile.unit.name),
        elapsed_ms: start.elapsed().as_secs_f64() * 1e3,
        answer,
        proofs: None,
    };
    let written = match args.out.as_deref() {
        None => Vec::new(),
        Some(folder) => {
            let curve = progress::during("pricing other throughputs", || {
                read.noun.middle().ok().and_then(|task| planner.cost_curve(&task, &options).ok())
            });
            let plans = planned.answer.plans.iter().chain(&planned.answer.closest);
            let prices = PriceDates::of(&view, plans.map(|plan| &plan.deployment));
            let origin = PageOrigin { as_of: view.date(), prices, ..origin() };
            write(folder, &planned, &plan_page::page(&planned, curve.as_ref(), origin))?
        }
    };
    planned.proofs = prover.map(|prover| prover.prove(&read.noun, &planned.answer, &view)).transpose()?;
    let output = if json {
        Output::json(&plan_report::document(&planned))
    } else {
        Output::text(plan_report::text(&planned, &written))
    };
    let best_failed = planned.proofs.iter().flatten().next().is_some_and(|best| !best.carried());
    Ok(output.negative(planned.answer.plans.is_empty() || best_failed))
}

/// Writes `report.html` and each ranked deployment; returns their paths.
fn write(folder: &Path, planned: &PlannedAnswer, page: &Page) -> Result<Vec<PathBuf>, Failure> {
    inputs::make_folder(folder)?;
    let write = |(name, content): (String, String)| {
        let path = folder.join(name);
        inputs::write(&path, &content).map(|()| path)
    };
    plan_report::files(planned, page).into_iter().map(write).collect()
}
