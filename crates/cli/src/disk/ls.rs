//! `diskwright disk ls`: the mounted disks and their current rates.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mount::{DaemonClient, MountedActivity};
use report::text::json_line;
use report::verbs::disks::{document, rough, text};
use serde_json::json;
use units::Nanos;

use crate::failure::Failure;
use crate::output::{Output, print, print_anew};
use crate::{home, inputs};

/// Arguments of `disk ls`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk ls
  diskwright disk ls /mnt/tikv --watch
  diskwright disk ls --json
  diskwright disk ls /mnt/tikv --history month.parquet

Rates are of the last second. \"Held up by\" names the limit at which requests waited, and for how
much of the time; errors are counted since the disk was mounted. With --watch and --json, one
document a line. Exits with 1 if a daemon is gone, or lives on without its files.
The history holds every second of the last hour and every minute of the 14 days before, with the
series that CloudWatch would show.")]
pub(crate) struct Args {
    /// Mount point, or a folder above several [default: all]
    dir: Option<PathBuf>,
    /// Refresh every second, until interrupted
    #[arg(long)]
    watch: bool,
    /// File for the history: .parquet, .csv or .json
    #[arg(long, value_name = "FILE", requires = "dir", conflicts_with = "watch")]
    history: Option<PathBuf>,
}

/// Time over which rates are measured.
const SPAN: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if let (Some(dir), Some(file)) = (&args.dir, &args.history) {
        return history(dir, file, json);
    }
    let home = home::home()?;
    loop {
        let seen = MountedActivity::measure(&home, args.dir.as_deref(), SPAN, args.watch)?;
        if !args.watch {
            let output = if json { Output::json(&document(&seen)) } else { Output::text(text(&seen)) };
            return Ok(output.negative(seen.is_broken()));
        }
        let shown = match json {
            true => print(&json_line(&document(&seen))),
            false => print_anew(&text(&seen)),
        };
        if shown.is_err() {
            return Ok(Output::text(""));
        }
    }
}

/// Writes the history of a node.
fn history(dir: &Path, file: &Path, json: bool) -> Result<Output, Failure> {
    timeline::TimelineFormat::of(file)?;
    let node = mount::find(&home::home()?, dir)?;
    let client = DaemonClient::of(&node)?;
    let mut samples = client.history(Nanos(0))?;
    samples.push(client.sample()?);
    let timeline =
        mount::recorded_timeline(&node, node.dir.display().to_string(), &inputs::view(node.as_of), &samples, &[])?;
    timeline.write(file)?;
    let span = samples[samples.len() - 1].at - samples[0].at;
    Ok(match json {
        true => Output::json(
            &json!({ "out": file.to_string_lossy(), "samples": samples.len(), "span_s": span.as_secs_f64() }),
        ),
        false => Output::text(format!("{} of {} written to {}\n", rough(span), dir.display(), file.display())),
    })
}
