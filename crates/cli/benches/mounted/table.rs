//! The table of what was measured, in a document that is otherwise left alone.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::lab::Figure;

const BEGIN: &str = "<!-- begin: written by `make bench-mount` -->";
const END: &str = "<!-- end: written by `make bench-mount` -->";

/// One table for each experiment, under a line on the machine.
pub(crate) fn markdown(found: &[(&str, Vec<Figure>)]) -> String {
    let mut text = format!("Measured on {}.\n", machine());
    let promised: Vec<&Figure> = found.iter().flat_map(|(_, figures)| figures).filter(|f| f.is_promised()).collect();
    let (all, hold) = (promised.len(), promised.iter().filter(|figure| figure.holds()).count());
    _ = writeln!(text, "{hold} of {all} tolerances are kept.");
    for (name, figures) in found {
        _ = write!(text, "\n### {name}\n\n| of | measured | unit | expected | found | |\n|---|---|---|---|---|---|\n");
        for figure in figures {
            let Figure { of, what, unit, .. } = figure;
            _ = writeln!(
                text,
                "| `{of}` | {what} | {unit} | {} | {} | {} |",
                figure.expected(),
                figure.found(),
                figure.verdict()
            );
        }
    }
    text
}

/// Processors, kernel and fio.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map_or("?", |(_, m)| m);
    let count = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let fio = std::process::Command::new("fio").arg("--version").output();
    let fio = fio.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{count} processors ({model}), Linux {}, {fio}", kernel.split('-').next().unwrap_or_default().trim())
}

/// Puts a text between the markers, as a whole or not at all.
pub(crate) fn replace(document: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    let old = std::fs::read_to_string(document)?;
    let (before, rest) = old.split_once(BEGIN).ok_or_else(|| format!("it has no line {BEGIN}"))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| format!("it has no line {END}"))?;
    let folder = document.parent().ok_or("it is in no folder")?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    write!(new, "{before}{BEGIN}\n\n{text}\n{END}{after}")?;
    let mode = std::fs::metadata(document)?.permissions();
    new.as_file().set_permissions(mode)?;
    new.persist(document)?;
    Ok(())
}
