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

pub use bounds::{Bound, bounds};
pub use calibrate::{Calibrated, calibrate};
pub use document::{BEGIN, END, markdown, replace};
pub use effects::{Effect, agree, effects};
pub use error::ValidateError;
pub use errors::{Errors, Metric, TARGETS, Target, errors, mean_absolute};
pub use figures::Figures;
pub use fit::{Fit, descend};
pub use grid::{Factor, Grid, Half, Row};
pub use kept::Kept;
pub use level::Level;
pub use machine::{Around, Busy, machine};
pub use measured::measure;
pub use pace::pace;
pub use predicted::{SEEDS, predict};
pub use setup::{Common, Setup};
