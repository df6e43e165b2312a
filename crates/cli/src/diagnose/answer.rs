//! What every source ends in: a Timeline and what is known of it, diagnosed, told and written.

use std::path::Path;

use diagnose::{Known, Verdict, diagnose};
use serde_json::{Value, json};
use timeline::Timeline;

use super::{page, text};
use crate::failure::Failure;
use crate::inputs;
use crate::output::Output;

/// Diagnoses, writes report.html and verdicts.json where they are wanted, and says what was found; a no if something is wrong.
pub(super) fn answer(
    of: &str,
    timeline: &Timeline,
    known: &Known,
    out: Option<&Path>,
    json: bool,
) -> Result<Output, Failure> {
    let verdicts = diagnose(timeline, known);
    let document = document(timeline, &verdicts);
    let mut written = Vec::new();
    if let Some(folder) = out {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::environment(format!("{}: cannot be made a folder: {error}", folder.display())))?;
        let page = page::page(of, timeline, known, &verdicts);
        for (name, content) in [("verdicts.json", format!("{document:#}\n")), ("report.html", page)] {
            let path = folder.join(name);
            inputs::write(&path, &content)?;
            written.push(path);
        }
    }
    let wrong = verdicts.iter().any(|verdict| verdict.kind.is_wrong());
    let output = if json { Output::json(&document) } else { Output::text(text::text(timeline, &verdicts, &written)) };
    Ok(output.negative(wrong))
}

/// The verdicts with the instant that their seconds count from.
fn document(timeline: &Timeline, verdicts: &[Verdict]) -> Value {
    json!({
        "title": timeline.about.title,
        "start": timeline.about.start.map(|start| start.to_string()),
        "verdicts": verdicts,
    })
}
