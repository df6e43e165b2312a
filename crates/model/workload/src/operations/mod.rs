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

pub use chooser::{Chooser, Skew};
pub use generator::Generator;
pub use hash::fnv;
pub use keys::Keys;
pub use loader::Loader;
pub use operation::{Operation, Planned};
pub use recipe::{Recipe, Scale};
pub use rows::Rows;
pub use sizes::ParseSizesError;
pub use values::{Sizes, Values};
pub use zipfian::Zipfian;
