//! `diskwright diagnose iostat`: from what `iostat -x` printed.

use std::path::{Path, PathBuf};

use ingest::ReportStream;
use ingest::iostat::{FirstReport, IostatOptions};
use textfile::Text;
use units::{Bytes, Nanos};

use super::given::Given;
use super::watch::{Asked, Watch};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// A day of reports each second.
const LIMIT: Bytes = Bytes::mib(256);

/// Arguments of `diagnose iostat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iostat -xty 5 60 > node.txt
  diskwright diagnose iostat node.txt --first-counts --disk sdb=gp3:500GiB
  diskwright diagnose iostat examples/tikv-node-iostat.txt --interval 1s
  iostat -xty -o JSON 1 60 | diskwright diagnose iostat - --first-counts --disk gp2:400GiB
  iostat -xty 5 | diskwright diagnose iostat - --first-counts --watch=30s --disk sdb=gp3:500GiB

Text and JSON of sysstat 10 to 12. Reports without time stamps (-t) need --interval. Of several
reports the first is left out, and the answer says so: without -y it is of all the time since the
machine started, and a report does not say how it was recorded. --first-counts says: with -y.")]
pub(crate) struct Args {
    /// Output of iostat; - reads standard input
    file: PathBuf,
    /// Interval of the reports, where they have no time stamps
    #[arg(long, value_name = "SPAN")]
    interval: Option<Nanos>,
    /// Count the first report: it was recorded with -y
    #[arg(long)]
    first_counts: bool,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let is_piped = args.watch.is_on() && args.file == Path::new("-");
    let stream = is_piped.then(|| ReportStream::listen(std::io::stdin(), LIMIT)).transpose();
    let stream = stream.map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
    let ask = || match &stream {
        Some(stream) => match stream.text() {
            Some(text) => asked(args, &text).map(Some),
            None => Ok(None),
        },
        None => asked(args, &textfile::read_text(&args.file, LIMIT)?).map(Some),
    };
    args.watch.answer(ask, args.given.out.as_deref(), json)
}

fn asked(args: &Args, text: &Text) -> Result<Asked, Failure> {
    let first = if args.first_counts { FirstReport::Counts } else { FirstReport::Alone };
    let options = IostatOptions { interval: args.interval, first, ..IostatOptions::default() };
    let mut timeline =
        progress::reading(&args.file, || ingest::iostat::read(text, &options)).map_err(|error| match error {
            ingest::GatherError::NoInterval { .. } => Failure::input(format!("{error}: --interval 1s")),
            error => error.into(),
        })?;
    if let Some(told) = timeline.about.notes.get_mut(ingest::iostat::LEFT_OUT) {
        told.push_str("; with --first-counts it counts");
    }
    Ok(Asked { of: args.file.display().to_string(), timeline, known: args.given.known(None)? })
}
