//! Source 004: what its CloudWatch series are diagnosed as. The series are made as the source tells them, with the credits that
//! the catalogue's rules leave.

use std::collections::BTreeMap;

use diagnose::{Finding, KnownFacts, diagnose};
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};
use units::{Nanos, Ratio};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] = &[("D04", insert_test), ("D08", case_study)];

/// The source's volume.
const DISK: &str = "gp2:400GiB";
/// What its inserts draw where nothing limits them, in I/Os a second.
const INSERTS: f64 = 2500.0;
/// What its users draw, and what a report adds: "read spikes" on "a consistent number of users". Numbers are assumed.
const USERS: f64 = 400.0;
const REPORT: f64 = 2600.0;
/// A request of either is a page of InnoDB.
const PAGE: f64 = 16_384.0;
/// The report is "business-critical", and where a system is, the source takes volumes that "give consistent performance at the level
/// you provision 99.9 percent of the time".
const CRITICAL: Ratio = Ratio(0.999);
/// CloudWatch's period, in seconds, and how many are seen.
const PERIOD: u64 = 300;
const PERIODS: u64 = 72;

/// Inserts for six hours without a pause.
fn insert_test(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let verdicts = diagnosed(s, None, |_| (0.0, INSERTS))?;
    Ok(ClaimValue::words([verdicts[0].kind]).into())
}

/// Users all day, and a report for three hours.
fn case_study(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let verdicts =
        diagnosed(s, Some(CRITICAL), |period| (if (12..48).contains(&period) { REPORT } else { 0.0 }, USERS))?;
    let first = &verdicts[0];
    let to = first.remedy.as_ref().and_then(|remedy| remedy.to.clone()).unwrap_or_default();
    let remedy = if to.starts_with("gp2") { "larger gp2" } else { "provision IOPS" };
    let remark = format!("{to}, {:+.2} USD a month", first.monthly.map_or(0.0, |usd| usd.0));
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::words([first.kind.to_string(), remedy.to_owned()])) })
}

/// The verdicts on a gp2 that is asked for so many reads and writes a second in each period, with a remedy that promises its rates
/// for so much of the time.
fn diagnosed(
    s: &Setting<'_>,
    consistency: Option<Ratio>,
    asked: impl Fn(u64) -> (f64, f64),
) -> Result<Vec<Finding>, ClaimError> {
    let limits = s.limits(DISK)?;
    let Some(catalog::BurstBucket::IoCredits { iops: burst, capacity }) = limits.burst else {
        return Err(ClaimError::Other(format!("{DISK} has no I/O credits")));
    };
    let mut left = capacity;
    let mut series: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for period in 0..PERIODS {
        let (reads, writes) = asked(period);
        let wanted = reads + writes;
        let seconds = PERIOD as f64;
        let most = if left > 0.0 { burst.0 } else { limits.iops.0 };
        let done = wanted.min(most).min(limits.iops.0 + left / seconds);
        left = (left + (limits.iops.0 - done) * seconds).clamp(0.0, capacity);
        let latency = limits.service.read.as_secs_f64() * if done < wanted { 40.0 } else { 1.0 };
        let mut add = |name, value| series.entry(name).or_default().push(value);
        add("ReadIOPS", reads / wanted * done);
        add("WriteIOPS", writes / wanted * done);
        add("ReadThroughput", reads / wanted * done * PAGE);
        add("WriteThroughput", writes / wanted * done * PAGE);
        add("ReadLatency", latency);
        add("WriteLatency", latency);
        add("DiskQueueDepth", done * latency);
        add("BurstBalance", left / capacity * 100.0);
        add("CPUUtilization", 25.0);
    }
    let mut known =
        KnownFacts { region: Some(s.region.to_owned()), consistency, ..KnownFacts::nothing(s.view.clone()) };
    known.disks.insert("*".to_owned(), DISK.parse()?);
    let timeline = Timeline { series: series.into_iter().map(of_database).collect(), ..Timeline::default() };
    Ok(diagnose(&timeline, &known))
}

/// A metric of RDS: its average over each period.
fn of_database((name, values): (&str, Vec<f64>)) -> Series {
    let point = |(i, value): (usize, f64)| {
        let at = |i: usize| Nanos::secs(i as u64 * PERIOD);
        SeriesPoint { from: at(i), until: at(i + 1), value }
    };
    let points = SeriesPoints::Values(MergeRule::Mean, values.into_iter().enumerate().map(point).collect());
    let labels = BTreeMap::from([("DBInstanceIdentifier".to_owned(), "myinstance-gp2".to_owned())]);
    Series { name: name.to_owned(), labels, unit: SeriesUnit::None, points }
}
