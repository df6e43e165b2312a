//! Loads of a disk by itself, in virtual time: no database, only the disk's behaviour.

use std::collections::BTreeMap;

use disk::{Device, Disk, DiskLimits, InstanceLink, IoOperation, IoRequest};
use units::{Bytes, Nanos};

use crate::combine::{Combination, pair_ratios};
use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::rung::Rung;

/// `[disk-load]`: mean latency in milliseconds of the foreground streams of each run, weighted by their rates, combined.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DiskLoadRecipe {
    runs: Vec<LoadedDisk>,
    streams: BTreeMap<String, StreamSpec>,
    #[serde(default)]
    ours: Combination,
    /// Time at the beginning, in which burst buckets and queues settle, that is not measured.
    #[serde(default = "twenty_seconds")]
    settle: Nanos,
    /// Measured time.
    #[serde(default = "one_minute")]
    span: Nanos,
}

fn twenty_seconds() -> Nanos {
    Nanos::secs(20)
}

fn one_minute() -> Nanos {
    Nanos::secs(60)
}

/// A disk on an instance under some streams, burst credits spent.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LoadedDisk {
    disk: Disk,
    instance: String,
    /// Names in `streams`.
    streams: Vec<String>,
}

/// Requests of one kind at a steady rate while the queue has room.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StreamSpec {
    operation: StreamOperation,
    /// Size of a request.
    bytes: Bytes,
    /// Requests a second.
    rate: Option<f64>,
    /// The rate as a share of the disk's IOPS.
    iops_share: Option<f64>,
    /// The rate as a share of the disk's throughput.
    throughput_share: Option<f64>,
    /// Requests in flight at most.
    depth: usize,
    /// Whether each request follows the last on the disk.
    #[serde(default)]
    sequential: bool,
    /// Whether its latency is left out.
    #[serde(default)]
    background: bool,
}

/// Direction of a stream.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StreamOperation {
    Read,
    Write,
}

impl Evaluator for DiskLoadRecipe {
    fn rung(&self) -> Rung {
        Rung::Simulate
    }

    fn check(&self) -> Result<(), RecipeFault> {
        self.ours.check("runs", self.runs.len())?;
        for (name, stream) in &self.streams {
            stream
                .check()
                .map_err(|problem| RecipeFault::new(format!("streams.{name}"), format!("`{name}`: {problem}")))?;
        }
        for (i, run) in self.runs.iter().enumerate() {
            let names: Vec<&str> = self.streams.keys().map(String::as_str).collect();
            if let Some(name) = run.streams.iter().find(|name| !self.streams.contains_key(*name)) {
                let problem = format!("no stream is called `{name}`; {}", textfile::did_you_mean(name, &names));
                return Err(RecipeFault::new(format!("runs.{i}.streams"), problem));
            }
            if run.streams.iter().all(|name| self.streams[name].background) {
                let problem = "the run has no stream whose latency counts; expected one without `background = true`";
                return Err(RecipeFault::new(format!("runs.{i}.streams"), problem));
            }
        }
        Ok(())
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let means = self.runs.iter().map(|run| Ok(vec![self.mean(context, run)?]));
        let means = means.collect::<Result<Vec<_>, ClaimError>>()?;
        let answer = ClaimAnswer::from(self.ours.of(&means));
        Ok(match self.ours {
            Combination::Least => {
                let each = self.runs.iter().zip(&means).map(|(run, mean)| format!("{} {:.1} ms", run.disk, mean[0]));
                answer.remark(format!("The least of {}.", each.collect::<Vec<_>>().join("; ")))
            }
            Combination::Trend => {
                let ratios: Vec<String> = pair_ratios(&means).iter().map(|ratio| format!("{ratio:.1}")).collect();
                answer.remark(format!("Latency of the second of each pair over the first: {}.", ratios.join("; ")))
            }
            _ => answer,
        })
    }
}

impl StreamSpec {
    fn check(&self) -> Result<(), String> {
        let rates: Vec<f64> = [self.rate, self.iops_share, self.throughput_share].into_iter().flatten().collect();
        match rates[..] {
            [rate] if rate.is_finite() && rate > 0.0 => {}
            [rate] => return Err(format!("a rate of {rate}; expected over 0")),
            _ => return Err("expected one of `rate`, `iops-share` and `throughput-share`".to_owned()),
        }
        if self.bytes.0 == 0 || self.bytes.0 > u64::from(u32::MAX) || self.depth == 0 {
            return Err("expected `bytes` of 1 to 4 GiB and a `depth` over 0".to_owned());
        }
        Ok(())
    }

    fn paced(&self, limits: &DiskLimits) -> PacedStream {
        let bytes = self.bytes.0 as u32;
        let rate = match (self.rate, self.iops_share, self.throughput_share) {
            (Some(rate), _, _) => rate,
            (_, Some(share), _) => share * limits.iops.0,
            (_, _, share) => share.unwrap_or(0.0) * limits.throughput.0 / f64::from(bytes),
        };
        let op = match self.operation {
            StreamOperation::Read => IoOperation::Read,
            StreamOperation::Write => IoOperation::Write,
        };
        PacedStream { op, bytes, rate, depth: self.depth, sequential: self.sequential }
    }
}

