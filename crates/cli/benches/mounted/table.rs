//! The table of what was measured, in a document that is otherwise left alone.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::lab::{EXPERIMENTS, Figure};

const BEGIN: &str = "<!-- begin: written by `make bench-mount` -->";
const END: &str = "<!-- end: written by `make bench-mount` -->";

/// A section for each experiment, under a line on the machine and one on what is kept. What was not measured now stays as `old`
/// has it: an experiment spoilt by others on the machine can be made again alone.
fn markdown(old: &str, found: &[(&str, Vec<Figure>)]) -> String {
    let kept: BTreeMap<&str, &str> =
        old.split("\n### ").skip(1).filter_map(|section| section.split_once('\n')).collect();
    let section = |name: &str| match found.iter().find(|(of, _)| *of == name) {
        Some((_, figures)) => Some(rows(figures)),
        None => kept.get(name).map(|rows| (*rows).to_owned()),
    };
    let sections: Vec<(&str, String)> =
        EXPERIMENTS.iter().filter_map(|(name, _)| Some((*name, section(name)?))).collect();
    let (all, hold) = sections.iter().flat_map(|(_, rows)| rows.lines()).fold((0, 0), |(all, hold), row| {
        let held = row.contains("| holds");
        (all + usize::from(held || row.contains("| does NOT hold")), hold + usize::from(held))
    });
    let mut text = format!("Measured on {}.\n{hold} of {all} tolerances are kept.\n", machine());
    for (name, rows) in sections {
        _ = write!(text, "\n### {name}\n\n{}\n", rows.trim());
    }
    text
}

fn rows(figures: &[Figure]) -> String {
    let mut text = "| of | measured | unit | expected | found | |\n|---|---|---|---|---|---|\n".to_owned();
    for figure in figures {
        let Figure { of, what, unit, .. } = figure;
        let (expected, found, verdict) = (figure.expected(), figure.found(), figure.verdict());
        _ = writeln!(text, "| `{of}` | {what} | {unit} | {expected} | {found} | {verdict} |");
    }
    text
}

/// Processors, kernel and fio.
fn machine() -> String {
    let fio = std::process::Command::new("fio").arg("--version").output();
    let fio = fio.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{}, {fio}", validation::machine())
}

/// Writes what was found between the markers, as a whole or not at all.
pub(crate) fn write(document: &Path, found: &[(&str, Vec<Figure>)]) -> Result<(), Box<dyn Error>> {
    let old = std::fs::read_to_string(document)?;
    let (before, rest) = old.split_once(BEGIN).ok_or_else(|| format!("it has no line {BEGIN}"))?;
    let (measured, after) = rest.split_once(END).ok_or_else(|| format!("it has no line {END}"))?;
    let folder = document.parent().ok_or("it is in no folder")?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    write!(new, "{before}{BEGIN}\n\n{}\n{END}{after}", markdown(measured, found))?;
    let mode = std::fs::metadata(document)?.permissions();
    new.as_file().set_permissions(mode)?;
    new.persist(document)?;
    Ok(())
}
