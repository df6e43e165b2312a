//! `diskwright check`: which limits a deployment is asked more of than they deliver.

use std::path::PathBuf;

use catalog::Date;
use deployment::NodeDemand;
use engine::EngineCalibration;
use report::verbs::check::{CheckedDeployment, document, text};
use report::verbs::check_page::page;
use report::words;

use crate::failure::Failure;
use crate::inputs;
use crate::origin::origin;
use crate::output::Output;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright check examples/undeliverable.toml
  diskwright check examples/tpcc-5000-m5.2xlarge.toml examples/tpcc-5000.toml
  diskwright check examples/rds-gp2.toml examples/rds-inserts.toml --as-of 2020-11 --json
  diskwright check examples/tpcc-5000-m5.2xlarge.toml examples/tpcc-5000.toml --out check.html

Without a workload the deployment's own [asks] table is the load of each node; without either,
check compares the volumes with their instances. A workload is taken at its target with growth, its intervals at their middle. Storage nodes are compared with
their limits; the price has the nodes of every role in it. Exits with 1 if a limit is exceeded in
the long run, or the workload's clients wait too long for their answers to offer the load.")]
pub(crate) struct Args {
    /// Deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// Workload, a TOML file
    workload: Option<PathBuf>,
    /// Day whose limits and prices apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    /// Page to write: each limit with load and capacity
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let read = inputs::deployment(&args.deployment)?;
    let deployment = &read.noun;
    let view = inputs::view(args.as_of.or(deployment.as_of));
    deployment.validate(&view).map_err(|error| error.locate(&read.text))?;
    inputs::is_page(args.out.as_deref())?;
    let (mut short, mut load, mut at_least, mut nothing_asked) = (None, None, None, false);
    let asks = match (&args.workload, deployment.asks) {
        (Some(path), _) => {
            let workload = inputs::workload(path)?;
            if workload.noun.engine != deployment.engine {
                let engines = (words::engine(workload.noun.engine), words::engine(deployment.engine));
                let message = format!("the workload is for {}, but the deployment runs {}", engines.0, engines.1);
                return Err(workload.text.error_at_key("engine", message).into());
            }
            let task = workload.noun.middle()?;
            at_least = workload.noun.beyond_measured();
            short = engine::closed_loop(EngineCalibration::embedded(), &task, deployment, &view)
                .map(|short| (short, task.clone()));
            load = Some(workload.noun);
            engine::asks(EngineCalibration::embedded(), &task, deployment, &view)?
        }
        (None, Some(asks)) => asks,
        (None, None) => {
            nothing_asked = true;
            NodeDemand::default()
        }
    };
    let report = deployment::check(deployment, &view, &asks).map_err(|error| error.locate(&read.text))?;
    let in_vain = deployment::rates_in_vain(deployment, &view);
    let monthly = deployment.monthly(&view);
    let checked = CheckedDeployment { report, monthly, short, in_vain, at_least, nothing_asked };
    if let Some(out) = &args.out {
        inputs::write(out, &page(&checked, deployment, load.as_ref(), &view, origin()).html())?;
    }
    let output = if json { Output::json(&document(&checked)) } else { Output::text(text(&checked)) };
    Ok(output.negative(!checked.delivers()))
}
