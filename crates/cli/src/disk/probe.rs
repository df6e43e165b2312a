//! `diskwright disk probe`: measures a disk.

use std::path::PathBuf;

use probe::{OverwriteScope, ProbeOptions, ProbeProgress, ProbeTarget};
use units::{Bytes, Nanos};

use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Steps;

/// Arguments of `disk probe`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk probe /mnt/data
  diskwright disk probe /var/lib/mysql --quick --json
  diskwright disk probe /dev/nvme1n1
  diskwright disk probe /dev/nvme1n1 --overwrite

Takes a minute and fio. Measures latency and its tail, the knees of IOPS and throughput, how reads
and writes share them, and names the limits that explain it, with what is left unexplained. In a
folder it works on a file that it removes; a device is only read, unless told.")]
pub(crate) struct Args {
    /// Folder on the disk, or block device
    target: PathBuf,
    /// Measure in a quarter of the time, with wider errors
    #[arg(long)]
    quick: bool,
    /// Longest time at full rate afterwards, to see whether burst credits run out
    #[arg(long, value_name = "SPAN")]
    long: Option<Nanos>,
    /// Size of the measured range [default: 1 GiB; all of a device that is only read]
    #[arg(long)]
    size: Option<Bytes>,
    /// Write on a device that holds nothing
    #[arg(long)]
    overwrite: bool,
    /// Write on a device that holds data, which are lost
    #[arg(long)]
    overwrite_data: bool,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let base = if args.quick { ProbeOptions::quick() } else { ProbeOptions::default() };
    let destroy = match (args.overwrite_data, args.overwrite) {
        (true, _) => OverwriteScope::Anything,
        (false, true) => OverwriteScope::Blank,
        (false, false) => OverwriteScope::Nothing,
    };
    let options = ProbeOptions { long: args.long, size: args.size, destroy, ..base };
    let bar = Steps::new(1);
    let mut tell = |now: ProbeProgress<'_>| bar.at(now.step as u64, now.of as u64, now.what, now.remaining);
    let probe = probe::run(&ProbeTarget::at(&args.target)?, &options, &mut tell);
    bar.end();
    let probe = probe?;
    Ok(if json { Output::json(&probe.json()) } else { Output::text(probe.to_string()) })
}
