//! InnoDB's simulation held against MariaDB on mounted disks: `cargo bench -p diskwright-simulate --bench innodb`. It writes
//! what it found into the tables of `docs/results/validate-innodb.md` and ends with 1 if a promise is not kept.

mod document;
mod grid;
mod kept;
mod predict;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use simulate::InnodbConstants;

use grid::{Grid, Half, Row};
use kept::Figures;

/// InnoDB's simulation held against MariaDB on mounted disks.
#[derive(Debug, Parser)]
#[command(
    name = "innodb",
    after_help = "\
Examples:
  cargo bench -p diskwright-simulate --bench innodb                         (a minute; no root: what is kept is simulated)
  cargo bench -p diskwright-simulate --bench innodb -- --measure diskwright (half an hour, as root, with mariadb-server)
  cargo bench -p diskwright-simulate --bench innodb -- --calibrate

What was measured is kept in crates/analyze/simulate/benches/innodb/kept, a file for each row."
)]
struct Args {
    /// Only the row of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Measure the rows with this program first
    #[arg(long, value_name = "PROGRAM")]
    measure: Option<PathBuf>,
    /// Fit constants to the calibrating half, and print them
    #[arg(long)]
    calibrate: bool,
    /// Another value of a constant: redo_overhead=100; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    with: Vec<String>,
    /// Write nothing
    #[arg(long)]
    dry: bool,
    /// What cargo adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// What was promised: throughput within 15 %, bytes written to disks within 20 % (mean absolute errors of the predicted half).
const PROMISED: [f64; 2] = [0.15, 0.20];

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<bool, String> {
    let grid = Grid::embedded()?;
    let rows: Vec<&Row> =
        grid.rows.iter().filter(|row| args.only.is_empty() || args.only.contains(&row.name)).collect();
    if let Some(program) = &args.measure {
        for row in &rows {
            let figures = kept::measure(&grid, row, program)?;
            println!("row {}: {figures}", row.name);
            kept::write(&row.name, &figures)?;
        }
    }
    let mut found: Vec<(&Row, Figures)> = Vec::new();
    for row in rows {
        match kept::read(&row.name)? {
            Some(figures) => found.push((row, figures)),
            None => println!("row {}: not measured", row.name),
        }
    }
    let mut constants = *InnodbConstants::private_server();
    for pair in &args.with {
        let (name, value) = pair.split_once('=').ok_or("--with: expected NAME=VALUE")?;
        let value = value.parse().map_err(|_| format!("--with {pair}: expected a number"))?;
        constants = constants.with(name, value).ok_or_else(|| format!("--with {pair}: no such constant"))?;
    }
    if args.calibrate {
        constants = predict::fit(&grid, &found, &constants)?;
    }
    let mut errors = Vec::new();
    for (row, measured) in &found {
        let predicted = predict::predict(&grid, row, &constants)?;
        println!("row {}: {predicted}\n     is {measured}", row.name);
        errors.push((*row, *measured, predicted));
    }
    let kept_promises = document::means(&errors, Half::Predict).iter().zip(PROMISED).all(|(mean, most)| *mean <= most);
    if args.only.is_empty() && !args.dry && errors.len() == grid.rows.len() {
        document::write(&grid, &errors)?;
        println!("written to docs/results/validate-innodb.md");
    }
    for half in [Half::Calibrate, Half::Predict] {
        let [throughput, bytes] = document::means(&errors, half);
        println!("{half}: throughput {:.1} %, bytes written {:.1} %", throughput * 100.0, bytes * 100.0);
    }
    Ok(kept_promises)
}
