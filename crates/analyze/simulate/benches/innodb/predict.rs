//! A row of the grid in the simulation, and constants that fit the calibrating half.

use catalog::Catalog;
use deployment::Deployment;
use disk::StartCredits;
use rayon::prelude::*;
use simulate::{InnodbConstants, ServerFlavour, ServerVariables, SharedMachine, SimulationOptions, simulate};
use textfile::Text;
use units::Bytes;
use workload::Workload;

use crate::grid::{Grid, Half, Row};
use crate::kept::Figures;

/// Processors of the machine on which was measured.
const PROCESSORS: f64 = 2.0;
/// Sweeps over all constants, and tries of each in a sweep.
const SWEEPS: usize = 3;
const TRIES: i32 = 4;
/// An error beyond which it does not matter how large it is.
const MOST: f64 = 1.0;

/// Simulates a row.
pub(crate) fn predict(grid: &Grid, row: &Row, constants: &InnodbConstants) -> Result<Figures, String> {
    let text = |error: &dyn std::fmt::Display| format!("row {}: {error}", row.name);
    let deployment =
        Deployment::from_text(&Text::new("deployment", grid.deployment(row))).map_err(|error| text(&error))?;
    let workload = Workload::from_text(&Text::new("workload", grid.workload(row)), &mut |path| {
        textfile::read_text(path, textfile::LIMIT)
    });
    let task = workload.map_err(|error| text(&error))?.middle().map_err(|error| text(&error))?;
    let mut server = ServerVariables::of(ServerFlavour::MariaDb);
    for set in grid.set(row) {
        let (key, value) = set.split_once('=').ok_or_else(|| text(&format!("{set}: expected VARIABLE=VALUE")))?;
        server = server.with(key, value).map_err(|error| text(&error))?;
    }
    let options = SimulationOptions {
        span: grid.warm_up + grid.measure,
        warm_up: grid.warm_up,
        credits: StartCredits::Spent,
        server,
        innodb: *constants,
        machine: Some(SharedMachine { processors: PROCESSORS, memory: Bytes::gib(16), shares: [1.0; 2], regions: 0 }),
        ..SimulationOptions::default()
    };
    let run = simulate(&deployment, &task, &Catalog::embedded().at(None), &options).map_err(|error| text(&error))?;
    Ok(Figures::of(&run.timeline, run.summary.from, run.summary.until))
}

/// The mean of the errors over what was promised of them.
fn cost(grid: &Grid, rows: &[(&Row, Figures)], constants: &InnodbConstants) -> Result<f64, String> {
    let each = rows.par_iter().map(|(row, measured)| {
        let predicted = predict(grid, row, constants)?;
        let [a, b] = crate::document::errors(measured, &predicted).map(|error| error.clamp(-MOST, MOST).abs());
        // Pages are what the bytes are made of: told right they make both right for the right reason.
        let pages = (predicted.pages_written / predicted.rows.max(1.0))
            / (measured.pages_written / measured.rows.max(1.0)).max(1e-9)
            - 1.0;
        Ok(a / crate::PROMISED[0] + b / crate::PROMISED[1] + 0.5 * pages.abs().min(MOST))
    });
    let each: Vec<f64> = each.collect::<Result<_, String>>()?;
    Ok(each.iter().sum::<f64>() / each.len().max(1) as f64)
}

/// Constants fitted to the calibrating half, one after the other, in steps that halve.
pub(crate) fn fit(grid: &Grid, rows: &[(&Row, Figures)], from: &InnodbConstants) -> Result<InnodbConstants, String> {
    let half: Vec<_> = rows.iter().copied().filter(|(row, _)| row.half == Half::Calibrate).collect();
    let mut best = *from;
    let mut least = cost(grid, &half, &best)?;
    println!("fit: begins at {least:.3}");
    for sweep in 0..SWEEPS {
        for bound in &grid.fit {
            let now = best.get(&bound.constant).ok_or_else(|| format!("no constant {}", bound.constant))?;
            for step in 0..TRIES {
                let width = (bound.most - bound.least) * 0.5f64.powi(step + sweep as i32 + 1);
                for value in [now - width, now + width] {
                    let value = value.clamp(bound.least, bound.most);
                    let Some(other) = best.with(&bound.constant, value) else { continue };
                    let cost = cost(grid, &half, &other)?;
                    if cost < least {
                        (best, least) = (other, cost);
                        println!("fit: {} = {value:.3e}: {least:.3}", bound.constant);
                    }
                }
            }
        }
    }
    Ok(best)
}
