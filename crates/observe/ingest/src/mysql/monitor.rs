//! `SHOW ENGINE INNODB STATUS`: srv_printf_innodb_monitor in InnoDB's srv0srv.cc. Its rates are means of the seconds that it names.

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::Text;
use timeline::{SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

use crate::stamp;

/// One report.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct MonitorReport {
    at: Option<Timestamp>,
    /// What its means are of, in seconds.
    seconds: f64,
    /// Rates a second by series.
    rates: Vec<(SeriesSpec, f64)>,
    /// Levels.
    levels: Vec<(SeriesSpec, f64)>,
}

/// Seconds of a report that does not say.
const UNSAID: f64 = 20.0;

/// Whether a line heads a report.
pub(super) fn is_banner(line: &str) -> bool {
    line.contains("INNODB MONITOR OUTPUT") && !line.contains("END OF")
}

/// The reports of a text.
pub(super) fn reports(text: &Text, zone: Offset) -> Vec<MonitorReport> {
    let mut reports: Vec<MonitorReport> = Vec::new();
    let mut page = 16_384.0;
    // `mysql -e` without `\G` prints the report in one line.
    let content = text.content().replace("\\n", "\n");
    for line in content.lines() {
        if is_banner(line) {
            let stamp = line.get(..19).and_then(|stamp| stamp::read(stamp, zone));
            reports.push(MonitorReport { at: stamp, seconds: UNSAID, ..MonitorReport::default() });
            continue;
        }
        let Some(report) = reports.last_mut() else { continue };
        let numbers = numbers(line);
        let rate = |name: &str| before(line, name);
        if line.starts_with("Per second averages calculated from the last") {
            report.seconds = numbers.first().copied().filter(|seconds| *seconds > 0.0).unwrap_or(UNSAID);
        } else if line.contains("reads/s,") && line.contains("fsyncs/s") {
            // 12.50 reads/s, 16384 avg bytes/read, 300.10 writes/s, 80.20 fsyncs/s
            let size = rate("avg bytes/read").unwrap_or(page);
            for (spec, value) in [
                (vocabulary::INNODB_READS, rate("reads/s")),
                (vocabulary::INNODB_READ_BYTES, rate("reads/s").map(|reads| reads * size)),
                (vocabulary::INNODB_WRITES, rate("writes/s")),
                (vocabulary::INNODB_FSYNCS, rate("fsyncs/s")),
            ] {
                report.rates.extend(value.map(|value| (spec, value)));
            }
            page = if size > 0.0 { size } else { page };
        } else if line.contains("reads/s,") && line.contains("creates/s") && !has(report, vocabulary::PAGES_READ) {
            // The first such line is of all buffer pools together, later ones of each.
            for (spec, value) in
                [(vocabulary::PAGES_READ, rate("reads/s")), (vocabulary::PAGES_WRITTEN, rate("writes/s"))]
            {
                report.rates.extend(value.map(|value| (spec, value)));
            }
        } else if line.starts_with("History list length") {
            report.levels.extend(numbers.first().map(|value| (vocabulary::HISTORY_LIST, *value)));
        } else if line.starts_with("Modified db pages") && !level(report, vocabulary::DIRTY_BYTES) {
            report.levels.extend(numbers.first().map(|pages| (vocabulary::DIRTY_BYTES, pages * page)));
        }
    }
    for report in &mut reports {
        let rate = |spec: SeriesSpec| report.rates.iter().find(|(one, _)| one.name == spec.name).map(|(_, rate)| *rate);
        // Pages are written once more to the doublewrite buffer, several at a time: bytes of writes are at least those of the pages.
        if let Some(pages) = rate(vocabulary::PAGES_WRITTEN) {
            report.rates.push((vocabulary::INNODB_WRITE_BYTES, pages * page));
        }
    }
    reports.retain(|report| !report.rates.is_empty());
    reports
}

fn has(report: &MonitorReport, spec: SeriesSpec) -> bool {
    report.rates.iter().any(|(one, _)| one.name == spec.name)
}

fn level(report: &MonitorReport, spec: SeriesSpec) -> bool {
    report.levels.iter().any(|(one, _)| one.name == spec.name)
}

/// The numbers of a line.
fn numbers(line: &str) -> Vec<f64> {
    let words = line
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    words.filter_map(|word| word.trim_end_matches('.').parse().ok()).collect()
}

/// The number that stands before a name.
fn before(line: &str, name: &str) -> Option<f64> {
    let at = line.match_indices(name).find(|(at, _)| *at == 0 || line[..*at].ends_with(' '))?.0;
    let number: f64 = line[..at].trim_end().rsplit([' ', ',']).next()?.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// The reports as series, each of the seconds before it.
pub(super) fn timeline(reports: &[MonitorReport]) -> Timeline {
    let told = reports.iter().map(|report| report.at).collect::<Option<Vec<Timestamp>>>();
    let first = told.as_ref().and_then(|times| {
        let begins = times.iter().zip(reports).map(|(at, report)| at.as_nanosecond() - (report.seconds * 1e9) as i128);
        begins.min()
    });
    let (mut series, labels) = (TimelineBuilder::default(), SeriesLabels::new());
    let mut last = Nanos(0);
    for report in reports {
        let length = Nanos::from_secs_f64(report.seconds.min(1e9));
        let until = match (report.at, first) {
            (Some(at), Some(first)) => Nanos(u64::try_from(at.as_nanosecond() - first).unwrap_or(0)),
            _ => Nanos(last.0.saturating_add(length.0)),
        };
        let from = Nanos(until.0.saturating_sub(length.0)).max(last);
        let seconds = Nanos(until.0.saturating_sub(from.0)).as_secs_f64();
        for (spec, rate) in &report.rates {
            series.value(*spec, &labels, SeriesPoint { from, until, value: rate * seconds });
        }
        for (spec, value) in &report.levels {
            series.value(*spec, &labels, SeriesPoint { from, until, value: *value });
        }
        last = until;
    }
    let start = first.and_then(|first| Timestamp::from_nanosecond(first).ok());
    Timeline { about: TimelineInfo { start, ..TimelineInfo::default() }, series: series.finish_sorted() }
}
