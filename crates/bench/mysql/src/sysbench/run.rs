//! A run of sysbench as `bench` would have made it: a report, and a Timeline of its seconds.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bench::statistics::batch_means;
use bench::{
    AwakeProcessors, BenchRun, DriverBacklog, DriverCpu, ErrorCount, KindReport, LatencyHistograms, LoopKind, RunPhase,
    RunPlan, RunProgress, RunReport, RunStall, ThroughputEstimate, per_million,
};
use nix::sys::resource::{UsageWho, getrusage};
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo};
use units::Nanos;

use super::{Second, Sysbench, Told};
use crate::SqlError;

/// The name of its one kind of operation.
pub(crate) const KIND: &str = "transaction";

impl Sysbench {
    /// Warms up and measures as the plan says, in two calls of the program.
    ///
    /// # Errors
    /// When the plan asks for what sysbench cannot do, or it ends before its first second is over.
    pub(crate) fn drive(
        &self,
        plan: &RunPlan,
        number: u32,
        progress: &mut dyn FnMut(&RunProgress),
        stop: &AtomicBool,
    ) -> Result<BenchRun, SqlError> {
        let LoopKind::Closed { clients, think: Nanos(0) } = plan.load else {
            let why = "sysbench runs in a closed loop; give --clients".to_owned();
            return Err(SqlError::Option { option: "--rate".to_owned(), why });
        };
        let seed = plan.seed.wrapping_add(u64::from(number.saturating_sub(1)));
        let (warm, measure) = (length(plan.limits.warm_least), length(plan.limits.measure_most));
        let mut call = |phase: RunPhase, time: Duration, before: Duration, after: Duration| {
            let began = Instant::now();
            let mut tell = |second: &Second| progress(&told(phase, second, before, left(began, time + after)));
            self.run((clients, time, seed), stop, &mut tell)
        };
        let awake = AwakeProcessors::keep();
        let warmed = call(RunPhase::Warming, warm, Duration::ZERO, measure)?;
        if let Some(fault) = &warmed.fault {
            return Err(ended(fault, stop));
        }
        let before = children();
        let found = call(RunPhase::Measuring, measure, warm, Duration::ZERO)?;
        let cpu = children() - before;
        match (&found.fault, found.seconds.is_empty()) {
            (Some(fault), true) => Err(ended(fault, stop)),
            _ => Ok(made(plan, (number, seed, awake.is_some()), &warmed, &found, cpu)),
        }
    }
}

fn ended(fault: &str, stop: &AtomicBool) -> SqlError {
    if stop.load(std::sync::atomic::Ordering::Relaxed) {
        return SqlError::Interrupted;
    }
    SqlError::Sysbench { call: "sysbench", fault: fault.to_owned() }
}

/// sysbench takes whole seconds.
fn length(span: Nanos) -> Duration {
    Duration::from_secs_f64(span.as_secs_f64().ceil().max(1.0))
}

/// The time that is left of a call that began then.
fn left(began: Instant, time: Duration) -> Nanos {
    Nanos(time.saturating_sub(began.elapsed()).as_nanos() as u64)
}

fn told(phase: RunPhase, second: &Second, before: Duration, left: Nanos) -> RunProgress {
    RunProgress {
        phase,
        passed: Nanos::from_secs_f64(before.as_secs_f64() + second.until),
        left,
        throughput: second.transactions_per_s,
        p99: Nanos::from_secs_f64(second.p99_ms / 1e3),
        failed: second.errors_per_s.round() as u64,
        backlog: 0,
        estimate: None,
    }
}

/// Processor time of programs that have ended, in seconds.
fn children() -> f64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        seconds(usage.user_time()) + seconds(usage.system_time())
    })
}

/// The longest stretch of seconds without a transaction, `offset` after the start of the warm-up.
fn stalled(offset: f64, seconds: &[Second]) -> Option<RunStall> {
    let at = |second: f64| Nanos::from_secs_f64(offset + second);
    let starts = std::iter::once(0.0).chain(seconds.iter().map(|second| second.until));
    RunStall::longest(
        starts.zip(seconds).map(|(from, second)| (at(from), at(second.until), second.transactions_per_s > 0.0)),
    )
}

