//! `--watch`: a source is asked again and again, and what is new and what has ended is told.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use diagnose::{Finding, FindingKind, FindingSubject, KnownFacts, diagnose};
use jiff::Timestamp;
use serde_json::json;
use timeline::Timeline;
use units::Nanos;

use super::answer::answer;
use super::text;
use crate::failure::Failure;
use crate::inputs;
use crate::on_signal;
use crate::output::{Output, bold, complain, json_line, print, red};
use crate::table::{WIDTH, wrap};

/// How often, and how often at most.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Watch {
    /// Ask again every minute, or as often as is said, and tell what is new and what has ended
    #[arg(long, value_name = "EVERY", num_args = 0..=1, require_equals = true, default_missing_value = "1m",
        value_parser = inputs::interval)]
    watch: Option<Nanos>,
    /// With --watch, ask so many times and end
    #[arg(long, value_name = "N", requires = "watch")]
    times: Option<u64>,
}

/// What a source said, and what is known beside it.
#[derive(Debug)]
pub(super) struct Asked {
    /// Of what.
    pub(super) of: String,
    pub(super) timeline: Timeline,
    pub(super) known: KnownFacts,
}

/// Series come late by as much as this: what held until then may still hold.
const LATE: Nanos = Nanos::secs(60);

impl Watch {
    /// Whether it is asked for.
    pub(super) fn is_on(&self) -> bool {
        self.watch.is_some()
    }

    /// Asks once and answers, or watches. A source that has ended says `None`.
    pub(super) fn answer(
        &self,
        mut ask: impl FnMut() -> Result<Option<Asked>, Failure>,
        out: Option<&Path>,
        json: bool,
    ) -> Result<Output, Failure> {
        let asked = ask()?.ok_or_else(|| Failure::input("the source ended before it said anything"))?;
        let Some(every) = self.watch else {
            return answer(&asked.of, &asked.timeline, &asked.known, out, json);
        };
        on_signal::catch()?;
        let mut current = Current { every, ..Current::default() };
        if !json {
            say(&answer(&asked.of, &asked.timeline, &asked.known, out, false)?.text)?;
        }
        let events = current.turn(&asked);
        if json {
            tell(&events, &asked, true)?;
        }
        let mut times = 1;
        while self.times.is_none_or(|most| times < most) && signals::pause(Duration::from_nanos(every.0)) {
            times += 1;
            match ask() {
                Ok(Some(asked)) => tell(&current.turn(&asked), &asked, json)?,
                Ok(None) => break,
                Err(_) if signals::is_set() => break,
                // What is told once and mends itself is no reason to look away.
                Err(failure) => complain(&format!("{} {}; asked again in {every}", red("error:"), failure.message)),
            }
        }
        Ok(Output::text("").negative(current.holds.keys().any(|(kind, _)| kind.is_wrong())))
    }
}

fn say(text: &str) -> Result<(), Failure> {
    print(text).map_err(|error| Failure::environment(format!("standard output cannot be written: {error}")))
}

/// What changed.
#[derive(Debug, PartialEq)]
enum Event {
    /// Something is wrong that was not wrong before.
    New(Finding),
    /// It is not any more.
    Ended(Finding),
}

/// What is wrong now.
#[derive(Debug, Default)]
struct Current {
    every: Nanos,
    holds: BTreeMap<(FindingKind, FindingSubject), Finding>,
}

impl Current {
    /// What has changed since the turn before. Of what is told, that is wrong now whose last episode reaches to the end.
    fn turn(&mut self, asked: &Asked) -> Vec<Event> {
        let verdicts = diagnose(&asked.timeline, &asked.known);
        let end = asked.timeline.span().map_or(Nanos(0), |(_, end)| end);
        let recent = Nanos(end.0.saturating_sub(self.every.0.max(LATE.0)));
        let lasts = |verdict: &Finding| verdict.episodes.last().map_or(verdict.to, |last| last.to) >= recent;
        let now: BTreeMap<(FindingKind, FindingSubject), Finding> = verdicts
            .into_iter()
            .filter(|verdict| verdict.kind.is_wrong() && lasts(verdict))
            .map(|verdict| ((verdict.kind, verdict.subject.clone()), verdict))
            .collect();
        let new = now.iter().filter(|(key, _)| !self.holds.contains_key(key)).map(|(_, verdict)| verdict.clone());
        let ended = self.holds.iter().filter(|(key, _)| !now.contains_key(key)).map(|(_, verdict)| verdict.clone());
        let events = new.map(Event::New).chain(ended.map(Event::Ended)).collect();
        self.holds = now;
        events
    }
}

