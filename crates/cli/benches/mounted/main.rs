//! The long form of the experiments on mounted disks. It writes what it found into the table of `docs/results/mounted-disks.md` and ends
//! with 1 if a tolerance is missed. `cargo bench -p diskwright --bench mounted [-- WORD]`; with a word only the experiments
//! whose name has it, and the rest of the table stays as it is.

#[path = "../../tests/measured/mounted/lab/mod.rs"]
mod lab;
mod table;

use std::path::Path;
use std::process::ExitCode;

use lab::{EXPERIMENTS, Figure, Length};

fn main() -> ExitCode {
    // Cargo adds `--bench` to what it was given.
    let word = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let mut found: Vec<(&str, Vec<Figure>)> = Vec::new();
    let mut all_hold = true;
    for (name, experiment) in EXPERIMENTS.iter().filter(|(name, _)| word.as_ref().is_none_or(|w| name.contains(w))) {
        println!("{name}");
        match experiment(Length::Long) {
            Ok(figures) => {
                figures.iter().for_each(|figure| println!("  {figure}"));
                all_hold &= figures.iter().all(Figure::holds);
                found.push((name, figures));
            }
            Err(e) => {
                println!("  not measured: {e}");
                all_hold = false;
            }
        }
    }
    let promised: Vec<&Figure> = found.iter().flat_map(|(_, figures)| figures).filter(|f| f.is_promised()).collect();
    println!("{} of {} tolerances are kept", promised.iter().filter(|figure| figure.holds()).count(), promised.len());
    let document = Path::new("../../docs/results/mounted-disks.md");
    if let Err(e) = table::write(document, &found) {
        eprintln!("{}: {e}", document.display());
        return ExitCode::FAILURE;
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
