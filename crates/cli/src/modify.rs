//! `diskwright modify`: another size, type or rate for a mounted disk, as its cloud changes volumes.

use std::path::PathBuf;

use disk::Disk;
use serde_json::json;
use units::Nanos;

use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// Arguments of `modify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright modify /mnt/data gp3:200GiB,8000iops,250MiB/s
  diskwright modify /mnt/tikv/data gp3:1000GiB,8000iops --fast-forward 1000x

The disk is modifying, optimizing, then completed, and cannot be modified again until the cloud's
cooldown is over: exits with 1 then. `diskwright disks` shows how far it is.")]
pub(crate) struct Args {
    /// Where the disk is mounted
    dir: PathBuf,
    /// What it becomes, in full
    disk: Disk,
    /// Let all waits of a modification, and its cooldown, pass so many times faster
    #[arg(long, default_value = "1x", value_name = "FACTOR", value_parser = factor)]
    fast_forward: f64,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let target = home::target(&args.dir)?;
    let done = target.client.modify(&target.disk.name, &args.disk, args.fast_forward)?;
    let after = |instant: Nanos| instant - done.started;
    if json {
        return Ok(Output::json(&json!({
            "at": target.disk.at, "from": target.disk.disk, "to": done.disk,
            "optimizing_in_s": after(done.optimizing).as_secs_f64(),
            "completed_in_s": after(done.completed).as_secs_f64(),
            "grow": done.grow,
        })));
    }
    let mut text = format!(
        "{}: {} becomes {}\nmodifying now, optimizing in {}, completed in {}\n",
        target.disk.at.display(),
        target.disk.disk,
        done.disk,
        after(done.optimizing),
        after(done.completed)
    );
    if let Some(command) = done.grow {
        text += &format!("the device grows when it is optimizing; the filesystem grows with: {command}\n");
    }
    Ok(Output::text(text))
}

pub(crate) fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix(['x', '×']).unwrap_or(text).parse::<f64>().ok();
    number
        .filter(|k| (1.0..=1e9).contains(k))
        .ok_or_else(|| "expected a factor of at least 1, such as 1000x".to_owned())
}
