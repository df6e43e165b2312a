//! The answer of `render`: the files that were written, and what to mind of them.

use std::path::Path;

use render::{FileFate, RenderResult, RenderedFile, TikvVersion, TrafficEstimate, WrittenFile};
use serde_json::{Value, json};

use crate::text::{Table, bold, line_width, wrap, yellow};
use crate::words;

/// The answer as text; `folder` holds the files.
pub fn text(
    folder: &Path,
    rendered: &RenderResult,
    written: &[WrittenFile],
    traffic: Option<&TrafficEstimate>,
) -> String {
    let mut text = bold(&headline(&folder.display().to_string(), written));
    text += &format!("\n\n{}", files(&rendered.files, written));
    if let Some(traffic) = traffic.filter(|traffic| !traffic.variants.is_empty()) {
        text += &format!("\nTraffic between zones, a month at the workload's target\n{}", table(traffic));
    }
    if !rendered.notes.is_empty() {
        text += &format!("\n{}\n", yellow("Before you use them"));
        for note in &rendered.notes {
            text += &format!("- {}\n", wrap(note, line_width() - 2, 2));
        }
    }
    text
}

/// The answer as JSON.
pub fn document(
    version: TikvVersion,
    rendered: &RenderResult,
    written: &[WrittenFile],
    traffic: Option<&TrafficEstimate>,
) -> Value {
    let files: Vec<Value> = rendered
        .files
        .iter()
        .zip(written)
        .map(|(file, written)| {
            json!({
                "path": written.path.display().to_string(),
                "format": file.format,
                "purpose": file.format.purpose(),
                "fate": written.fate,
            })
        })
        .collect();
    json!({
        "tikv": version,
        "files": files,
        "notes": rendered.notes,
        "traffic": traffic.map(|traffic| &traffic.variants),
    })
}

/// What was done in a sentence.
fn headline(folder: &str, written: &[WrittenFile]) -> String {
    let count = |fate: FileFate| written.iter().filter(|file| file.fate == fate).count();
    let (new, replaced, same) = (count(FileFate::Written), count(FileFate::Replaced), count(FileFate::Unchanged));
    let mut parts = vec![format!("{new} {} written to {folder}", if new == 1 { "file" } else { "files" })];
    if replaced > 0 {
        parts.push(format!("{replaced} replaced"));
    }
    if same > 0 {
        parts.push(format!("{same} unchanged"));
    }
    wrap(&format!("{}.", parts.join(", ")), line_width(), 0)
}

fn files(files: &[RenderedFile], written: &[WrittenFile]) -> Table {
    let mut table = Table::new(&["file", "format", "for"], &[]);
    for (file, written) in files.iter().zip(written) {
        let fate = match written.fate {
            FileFate::Written => "",
            FileFate::Replaced => " (replaced)",
            FileFate::Unchanged => " (unchanged)",
        };
        table.row([file.name.clone(), file.format.to_string(), format!("{}{fate}", file.format.purpose())]);
    }
    table
}

fn table(traffic: &TrafficEstimate) -> Table {
    let mut table = Table::new(&["reads", "compression", "GB", "$/month", ""], &[2, 3]);
    for variant in &traffic.variants {
        table.row([
            if variant.follower_read { "nearest copy" } else { "leader" }.to_owned(),
            if variant.grpc_compression { "gzip" } else { "none" }.to_owned(),
            words::count(variant.gb),
            variant.usd.map_or_else(|| "not known".to_owned(), |usd| units::Usd(usd).to_string()),
            if variant.chosen { "as set" } else { "" }.to_owned(),
        ]);
    }
    table
}
