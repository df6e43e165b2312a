//! The simulation held against the reference store: a grid of configurations is run on both, half of it calibrates the
//! simulation's constants, the other half is predicted, and the errors are written down.

#![forbid(unsafe_code)]

mod bounds;
mod calibrate;
mod document;
mod effects;
mod error;
mod errors;
mod figures;
mod fit;
mod grid;
mod kept;
mod level;
mod machine;
mod measured;
mod pace;
mod predicted;
mod setup;
mod wakeups;

pub use bounds::{FitBound, bounds};
pub use calibrate::{CalibrationResult, calibrate};
pub use document::{BEGIN, END, markdown, replace};
pub use effects::{FactorEffect, agree, effects};
pub use error::ValidateError;
pub use errors::{ComparedMetric, ErrorTarget, RowErrors, TARGETS, errors, mean_absolute};
pub use figures::RunFigures;
pub use fit::{FitResult, descend};
pub use grid::{GridFactor, GridHalf, GridRow, ValidationGrid};
pub use kept::MeasuredRow;
pub use level::FactorLevel;
pub use machine::{MachineLoad, MachineState, machine};
pub use measured::measure;
pub use pace::pace;
pub use predicted::{SEEDS, predict};
pub use setup::{GridCommon, RowSetup};
