//! `diskwright diagnose mounted`: from the counters of mounted disks.

use std::path::PathBuf;

use mount::DaemonClient;
use units::Nanos;

use super::given::Given;
use super::watch::{Asked, Watch};
use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// Arguments of `diagnose mounted`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose mounted /mnt/tikv
  diskwright diagnose mounted /mnt/tikv --since 2m --watch=5s

The daemons keep each second of the last hour and each minute of the 14 days before.")]
pub(crate) struct Args {
    /// Folder of the mounted disks
    dir: PathBuf,
    /// Time before now to read
    #[arg(long, value_name = "SPAN", default_value = "10m")]
    since: Nanos,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    args.watch.answer(|| ask(args).map(Some), args.given.out.as_deref(), json)
}

fn ask(args: &Args) -> Result<Asked, Failure> {
    let node = mount::find(&home::home()?, &args.dir)?;
    let client = DaemonClient::of(&node)?;
    let now = client.sample()?;
    let mut samples = client.history(Nanos(now.at.0.saturating_sub(args.since.0)))?;
    samples.push(now);
    let timeline = mount::sampled_timeline(&node, &samples);
    let mut known = args.given.known(None)?;
    known.learn_noted(&timeline);
    Ok(Asked { of: args.dir.display().to_string(), timeline, known })
}
