//! `diskwright bench compare`: whether B is faster than A.

use std::path::{Path, PathBuf};

use bench::RunFiles;
use bench::compare::{RunSample, compare, read};
use bench::{RunStage, alternate};
use cluster::NodeActivity;
use reference_store::{ReferenceStore, StoreRun, StoreSpec};
use report::verbs::compare_page::page;
use serde_json::json;
use workload::operations::OperationRecipe;

use crate::bench::live::Live;
use crate::bench::options::Options;
use crate::failure::Failure;
use crate::inputs;
use crate::on_signal;
use crate::origin::origin;
use crate::output::Output;

/// Arguments of `bench compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright bench compare shared.json dedicated.json
  diskwright bench compare shared.toml dedicated.toml --workload examples/mix.toml --out kept
  diskwright bench compare kept/a kept/b --page compared.html

A and B are files that `diskwright bench --out` wrote, folders of such Timelines (.parquet), or two
deployments that are run in turn, A B B A ..., each run on disks of its own, so that a machine whose
speed wanders favours neither.
Runs with the same number are a pair; intervals hold 95 of 100.")]
pub(crate) struct Args {
    /// Side A: runs, or a deployment
    a: PathBuf,
    /// Side B: runs, or a deployment
    b: PathBuf,
    /// Workload to run on both deployments
    #[arg(long, value_name = "WORKLOAD")]
    workload: Option<PathBuf>,
    /// Runs of each side
    #[arg(long, value_name = "N", default_value_t = 3, requires = "workload", value_parser = clap::value_parser!(u32).range(1..=100))]
    pairs: u32,
    /// Folder for the Timelines and reports of both sides, in its folders a and b
    #[arg(long, value_name = "DIR", requires = "workload")]
    out: Option<PathBuf>,
    /// Page to write, with the differences and each run
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

/// The bootstrap's seed: the same files give the same answer.
const SEED: u64 = 1;

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    inputs::is_page(args.page.as_deref())?;
    let deployments = [&args.a, &args.b].map(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let [(a, one), (b, other)] = match (deployments, &args.workload) {
        ([true, true], Some(workload)) => measure(args, workload)?,
        ([true, true], None) => {
            return Err(Failure::input("two deployments are compared under a load: give --workload"));
        }
        ([false, false], None) => [read(&args.a)?, read(&args.b)?],
        ([false, false], Some(_)) => {
            return Err(Failure::input("--workload is for two deployments; these files hold runs already"));
        }
        _ => {
            return Err(Failure::input(
                "compare runs with runs or a deployment with a deployment, not one with the other",
            ));
        }
    };
    let comparison = compare((&a, &one), (&b, &other), SEED)?;
    if let Some(file) = &args.page {
        inputs::write(file, &page(&comparison, [&one, &other], origin()).html())?;
    }
    let written = args.out.as_ref().map_or(String::new(), |out| format!("written: {}\n", out.display()));
    Ok(if json { Output::json(&json!(comparison)) } else { Output::text(comparison.text() + &written) })
}

fn measure(args: &Args, workload: &Path) -> Result<[(String, Vec<RunSample>); 2], Failure> {
    let workload = inputs::workload(workload)?.noun;
    let stop = on_signal::catch()?;
    let order = |path: &Path| -> Result<StoreSpec, Failure> {
        let order = args.options.on(workload.clone(), &inputs::deployment(path)?.noun)?;
        Ok(StoreSpec { stop: stop.clone(), ..order })
    };
    let orders = [order(&args.a)?, order(&args.b)?];
    let mut files = [files_of(args, &orders[0], "a")?, files_of(args, &orders[1], "b")?];
    let lab = args.options.lab(&orders[0])?;
    let mut live = Live::new();
    let mut tell = |side: usize, pair: u32, stage: RunStage<'_, NodeActivity>| {
        let side = ["A", "B"][side];
        live.side(format!("{side}, pair {pair} of {}: ", args.pairs));
        live.show(&stage);
    };
    let mut keep =
        |side: usize, found: &StoreRun| files[side].add(&found.report, &found.timeline).map_err(Failure::from);
    let found =
        alternate::<ReferenceStore, 2, Failure>(lab.as_ref(), orders.each_ref(), args.pairs, &mut tell, &mut keep)?;
    live.end();
    let mut sides = found.into_iter().zip(&orders).map(|(found, order)| (order.plan.title.clone(), samples(&found)));
    Ok([sides.next().expect("two sides"), sides.next().expect("two sides")])
}

/// The files of a side's runs; none without `--out`.
fn files_of(args: &Args, order: &StoreSpec, side: &str) -> Result<RunFiles, Failure> {
    let recipe = OperationRecipe::new(&order.settings.workload, order.settings.scale)?;
    let files = args.out.as_ref().map(|out| files(&out.join(side))).transpose()?;
    Ok(RunFiles::new(&files.unwrap_or_default(), args.pairs, order.settings.empty_report(&order.plan, &recipe)))
}

/// The files of a side, in a folder that is made for them: with those of another comparison they would be mixed up.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: std::io::Error| Failure::environment(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    if std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(Failure::input(format!("--out: {} holds files already: name another folder", folder.display())));
    }
    Ok(["run.parquet", "report.json"].map(|name| folder.join(name)).to_vec())
}

fn samples(found: &[StoreRun]) -> Vec<RunSample> {
    found.iter().filter_map(|found| RunSample::of_timeline(&found.timeline).ok()).collect()
}
