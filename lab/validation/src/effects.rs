//! What each factor does: main effects by least squares on the logarithm of a metric, of what is measured and of what is
//! predicted, and whether their signs agree.

use crate::{GridRow, ValidationGrid};

/// What a factor does to a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct FactorEffect {
    /// The factor.
    pub factor: String,
    /// The levels that are held against each other.
    pub levels: [String; 2],
    /// Logarithm of the metric at the second level over that at the first, the other factors being equal.
    pub log_ratio: f64,
    /// Its standard error, from what the factors leave unexplained.
    pub standard_error: f64,
}

/// An effect of which less than so many standard errors are seen has no sign.
const SEEN: f64 = 2.0;

impl FactorEffect {
    /// Whether it is more than chance.
    pub fn is_seen(&self) -> bool {
        self.log_ratio.abs() > SEEN * self.standard_error
    }
}

/// Whether a predicted effect has the sign of the measured one; `None` where the measured one has none.
pub fn agree(measured: &FactorEffect, predicted: &FactorEffect) -> Option<bool> {
    measured.is_seen().then(|| measured.log_ratio.signum() == predicted.log_ratio.signum())
}

/// A column of the design: a factor, its levels, and where a row stands.
struct Column {
    factor: String,
    levels: [String; 2],
    at: Box<dyn Fn(&GridRow) -> f64>,
}

/// Between a factor of kinds' first level and each other one; from a graded factor's first level to its last, evenly.
fn columns(grid: &ValidationGrid) -> Vec<Column> {
    let mut columns = Vec::new();
    for (index, factor) in grid.factors.iter().enumerate() {
        let names: Vec<String> = factor.levels.iter().map(|level| level.name.clone()).collect();
        let place = {
            let names = names.clone();
            move |row: &GridRow| names.iter().position(|name| *name == row.levels[index]).unwrap_or_default()
        };
        let last = names.len() - 1;
        let mut add = |level: usize, at: Box<dyn Fn(&GridRow) -> f64>| {
            let levels = [names[0].clone(), names[level].clone()];
            columns.push(Column { factor: factor.name.clone(), levels, at });
        };
        if factor.kinds {
            for level in 1..=last {
                let place = place.clone();
                add(level, Box::new(move |row| f64::from(u8::from(place(row) == level))));
            }
        } else if last > 0 {
            add(last, Box::new(move |row| place(row) as f64 / last as f64));
        }
    }
    columns
}

/// The main effects of all factors on the logarithm of a positive number of each row; `None` where there are too few rows.
pub fn effects(grid: &ValidationGrid, values: &[(&GridRow, f64)]) -> Option<Vec<FactorEffect>> {
    let rows: Vec<(&GridRow, f64)> =
        values.iter().filter(|(_, value)| *value > 0.0).map(|(row, v)| (*row, v.ln())).collect();
    // What does not differ between these rows has no effect to be seen.
    let differs = |column: &Column| rows.iter().any(|(row, _)| (column.at)(row) != (column.at)(rows[0].0));
    let columns: Vec<Column> = columns(grid).into_iter().filter(|column| !rows.is_empty() && differs(column)).collect();
    let width = columns.len() + 1;
    if rows.len() <= width {
        return None;
    }
    let design: Vec<Vec<f64>> = rows
        .iter()
        .map(|(row, _)| std::iter::once(1.0).chain(columns.iter().map(|column| (column.at)(row))).collect())
        .collect();
    let dot = |a: usize, b: usize| design.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let normal: Vec<Vec<f64>> = (0..width).map(|a| (0..width).map(|b| dot(a, b)).collect()).collect();
    let inverse = inverse(normal)?;
    let right: Vec<f64> = (0..width).map(|a| design.iter().zip(&rows).map(|(row, (_, y))| row[a] * y).sum()).collect();
    let found: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&right).map(|(a, b)| a * b).sum()).collect();
    let left = design.iter().zip(&rows).map(|(row, (_, y))| {
        let fitted: f64 = row.iter().zip(&found).map(|(a, b)| a * b).sum();
        (y - fitted) * (y - fitted)
    });
    let variance = left.sum::<f64>() / (rows.len() - width) as f64;
    let effect = |(index, column): (usize, Column)| FactorEffect {
        factor: column.factor,
        levels: column.levels,
        log_ratio: found[index + 1],
        standard_error: (variance * inverse[index + 1][index + 1]).sqrt(),
    };
    Some(columns.into_iter().enumerate().map(effect).collect())
}

