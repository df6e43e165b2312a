//! `diskwright diagnose export`: from metrics that somebody else fetched of CloudWatch.

use std::path::PathBuf;

use ingest::export::ExportOptions;
use units::{Bytes, Nanos};

use super::answer::answer;
use super::given::Given;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Two weeks of a volume in minutes, many times over.
const LIMIT: Bytes = Bytes::mib(256);

/// Arguments of `diagnose export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose export vol-0a1b.csv --disk vol-0a1b=gp2:400GiB
  aws cloudwatch get-metric-data … > data.json
  diskwright diagnose export data.json --disk gp3:500GiB

CSV of the console, and the JSON of get-metric-data and get-metric-statistics. A series without
the id of its volume is of the one that the file is named after.")]
pub(crate) struct Args {
    /// File exported from CloudWatch, CSV or JSON; - reads standard input
    file: PathBuf,
    /// Interval of the points, where the file lacks it
    #[arg(long, value_name = "SPAN")]
    period: Option<Nanos>,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let text = textfile::read_text(&args.file, LIMIT)?;
    let options = ExportOptions { period: args.period, ..ExportOptions::default() };
    let timeline = progress::reading(&args.file, || ingest::export::read(&text, &options))?;
    let known = args.given.known(None)?;
    answer(&args.file.display().to_string(), &timeline, &known, args.given.out.as_deref(), json)
}
