//! `diskwright diagnose`: the bottleneck of a database, its evidence, and the cheapest remedy.

mod answer;
pub(crate) mod cloud;
mod export;
mod given;
mod iostat;
mod mounted;
mod prometheus;
mod timeline;
mod watch;

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `diagnose`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose timeline run/timeline.parquet
  diskwright diagnose timeline recorded.parquet --disk gp2:400GiB --region us-west-2
  iostat -xty 5 60 | diskwright diagnose iostat - --first-counts --disk sdb=gp3:500GiB
  diskwright diagnose prometheus http://10.0.0.5:9090 --since 6h --on deployment.toml --out report
  diskwright diagnose cloudwatch --volume vol-0a1b2c3d --since 14d
  diskwright diagnose mounted /mnt/tikv --watch=5s

Limits are those of the catalogue for the disks and instances named; what is not known is not
guessed, and `cannot tell` says what would be needed. Exits with 1 if something is wrong; too much
paid for is no wrong.")]
pub(crate) struct Args {
    /// Source of the series
    #[command(subcommand)]
    source: Source,
}

/// Sources of series: each makes a Timeline and the facts known beside it.
#[derive(Debug, clap::Subcommand)]
enum Source {
    /// Diagnose a Timeline that simulate, record or bench wrote
    Timeline(timeline::Args),
    /// Diagnose the output of `iostat -x`
    Iostat(iostat::Args),
    /// Diagnose mounted disks of this machine
    Mounted(mounted::Args),
    /// Diagnose the metrics of a Prometheus, Thanos or Mimir
    Prometheus(prometheus::Args),
    /// Diagnose volumes of an AWS account
    Cloudwatch(cloud::Volumes),
    /// Diagnose a database instance of RDS
    Rds(cloud::Database),
    /// Diagnose metrics exported from CloudWatch
    Export(export::Args),
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    match &args.source {
        Source::Timeline(args) => timeline::run(args, json),
        Source::Iostat(args) => iostat::run(args, json),
        Source::Mounted(args) => mounted::run(args, json),
        Source::Prometheus(args) => prometheus::run(args, json),
        Source::Cloudwatch(args) => cloud::volumes(args, json),
        Source::Rds(args) => cloud::database(args, json),
        Source::Export(args) => export::run(args, json),
    }
}