impl DiskLoadRecipe {
    /// Mean latency of a run's foreground, in milliseconds.
    fn mean(&self, context: &EvaluationContext<'_>, run: &LoadedDisk) -> Result<f64, ClaimError> {
        let instance = context.view.instance(&run.instance)?;
        let limits = run.disk.limits(&context.view, Some(instance))?;
        let mut device = Device::new(run.disk.spec(&context.view, Some(instance))?, 1);
        let mut host = InstanceLink::new(instance.caps.as_ref().filter(|_| !run.disk.volume.is_local()));
        device.exhaust_credits(Nanos(0));
        host.exhaust_credits(Nanos(0));
        let specs: Vec<&StreamSpec> = run.streams.iter().map(|name| &self.streams[name]).collect();
        let streams: Vec<PacedStream> = specs.iter().map(|spec| spec.paced(&limits)).collect();
        let means = latencies(&mut device, &mut host, &streams, self.settle, self.span);
        let foreground = specs.iter().zip(&streams).zip(&means).filter(|((spec, _), _)| !spec.background);
        let (weighted, rates) = foreground.fold((0.0, 0.0), |(weighted, rates), ((_, stream), mean)| {
            (weighted + stream.rate * mean, rates + stream.rate)
        });
        Ok(weighted / rates * 1e3)
    }
}

/// A stream with its rate.
#[derive(Debug, Clone, Copy)]
struct PacedStream {
    op: IoOperation,
    bytes: u32,
    /// Requests a second.
    rate: f64,
    depth: usize,
    sequential: bool,
}

/// Mean latency of each stream from submission to completion, in seconds.
fn latencies(
    device: &mut Device,
    host: &mut InstanceLink,
    streams: &[PacedStream],
    settle: Nanos,
    span: Nanos,
) -> Vec<f64> {
    struct Turn {
        next: Nanos,
        number: u64,
        in_flight: std::collections::BinaryHeap<std::cmp::Reverse<Nanos>>,
        sum: f64,
        count: f64,
    }
    let new = |_| Turn { next: Nanos(0), number: 0, in_flight: Default::default(), sum: 0.0, count: 0.0 };
    let mut turns: Vec<Turn> = (0..streams.len()).map(new).collect();
    let end = settle + span;
    loop {
        let (index, turn) = turns.iter_mut().enumerate().min_by_key(|(_, turn)| turn.next).expect("there is a stream");
        let (stream, at) = (streams[index], turn.next);
        if at >= end {
            break;
        }
        // Places far apart, so that only sequential requests merge.
        let place = if stream.sequential { turn.number } else { turn.number.wrapping_mul(2_654_435_761) % 100_000 };
        let offset = (index as u64 + 1) * (1 << 36) + place * u64::from(stream.bytes);
        let done = device.submit(host, at, IoRequest { op: stream.op, offset, bytes: stream.bytes }).at;
        turn.in_flight.push(std::cmp::Reverse(done));
        while turn.in_flight.peek().is_some_and(|first| first.0 <= at) {
            turn.in_flight.pop();
        }
        turn.number += 1;
        if at >= settle {
            turn.sum += (done - at).as_secs_f64();
            turn.count += 1.0;
        }
        // The next request is due at the stream's rate, and waits while the queue is full.
        let due = at + Nanos::from_secs_f64(1.0 / stream.rate);
        turn.next = match turn.in_flight.peek() {
            Some(first) if turn.in_flight.len() >= stream.depth => {
                let room = first.0;
                turn.in_flight.pop();
                due.max(room)
            }
            _ => due,
        };
    }
    turns.iter().map(|turn| turn.sum / turn.count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_as_long_as_rate_times_latency() {
        let view = catalog::Catalog::embedded().at(None);
        let disk: Disk = "gp3:1000GiB".parse().unwrap();
        let instance = view.instance("m5.4xlarge").unwrap();
        let limits = disk.limits(&view, Some(instance)).unwrap();
        let mut device = Device::new(disk.spec(&view, Some(instance)).unwrap(), 1);
        let mut host = InstanceLink::new(instance.caps.as_ref());
        let rate = 2.0 * limits.iops.0;
        let stream = PacedStream { op: IoOperation::Read, bytes: 4096, rate, depth: 64, sequential: false };
        let latency = latencies(&mut device, &mut host, &[stream], twenty_seconds(), one_minute())[0];
        assert!((latency * limits.iops.0 / 64.0 - 1.0).abs() < 0.1, "{latency}");
    }

    fn fault(stream: &str) -> String {
        let recipe = format!(
            "runs = [{{ disk = 'gp3:1000GiB', instance = 'm5.4xlarge', streams = ['a'] }}]\n[streams]\na = {{ {stream} }}\n"
        );
        toml::from_str::<DiskLoadRecipe>(&recipe).unwrap().check().unwrap_err().problem
    }

    #[test]
    fn a_stream_has_one_rate_and_a_latency_that_counts() {
        let fields = "operation = 'read', bytes = '4KiB', depth = 1";
        assert!(fault(fields).contains("expected one of `rate`"));
        assert!(fault(&format!("{fields}, rate = 1, iops-share = 1")).contains("expected one of `rate`"));
        assert!(fault(&format!("{fields}, rate = 0")).contains("expected over 0"));
        assert!(fault(&format!("{fields}, rate = 1, background = true")).contains("no stream whose latency counts"));
    }
}
