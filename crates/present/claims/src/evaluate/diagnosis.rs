//! Diagnosis of a volume under a load of reads and writes, from the series that CloudWatch would have of it.

use std::collections::BTreeMap;

use catalog::{BurstBucket, IopsRule};
use diagnose::{Finding, KnownFacts, diagnose};
use disk::Disk;
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};
use units::{Bytes, Iops, Nanos, Ratio};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// Latency of a saturated volume, in unloaded latencies.
const SATURATED: f64 = 40.0;

/// `[diagnosis]`: the first finding on a volume that bursts on I/O credits, which a load draws down.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DiagnosisRecipe {
    disk: Disk,
    /// Size of a request.
    request: Bytes,
    /// Time between two points of a series.
    period: Nanos,
    /// Share of the time in which a remedy is to deliver its provisioned rate.
    consistency: Option<Ratio>,
    load: Vec<LoadPhase>,
    say: Vec<FindingPart>,
}

/// Offered load over some periods.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LoadPhase {
    periods: usize,
    reads: Iops,
    writes: Iops,
}

/// A part of a finding.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FindingPart {
    /// What is wrong.
    Verdict,
    /// `larger TYPE`, `provision IOPS` or `change to TYPE`.
    Remedy,
}

impl Evaluator for DiagnosisRecipe {
    fn rung(&self) -> Rung {
        Rung::Diagnose
    }

    fn check(&self) -> Result<(), RecipeFault> {
        let idle = self.load.iter().any(|phase| phase.reads.0 + phase.writes.0 <= 0.0);
        if self.load.is_empty() || idle {
            return Err(RecipeFault::new(
                "load",
                "`load` has a phase without I/O, or none; expected reads or writes over 0",
            ));
        }
        Ok(())
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let findings = self.diagnosed(context)?;
        let first = findings.first().ok_or(ClaimError::NoFinding)?;
        let to = first.remedy.as_ref().and_then(|remedy| remedy.to.clone());
        let mut words = Vec::new();
        for part in &self.say {
            words.push(match part {
                FindingPart::Verdict => first.kind.to_string(),
                FindingPart::Remedy => self.remedy(context, to.as_deref())?,
            });
        }
        let answer = ClaimAnswer::from(ClaimValue::Words(words));
        Ok(match to.filter(|_| self.say.iter().any(|part| matches!(part, FindingPart::Remedy))) {
            Some(to) => answer.remark(format!("{to}, {:+.2} USD a month", first.monthly.map_or(0.0, |usd| usd.0))),
            None => answer,
        })
    }
}

impl DiagnosisRecipe {
    /// The remedy's disk as a change of the present one.
    fn remedy(&self, context: &EvaluationContext<'_>, to: Option<&str>) -> Result<String, ClaimError> {
        let Some(kind) = to.and_then(|to| to.parse::<Disk>().ok()).map(|disk| disk.volume.kind) else {
            return Ok("none".to_owned());
        };
        Ok(match context.view.volume(&kind)?.iops {
            _ if kind == self.disk.volume.kind => format!("larger {kind}"),
            IopsRule::Provisioned { .. } => "provision IOPS".to_owned(),
            IopsRule::BySize { .. } | IopsRule::ByInstance => format!("change to {kind}"),
        })
    }

    fn diagnosed(&self, context: &EvaluationContext<'_>) -> Result<Vec<Finding>, ClaimError> {
        let limits = context.limits(&self.disk)?;
        let Some(BurstBucket::IoCredits { iops: burst, capacity }) = limits.burst else {
            return Err(ClaimError::NoCredits { disk: self.disk.to_string() });
        };
        let mut left = capacity;
        let mut series: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let request = self.request.as_f64();
        let seconds = self.period.as_secs_f64();
        for phase in self.load.iter().flat_map(|phase| std::iter::repeat_n(phase, phase.periods)) {
            let (reads, writes) = (phase.reads.0, phase.writes.0);
            let wanted = reads + writes;
            let most = if left > 0.0 { burst.0 } else { limits.iops.0 };
            let done = wanted.min(most).min(limits.iops.0 + left / seconds);
            left = (left + (limits.iops.0 - done) * seconds).clamp(0.0, capacity);
            let latency = limits.service.read.as_secs_f64() * if done < wanted { SATURATED } else { 1.0 };
            let mut add = |name, value| series.entry(name).or_default().push(value);
            add("ReadIOPS", reads / wanted * done);
            add("WriteIOPS", writes / wanted * done);
            add("ReadThroughput", reads / wanted * done * request);
            add("WriteThroughput", writes / wanted * done * request);
            add("ReadLatency", latency);
            add("WriteLatency", latency);
            add("DiskQueueDepth", done * latency);
            add("BurstBalance", left / capacity * 100.0);
            add("CPUUtilization", 25.0);
        }
        let region = Some(context.source.region.clone());
        let mut known =
            KnownFacts { region, consistency: self.consistency, ..KnownFacts::nothing(context.view.clone()) };
        known.disks.insert("*".to_owned(), self.disk.clone());
        let series = series.into_iter().map(|(name, values)| self.of_database(name, values)).collect();
        Ok(diagnose(&Timeline { series, ..Timeline::default() }, &known))
    }

    /// A metric of RDS: its average over each period.
    fn of_database(&self, name: &str, values: Vec<f64>) -> Series {
        let at = |i: usize| Nanos(i as u64 * self.period.0);
        let point = |(i, value): (usize, f64)| SeriesPoint { from: at(i), until: at(i + 1), value };
        let points = SeriesPoints::Values(MergeRule::Mean, values.into_iter().enumerate().map(point).collect());
        let labels = BTreeMap::from([("DBInstanceIdentifier".to_owned(), "database".to_owned())]);
        Series { name: name.to_owned(), labels, unit: SeriesUnit::None, points }
    }
}
