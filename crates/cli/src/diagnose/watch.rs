//! `--watch`: polls a source, and prints new findings and those that have ended.

use std::path::Path;
use std::time::Duration;

use diagnose::{FindingChange, FindingTracker, KnownFacts};
use jiff::Timestamp;
use report::text::json_line;
use report::verbs::diagnose::{change_document, change_text};
use timeline::Timeline;
use units::Nanos;

use super::answer::answer;
use crate::failure::Failure;
use crate::inputs;
use crate::on_signal;
use crate::output::{Output, print};

/// Arguments of watching.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct Watch {
    /// Poll every minute, or at this interval, and print new findings and those that have ended
    #[arg(long, value_name = "EVERY", num_args = 0..=1, require_equals = true, default_missing_value = "1m",
        value_parser = inputs::interval)]
    watch: Option<Nanos>,
    /// With --watch, end after this number of polls
    #[arg(long, value_name = "N", requires = "watch")]
    times: Option<u64>,
}

/// The answer of a source, and the facts known beside it.
#[derive(Debug)]
pub(super) struct Asked {
    /// Source that is polled.
    pub(super) of: String,
    pub(super) timeline: Timeline,
    pub(super) known: KnownFacts,
}

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
        let mut tracker = FindingTracker::new(every);
        if !json {
            say(&answer(&asked.of, &asked.timeline, &asked.known, out, false)?.text)?;
        }
        let changes = tracker.update(&asked.timeline, &asked.known);
        if json {
            tell(&changes, &asked, true)?;
        }
        let mut times = 1;
        while self.times.is_none_or(|most| times < most) && signals::pause(Duration::from_nanos(every.0)) {
            times += 1;
            match ask() {
                Ok(Some(asked)) => tell(&tracker.update(&asked.timeline, &asked.known), &asked, json)?,
                Ok(None) => break,
                Err(_) if signals::is_set() => break,
                // A failure that passes is no reason to end the watch.
                Err(failure) => tracing::error!("{}; asked again in {every}", failure.message),
            }
        }
        Ok(Output::text("").negative(tracker.is_wrong()))
    }
}

fn say(text: &str) -> Result<(), Failure> {
    print(text).map_err(|error| Failure::environment(format!("standard output cannot be written: {error}")))
}

/// Prints each change in a line or a few; as JSON, one object a line.
fn tell(changes: &[FindingChange], asked: &Asked, json: bool) -> Result<(), Failure> {
    let at = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S").to_string();
    for change in changes {
        say(&match json {
            true => json_line(&change_document(&at, &asked.of, change)),
            false => change_text(&at, change, asked.timeline.about.start),
        })?;
    }
    Ok(())
}
