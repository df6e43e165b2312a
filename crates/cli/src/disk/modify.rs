//! `diskwright disk modify`: another size, type or rate for a mounted disk, as its cloud changes volumes.

use std::path::PathBuf;

use disk::Disk;
use report::verbs::mount::{modification_document, modification_text};

use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// Arguments of `disk modify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk modify /mnt/data gp3:200GiB,8000iops,250MiB/s
  diskwright disk modify /mnt/tikv/data gp3:1000GiB,8000iops --fast-forward 1000x

The disk is modifying, optimizing, then completed, and cannot be modified again until the cloud's
cooldown is over: exits with 1 then. `diskwright disk ls` shows how far it is.")]
pub(crate) struct Args {
    /// Mount point of the disk
    dir: PathBuf,
    /// New disk, in full
    disk: Disk,
    /// Speed up all waits of a modification, and its cooldown, by this factor
    #[arg(long, default_value = "1x", value_name = "FACTOR", value_parser = factor)]
    fast_forward: f64,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let target = home::target(&args.dir)?;
    let done = target.client.modify(&target.disk.name, &args.disk, args.fast_forward)?;
    Ok(match json {
        true => Output::json(&modification_document(&target.disk, &done)),
        false => Output::text(modification_text(&target.disk, &done)),
    })
}

pub(crate) fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix(['x', '×']).unwrap_or(text).parse::<f64>().ok();
    number
        .filter(|k| (1.0..=1e9).contains(k))
        .ok_or_else(|| "expected a factor of at least 1, such as 1000x".to_owned())
}