/// Report and Timeline of what both calls told.
fn made(plan: &RunPlan, (number, seed, awake): (u32, u64, bool), warmed: &Told, found: &Told, cpu: f64) -> BenchRun {
    let start = warmed.began.or(found.began);
    let offset = match (start, found.began) {
        (Some(start), Some(began)) => (began.as_nanosecond() - start.as_nanosecond()).max(0) as f64 / 1e9,
        _ => 0.0,
    };
    let measured_s = found.seconds.last().map_or(0.0, |second| second.until);
    let rates: Vec<f64> = found.seconds.iter().map(|second| second.transactions_per_s).collect();
    let mean = |of: fn(&Second) -> f64| found.seconds.iter().map(of).sum::<f64>() / found.seconds.len().max(1) as f64;
    let mut latency = timeline::latencies();
    for (ms, count) in &found.histogram {
        // It grows with its values, but for those beyond any clock.
        let _ = latency.record_n((ms * 1e6) as u64, *count);
    }
    // The histogram counts every transaction; a call that was cut off wrote none.
    let operations =
        if latency.is_empty() { (mean(|s| s.transactions_per_s) * measured_s) as u64 } else { latency.len() };
    let per_s = operations as f64 / measured_s.max(f64::MIN_POSITIVE);
    let failures = (mean(|second| second.errors_per_s) * measured_s).round() as u64;
    let again = "sysbench was told to try again: a deadlock, a lock wait or a conflict";
    let mut errors: Vec<ErrorCount> = Vec::new();
    let mut put = |reason: &str, unknown, count| {
        errors.push(ErrorCount { kind: KIND.to_owned(), reason: reason.to_owned(), unknown, count });
    };
    if failures > 0 {
        put(again, false, failures);
    }
    if let Some(fault) = &found.fault {
        put(fault, true, 1);
    }
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get()) as f64;
    let mut report = RunReport {
        run: number,
        warm_up_s: offset,
        steady: true,
        measured_s,
        end: if found.fault.is_some() { RunPhase::Interrupted } else { RunPhase::OutOfTime },
        rejected: Vec::new(),
        stalled: stalled(offset, &found.seconds),
        throughput: batch_means(&rates).map(|found| ThroughputEstimate {
            mean: found.mean.mean,
            low: found.mean.mean - found.mean.half_width,
            high: found.mean.mean + found.mean.half_width,
            standard_error: found.mean.standard_error(),
            batches: found.mean.count,
            batch_s: found.size as f64,
            lag1: found.lag1,
            independent: found.independent,
        }),
        operations,
        // A program that ended too soon is a failure, too.
        failures: failures + u64::from(found.fault.is_some()),
        server_lost: 0,
        rows_added_per_s: 0.0,
        rows_read_per_s: 0.0,
        rows_missing_per_s: 0.0,
        written_bytes_per_s: 0.0,
        kinds: vec![KindReport {
            kind: KIND.to_owned(),
            operations,
            per_s,
            failures,
            latency: LatencyHistograms::of(&latency),
        }],
        errors,
        backlog: DriverBacklog { at_end: 0, dropped: 0, late_p50_ns: 0, late_p99_ns: 0 },
        driver_cpu: DriverCpu {
            seconds: cpu,
            of_machine: cpu / (measured_s * processors).max(f64::MIN_POSITIVE),
            of_busy: None,
            us_per_operation: cpu * 1e6 / operations.max(1) as f64,
        },
        awake,
        usd_per_million: plan.monthly.and_then(|price| per_million(price, per_s)).map(|usd| usd.0),
    };
    report.reject(plan.may_fail);
    let mut notes = plan.notes.clone();
    let nanos = |seconds: f64| Nanos::from_secs_f64(seconds).0.to_string();
    // As runs of `bench` note them, so that `bench compare` reads both.
    for (key, value) in [
        ("run", number.to_string()),
        ("measured-from-ns", nanos(offset)),
        ("measured-until-ns", nanos(offset + measured_s)),
        ("seed", seed.to_string()),
    ] {
        notes.insert(key.to_owned(), value);
    }
    report.note_rejected(&mut notes);
    let about = TimelineInfo { title: plan.title.clone(), start, notes };
    BenchRun { report, timeline: Timeline { about, series: series(&warmed.seconds, &found.seconds, offset) } }
}

