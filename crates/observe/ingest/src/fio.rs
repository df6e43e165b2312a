//! Results of fio (`--output-format=json`): each group of jobs that ran together is an interval, in which the disk under them did what
//! they did.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use textfile::{InputError, Text};
use timeline::{SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
use crate::stamp;

/// The format of fio's results.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FioResult;

/// Length of a run that does not say how long it took and for which nobody says it: rates do not depend on it.
const UNSAID: Nanos = Nanos::secs(60);

impl InputFormat for FioResult {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn about(&self) -> &'static str {
        "the result of a run of fio as JSON"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  fio --output-format=json --output=fio.json job.fio
  diskwright diagnose fio fio.json --disk nvme1n1=gp3:500GiB --instance m5.2xlarge
  diskwright diagnose fio fio.json

Names the limit that the run met. Without --disk it says near which rate the disk is full, and
which disks for sale have that limit. Jobs of a group ran together; groups ran one after the other."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        glimpse.has_all(&["\"fio version\""])
            || glimpse.is_json() && glimpse.has_all(&["\"jobs\"", "\"jobname\"", "\"iops\""])
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let mut all = TimelineBuilder::default();
        let mut about = TimelineInfo::default();
        for file in files {
            let text = file.text()?;
            let document = last_document(&text)?;
            about.title = format!("fio, {}", text.path().display());
            let start = ["timestamp_ms", "timestamp"].into_iter().find_map(|key| stamp::epoch(document[key].as_f64()?));
            let groups = groups(&document, &text)?;
            let (mut from, mut lengths) = (Nanos(0), Nanos(0));
            for group in groups.values() {
                let length = group.length.or(options.interval).unwrap_or(UNSAID);
                let until = Nanos(from.0.saturating_add(length.0));
                let disk = group.disk(&document, file);
                group.put(&mut all, &disk, (from, until));
                (from, lengths) = (until, until);
            }
            // fio stamps its result when it prints it: at the end.
            about.start = start
                .and_then(|end: Timestamp| Timestamp::from_nanosecond(end.as_nanosecond() - i128::from(lengths.0)).ok())
                .or(options.start);
        }
        let timeline = Timeline { about, series: all.finish_sorted() };
        timeline.validate()?;
        Ok(timeline)
    }
}

/// The last document of a file: with `--status-interval` fio prints one after the other, each of the whole run until then. Lines
/// before it are warnings of fio.
fn last_document(text: &Text) -> Result<Value, InputError> {
    let content = text.content();
    let begin = content.find('{').unwrap_or(0);
    let mut documents = serde_json::Deserializer::from_str(&content[begin..]).into_iter::<Value>();
    let mut last = None;
    loop {
        match documents.next() {
            Some(Ok(document)) if document["jobs"].is_array() || document["client_stats"].is_array() => {
                last = Some(document)
            }
            Some(Ok(_)) => {}
            Some(Err(error)) if last.is_none() => {
                let at = begin + documents.byte_offset();
                return Err(text.error_at(at, format!("is not JSON: {error}")));
            }
            // What follows the last document is fio's output for people, or was cut off.
            Some(Err(_)) | None => break,
        }
    }
    last.ok_or_else(|| {
        InputError::new(text.path(), "has no `jobs`: expected the result of a run of fio")
            .help("run fio with `--output-format=json`")
    })
}

/// What the jobs of a group did together, a second.
#[derive(Debug, Default)]
struct JobGroup {
    length: Option<Nanos>,
    /// Of reads, writes and trims: operations, bytes, seconds of operations.
    done: [[f64; 3]; 3],
    /// Syncs: operations and seconds of them.
    syncs: Option<[f64; 2]>,
    files: Vec<String>,
}

