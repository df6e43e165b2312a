//! `diskwright disk record`: runs a command and records its disks.

use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use mount::{CounterReading, DaemonClient};
use report::verbs::record::{DiskRecording, document, text};

use crate::failure::Failure;
use crate::output::Output;
use crate::{home, inputs, on_signal};

/// Arguments of `disk record`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright disk record /mnt/data -- fio --name=x --directory=/mnt/data --size=1g --rw=randwrite
  diskwright disk record /mnt/tikv --out run.parquet -- ./load.sh
  diskwright disk record /mnt/tikv --out run.csv -- sleep 60

The file holds every disk second by second: I/Os, bytes, latency histograms, queue, credits, what
held requests up; and minute by minute the series that CloudWatch would show. Exits with 1 if the
command fails.")]
pub(crate) struct Args {
    /// Mount point of the disks
    dir: PathBuf,
    /// File to write: .parquet, .csv or .json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Command with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Interval of the samples.
const STEP: Duration = Duration::from_secs(1);
/// Interval of the looks whether the command has ended.
const GLANCE: Duration = Duration::from_millis(20);

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    if let Some(out) = &args.out {
        timeline::TimelineFormat::of(out)?;
    }
    let node = mount::find(&home::home()?, &args.dir)?;
    let client = DaemonClient::of(&node)?;
    let mut readings = vec![client.reading()?];
    let mut child = start(&args.command)?;
    let status = watch(&mut child, &client, &mut readings)?;
    if let Some(out) = &args.out {
        let samples: Vec<_> = readings.iter().map(|reading| reading.sample.clone()).collect();
        let histograms: Vec<_> = readings.iter().map(|reading| reading.latencies.clone()).collect();
        let view = inputs::view(node.as_of);
        mount::recorded_timeline(&node, args.command.join(" "), &view, &samples, &histograms)?.write(out)?;
    }
    let (span, disks) = mount::recorded_disks(&readings[0], &readings[readings.len() - 1]);
    let recording = DiskRecording { command: &args.command, out: args.out.as_deref(), span, disks, status };
    let output = match json {
        true => Output::json(&document(&recording)),
        false => Output::text(text(&recording)),
    };
    Ok(output.negative(!status.success()))
}

/// Starts the command. An interrupt from the keyboard reaches it too; this program stays to write the recording.
fn start(command: &[String]) -> Result<Child, Failure> {
    on_signal::catch()?;
    let child = Command::new(&command[0]).args(&command[1..]).spawn();
    child.map_err(|error| Failure::input(format!("`{}` cannot be run: {error}", command[0])))
}

fn watch(child: &mut Child, client: &DaemonClient, readings: &mut Vec<CounterReading>) -> Result<ExitStatus, Failure> {
    let mut next = Instant::now() + STEP;
    loop {
        let ended = child.try_wait().map_err(|error| Failure::environment(error.to_string()))?;
        if ended.is_some() || Instant::now() >= next {
            readings.push(client.reading()?);
            next += STEP;
        }
        match ended {
            Some(status) => return Ok(status),
            None => std::thread::sleep(GLANCE),
        }
    }
}
