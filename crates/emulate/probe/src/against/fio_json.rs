//! Results of fio as it prints them with `--output-format=json`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use units::{Bytes, Iops, Nanos};

use super::AgainstError;
use super::fio_csv::{MOST_DEPTH, pattern};
use super::fio_runs::{FioResults, FioRun, MeasuredSide};
use crate::fio::{FioEngine, FioJob};

type Options = BTreeMap<String, String>;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "global options", default)]
    global: Options,
    jobs: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    jobname: String,
    #[serde(default)]
    groupid: i64,
    #[serde(rename = "job options", default)]
    options: Options,
    read: Side,
    write: Side,
}

#[derive(Deserialize)]
struct Side {
    #[serde(default)]
    total_ios: u64,
    #[serde(default)]
    iops: f64,
    /// In milliseconds.
    #[serde(default)]
    runtime: f64,
    clat_ns: Option<Latency>,
}

#[derive(Deserialize)]
struct Latency {
    #[serde(default)]
    mean: f64,
    #[serde(default)]
    percentile: BTreeMap<String, f64>,
}

/// Reads the document. Jobs of one reporting group ran side by side.
pub(super) fn read(path: &Path, text: &str) -> Result<FioResults, AgainstError> {
    // fio prints warnings before the document on the same stream.
    let document = text.find('{').map_or(text, |start| &text[start..]);
    let document: Document = serde_json::from_str(document)
        .map_err(|e| AgainstError::new(path, Some(e.line() as u64), format!("not what fio prints as JSON: {e}")))?;
    let mut groups: BTreeMap<i64, Vec<Entry>> = BTreeMap::new();
    for entry in document.jobs {
        groups.entry(entry.groupid).or_default().push(entry);
    }
    let runs: Result<Vec<FioRun>, String> = groups.values().map(|group| run(&document.global, group)).collect();
    let runs = runs.map_err(|what| AgainstError::new(path, None, what))?;
    if runs.is_empty() { Err(AgainstError::new(path, None, "fio ran no job")) } else { Ok(FioResults { runs }) }
}

fn run(global: &Options, group: &[Entry]) -> Result<FioRun, String> {
    let mut jobs = Vec::new();
    for entry in group {
        let same = group.iter().filter(|other| other.jobname == entry.jobname).count();
        jobs.push(job(global, entry, same)?);
    }
    let side = |of: fn(&Entry) -> &Side| together(group.iter().map(of).filter(|side| side.total_ios > 0));
    let name = group.first().map_or(String::new(), |entry| entry.jobname.clone());
    Ok(FioRun { name, volume: None, jobs, measured: [side(|e| &e.read), side(|e| &e.write)] })
}

/// The job of an entry, of which `same` in its group have its name: fio without `group_reporting` prints each thread.
fn job(global: &Options, entry: &Entry, same: usize) -> Result<FioJob, String> {
    let option = |names: &[&str]| {
        names.iter().find_map(|name| entry.options.get(*name).or_else(|| global.get(*name))).map(String::as_str)
    };
    let count = |names: &[&str], default: u32| match option(names) {
        Some(text) => text.parse().map_err(|_| format!("{}: {}: {text:?} is no count", entry.jobname, names[0])),
        None => Ok(default),
    };
    let share = f64::from(count(&["rwmixread"], 50)?.min(100)) / 100.0;
    // A suffix such as `randread:8` or `write:4k` sets offsets.
    let rw = option(&["rw", "readwrite"]).unwrap_or("read").split(':').next().unwrap_or_default();
    let pattern = pattern(rw, share).ok_or_else(|| format!("{}: rw: {rw:?} is not modelled", entry.jobname))?;
    // `bs` may hold sizes of reads, writes and trims.
    let block = option(&["bs", "blocksize"]).unwrap_or("4k").split(',').next().unwrap_or_default();
    let block = size(block).ok_or_else(|| format!("{}: bs: {block:?} is no size", entry.jobname))?;
    let threads = if same > 1 { 1 } else { count(&["numjobs"], 1)? };
    let asynchronous =
        !matches!(option(&["ioengine"]), Some("sync" | "psync" | "vsync" | "pvsync" | "pvsync2" | "mmap"));
    let depth = if asynchronous { count(&["iodepth"], 1)? } else { 1 };
    if !(1..=MOST_DEPTH).contains(&depth.saturating_mul(threads)) {
        return Err(format!(
            "{}: {threads} jobs of depth {depth}: expected 1 to {MOST_DEPTH} in flight",
            entry.jobname
        ));
    }
    let runtime = entry.read.runtime.max(entry.write.runtime).clamp(1.0, 600_000.0);
    let rate = option(&["rate_iops"]).and_then(|text| text.split(',').find_map(|part| part.parse::<f64>().ok()));
    Ok(FioJob {
        depth: depth * threads,
        engine: FioEngine::Libaio,
        runtime: Some(Nanos::from_secs_f64(runtime / 1e3)),
        ramp: Nanos(0),
        size: None,
        rate_iops: rate.map(|rate| Iops(rate * f64::from(threads))),
        poisson: option(&["rate_process"]) == Some("poisson"),
        ..FioJob::new("", pattern, block)
    })
}

/// fio's sizes: `4k`, `128Ki`, `1M`, `4096`; powers of 1024 (its default `kb_base`).
fn size(text: &str) -> Option<Bytes> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let shift = match text[digits..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" | "ki" => 10,
        "m" | "mb" | "mib" | "mi" => 20,
        _ => return None,
    };
    let bytes = number.checked_shl(shift).filter(|bytes| (1..=u64::from(u32::MAX)).contains(bytes))?;
    Some(Bytes(bytes))
}

/// The threads of a direction as one. Percentiles of several cannot be put together: those of the busiest stand for all.
fn together<'a>(sides: impl Iterator<Item = &'a Side>) -> Option<MeasuredSide> {
    let sides: Vec<&Side> = sides.collect();
    let busiest = sides.iter().max_by_key(|side| side.total_ios)?;
    let time = |ns: f64| (ns > 0.0).then_some(Nanos(ns as u64));
    let latencies = busiest.clat_ns.as_ref().map_or([None; 5], |latency| {
        let at = |key: &str| latency.percentile.get(key).copied().and_then(time);
        [time(latency.mean), at("50.000000"), at("95.000000"), at("99.000000"), at("99.900000")]
    });
    Some(MeasuredSide { iops: Iops(sides.iter().map(|side| side.iops).sum()), latencies })
}
