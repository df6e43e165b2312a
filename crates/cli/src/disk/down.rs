//! `diskwright disk down`: unmounts.

use std::path::PathBuf;

use report::verbs::mount::UnmountedDisks;

use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// Arguments of `disk down`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk down /mnt/data
  diskwright disk down /mnt/tikv --delete
  diskwright disk down --all

A disk in use is not unmounted: exits with 1 and tells who uses it.")]
pub(crate) struct Args {
    /// Folder that was given to `mount` or `up`
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    dir: Option<PathBuf>,
    /// Unmount everything
    #[arg(long)]
    all: bool,
    /// Remove the data as well
    #[arg(long)]
    delete: bool,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let home = home::home()?;
    let nodes = match &args.dir {
        Some(dir) => vec![mount::find(&home, dir)?],
        None => mount::nodes(&home),
    };
    for node in &nodes {
        mount::down(&home, &node.dir, args.delete)?;
    }
    let unrecorded = if args.all { mount::unrecorded(&home) } else { Vec::new() };
    let done = UnmountedDisks { nodes: &nodes, deleted: args.delete, unrecorded: &unrecorded };
    let output = if json { Output::json(&done.document()) } else { Output::text(done.text()) };
    Ok(output.negative(!unrecorded.is_empty()))
}
