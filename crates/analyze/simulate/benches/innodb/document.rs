//! The tables of `docs/results/validate-innodb.md`.

use std::fmt::Write;
use std::path::Path;

use crate::grid::{Grid, Half, Row};
use crate::kept::Figures;

/// A row, what was measured of it, and what was simulated.
pub(crate) type Compared<'a> = (&'a Row, Figures, Figures);

const BEGIN: &str = "<!-- begin: written by `make validate-innodb` -->";
const END: &str = "<!-- end -->";

/// Errors of throughput and of bytes written: simulated over measured, less one.
pub(crate) fn errors(measured: &Figures, predicted: &Figures) -> [f64; 2] {
    [predicted.rows / measured.rows - 1.0, predicted.write_bytes / measured.write_bytes - 1.0]
}

/// Their mean absolute values over a half.
pub(crate) fn means(all: &[Compared<'_>], half: Half) -> [f64; 2] {
    let rows: Vec<_> = all.iter().filter(|(row, ..)| row.half == half).collect();
    [0, 1].map(|which| {
        let sum: f64 = rows.iter().map(|(_, measured, predicted)| errors(measured, predicted)[which].abs()).sum();
        sum / rows.len().max(1) as f64
    })
}

/// Writes the tables between their marks; all else stays.
pub(crate) fn write(grid: &Grid, all: &[Compared<'_>]) -> Result<(), String> {
    let path = Path::new("../../../docs/results/validate-innodb.md");
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let (before, rest) = text.split_once(BEGIN).ok_or_else(|| failed(&"the mark of the tables' begin is missing"))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| failed(&"the mark of the tables' end is missing"))?;
    let text = format!("{before}{BEGIN}\n{}{END}{after}", markdown(grid, all));
    textfile::write_atomically(path, text.as_bytes()).map_err(|error| failed(&error))
}

fn markdown(grid: &Grid, all: &[Compared<'_>]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |what: String| {
        let _ = writeln!(text, "{what}");
    };
    line("| mean absolute error | throughput | bytes written | promised |".to_owned());
    line("|---|---|---|---|".to_owned());
    for (half, name) in [(Half::Calibrate, "calibrating half"), (Half::Predict, "predicted half")] {
        let [throughput, bytes] = means(all, half);
        line(format!("| {name} | {:.0} % | {:.0} % | 15 %; 20 % |", throughput * 100.0, bytes * 100.0));
    }
    line(String::new());
    line("| row | half | data | log | pool | clients | besides | rows/s | simulated | error | MiB/s written | simulated | error |".to_owned());
    line("|---|---|---|---|---|---|---|---|---|---|---|---|---|".to_owned());
    for (row, measured, predicted) in all {
        let mut besides: Vec<&str> = row.set.iter().map(String::as_str).collect();
        if !row.doublewrite {
            besides.push("no doublewrite");
        }
        let [throughput, bytes] = errors(measured, predicted);
        let mib = |figures: &Figures| figures.write_bytes / 1_048_576.0;
        line(format!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.0} | {:.0} | {:+.0} % | {:.1} | {:.1} | {:+.0} % |",
            row.name,
            row.half,
            row.data,
            row.log.as_deref().unwrap_or("-"),
            row.pool,
            row.clients,
            besides.join(", "),
            measured.rows,
            predicted.rows,
            throughput * 100.0,
            mib(measured),
            mib(predicted),
            bytes * 100.0
        ));
    }
    line(String::new());
    line(format!("All rows: {}.", grid.set.join(", ")));
    text
}
