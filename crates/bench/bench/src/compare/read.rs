//! Runs from files.

use std::path::Path;

use textfile::{LIMIT, read_text};
use timeline::Timeline;

use super::RunSample;
use crate::{BenchError, BenchReport, RunFileFault};

/// Reads a report, which may hold several runs, the Timeline of one run, or a folder with a Timeline in Parquet of each run. Gives
/// the title and the runs.
///
/// # Errors
/// When the file or folder cannot be read or is none of these.
pub fn read(path: impl AsRef<Path>) -> Result<(String, Vec<RunSample>), BenchError> {
    let path = path.as_ref();
    if path.is_dir() {
        return of_folder(path);
    }
    if path.extension().is_some_and(|extension| extension == "json")
        && let Ok(text) = read_text(path, LIMIT)
        && let Ok(report) = serde_json::from_str::<BenchReport>(text.content())
    {
        if report.format != BenchReport::FORMAT {
            let why = RunFileFault::Format { given: report.format, expected: BenchReport::FORMAT };
            return Err(BenchError::RunFile { path: path.to_owned(), why });
        }
        return Ok((report.title.clone(), report.runs.iter().map(RunSample::of_report).collect()));
    }
    let timeline = Timeline::read(path)?;
    Ok((timeline.about.title.clone(), vec![RunSample::of_timeline(&timeline)?]))
}

/// What `bench compare --out` leaves of a side.
fn of_folder(folder: &Path) -> Result<(String, Vec<RunSample>), BenchError> {
    let fault = |why: RunFileFault| BenchError::RunFile { path: folder.to_owned(), why };
    let unreadable = |error: std::io::Error| fault(error.into());
    let (mut title, mut runs) = (None, Vec::new());
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "parquet") {
            let (named, run) = read(&path)?;
            runs.extend(run);
            title = Some(named);
        }
    }
    // A folder lists its files in any order.
    runs.sort_by_key(|sample| sample.run);
    title.map(|title| (title, runs)).ok_or_else(|| fault(RunFileFault::Empty))
}
