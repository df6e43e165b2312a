//! `diskwright disk mount` and `diskwright disk up`: cloud disks on this machine.

use std::net::SocketAddr;
use std::path::PathBuf;

use catalog::Date;
use disk::Disk;
use mount::{Filesystem, MountRequest};
use report::verbs::mount::{document, text};
use units::Ratio;

use crate::failure::Failure;
use crate::output::Output;
use crate::{home, inputs, progress};

/// Arguments of `disk mount`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk mount gp3:100GiB,6000iops,250MiB/s /mnt/data
  diskwright disk mount gp2:100GiB /mnt/data --credits 5%
  diskwright disk mount 'gp2:1000GiB+cache(nvme:200GiB)' /mnt/data --instance m5d.2xlarge
  diskwright disk mount '2x(gp3:500GiB)' /mnt/data --filesystem xfs --backing /dev/shm/disks

Needs root, FUSE and a free loop device. What is written stays in the backing folder after `down`,
and is there again when the same folder is mounted; only `down --delete` removes it. A backing
folder in memory, under /dev/shm, is always fast enough; one on a disk must be faster than what it
stands for.")]
pub(crate) struct MountArgs {
    /// Disk: gp3:100GiB,6000iops,250MiB/s · 2x(gp2:1000GiB) · gp2:1000GiB+cache(nvme:200GiB)
    disk: Disk,
    /// Mount point: an empty folder, made if needed
    dir: PathBuf,
    /// Instance type whose limits apply as well
    #[arg(long, value_name = "TYPE")]
    instance: Option<String>,
    /// Zone, as a label
    #[arg(long)]
    zone: Option<String>,
    /// Day whose limits apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day)]
    as_of: Option<Date>,
    #[command(flatten)]
    options: Options,
}

/// Arguments of `disk up`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk up examples/raft-dedicated.toml /mnt/tikv
  diskwright disk up examples/tpcc-5000-m5d.2xlarge.toml /mnt/tikv --node 2

Mounts DIR/data, and DIR/raft (TiKV) or DIR/redo (MySQL) if the log has a disk of its own, behind
the limits of the node's instance. Else as `diskwright disk mount`.")]
pub(crate) struct UpArgs {
    /// Deployment, a TOML file; - reads standard input
    deployment: PathBuf,
    /// Folder below which the disks are mounted
    dir: PathBuf,
    /// Number of the storage node, from 1
    #[arg(long, default_value_t = 1, value_name = "N")]
    node: u32,
    #[command(flatten)]
    options: Options,
}

/// Options of mounting.
#[derive(Debug, clap::Args)]
struct Options {
    /// Folder of the disks' data [default: /var/lib/diskwright]
    #[arg(long, value_name = "DIR")]
    backing: Option<PathBuf>,
    /// Filesystem of new disks
    #[arg(long, default_value = "ext4", value_name = "TYPE", value_parser = filesystem)]
    filesystem: Filesystem,
    /// Random seed (same seed, same result)
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Burst credits at the start [default: 100%]
    #[arg(long, value_name = "SHARE", value_parser = Ratio::share)]
    credits: Option<Ratio>,
    /// Include degraded minutes, as often as the volumes' promises allow
    #[arg(long)]
    degraded_minutes: bool,
    /// Serve unlimited disks by the kernel alone, as fast as a plain loop device, but without faults
    #[arg(long)]
    passthrough: bool,
    /// Address of the metrics for Prometheus, on loopback [default: a free port]
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
}

pub(crate) fn mount(args: MountArgs, json: bool) -> Result<Output, Failure> {
    let MountArgs { disk, dir, instance, zone, as_of, options } = args;
    start(MountRequest { instance, zone, as_of, ..MountRequest::single(dir, disk) }, options, json)
}

pub(crate) fn up(args: UpArgs, json: bool) -> Result<Output, Failure> {
    let read = inputs::deployment(&args.deployment)?;
    let view = inputs::view(read.noun.as_of);
    read.noun.validate(&view).map_err(|error| error.locate(&read.text))?;
    start(MountRequest::of_deployment(args.dir, &read.noun, args.node)?, args.options, json)
}

fn start(request: MountRequest, options: Options, json: bool) -> Result<Output, Failure> {
    let request = MountRequest {
        backing: options.backing.unwrap_or_else(home::backing),
        filesystem: options.filesystem,
        seed: options.seed,
        credits: options.credits.map(|share| share.0),
        degraded_minutes: options.degraded_minutes,
        passthrough: options.passthrough,
        metrics: options.metrics,
        ..request
    };
    let home = home::home()?;
    let node = progress::during("mounting", || mount::up(&home, &request))?;
    Ok(if json { Output::json(&document(&node)) } else { Output::text(text(&node)) })
}

fn filesystem(text: &str) -> Result<Filesystem, String> {
    match text {
        "ext4" => Ok(Filesystem::Ext4),
        "xfs" => Ok(Filesystem::Xfs),
        other => Err(format!("`{other}` is not supported: expected ext4 or xfs")),
    }
}
