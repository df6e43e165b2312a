//! `diskwright import`: what exists as a deployment.

use std::path::PathBuf;

use ::import::{ImportHole, ImportOptions, ImportedCluster};
use catalog::Date;
use disk::Disk;

use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright import topology.yaml
  diskwright import topology.yaml --instance tikv=m5.4xlarge --disk data=gp3:1000GiB,6000iops \\
    --instance tidb=c5.2xlarge --instance pd=m5.large --region us-west-2 --out deployment.toml
  diskwright import tidb-cluster.yaml --region us-west-2
  diskwright import tikv.toml pd.toml --stores 3 --tikv 8.5.3
  diskwright import my.cnf --stores 1 --instance r5.xlarge --disk gp3:500GiB --region us-east-1

Reads TiUP topologies, manifests of TiDB Operator v1 and v2 with their StorageClasses, tikv.toml,
pd.toml and my.cnf, and recognises which a file is. An instance type or a volume that no file names
is a hole, with the option that fills it. Settings are compared with the tables of keys: unknown
ones, ones that the version lacks, values out of range, and values that contradict the disk are
named. Exits with 1 if something is wrong.")]
pub(crate) struct Args {
    /// The files of one cluster; - reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The cloud's region
    #[arg(long)]
    region: Option<String>,
    /// Zones over which the stores are spread, where no label says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    zones: Option<u32>,
    /// How many stores there are, where no file says
    #[arg(long, visible_alias = "nodes", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    stores: Option<u32>,
    /// The version of TiKV, where no file says: 8.5.3
    #[arg(long, value_name = "RELEASE")]
    tikv: Option<String>,
    /// An instance type: m5.2xlarge, or tikv=m5.2xlarge; may be repeated
    #[arg(long, value_name = "[PROGRAM=]TYPE")]
    instance: Vec<String>,
    /// A volume: gp3:1000GiB, data=…, log=…, tiflash=…; may be repeated
    #[arg(long, value_name = "[NAME=]DISK")]
    disk: Vec<String>,
    /// Use the limits of a date: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    /// Write the deployment into a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let view = inputs::view(args.as_of);
    let mut options = ImportOptions {
        region: args.region.clone(),
        zones: args.zones,
        version: args.tikv.clone(),
        stores: args.stores,
        ..ImportOptions::default()
    };
    for text in &args.instance {
        let (name, kind) = text.split_once('=').unwrap_or(("*", text));
        options.instances.insert(name.trim().to_owned(), kind.trim().to_owned());
    }
    for text in &args.disk {
        // A disk holds no `=`.
        let (name, disk) = text.split_once('=').unwrap_or(("*", text));
        let disk: Disk = disk.parse().map_err(|error| Failure::input(format!("--disk {text}: {error}")))?;
        options.disks.insert(name.trim().to_owned(), disk);
    }
    let files = args.files.iter().map(|file| textfile::read_text(file, textfile::LIMIT));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    let cluster = ::import::import(&files, &options, &view)?;
    if let Some(deployment) = cluster.deployment() {
        deployment.validate(&view).map_err(|error| Failure::input(format!("the deployment that was read: {error}")))?;
    }
    if let Some(path) = &args.out {
        if let Some(hole) = cluster.holes.first() {
            let message =
                format!("--out: the deployment still has holes: {} is missing, say it with {}", hole.key, hole.option);
            return Err(Failure::input(message));
        }
        inputs::write(path, &cluster.to_toml())?;
    }
    let output = if json { Output::json(&cluster.document()) } else { Output::text(text(&cluster)) };
    Ok(output.negative(cluster.is_wrong()))
}

/// The deployment with its holes as comments, then what is missing, and what is wrong.
fn text(cluster: &ImportedCluster) -> String {
    let mut text = cluster.to_toml();
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text.push_str(&format!("\n# {title}\n"));
            lines.iter().for_each(|line| text.push_str(&format!("#   {line}\n")));
        }
    };
    let hole = |hole: &ImportHole| format!("{}: {}: {}", hole.key, hole.what, hole.option);
    section("Not known; say it:", cluster.holes.iter().map(hole).collect());
    section("Found:", cluster.findings.iter().map(ToString::to_string).collect());
    text
}
