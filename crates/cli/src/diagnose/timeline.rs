//! `diskwright diagnose timeline`: from a file that another verb wrote.

use std::path::PathBuf;

use deployment::Deployment;
use textfile::Text;
use timeline::Timeline;

use super::answer::answer;
use super::given::Given;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Arguments of `diagnose timeline`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright simulate examples/raft-shared.toml examples/social-inserts.toml --out run
  diskwright diagnose timeline run/timeline.parquet --out report
  diskwright diagnose timeline recorded.parquet --disk gp2:400GiB --region us-west-2 --json

A Timeline of simulate knows its deployment; --on names another. Of other Timelines say what their
disks and instances are; series of CloudWatch are understood under CloudWatch's own names.")]
pub(crate) struct Args {
    /// Timeline: .parquet, .csv or .json
    file: PathBuf,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let timeline = progress::reading(&args.file, || Timeline::read(&args.file))?;
    let brought = timeline.about.notes.get("deployment");
    let brought = brought.and_then(|text| Deployment::from_text(&Text::new("the Timeline's deployment", &**text)).ok());
    let mut known = args.given.known(brought)?;
    known.learn_noted(&timeline);
    answer(&args.file.display().to_string(), &timeline, &known, args.given.out.as_deref(), json)
}
