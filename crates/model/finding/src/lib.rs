//! A finding: a named bottleneck, of what, when, what says so and what speaks against it, what to do, and what that does and costs.
//! The noun that diagnosis gives, and that the pilot, volume control and reports take.

#![forbid(unsafe_code)]

mod effect;
mod evidence;
mod finding;
mod kind;
mod remedy;
mod signal;
mod subject;

pub use effect::RemedyEffect;
pub use evidence::{Evidence, EvidenceFact};
pub use finding::{Episode, Finding};
pub use kind::FindingKind;
pub use remedy::Remedy;
pub use signal::DiagnosisSignal;
pub use subject::{FindingScope, FindingSubject};
