//! What every source ends in: a Timeline and what is known of it, diagnosed, told and written.

use std::path::Path;

use diagnose::{Finding, KnownFacts, diagnose};
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
    known: &KnownFacts,
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
fn document(timeline: &Timeline, verdicts: &[Finding]) -> Value {
    json!({
        "title": timeline.about.title,
        "start": timeline.about.start.map(|start| start.to_string()),
        "left_out": left_out(timeline),
        "verdicts": verdicts,
    })
}

/// What was there and is not diagnosed, as the source notes it, each with why.
pub(super) fn left_out(timeline: &Timeline) -> Vec<String> {
    let told = |(key, why): (&String, &String)| match key.strip_prefix("left out")?.trim() {
        "" => Some(why.clone()),
        what => Some(format!("{what}: {why}")),
    };
    timeline.about.notes.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_what_is_left_out_are_told_and_no_others() {
        let mut timeline = Timeline::default();
        let notes = [("instance", "m5.large"), ("left out", "the first report: why"), ("left out X", "says nothing")];
        timeline.about.notes.extend(notes.map(|(key, text)| (key.to_owned(), text.to_owned())));
        assert_eq!(left_out(&timeline), ["the first report: why", "X: says nothing"]);
    }
}
