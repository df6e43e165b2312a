//! What MySQL and MariaDB tell of their own disks: answers to `SHOW GLOBAL STATUS`, two or more of them, and
//! `SHOW ENGINE INNODB STATUS`, which has rates of the last seconds.

mod monitor;
pub mod server_status;
mod variables;

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::InputError;
use timeline::{SeriesLabels, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

use crate::GatherError;
use crate::error::{ONE_SAMPLE, one_sample};
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
pub use server_status::ServerStatus;

/// The format of a server's status.
#[derive(Debug, Clone, Copy)]
pub struct ServerStatusFile;

/// The disk that InnoDB's requests are of.
const DISK: &str = "data";

/// What InnoDB asks of its disk, under the names of disks.
const OF_DISK: [(SeriesSpec, SeriesSpec); 5] = [
    (vocabulary::INNODB_READS, vocabulary::READ_OPS),
    (vocabulary::INNODB_READ_BYTES, vocabulary::READ_BYTES),
    (vocabulary::INNODB_WRITES, vocabulary::WRITE_OPS),
    (vocabulary::INNODB_WRITE_BYTES, vocabulary::WRITE_BYTES),
    (vocabulary::INNODB_FSYNCS, vocabulary::FLUSH_OPS),
];

impl InputFormat for ServerStatusFile {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["innodb", "innodb-status", "global-status", "mysql-status"]
    }

    fn about(&self) -> &'static str {
        "SHOW ENGINE INNODB STATUS, or answers to SHOW GLOBAL STATUS, of MySQL or MariaDB"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  mysql -e 'SHOW GLOBAL STATUS' > status.txt; sleep 60; mysql -e 'SHOW GLOBAL STATUS' >> status.txt
  diskwright diagnose mysql status.txt --disk gp3:500GiB
  mysql -e 'SHOW ENGINE INNODB STATUS\\G' > innodb.txt
  diskwright diagnose mysql innodb.txt --disk gp3:500GiB

Requests are those of InnoDB, under the disk `data`. How far apart two answers are, Uptime tells;
else say it with --interval. InnoDB's own report has rates of the seconds that it names."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        glimpse.any_line(monitor::is_banner) || glimpse.any_line(variables::is_known)
    }

    fn samples(&self) -> bool {
        true
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let zone = options.zone.unwrap_or(Offset::UTC);
        let path = files.first().map(|file| file.path().display().to_string()).unwrap_or_default();
        let title = format!("MySQL's status, {path}");
        let texts = files.iter().map(InputFile::text).collect::<Result<Vec<_>, _>>()?;
        let reports = texts.iter().flat_map(|text| monitor::reports(text, zone)).collect::<Vec<_>>();
        let mut timeline = if reports.is_empty() {
            let mut samples = Vec::new();
            for text in &texts {
                samples.extend(variables::samples(text, zone)?);
            }
            match samples.as_slice() {
                [] => {
                    let message = "has neither InnoDB's report nor status variables such as `Innodb_data_reads`";
                    let help = "save the answer to `SHOW GLOBAL STATUS` or `SHOW ENGINE INNODB STATUS`";
                    return Err(InputError::new(texts[0].path(), message).help(help).into());
                }
                [_] => {
                    let mut about = TimelineInfo { title, ..TimelineInfo::default() };
                    about.notes.insert(ONE_SAMPLE.to_owned(), one_sample("answer to SHOW GLOBAL STATUS", "the server"));
                    return Ok(Timeline { about, ..Timeline::default() });
                }
                samples => server_status::timeline(&timed(samples, options.interval, &path)?),
            }
        } else {
            monitor::timeline(&reports)
        };
        timeline.about = TimelineInfo { title, ..timeline.about };
        let timeline = with_disk(timeline);
        timeline.validate()?;
        Ok(timeline)
    }
}

/// The samples with times: as the file tells, else by the growth of `Uptime`, else as was said.
fn timed(
    samples: &[variables::StatusSample],
    interval: Option<Nanos>,
    path: &str,
) -> Result<Vec<ServerStatus>, GatherError> {
    let told = samples.iter().map(|sample| sample.at).collect::<Option<Vec<Timestamp>>>();
    let told = told.filter(|times| times.windows(2).all(|pair| pair[0] < pair[1]));
    let mut timed: Vec<ServerStatus> = Vec::with_capacity(samples.len());
    let mut at = Timestamp::UNIX_EPOCH;
    for (index, sample) in samples.iter().enumerate() {
        let status = ServerStatus::of(at, sample.values.iter().map(|(name, value)| (name, value)));
        let later = || {
            let grown = status.uptime()? - timed.last()?.uptime()?;
            (grown > 0.0).then(|| Nanos::from_secs_f64(grown))
        };
        if let Some(times) = &told {
            at = times[index];
        } else if index > 0 {
            let length = interval.or_else(later).ok_or_else(|| GatherError::NoInterval { path: path.to_owned() })?;
            let length = jiff::SignedDuration::from_nanos(i64::try_from(length.0).unwrap_or(i64::MAX));
            at = at.checked_add(length).map_err(|error| GatherError::Asked(error.to_string()))?;
        }
        timed.push(status.moved_to(at));
    }
    Ok(timed)
}

/// The same with what InnoDB asks of its disk under the names of disks, too. Times that count from 1970 are nobody's.
fn with_disk(mut timeline: Timeline) -> Timeline {
    if timeline.about.start == Some(Timestamp::UNIX_EPOCH) {
        timeline.about.start = None;
    }
    let labels: SeriesLabels = timeline::labels([("disk", DISK)]);
    let mut disk = TimelineBuilder::default();
    for (of_innodb, of_disk) in OF_DISK {
        for series in timeline.series.iter().filter(|series| series.name == of_innodb.name) {
            series.points().iter().for_each(|point| disk.value(of_disk, &labels, *point));
        }
    }
    timeline.series.extend(disk.finish());
    timeline.series.sort_by(|a, b| (&a.name, &a.labels).cmp(&(&b.name, &b.labels)));
    timeline
}

#[cfg(test)]
#[path = "mysql/tests.rs"]
mod tests;
