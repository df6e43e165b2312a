//! `diskwright diagnose`: the bottleneck of a database, its evidence, and the cheapest remedy.

mod answer;
pub(crate) mod cloud;
mod file;
mod given;
mod mounted;
mod prometheus;
mod watch;

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `diagnose`.
#[derive(Debug, clap::Args)]
#[command(
    subcommand_negates_reqs = true,
    subcommand_precedence_over_arg = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  diskwright diagnose node.txt --disk nvme1n1=gp3:500GiB --instance m5.2xlarge
  diskwright diagnose timeline run/timeline.parquet
  diskwright diagnose timeline recorded.parquet --disk gp2:400GiB --region us-west-2
  iostat -xty 5 60 | diskwright diagnose iostat - --first-counts --disk sdb=gp3:500GiB
  diskwright diagnose prometheus http://10.0.0.5:9090 --since 6h --on deployment.toml --out report
  diskwright diagnose cloudwatch --volume vol-0a1b2c3d --since 14d
  diskwright diagnose mounted /mnt/tikv --watch=5s

The form of a file is recognised; with a subcommand it must be that. Partitions, LVM, dm-crypt and
md are no disks of their own: findings are about volumes, or about a stripe of them. Limits are
those of the catalogue for the disks and instances named; what is not known is not guessed, and
`cannot tell` says what would be needed. Exits with 1 if something is wrong; too much paid for is
no wrong."
)]
pub(crate) struct Args {
    /// Source of the series
    #[command(subcommand)]
    source: Option<Source>,
    #[command(flatten)]
    file: file::FileArgs,
}

/// Sources of series: each makes a Timeline and the facts known beside it.
#[derive(Debug, clap::Subcommand)]
enum Source {
    #[command(flatten)]
    File(file::FormatCommand),
    /// Diagnose mounted disks of this machine
    Mounted(mounted::Args),
    /// Diagnose the metrics of a Prometheus, Thanos or Mimir, or a saved answer of one
    Prometheus(Box<prometheus::Args>),
    /// Diagnose volumes of an AWS account
    Cloudwatch(cloud::Volumes),
    /// Diagnose a database instance of RDS
    Rds(cloud::Database),
}

/// Sources that are no files.
const SERVERS: [&str; 4] = ["mounted", "prometheus", "cloudwatch", "rds"];

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    // A source has options of its own: those before it would be passed over.
    if args.source.is_some() && args.file != file::FileArgs::default() {
        return Err(Failure::input("options of a source stand behind it: `diagnose iostat FILE --disk …`"));
    }
    match (&args.source, &args.file) {
        (Some(Source::File(file)), _) => file.run(json),
        (Some(Source::Mounted(args)), _) => mounted::run(args, json),
        (Some(Source::Prometheus(args)), _) => prometheus::run(args, json),
        (Some(Source::Cloudwatch(args)), _) => cloud::volumes(args, json),
        (Some(Source::Rds(args)), _) => cloud::database(args, json),
        (None, file) => file.run(None, json),
    }
}
