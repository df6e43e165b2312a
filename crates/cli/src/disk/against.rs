//! `diskwright disk probe --against`: the model beside what others measured.

use std::path::PathBuf;

use catalog::Date;
use disk::Disk;
use probe::against::{ArrivalProcess, MatrixSetup, ModelledDisk, PublishedMeasurement, compare};
use serde_json::json;
use units::{Bytes, Nanos};

use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;
use crate::progress::Steps;

/// Largest file of measurements that is read.
const LIMIT: Bytes = Bytes::mib(64);

/// Options of `disk probe --against`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "With --against")]
pub(super) struct AgainstArgs {
    /// File of measurements to compare the model of a disk with: a matrix or results of fio, as CSV or JSON
    #[arg(long, value_name = "FILE", requires = "disk", value_hint = clap::ValueHint::FilePath)]
    pub(super) against: Option<PathBuf>,
    /// Disk that was measured, such as gp3:1000GiB,16000iops,1000MiB/s
    #[arg(long, value_name = "DISK", requires = "against")]
    disk: Option<Disk>,
    /// Instance type that it was attached to: its caps apply, too
    #[arg(long, value_name = "TYPE", requires = "against")]
    instance: Option<String>,
    /// Day whose limits apply: 2020-11-25, 2020-11 or 2020
    #[arg(long, value_name = "DATE", value_parser = inputs::day, requires = "against")]
    as_of: Option<Date>,
    /// Full burst credits at the start, instead of none
    #[arg(long, requires = "against")]
    credits_full: bool,
    /// Size of a random read of a matrix [default: 512 B]
    #[arg(long, value_name = "SIZE", requires = "against", value_parser = block)]
    read_size: Option<Bytes>,
    /// Sequential writes of a matrix in flight at most [default: 64]
    #[arg(long, value_name = "N", requires = "against", value_parser = clap::value_parser!(u32).range(1..=4096))]
    writer_depth: Option<u32>,
    /// Arrival process of a matrix's reads: even or poisson [default: poisson]
    #[arg(long, value_name = "PROCESS", requires = "against")]
    arrivals: Option<ArrivalProcess>,
}

/// Reads the size of a request.
fn block(text: &str) -> Result<Bytes, String> {
    let size: Bytes = text.parse().map_err(|error: units::ParseError| error.to_string())?;
    let (least, most) = (Bytes(512), Bytes::mib(64));
    if (least..=most).contains(&size) { Ok(size) } else { Err(format!("expected {least} to {most}")) }
}

pub(super) fn run(args: &AgainstArgs, json: bool) -> Result<Output, Failure> {
    let (Some(file), Some(disk)) = (&args.against, &args.disk) else {
        return Err(Failure::input("--against FILE and --disk DISK belong together"));
    };
    let text = textfile::read_text(file, LIMIT)?;
    let measured = PublishedMeasurement::read(file, text.content()).map_err(|e| Failure::input(e.to_string()))?;
    let view = inputs::view(args.as_of);
    let instance = args.instance.as_deref().map(|name| view.instance(name)).transpose()?;
    let subject = ModelledDisk {
        name: disk.to_string(),
        kind: disk.volume.kind.clone(),
        spec: disk.spec(&view, instance)?,
        caps: instance.and_then(|instance| instance.caps),
        credits_full: args.credits_full,
        seed: 1,
    };
    let usual = MatrixSetup::default();
    let setup = MatrixSetup {
        read_size: args.read_size.unwrap_or(usual.read_size),
        writer_depth: args.writer_depth.unwrap_or(usual.writer_depth),
        arrivals: args.arrivals.unwrap_or(usual.arrivals),
        ..usual
    };
    let bar = Steps::new(1);
    let started = std::time::Instant::now();
    let mut told = |done: usize, of: usize| {
        let spent = started.elapsed().as_secs_f64();
        let left = Nanos::from_secs_f64(spent / done.max(1) as f64 * (of - done) as f64);
        bar.at(done as u64, of as u64, "on the model", left);
    };
    let came = compare(&measured, &subject, &setup, &mut told);
    bar.end();
    let came = came.map_err(|error| Failure::input(error.what))?;
    let on = args.instance.as_ref().map_or(String::new(), |name| format!(" on {name}"));
    let credits = if args.credits_full { "full" } else { "none" };
    if json {
        let mut value = came.json();
        value["disk"] = json!(subject.name);
        value["instance"] = json!(args.instance);
        value["credits"] = json!(credits);
        value["file"] = json!(file.display().to_string());
        return Ok(Output::json(&value));
    }
    Ok(Output::text(format!("{disk}{on} (burst credits: {credits}) beside {}\n\n{came}", file.display())))
}