fn groups(document: &Value, text: &Text) -> Result<BTreeMap<u64, JobGroup>, InputError> {
    let mut groups: BTreeMap<u64, JobGroup> = BTreeMap::new();
    let list = |key: &str| document[key].as_array().map_or(&[][..], Vec::as_slice);
    // With clients, `client_stats` holds their jobs, and a sum of all of them as the last.
    let (jobs, clients) = (list("jobs"), list("client_stats"));
    let jobs: Vec<&Value> = jobs.iter().chain(clients.iter().filter(|job| job["jobname"] != "All clients")).collect();
    for job in jobs {
        let group = groups.entry(job["groupid"].as_u64().unwrap_or(0)).or_default();
        let name = job["jobname"].as_str().unwrap_or_default();
        for (index, direction) in ["read", "write", "trim"].into_iter().enumerate() {
            let side = &job[direction];
            let number = |key: &str| side[key].as_f64().filter(|number| number.is_finite() && *number >= 0.0);
            let iops = number("iops").unwrap_or(0.0);
            // Before 3.0 `bw` alone, in KiB/s; `bw_bytes` since.
            let bytes = number("bw_bytes").or_else(|| number("bw").map(|kib| kib * 1024.0)).unwrap_or(0.0);
            if iops <= 0.0 {
                continue;
            }
            let sum = &mut group.done[index];
            sum[0] += iops;
            sum[1] += bytes;
            sum[2] += iops * latency(side).unwrap_or(0.0);
            if !(iops.is_finite() && bytes.is_finite()) {
                let message = format!("job `{name}`: `{direction}` has no rate");
                return Err(InputError::new(text.path(), message));
            }
            // `runtime` of the direction is in milliseconds since 3.0, as that of the job is.
            let runtime = number("runtime").or_else(|| job["job_runtime"].as_f64()).filter(|millis| *millis > 0.0);
            let runtime = runtime.map(|millis| Nanos::from_secs_f64((millis / 1e3).min(1e9)));
            group.length = group.length.max(runtime);
        }
        let sync = &job["sync"];
        if let (Some(count), Some(mean)) = (sync["total_ios"].as_f64(), latency(sync))
            && let Some(length) = group.length.filter(|_| count > 0.0)
        {
            let rate = count / length.as_secs_f64();
            let syncs = group.syncs.get_or_insert([0.0; 2]);
            *syncs = [syncs[0] + rate, syncs[1] + rate * mean];
        }
        let option = |options: &Value| options["filename"].as_str().map(str::to_owned);
        group.files.extend(option(&job["job options"]).or_else(|| option(&document["global options"])));
    }
    Ok(groups)
}

/// Mean seconds of an operation, from its submission if that is told, else of its completion.
fn latency(side: &Value) -> Option<f64> {
    [("lat_ns", 1e9), ("clat_ns", 1e9), ("lat", 1e6), ("clat", 1e6)].into_iter().find_map(|(key, unit)| {
        side[key]["mean"].as_f64().filter(|mean| mean.is_finite() && *mean > 0.0).map(|mean| mean / unit)
    })
}

impl JobGroup {
    /// What the disk under the jobs is called: the device that they name, else the one disk that fio saw at work, else the file.
    fn disk(&self, document: &Value, file: &InputFile) -> String {
        let device = self.files.iter().find_map(|name| name.strip_prefix("/dev/"));
        let used = document["disk_util"].as_array().map_or(&[][..], Vec::as_slice);
        let busiest = used.iter().max_by(|a, b| {
            let ios =
                |disk: &Value| disk["read_ios"].as_f64().unwrap_or(0.0) + disk["write_ios"].as_f64().unwrap_or(0.0);
            ios(a).total_cmp(&ios(b))
        });
        let used = || busiest.and_then(|disk| disk["name"].as_str());
        device.or_else(used).map_or_else(|| file.stem(), str::to_owned)
    }

    fn put(&self, series: &mut TimelineBuilder, disk: &str, (from, until): (Nanos, Nanos)) {
        let labels = timeline::labels([("disk", disk)]);
        let seconds = Nanos(until.0 - from.0).as_secs_f64();
        let mut sum = |spec: SeriesSpec, rate: f64| {
            series.value(spec, &labels, SeriesPoint { from, until, value: rate * seconds });
        };
        let kinds = [
            [vocabulary::READ_OPS, vocabulary::READ_BYTES, vocabulary::READ_TIME],
            [vocabulary::WRITE_OPS, vocabulary::WRITE_BYTES, vocabulary::WRITE_TIME],
            [vocabulary::DISCARD_OPS, vocabulary::DISCARD_BYTES, vocabulary::DISCARD_TIME],
        ];
        let trims = self.done[2][0] > 0.0;
        for (specs, done) in kinds.into_iter().zip(self.done).take(if trims { 3 } else { 2 }) {
            for (spec, rate) in specs.into_iter().zip(done) {
                sum(spec, rate);
            }
        }
        if let Some([rate, time]) = self.syncs {
            sum(vocabulary::FLUSH_OPS, rate);
            sum(vocabulary::FLUSH_TIME, time);
        }
        // Jobs ask again as soon as they are answered.
        let queue: f64 = self.done.iter().map(|[_, _, time]| time).sum();
        sum(vocabulary::BUSY_TIME, queue.min(1.0));
        if queue > 0.0 {
            series.value(vocabulary::QUEUE_DEPTH, &labels, SeriesPoint { from, until, value: queue });
        }
    }
}

#[cfg(test)]
#[path = "fio/tests.rs"]
mod tests;
