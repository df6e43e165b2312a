//! `diskwright disk probe`: measures a disk.

use std::path::PathBuf;

use probe::{OverwriteScope, ProbeOptions, ProbeProgress, ProbeTarget};
use units::{Bytes, Nanos};

use super::against::{self, AgainstArgs};
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
  diskwright disk probe --against matrix.csv --disk gp3:1000GB,16000iops --instance r5b.2xlarge

Takes a minute and fio. Measures latency and its tail, the knees of IOPS and throughput, how reads
and writes share them, and names the limits that explain it, with what is left unexplained. In a
folder it works on a file that it removes; a device is only read, unless told.

With --against it measures nothing: it does on the model of a disk what a file says was measured of
such a disk, and prints the model's error below, near and at the limits. A matrix has the columns
read_iops_target, write_MBps_target, read_p50_ms, read_p95_ms and reached; results of fio are its
own JSON or a table with rw, block_KiB, iodepth_per_job, jobs, runtime_s, iops and clat_*_ms.")]
pub(crate) struct Args {
    /// Folder on the disk, or block device
    #[arg(required_unless_present = "against", conflicts_with = "against", value_hint = clap::ValueHint::AnyPath)]
    target: Option<PathBuf>,
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
    #[command(flatten)]
    against: AgainstArgs,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let Some(target) = &args.target else { return against::run(&args.against, json) };
    let base = if args.quick { ProbeOptions::quick() } else { ProbeOptions::default() };
    let destroy = match (args.overwrite_data, args.overwrite) {
        (true, _) => OverwriteScope::Anything,
        (false, true) => OverwriteScope::Blank,
        (false, false) => OverwriteScope::Nothing,
    };
    let options = ProbeOptions { long: args.long, size: args.size, destroy, ..base };
    let bar = Steps::new(1);
    let mut tell = |now: ProbeProgress<'_>| bar.at(now.step as u64, now.of as u64, now.what, now.remaining);
    let probe = probe::run(&ProbeTarget::at(target)?, &options, &mut tell);
    bar.end();
    let probe = probe?;
    Ok(if json { Output::json(&probe.json()) } else { Output::text(probe.to_string()) })
}
