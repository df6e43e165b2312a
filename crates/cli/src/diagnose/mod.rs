//! `diskwright diagnose`: what a database runs into, what says so, and the cheapest change that removes it.

mod answer;
mod given;
mod page;
mod text;
mod timeline;

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `diagnose`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose timeline run/timeline.parquet
  diskwright diagnose timeline recorded.parquet --disk gp2:400GiB --region us-west-2
  diskwright diagnose timeline cloudwatch.csv --disk vol-1=gp3:500GiB --instance m5.2xlarge --out report

Limits are those of the catalogue for the disks and instances named; what is not known is not guessed,
and `cannot tell` says what would be needed.
Exits with 1 if something is wrong; too much paid for is no wrong.")]
pub(crate) struct Args {
    /// Where the series come from
    #[command(subcommand)]
    source: Source,
}

/// Where the series come from: each makes a Timeline and what is known beside it.
#[derive(Debug, clap::Subcommand)]
enum Source {
    /// A Timeline, as simulate, record and bench write it
    Timeline(timeline::Args),
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    match &args.source {
        Source::Timeline(args) => timeline::run(args, json),
    }
}
