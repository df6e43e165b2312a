//! What a simulation leaves on the disk: one file of series, or a folder with its page.

use std::path::{Path, PathBuf};

use report::{HoldUpShare, RunPage};
use serde_json::Value;
use simulate::{HoldUp, SimulationRun};
use timeline::TimelineFormat;
use units::Nanos;

use super::Asked;
use super::text::{headline, named};
use crate::failure::Failure;
use crate::inputs;

/// Where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Out {
    /// All series, in the format of the file's ending.
    File(PathBuf),
    /// timeline.parquet, summary.json and report.html.
    Folder(PathBuf),
}

/// What every page ends with.
pub(super) const TRUST: &str = "Simulated in virtual time, not measured. The model is not held against the reference store yet: take from it which of \
     two is better, not by how much.";

impl Out {
    /// What a path means: a file if its ending is of Timelines, a folder if it is one or has no ending.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        match TimelineFormat::of(path) {
            _ if path.is_dir() => Ok(Self::Folder(path.to_owned())),
            Ok(_) => Ok(Self::File(path.to_owned())),
            Err(_) if path.extension().is_none() => Ok(Self::Folder(path.to_owned())),
            Err(error) => Err(error.help("name it .parquet, .csv or .json, or without an ending for a folder").into()),
        }
    }

    /// Writes a run; gives the paths.
    pub(super) fn write(&self, asked: &Asked, run: &SimulationRun, summary: &Value) -> Result<Vec<PathBuf>, Failure> {
        match self {
            Self::File(path) => {
                run.timeline.write(path)?;
                Ok(vec![path.clone()])
            }
            Self::Folder(folder) => {
                make(folder)?;
                let series = folder.join("timeline.parquet");
                run.timeline.write(&series)?;
                let mut written = vec![series];
                written.extend(texts(folder, summary, &page(asked, run))?);
                Ok(written)
            }
        }
    }
}

/// Makes a folder.
pub(super) fn make(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::environment(format!("{}: cannot be made a folder: {error}", folder.display())))
}

/// Writes summary.json and report.html.
pub(super) fn texts(folder: &Path, summary: &Value, page: &str) -> Result<Vec<PathBuf>, Failure> {
    let summary = format!("{summary:#}\n");
    let files = [("summary.json", summary.as_str()), ("report.html", page)];
    let write = |(name, content): (&str, &str)| {
        let path = folder.join(name);
        inputs::write(&path, content).map(|()| path)
    };
    files.into_iter().map(write).collect()
}

/// The page of a run.
fn page(asked: &Asked, run: &SimulationRun) -> String {
    let summary = &run.summary;
    let mut facts = asked.facts();
    let measured = format!("{:.0} s to {:.0} s", summary.from.as_secs_f64(), summary.until.as_secs_f64());
    facts.push(("Measured".to_owned(), measured));
    for (name, value) in summary.latency.iter().flat_map(named) {
        facts.push((format!("Latency, {name}"), report::words::millis(value)));
    }
    let held = |bound: &HoldUp| HoldUpShare {
        what: bound.what.clone(),
        share: bound.share,
        between: bound.from.zip(bound.until),
    };
    let events = asked.setup.options.script.marks().into_iter().map(|mark| (mark.at, mark.what));
    report::run_page(&RunPage {
        title: asked.title(),
        answer: headline(summary),
        good: summary.saturated.is_none() && summary.full.is_none(),
        facts,
        unit: (summary.unit, asked.setup.task.profile.unit.per_operation),
        timeline: &run.timeline,
        span: run.timeline.span().map_or(asked.setup.options.span, |(_, until): (Nanos, Nanos)| until),
        events: events.collect(),
        held: summary.bound.iter().map(held).collect(),
        notes: vec![TRUST.to_owned()],
    })
}
