//! Files of a simulation: one file of series, or a folder with its page.

use std::path::{Path, PathBuf};

use report::verbs::simulate_page::page;
use serde_json::Value;
use simulate::SimulationRun;
use timeline::TimelineFormat;

use super::Asked;
use crate::failure::Failure;
use crate::inputs;
use crate::origin::origin;

/// Where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Out {
    /// All series, in the format of the file's ending.
    File(PathBuf),
    /// timeline.parquet, summary.json and report.html.
    Folder(PathBuf),
}

impl Out {
    /// A file if the path's ending is one of Timelines; a folder if it is one or has no ending.
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
                inputs::make_folder(folder)?;
                let series = folder.join("timeline.parquet");
                run.timeline.write(&series)?;
                let mut written = vec![series];
                let page = page(asked.title(), &asked.setup, run, &asked.view, origin());
                written.extend(texts(folder, summary, &page.html())?);
                Ok(written)
            }
        }
    }
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
