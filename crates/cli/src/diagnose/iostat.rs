//! `diskwright diagnose iostat`: from what `iostat -x` printed.

use std::path::PathBuf;

use gather::iostat::{First, Options};
use units::{Bytes, Nanos};

use super::answer::answer;
use super::given::Given;
use crate::failure::Failure;
use crate::output::Output;

/// A day of reports each second.
const LIMIT: Bytes = Bytes::mib(256);

/// Arguments of `diagnose iostat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iostat -xty 5 60 > node.txt && diskwright diagnose iostat node.txt --disk sdb=gp3:500GiB
  diskwright diagnose iostat examples/tikv-node-iostat.txt --interval 1s
  iostat -xty -o JSON 1 60 | diskwright diagnose iostat - --disk gp2:400GiB --instance m5.2xlarge

Text and JSON of sysstat 10 to 12. Reports without time stamps (-t) need --interval. Of several reports
the first is left out, for without -y it is of all the time since the machine started.")]
pub(crate) struct Args {
    /// What iostat printed; - reads standard input
    file: PathBuf,
    /// How long each report is of, where they have no time stamps
    #[arg(long, value_name = "SPAN")]
    interval: Option<Nanos>,
    /// The first report counts, too: recorded with -y
    #[arg(long)]
    first_counts: bool,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let first = if args.first_counts { First::Counts } else { First::Alone };
    let text = input::read_text(&args.file, LIMIT)?;
    let options = Options { interval: args.interval, first, ..Options::default() };
    let timeline = gather::iostat::read(&text, &options).map_err(|error| match error {
        gather::GatherError::NoInterval { .. } => Failure::input(format!("{error}: --interval 1s")),
        error => error.into(),
    })?;
    let known = args.given.known(None)?;
    answer(&args.file.display().to_string(), &timeline, &known, args.given.out.as_deref(), json)
}
