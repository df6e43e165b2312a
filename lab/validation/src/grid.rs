//! The grid: factors with their levels, and rows that take one level of each.

use std::collections::BTreeSet;

use textfile::Text;

use crate::setup::{GridCommon, RowSetup};
use crate::{FactorLevel, ValidateError};

/// Which half of the grid a row is in, decided before anything is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GridHalf {
    /// Constants are fitted to it.
    Calibrate,
    /// It is only predicted.
    Predict,
}

impl GridHalf {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Calibrate, Self::Predict];

    /// As the grid writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calibrate => "calibrate",
            Self::Predict => "predict",
        }
    }
}

/// Something that differs between rows.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridFactor {
    /// Its name.
    pub name: String,
    /// Whether its levels are kinds, which have no order; else each is more than the one before.
    #[serde(default)]
    pub kinds: bool,
    /// Its levels.
    pub levels: Vec<FactorLevel>,
}

/// A configuration.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridRow {
    /// Its name.
    pub name: String,
    /// Which half it is in.
    pub half: GridHalf,
    /// The level of each factor, in the factors' order.
    pub levels: Vec<String>,
    /// Operations a second, where the loop is open.
    pub rate: Option<f64>,
}

/// Configurations that are run on the reference store and in the simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationGrid {
    /// What all rows have in common.
    pub common: GridCommon,
    /// What differs.
    pub factors: Vec<GridFactor>,
    /// The configurations.
    pub rows: Vec<GridRow>,
}

#[derive(serde::Deserialize)]
struct File {
    factors: Vec<GridFactor>,
    rows: Vec<GridRow>,
    #[serde(flatten)]
    common: toml::Table,
}

const GRID: &str = include_str!("../tables/grid.toml");

impl ValidationGrid {
    /// The one that ships with the program.
    ///
    /// # Panics
    /// Never: a test reads it.
    pub fn embedded() -> Self {
        Self::from_text(&Text::new("tables/grid.toml", GRID)).expect("tested: the grid is one")
    }

    /// Reads a grid.
    ///
    /// # Errors
    /// When it is none: with the key or the row that is wrong.
    pub fn from_text(text: &Text) -> Result<Self, ValidateError> {
        let File { factors, rows, common } = textfile::from_toml(text)?;
        let common = textfile::from_toml(&Text::new(text.path(), common.to_string()))?;
        let grid = Self { common, factors, rows };
        let mut names = BTreeSet::new();
        for row in &grid.rows {
            if !names.insert(&row.name) {
                let fault = "stands there twice: name rows apart".to_owned();
                return Err(ValidateError::Row { row: row.name.clone(), fault });
            }
            grid.setup(row)?;
        }
        Ok(grid)
    }

    /// What a row is.
    ///
    /// # Errors
    /// When its levels are none, or say too little or too much.
    pub fn setup(&self, row: &GridRow) -> Result<RowSetup, ValidateError> {
        let wrong = |fault: String| ValidateError::Row { row: row.name.clone(), fault };
        if row.levels.len() != self.factors.len() {
            let names: Vec<&str> = self.factors.iter().map(|factor| factor.name.as_str()).collect();
            return Err(wrong(format!(
                "has {} levels: expected one of each of {}",
                row.levels.len(),
                names.join(", ")
            )));
        }
        let mut all = FactorLevel::default();
        for (factor, name) in self.factors.iter().zip(&row.levels) {
            let known = || factor.levels.iter().map(|level| level.name.as_str()).collect::<Vec<_>>().join(", ");
            let level = factor.levels.iter().find(|level| level.name == *name);
            let level =
                level.ok_or_else(|| wrong(format!("has `{name}` of {}: expected one of {}", factor.name, known())))?;
            let twice = || wrong(format!("has `{name}` of {}, which says what another factor says too", factor.name));
            all = all.with(level).ok_or_else(twice)?;
        }
        RowSetup::new(&self.common, row, all).map_err(|what| wrong(what.to_owned()))
    }

    /// Where a row stands on a factor: 0 for its first level.
    pub fn place(&self, row: &GridRow, factor: usize) -> Option<usize> {
        self.factors[factor].levels.iter().position(|level| level.name == row.levels[factor])
    }
}

#[cfg(test)]
#[path = "grid_tests.rs"]
mod tests;
