//! `diskwright down`: unmounts.

use std::path::PathBuf;

use serde_json::json;

use crate::failure::Failure;
use crate::home;
use crate::output::Output;
use crate::table::{WIDTH, wrap};

/// Arguments of `down`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright down /mnt/data
  diskwright down /mnt/tikv --delete
  diskwright down --all

A disk in use is not unmounted: exits with 1 and tells who uses it.")]
pub(crate) struct Args {
    /// The folder that was given to `mount` or `up`
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    dir: Option<PathBuf>,
    /// Everything that is mounted
    #[arg(long)]
    all: bool,
    /// Remove the data too
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
    let kept: Vec<_> = nodes.iter().flat_map(|node| &node.disks).map(|disk| &disk.backing).collect();
    if json {
        let dirs: Vec<_> = nodes.iter().map(|node| &node.dir).collect();
        let left: Vec<_> = unrecorded.iter().map(|daemon| daemon.pid).collect();
        let document = json!({ "unmounted": dirs, "deleted": args.delete, "backing": kept, "unrecorded": left });
        return Ok(Output::json(&document).negative(!left.is_empty()));
    }
    let mut text = String::new();
    for node in &nodes {
        text += &format!("{} is unmounted\n", node.dir.display());
    }
    let verb = if args.delete { "removed" } else { "kept" };
    for file in kept {
        text += &format!("{verb} {}\n", file.display());
    }
    for daemon in &unrecorded {
        text += &format!("{}\n", wrap(&daemon.refusal().to_string(), WIDTH, 2));
    }
    if text.is_empty() {
        text += "nothing is mounted\n";
    }
    Ok(Output::text(text).negative(!unrecorded.is_empty()))
}