/// Tells of each change in a line or a few; as JSON, one object a line.
fn tell(events: &[Event], asked: &Asked, json: bool) -> Result<(), Failure> {
    let at = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
    for event in events {
        let (name, verdict) = match event {
            Event::New(verdict) => ("new", verdict),
            Event::Ended(verdict) => ("ended", verdict),
        };
        if json {
            say(&json_line(&json!({ "at": at, "of": asked.of, "event": name, "verdict": verdict })))?;
            continue;
        }
        let what = format!("{at} {name}: {} of {}", verdict.kind, verdict.subject);
        let mut lines = format!("{}\n", bold(&wrap(&what, WIDTH, 2)));
        if let Event::New(verdict) = event {
            let mut paragraph = |said: &str| lines += &format!("  {}\n", wrap(said, WIDTH - 2, 2));
            paragraph(&format!("{}.", verdict.says));
            if let Some(again) = text::episodes(verdict, asked.timeline.about.start) {
                paragraph(&again);
            }
            if let Some(remedy) = &verdict.remedy {
                paragraph(&format!("Do: {}.", remedy.text));
            }
        }
        say(&lines)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};

    /// Minutes of a volume of CloudWatch's: those in which it waits for its IOPS are told by its own check.
    fn asked(minutes: u64, bound: impl Fn(u64) -> bool) -> Asked {
        let labels: BTreeMap<String, String> =
            [("VolumeId", "vol-1"), ("InstanceId", "i-1")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let series = |name: &str, unit, merge, value: &dyn Fn(u64) -> f64| {
            let point = |minute| SeriesPoint {
                from: Nanos::secs(60 * minute),
                until: Nanos::secs(60 * (minute + 1)),
                value: value(minute),
            };
            let points = SeriesPoints::Values(merge, (0..minutes).map(point).collect());
            Series { name: name.to_owned(), labels: labels.clone(), unit, points }
        };
        let all = vec![
            series("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, &|_| 60_000.0),
            series("VolumeIOPSExceededCheck", SeriesUnit::None, MergeRule::Max, &|minute| {
                f64::from(u8::from(bound(minute)))
            }),
        ];
        let known = KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        Asked { of: "vol-1".to_owned(), timeline: Timeline { series: all, ..Timeline::default() }, known }
    }

    fn told(events: &[Event]) -> Vec<(&str, FindingKind, usize)> {
        let one = |event: &Event| match event {
            Event::New(verdict) => ("new", verdict.kind, verdict.episodes.len()),
            Event::Ended(verdict) => ("ended", verdict.kind, verdict.episodes.len()),
        };
        events.iter().map(one).collect()
    }

    #[test]
    fn what_begins_is_told_once_what_ends_once_and_what_comes_again_as_such() {
        let mut current = Current { every: Nanos::secs(60), ..Current::default() };
        let bound = |minute: u64| (10..15).contains(&minute) || (30..40).contains(&minute);
        let mut turn = |minutes| current.turn(&asked(minutes, bound)).len();
        assert_eq!([5, 13, 14, 20, 25].map(&mut turn), [0, 1, 0, 1, 0]);
        let mut current = Current { every: Nanos::secs(60), ..Current::default() };
        assert_eq!(told(&current.turn(&asked(35, bound))), [("new", FindingKind::VolumeIops, 2)]);
        assert_eq!(told(&current.turn(&asked(60, bound))), [("ended", FindingKind::VolumeIops, 2)]);
    }
}
