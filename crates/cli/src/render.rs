//! `diskwright render`: a deployment as files that other tools read.

use std::path::PathBuf;

use catalog::Date;
use engine::EngineCalibration;
use render::{
    FileFate, FileFormat, RenderError, RenderRequest, RenderResult, RenderedFile, TikvVersion, TrafficEstimate,
    WrittenFile,
};
use report::words;
use serde_json::json;

use crate::failure::Failure;
use crate::inputs;
use crate::output::{Output, bold, yellow};
use crate::table::{Table, WIDTH, wrap};

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
    /// The deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// The workload, a TOML file: for what depends on the load
    workload: Option<PathBuf>,
    /// The folder to write to; it is made
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write these formats only, with commas between
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', value_parser = format)]
    only: Vec<FileFormat>,
    /// The release of TiKV, such as 8.5.3, or its line: 7.5, 8.1 or 8.5, of which the newest patch is meant
    #[arg(long, value_name = "VERSION", default_value_t, value_parser = version)]
    tikv: TikvVersion,
    /// Replace files that say something else
    #[arg(long)]
    force: bool,
    /// Use the limits and prices of a day: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
}

fn format(text: &str) -> Result<FileFormat, String> {
    text.parse()
}

fn version(text: &str) -> Result<TikvVersion, String> {
    text.parse()
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
    if json {
        return Ok(Output::json(&document(args, &rendered, &written, traffic.as_ref())));
    }
    let mut text = bold(&headline(&args.out.display().to_string(), &written));
    text += &format!("\n\n{}", files(&rendered.files, &written));
    if let Some(traffic) = traffic.filter(|traffic| !traffic.variants.is_empty()) {
        text += &format!("\nTraffic between zones, a month at the workload's target\n{}", table(&traffic));
    }
    if !rendered.notes.is_empty() {
        text += &format!("\n{}\n", yellow("Before you use them"));
        for note in &rendered.notes {
            text += &format!("- {}\n", wrap(note, WIDTH - 2, 2));
        }
    }
    Ok(Output::text(text))
}

/// What was done in a sentence.
fn headline(folder: &str, written: &[WrittenFile]) -> String {
    let count = |fate: FileFate| written.iter().filter(|file| file.fate == fate).count();
    let (new, replaced, same) = (count(FileFate::Written), count(FileFate::Replaced), count(FileFate::Unchanged));
    let mut parts = vec![format!("{new} {} written to {folder}", if new == 1 { "file" } else { "files" })];
    if replaced > 0 {
        parts.push(format!("{replaced} replaced"));
    }
    if same > 0 {
        parts.push(format!("{same} unchanged"));
    }
    wrap(&format!("{}.", parts.join(", ")), WIDTH, 0)
}

fn files(files: &[RenderedFile], written: &[WrittenFile]) -> Table {
    let mut table = Table::new(&["file", "format", "for"], &[]);
    for (file, written) in files.iter().zip(written) {
        let fate = match written.fate {
            FileFate::Written => "",
            FileFate::Replaced => " (replaced)",
            FileFate::Unchanged => " (unchanged)",
        };
        table.row([file.name.clone(), file.format.to_string(), format!("{}{fate}", file.format.purpose())]);
    }
    table
}

fn table(traffic: &TrafficEstimate) -> Table {
    let mut table = Table::new(&["reads", "compression", "GB", "$/month", ""], &[2, 3]);
    for variant in &traffic.variants {
        table.row([
            if variant.follower_read { "nearest copy" } else { "leader" }.to_owned(),
            if variant.grpc_compression { "gzip" } else { "none" }.to_owned(),
            words::count(variant.gb),
            variant.usd.map_or_else(|| "not known".to_owned(), |usd| units::Usd(usd).to_string()),
            if variant.chosen { "as set" } else { "" }.to_owned(),
        ]);
    }
    table
}

fn document(
    args: &Args,
    rendered: &RenderResult,
    written: &[WrittenFile],
    traffic: Option<&TrafficEstimate>,
) -> serde_json::Value {
    let files: Vec<serde_json::Value> = rendered
        .files
        .iter()
        .zip(written)
        .map(|(file, written)| {
            json!({
                "path": written.path.display().to_string(),
                "format": file.format,
                "purpose": file.format.purpose(),
                "fate": written.fate,
            })
        })
        .collect();
    json!({
        "tikv": args.tikv,
        "files": files,
        "notes": rendered.notes,
        "traffic": traffic.map(|traffic| &traffic.variants),
    })
}
