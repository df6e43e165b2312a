//! Results of fio as a table: a run a row.

use std::path::Path;

use units::{Bytes, Iops, Nanos};

use super::AgainstError;
use super::fio_runs::{FioResults, FioRun, MeasuredSide, NamedVolume};
use crate::fio::{AccessPattern, FioEngine, FioJob};

const NEEDED: [&str; 3] = ["rw", "block_KiB", "iops"];
/// Runs that are read at most.
const MOST_RUNS: usize = 10_000;
/// A run's time where the table does not say it: fio's users mostly give it ten seconds or more.
const RUNTIME: Nanos = Nanos::secs(10);

/// Whether a first line names the columns of such a table.
pub(super) fn is_header(line: &str) -> bool {
    NEEDED.iter().all(|name| line.split(',').any(|cell| cell.trim() == *name))
}

#[derive(serde::Deserialize)]
struct Row {
    volume: Option<String>,
    provisioned_iops: Option<String>,
    rw: String,
    #[serde(rename = "block_KiB")]
    block_kib: f64,
    depth_total: Option<u32>,
    jobs: Option<u32>,
    iodepth_per_job: Option<u32>,
    runtime_s: Option<f64>,
    iops: f64,
    clat_mean_ms: Option<f64>,
    clat_p50_ms: Option<f64>,
    clat_p95_ms: Option<f64>,
    clat_p99_ms: Option<f64>,
    clat_p99_9_ms: Option<f64>,
}

/// Reads the table. Latencies are fio's completion latencies (`clat`) in milliseconds.
pub(super) fn read(path: &Path, text: &str) -> Result<FioResults, AgainstError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut runs = Vec::new();
    for row in reader.deserialize() {
        let line = runs.len() as u64 + 2;
        let row: Row =
            row.map_err(|e: csv::Error| AgainstError::new(path, e.position().map(csv::Position::line), e.to_string()))?;
        runs.push(run(&row).map_err(|what| AgainstError::new(path, Some(line), what))?);
        if runs.len() > MOST_RUNS {
            return Err(AgainstError::new(path, Some(line), format!("more than {MOST_RUNS} runs")));
        }
    }
    if runs.is_empty() { Err(AgainstError::new(path, None, "the table has no runs")) } else { Ok(FioResults { runs }) }
}

fn run(row: &Row) -> Result<FioRun, String> {
    let pattern = pattern(&row.rw, 0.5).ok_or_else(|| format!("rw: {:?} is no pattern of fio", row.rw))?;
    let positive = |name: &str, value: f64| {
        if value.is_finite() && value > 0.0 { Ok(value) } else { Err(format!("{name}: {value} is not over 0")) }
    };
    let block = Bytes((positive("block_KiB", row.block_kib)? * 1024.0).min(f64::from(u32::MAX)) as u64);
    let depth = row.depth_total.unwrap_or(row.jobs.unwrap_or(1).saturating_mul(row.iodepth_per_job.unwrap_or(1)));
    if !(1..=MOST_DEPTH).contains(&depth) {
        return Err(format!("a queue depth of {depth}: expected 1 to {MOST_DEPTH}"));
    }
    let runtime = match row.runtime_s {
        Some(seconds) => Nanos::from_secs_f64(positive("runtime_s", seconds)?.min(600.0)),
        None => RUNTIME,
    };
    let mut latencies = [None; 5];
    let given = [row.clat_mean_ms, row.clat_p50_ms, row.clat_p95_ms, row.clat_p99_ms, row.clat_p99_9_ms];
    for ((latency, ms), name) in latencies.iter_mut().zip(given).zip(MeasuredSide::QUANTITIES) {
        *latency = ms.map(|ms| positive(name, ms).map(|ms| Nanos::from_secs_f64(ms / 1e3))).transpose()?;
    }
    let side = MeasuredSide { iops: Iops(positive("iops", row.iops)?), latencies };
    let mut measured = [None; 2];
    measured[usize::from(pattern.writes())] = Some(side);
    let job = FioJob {
        depth,
        engine: FioEngine::Libaio,
        runtime: Some(runtime),
        ramp: Nanos(0),
        size: None,
        ..FioJob::new("", pattern, block)
    };
    let volume = row.volume.as_deref().map(|name| named(name, row.provisioned_iops.as_deref())).transpose()?;
    let provisioned = row.provisioned_iops.as_deref().filter(|text| !text.is_empty());
    let on = [row.volume.as_deref(), provisioned].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let name = format!("{on} {} {} KiB, depth {depth}", row.rw, row.block_kib).trim_start().to_owned();
    Ok(FioRun { name, volume, jobs: vec![job], measured })
}

/// Requests in flight at most: more take memory and tell nothing.
pub(super) const MOST_DEPTH: u32 = 100_000;

/// fio's `rw`; `reads` is the share of reads in a mix.
pub(super) fn pattern(rw: &str, reads: f64) -> Option<AccessPattern> {
    Some(match rw {
        "read" => AccessPattern::Read,
        "write" => AccessPattern::Write,
        "randread" => AccessPattern::RandRead,
        "randwrite" => AccessPattern::RandWrite,
        "rw" | "readwrite" => AccessPattern::ReadWrite(reads),
        "randrw" => AccessPattern::RandRw(reads),
        _ => return None,
    })
}

/// A volume's name and rate, such as `gp3 RAID-0 x2` and `2x4000`.
fn named(name: &str, iops: Option<&str>) -> Result<NamedVolume, String> {
    let kind = name.split_whitespace().next().unwrap_or_default().to_owned();
    let Some(iops) = iops.filter(|text| !text.is_empty()) else {
        return Ok(NamedVolume { kind, stripe: 1, iops: None });
    };
    let (stripe, each) = iops.split_once('x').unwrap_or(("1", iops));
    match (stripe.trim().parse(), each.trim().parse()) {
        (Ok(stripe), Ok(each)) => Ok(NamedVolume { kind, stripe, iops: Some(each) }),
        _ => Err(format!("provisioned_iops: {iops:?} is no rate such as 4000 or 2x4000")),
    }
}
