//! Metrics of Prometheus that somebody saved: answers of its API to queries of raw series, and the text that an exporter serves under
//! `/metrics`, twice or more.
//!
//! Which series a metric becomes is read off the same tables that a live server is asked by: the innermost part of a query's text,
//! `increase(node_disk_reads_completed_total{…}[…])`, names the metric, its matchers and what is made of its samples.

mod exposition;
mod rule;
mod samples;

use jiff::Timestamp;
use textfile::InputError;
use timeline::Timeline;
use units::Nanos;

use super::answer::{self, Answer, Fault, Found};
use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};

/// The format of saved metrics.
#[derive(Debug, Clone, Copy)]
pub struct SavedMetrics;

/// The label that holds the name of a series' metric.
const NAME: &str = "__name__";

impl InputFormat for SavedMetrics {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["prometheus-answer", "query-range", "openmetrics", "exposition"]
    }

    fn about(&self) -> &'static str {
        "a saved answer of Prometheus, or the text of /metrics"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  curl -s 'http://10.0.0.5:9090/api/v1/query_range?query={__name__=~\"node_disk.*\"}&start=…' > q.json
  diskwright diagnose metrics q.json --disk nvme1n1=gp3:500GiB
  curl -s 10.0.0.5:9100/metrics > a.txt; sleep 60; curl -s 10.0.0.5:9100/metrics > b.txt
  diskwright diagnose metrics a.txt b.txt --interval 60s

Query the counters themselves, not rate() of them: an answer to rate() does not say what it is of.
node_exporter, TiKV, PD, TiDB, MySQL's volumes as aws_ebs_csi_* and disks mounted by diskwright are
understood. A page of /metrics counts since a program started, so two are needed."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        glimpse.is_json() && glimpse.has_all(&["\"status\"", "\"resultType\""]) || exposition::is_page(glimpse)
    }

    fn samples(&self) -> bool {
        true
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let path = files.first().map(|file| file.path().display().to_string()).unwrap_or_default();
        let (mut found, mut pages) = (Vec::<Found>::new(), 0);
        for file in files {
            let text = file.text()?;
            if text.content().trim_start().starts_with('{') {
                found.extend(saved_answer(file, text.content())?);
            } else {
                // A page without times is one sample, at its place among the pages.
                pages = exposition::read(&text, pages, &mut found)?;
            }
        }
        let has_times = pages == 0;
        if pages > 1 && options.interval.is_none() && found.iter().any(|one| one.values.iter().any(|(at, _)| *at < 1e6))
        {
            return Err(GatherError::NoInterval { path });
        }
        if !has_times {
            let every = options.interval.unwrap_or(Nanos::secs(60)).as_secs_f64();
            // Times of pages are their places; those that a page told are of this century.
            let place = |at: &mut f64| {
                if *at < 1e6 {
                    *at *= every
                }
            };
            found.iter_mut().flat_map(|one| &mut one.values).for_each(|(at, _)| place(at));
        }
        let mut timeline = samples::timeline(&found, files)?;
        timeline.about.title = format!("Prometheus, {path}");
        if !has_times && timeline.about.start.is_some_and(|start| start.as_second() < 1_000_000) {
            timeline.about.start = options.start;
        }
        timeline.validate()?;
        Ok(timeline)
    }
}

/// The series of a saved answer, or of several, one after the other.
fn saved_answer(file: &InputFile, content: &str) -> Result<Vec<Found>, GatherError> {
    let shown = file.path().display().to_string();
    let mut all = Vec::new();
    let mut documents = serde_json::Deserializer::from_str(content).into_iter::<serde::de::IgnoredAny>();
    let mut begin = 0;
    while let Some(document) = documents.next() {
        let text = || textfile::Text::new(file.path(), content);
        document.map_err(|error| text().error_at(begin, format!("is not JSON: {error}")))?;
        let end = documents.byte_offset();
        let body = content[begin..end].to_owned();
        begin = end;
        let read = answer::read(&shown, &Answer { status: 200, body });
        let (found, _) = read.map_err(|fault| match fault {
            Fault::Query(why) => {
                GatherError::from(InputError::new(file.path(), format!("holds no series but an error: {why}")))
            }
            Fault::All(error) => InputError::new(file.path(), error.to_string()).into(),
        })?;
        all.extend(found);
    }
    Ok(all)
}

/// An instant of an answer.
fn instant(seconds: f64) -> Option<Timestamp> {
    Timestamp::from_nanosecond((seconds * 1e9) as i128).ok()
}

#[cfg(test)]
#[path = "saved/tests.rs"]
mod tests;
