//! Runs from files.

use std::path::Path;

use input::{LIMIT, read_text};
use timeline::Timeline;

use super::Sample;
use crate::{BenchError, Report};

/// Reads a report, which may hold several runs, or the Timeline of one run. Gives its title and its runs.
///
/// # Errors
/// When the file cannot be read or is neither.
pub fn read(path: impl AsRef<Path>) -> Result<(String, Vec<Sample>), BenchError> {
    let path = path.as_ref();
    if path.extension().is_some_and(|extension| extension == "json")
        && let Ok(text) = read_text(path, LIMIT)
        && let Ok(report) = serde_json::from_str::<Report>(text.content())
    {
        if report.format != Report::FORMAT {
            let message =
                format!("{}: the format is `{}`, expected `{}`", path.display(), report.format, Report::FORMAT);
            return Err(BenchError::Input(message));
        }
        return Ok((report.title.clone(), report.runs.iter().map(Sample::of_report).collect()));
    }
    let timeline = Timeline::read(path)?;
    Ok((timeline.about.title.clone(), vec![Sample::of_timeline(&timeline)?]))
}
