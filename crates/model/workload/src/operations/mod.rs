//! Concrete operations drawn from a [`crate::Workload`]: keys, values, and which comes when. The same seed and the same
//! answers give the same operations.

mod chooser;
mod counts;
mod generator;
mod hash;
mod keys;
mod loader;
mod mixed;
mod operation;
mod plans;
mod recipe;
mod rows;
mod scatter;
mod sizes;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;
mod values;
mod zipfian;

pub use chooser::{AccessSkew, RowChooser};
pub use generator::OperationGenerator;
pub use hash::fnv;
pub use keys::KeyEncoder;
pub use loader::RowLoader;
pub use operation::{Operation, PlannedOperation};
pub use recipe::{OperationRecipe, WorkloadScale};
pub use rows::RowCounter;
pub use sizes::ParseSizesError;
pub use values::{ValueGenerator, ValueSizes};
pub use zipfian::Zipfian;
