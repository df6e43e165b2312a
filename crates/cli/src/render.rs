//! `diskwright render`: a deployment as files that other tools read.

use std::path::PathBuf;

use catalog::Date;
use engine::EngineCalibration;
use render::{FileFormat, RenderError, RenderRequest, TikvVersion};
use report::verbs::render::{document, text};
use report::words;

use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;

/// Arguments of `render`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright render examples/raft-dedicated.toml --out cluster
  diskwright render examples/htap.toml --out cluster --only tiup,host,sql --tikv 8.1
  diskwright render examples/tpcc-5000-m5.4xlarge.toml examples/tpcc-5000.toml --out cluster --json

Formats: tikv, pd, tiup, ansible, operator, operator-v2, sql, my-cnf, cloudformation, terraform,
prometheus, host; those that say something of the deployment unless --only names some. Every value
carries its reason and the limit that it follows. With a workload it also tells what traffic
between zones costs, before and after what saves it. Files that are there and say something else
are not replaced without --force: then nothing is written, and it exits with 1.")]
pub(crate) struct Args {
    /// Deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// Workload, a TOML file, for values that depend on the load
    workload: Option<PathBuf>,
    /// Folder to write to, made if needed
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Formats to write, separated by commas [default: all that apply]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = str::parse::<FileFormat>)]
    only: Vec<FileFormat>,
    /// TiKV release, such as 8.5.3, or the newest of a line: 7.5, 8.1, 8.5
    #[arg(long, value_name = "VERSION", default_value_t, value_parser = str::parse::<TikvVersion>)]
    tikv: TikvVersion,
    /// Replace files with other content
    #[arg(long)]
    force: bool,
    /// Day whose limits and prices apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let read = inputs::deployment(&args.deployment)?;
    let deployment = &read.noun;
    let view = inputs::view(args.as_of.or(deployment.as_of));
    let at = |error: RenderError| Failure::from(error.locate(&read.text));
    let (traffic, timestamps) = match &args.workload {
        None => (None, None),
        Some(path) => {
            let workload = inputs::workload(path)?;
            if workload.noun.engine != deployment.engine {
                let engines = (words::engine(workload.noun.engine), words::engine(deployment.engine));
                let message = format!("the workload is for {}, but the deployment runs {}", engines.0, engines.1);
                return Err(workload.text.error_at_key("engine", message).into());
            }
            deployment.validate(&view).map_err(|error| error.locate(&read.text))?;
            let task = workload.noun.middle()?;
            let traffic = render::traffic(EngineCalibration::embedded(), &task, deployment, &view).map_err(at)?;
            (Some(traffic), Some(render::timestamps(&task)))
        }
    };
    let request = RenderRequest { deployment, view: &view, version: args.tikv, only: &args.only, timestamps };
    let rendered = render::render(&request).map_err(at)?;
    let written = render::write(&rendered.files, &args.out, args.force)?;
    Ok(match json {
        true => Output::json(&document(args.tikv, &rendered, &written, traffic.as_ref())),
        false => Output::text(text(&args.out, &rendered, &written, traffic.as_ref())),
    })
}