/// The seconds of both calls; those of the second begin at `offset`.
fn series(warmed: &[Second], found: &[Second], offset: f64) -> Vec<Series> {
    type Pick = fn(&Second) -> f64;
    let picks: [(&str, SeriesUnit, Pick); 5] = [
        ("operations_per_second", SeriesUnit::CountPerSecond, |second| second.transactions_per_s),
        ("queries_per_second", SeriesUnit::CountPerSecond, |second| second.queries_per_s),
        ("latency_p99", SeriesUnit::Milliseconds, |second| second.p99_ms),
        ("failures_per_second", SeriesUnit::CountPerSecond, |second| second.errors_per_s),
        ("reconnects_per_second", SeriesUnit::CountPerSecond, |second| second.reconnects_per_s),
    ];
    let at = |seconds: &[Second], offset: f64, pick: Pick| -> Vec<SeriesPoint> {
        let starts = std::iter::once(0.0).chain(seconds.iter().map(|second| second.until));
        let point = |(from, second): (f64, &Second)| SeriesPoint {
            from: Nanos::from_secs_f64(offset + from),
            until: Nanos::from_secs_f64(offset + second.until),
            value: pick(second),
        };
        starts.zip(seconds).map(point).filter(|point| point.until > point.from).collect()
    };
    let one = |(name, unit, pick): (&str, SeriesUnit, Pick)| {
        // The warm-up's last second may be reported late: time does not run back.
        let mut points = at(warmed, 0.0, pick);
        points.retain(|point| point.until <= Nanos::from_secs_f64(offset));
        points.extend(at(found, offset, pick));
        let labels = BTreeMap::from([("kind".to_owned(), KIND.to_owned())]);
        Series { name: name.to_owned(), labels, unit, points: SeriesPoints::Values(MergeRule::Mean, points) }
    };
    picks.into_iter().map(one).filter(|series| !series.points.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use bench::compare::RunSample;

    use super::*;

    fn told_from(second: i64, rates: &[f64], histogram: &[(f64, u64)]) -> Told {
        let seconds = rates.iter().enumerate().map(|(at, rate)| Second {
            until: (at + 1) as f64,
            transactions_per_s: *rate,
            queries_per_s: 20.0 * rate,
            p99_ms: 5.0,
            errors_per_s: 0.0,
            reconnects_per_s: 0.0,
        });
        Told {
            began: Some(jiff::Timestamp::from_second(second).unwrap()),
            seconds: seconds.collect(),
            histogram: histogram.to_vec(),
            fault: None,
        }
    }

    fn plan() -> RunPlan {
        RunPlan::new("t", "w", LoopKind::Closed { clients: 4, think: Nanos(0) }, Duration::ZERO)
    }

    #[test]
    fn the_warm_up_is_in_the_timeline_and_not_in_the_numbers() {
        let (warmed, found) = (told_from(100, &[1.0; 3], &[]), told_from(104, &[50.0; 12], &[(2.0, 590), (9.0, 10)]));
        let run = made(&plan(), (3, 3, true), &warmed, &found, 1.5);
        run.timeline.validate().unwrap();
        let points = run.timeline.series[0].points();
        assert_eq!((points.len(), points[3].from, points[3].value), (15, Nanos::secs(4), 50.0));
        assert_eq!((run.report.operations, run.report.warm_up_s, run.report.measured_s), (600, 4.0, 12.0));
        let latency = run.report.kinds[0].latency.unwrap();
        // To two digits, as all latencies are kept.
        assert!(latency.p50_ns.abs_diff(2_000_000) < 20_000, "{latency:?}");
        assert!(latency.p999_ns.abs_diff(9_000_000) < 90_000, "{latency:?}");
        assert!((run.report.driver_cpu.us_per_operation - 1.5e6 / 600.0).abs() < 1e-6);
    }

    #[test]
    fn its_timeline_is_compared_as_any_other_run() {
        let run = made(&plan(), (2, 2, false), &told_from(0, &[9.0; 2], &[]), &told_from(2, &[40.0, 60.0], &[]), 0.0);
        let sample = RunSample::of_timeline(&run.timeline).unwrap();
        assert_eq!((sample.run, sample.throughput), (2, 50.0));
    }

    #[test]
    fn seconds_without_a_transaction_are_a_stall() {
        let rates = [vec![5.0; 3], vec![0.0; 16], vec![5.0; 2]].concat();
        let run = made(&plan(), (1, 1, false), &told_from(0, &[9.0; 2], &[]), &told_from(2, &rates, &[]), 0.0);
        assert_eq!(run.report.stalled, Some(RunStall { from_s: 5.0, seconds: 16.0 }));
    }

    #[test]
    fn a_call_that_was_cut_off_keeps_what_it_told() {
        let mut found = told_from(2, &[40.0, 60.0], &[]);
        found.fault = Some("FATAL: connection lost".to_owned());
        let run = made(&plan(), (1, 1, false), &told_from(0, &[9.0; 2], &[]), &found, 0.0);
        assert_eq!((run.report.operations, run.report.end), (100, RunPhase::Interrupted));
        assert_eq!(run.report.failures, run.report.errors.iter().map(|error| error.count).sum::<u64>());
        assert!(run.report.errors.iter().any(|error| error.unknown && error.reason.contains("lost")));
    }
}
