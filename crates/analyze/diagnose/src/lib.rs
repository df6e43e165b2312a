//! Which limit a database runs into, what says so and what speaks against it, and the cheapest change that removes it. Reads
//! Timelines of our own disks, of the simulator, of CloudWatch, and of whatever else is given under the same names.

#![forbid(unsafe_code)]

mod causes;
mod changes;
mod diagnose;
mod evidence;
mod facts;
mod fleet;
mod healthy;
mod kind;
mod known;
mod refuted;
mod remedy;
mod rules;
mod says;
#[cfg(test)]
mod testing;
mod threads;
mod unknown;
mod verdict;
mod window;

pub use changes::{FindingChange, FindingTracker};
pub use diagnose::diagnose;
pub use evidence::{Evidence, EvidenceFact};
pub use facts::{DiagnosisSignal, FindingScope, FindingSubject, IntervalGrid, SignalSeries, SubjectFacts, facts};
pub use fleet::{DiagnosedFleet, FleetVolume};
pub use kind::FindingKind;
pub use known::{KnownError, KnownFacts};
pub use remedy::{Remedy, RemedyEffect};
pub use rules::{DiagnosisRule, HeadroomMargins, RuleCondition, margins, rules};
pub use verdict::{Episode, Finding};
