//! Which limit a database runs into, what says so and what speaks against it, and the cheapest change that removes it. Reads
//! Timelines of our own disks, of the simulator, of CloudWatch, and of whatever else is given under the same names.

#![forbid(unsafe_code)]

mod causes;
mod diagnose;
mod evidence;
mod facts;
mod kind;
mod known;
mod refuted;
mod remedy;
mod rules;
#[cfg(test)]
mod testing;
mod threads;
mod verdict;
mod window;

pub use diagnose::diagnose;
pub use evidence::{Evidence, Fact};
pub use facts::{Drawn, Facts, Grid, Scope, Signal, Subject, facts};
pub use kind::Kind;
pub use known::{Known, KnownError};
pub use remedy::{Carrier, Effect, Remedy, carriers};
pub use rules::{Condition, Margins, Rule, margins, rules};
pub use verdict::{Episode, Verdict};
