//! Which limit a database runs into, what says so and what speaks against it, and the cheapest change that removes it. Reads
//! Timelines of our own disks, of the simulator, of CloudWatch, and of whatever else is given under the same names.

#![forbid(unsafe_code)]

mod causes;
mod changes;
mod diagnose;
mod facts;
mod fleet;
mod healthy;
mod known;
mod refuted;
mod remedy;
mod rules;
mod says;
#[cfg(test)]
mod testing;
mod threads;
mod unknown;
mod window;

pub use changes::{FindingChange, FindingTracker};
pub use diagnose::diagnose;
pub use facts::{IntervalGrid, SignalSeries, SubjectFacts, facts};
pub use finding::{
    DiagnosisSignal, Episode, Evidence, EvidenceFact, Finding, FindingKind, FindingScope, FindingSubject, Remedy,
    RemedyEffect,
};
pub use fleet::{DiagnosedFleet, FleetVolume};
pub use known::{KnownError, KnownFacts};
pub use rules::{DiagnosisRule, HeadroomMargins, RuleCondition, margins, rules};