/// The inverse of a matrix by elimination with pivots; `None` if it has none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    /// Pivots of a design of ones and noughts are no smaller unless columns depend on each other.
    const LEAST: f64 = 1e-9;
    let size = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| f64::from(u8::from(column == index))));
    }
    for column in 0..size {
        let pivot = (column..size).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))?;
        matrix.swap(column, pivot);
        let head = matrix[column][column];
        if head.abs() < LEAST {
            return None;
        }
        matrix[column].iter_mut().for_each(|value| *value /= head);
        let pivot = matrix[column].clone();
        for (index, row) in matrix.iter_mut().enumerate().filter(|(index, _)| *index != column) {
            debug_assert_ne!(index, column);
            let factor = row[column];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a world does in which some factors do something.
    fn world(grid: &ValidationGrid, noise: f64) -> Vec<(&GridRow, f64)> {
        let value = |(index, row): (usize, &GridRow)| -> f64 {
            let place = |name: &str| {
                let factor = grid.factors.iter().position(|factor| factor.name == name).unwrap();
                grid.place(row, factor).unwrap() as f64
            };
            let chance = noise * [1.0, -1.0, -1.0, 1.0][index % 4];
            100.0
                * (0.7 * place("log") - 0.4 * place("value") + chance).exp()
                * if place("disk") == 2.0 { 3.0 } else { 1.0 }
        };
        grid.rows.iter().enumerate().map(|at| (at.1, value(at))).collect()
    }

    #[test]
    fn effects_are_found_apart_from_each_other() {
        let grid = ValidationGrid::embedded();
        let found = effects(&grid, &world(&grid, 0.0)).unwrap();
        for effect in &found {
            let expected = match (effect.factor.as_str(), effect.levels[1].as_str()) {
                ("log", _) => 0.7,
                ("value", _) => -0.8,
                ("disk", "io2") => 3f64.ln(),
                _ => 0.0,
            };
            assert!((effect.log_ratio - expected).abs() < 1e-9, "{effect:?}");
        }
        assert_eq!(found.iter().filter(|effect| effect.factor == "disk").count(), 3);
    }

    #[test]
    fn signs_agree_where_there_is_one_to_agree_with() {
        let grid = ValidationGrid::embedded();
        let (measured, same) =
            (effects(&grid, &world(&grid, 0.05)).unwrap(), effects(&grid, &world(&grid, 0.0)).unwrap());
        let turned: Vec<FactorEffect> =
            same.iter().map(|effect| FactorEffect { log_ratio: -effect.log_ratio, ..effect.clone() }).collect();
        let of = |factor: &str| measured.iter().position(|effect| effect.factor == factor).unwrap();
        assert_eq!(agree(&measured[of("log")], &same[of("log")]), Some(true));
        assert_eq!(agree(&measured[of("log")], &turned[of("log")]), Some(false));
        let nothing = FactorEffect { log_ratio: 0.0, standard_error: 0.1, ..measured[0].clone() };
        assert_eq!(agree(&nothing, &same[0]), None);
    }

    #[test]
    fn too_few_rows_give_no_effects() {
        let grid = ValidationGrid::embedded();
        assert_eq!(effects(&grid, &world(&grid, 0.0)[..8]), None);
        assert_eq!(effects(&grid, &[]), None);
    }
}
