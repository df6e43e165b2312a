//! What was recorded, in files, so that a run that was ended goes on, and so that rules are tried on what is there already.

use std::path::{Path, PathBuf};

use timeline::Timeline;

use super::Trouble;
use super::row::Row;
use super::watch::Seen;

/// Who tells an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// Our own counters.
    Counted,
    /// A Prometheus.
    Prometheus,
    /// CloudWatch, of the disks and the machine.
    CloudWatch,
}

impl Telling {
    pub(crate) const ALL: [Self; 3] = [Self::Counted, Self::Prometheus, Self::CloudWatch];

    /// As tables and files write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Prometheus => "prometheus",
            Self::CloudWatch => "cloudwatch",
        }
    }
}

/// The notes in which a Timeline tells what it is of, what the machine did besides, and how often the incident was made.
const SETUP: &str = "setup";
const MACHINE: &str = "machine";
pub(crate) const TRIES: &str = "tries";

fn path(folder: &Path, row: &Row, telling: Telling) -> PathBuf {
    folder.join(format!("{}.{}.parquet", row.name, telling.name()))
}

/// What a folder keeps of a row as it is now; `None` if it keeps nothing of it.
pub(crate) fn read(folder: &Path, row: &Row) -> Option<Vec<(Telling, Timeline)>> {
    let one = |telling| {
        let timeline = Timeline::read(path(folder, row, telling)).ok()?;
        (timeline.about.notes.get(SETUP) == Some(&row.setup())).then_some((telling, timeline))
    };
    Telling::ALL.into_iter().map(one).collect()
}

/// Keeps what was seen.
pub(crate) fn write(folder: &Path, row: &Row, seen: Seen) -> Result<(), Trouble> {
    std::fs::create_dir_all(folder)?;
    let Seen { counted, prometheus, cloudwatch, machine, tries } = seen;
    for (telling, mut timeline) in Telling::ALL.into_iter().zip([counted, prometheus, cloudwatch]) {
        let notes = [(SETUP, row.setup()), (MACHINE, machine.to_string()), (TRIES, tries.to_string())];
        timeline.about.notes.extend(notes.map(|(note, text)| (note.to_owned(), text)));
        timeline.write(path(folder, row, telling))?;
    }
    Ok(())
}
