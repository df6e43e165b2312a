//! The common end of all sources: a Timeline with its known facts, diagnosed, printed and written.

use std::path::Path;

use diagnose::{KnownFacts, diagnose};
use report::verbs::diagnose::{document, text};
use report::verbs::diagnose_page::page;
use timeline::Timeline;

use crate::failure::Failure;
use crate::inputs;
use crate::origin::origin;
use crate::output::Output;
use crate::progress;

/// Diagnoses, writes report.html and verdicts.json into `out`, and returns the answer: a no if something is wrong.
pub(super) fn answer(
    of: &str,
    timeline: &Timeline,
    known: &KnownFacts,
    out: Option<&Path>,
    json: bool,
) -> Result<Output, Failure> {
    let verdicts = progress::during("looking for bottlenecks", || diagnose(timeline, known));
    let document = document(timeline, &verdicts);
    let mut written = Vec::new();
    if let Some(folder) = out {
        inputs::make_folder(folder)?;
        let page = page(of, timeline, known, &verdicts, origin()).html();
        for (name, content) in [("verdicts.json", format!("{document:#}\n")), ("report.html", page)] {
            let path = folder.join(name);
            inputs::write(&path, &content)?;
            written.push(path);
        }
    }
    let wrong = verdicts.iter().any(|verdict| verdict.kind.is_wrong());
    let output = if json { Output::json(&document) } else { Output::text(text(timeline, &verdicts, &written)) };
    Ok(output.negative(wrong))
}
