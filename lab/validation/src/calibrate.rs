//! Constants of the simulation fitted to the calibrating half of the grid.

use std::path::Path;

use rayon::prelude::*;
use simulate::Constants;
use toml_edit::DocumentMut;

use crate::bounds::FitBound;
use crate::fit::descend;
use crate::{RowSetup, RunFigures, TARGETS, ValidateError, errors, mean_absolute, predict};

/// What a calibration came to.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CalibrationResult {
    /// The constants that were fitted, each with its value before and after.
    pub changed: Vec<(FitBound, f64, f64)>,
    /// The mean over what is promised of error over target, before and after.
    pub cost: [f64; 2],
    /// How often the half was simulated.
    pub asked: usize,
}

/// An error counts no more than this: one row that nothing explains must not decide the others.
const MOST: f64 = 2.0;

/// The mean over what is promised of the mean absolute error over its target.
pub(crate) fn cost(
    rows: &[(RowSetup, RunFigures)],
    constants: &Constants,
    processors: f64,
    seeds: u64,
) -> Result<f64, ValidateError> {
    let predicted: Vec<RunFigures> =
        rows.par_iter().map(|(setup, _)| predict(setup, constants, processors, seeds)).collect::<Result<_, _>>()?;
    let each = TARGETS.iter().filter_map(|target| {
        let pairs = rows.iter().zip(&predicted);
        let errors = pairs.filter_map(|((setup, found), predicted)| errors(setup, predicted, found, target.metric));
        Some(mean_absolute(errors.map(|error| error.clamp(-MOST, MOST)))? / target.most)
    });
    Ok(mean_absolute(each).unwrap_or(0.0))
}

/// Fits the constants of `bounds` to rows with what was measured of them, simulating all rows no more than `most` times or a
/// sweep more. `tell` hears how often it has been, and the cost. Gives all constants, and what became of those.
///
/// # Errors
/// When the simulation refuses a row.
pub fn calibrate(
    rows: &[(RowSetup, RunFigures)],
    base: &Constants,
    bounds: &[FitBound],
    (processors, seeds): (f64, u64),
    most: usize,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(Constants, CalibrationResult), ValidateError> {
    let set = |places: &[f64]| {
        bounds.iter().zip(places).fold(*base, |constants, (bound, place)| {
            constants.with(&bound.name, bound.value(*place)).expect("every bound is of a constant")
        })
    };
    let start: Vec<f64> = bounds.iter().map(|bound| bound.place(bound.of(base))).collect();
    let mut asked = 0;
    let mut first = None;
    let fit = descend(&start, most, &mut |places: &[f64]| {
        let cost = cost(rows, &set(places), processors, seeds)?;
        asked += 1;
        first.get_or_insert(cost);
        tell(asked, cost);
        Ok::<_, ValidateError>(cost)
    })?;
    let constants = set(&fit.at);
    let changed = bounds.iter().map(|bound| (bound.clone(), bound.of(base), bound.of(&constants))).collect();
    Ok((constants, CalibrationResult { changed, cost: [first.unwrap_or(fit.cost), fit.cost], asked: fit.asked }))
}

impl CalibrationResult {
    /// Reads one that was kept; `None` if there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<Option<Self>, ValidateError> {
        let wrong = |source| ValidateError::Kept { path: path.to_owned(), source };
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| wrong(error.into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(wrong(error.into())),
        }
    }

    /// Keeps it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ValidateError> {
        let text = serde_json::to_string_pretty(self)?;
        Ok(textfile::write_atomically(path, (text + "\n").as_bytes())?)
    }

    /// The table of the reference store's constants with the fitted ones in it; all else in it stays as it is written.
    ///
    /// # Errors
    /// When it is no table of constants.
    pub fn table(&self, table: &str, source: &str) -> Result<String, ValidateError> {
        let mut document: DocumentMut = table.parse()?;
        for (bound, _, after) in &self.changed {
            let constant = document.get_mut(&bound.name).and_then(toml_edit::Item::as_table_mut);
            let constant = constant.ok_or_else(|| ValidateError::NoConstant { name: bound.name.clone() })?;
            constant["value"] = toml_edit::value(five_digits(*after).clamp(bound.low, bound.high));
            constant["source"] = toml_edit::value(source);
        }
        Ok(document.to_string())
    }
}

/// More digits than a fit is good for: with three of them each, a fit that had found 28 % found 45 %.
fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
#[path = "calibrate_tests.rs"]
mod tests;
