//! What says so, and what speaks against it.

use crate::DiagnosisSignal;

/// A number that was held against a threshold.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct EvidenceFact {
    /// What was looked at.
    pub signal: DiagnosisSignal,
    /// The series of the Timeline that it was worked out from.
    pub series: String,
    /// What is told of it: `mean`, `share of time`, `at the end`.
    pub statistic: &'static str,
    /// That number, in the signal's unit.
    pub value: f64,
    /// The signal's unit.
    pub unit: &'static str,
    /// What it was held against; `None` where it is only told.
    pub threshold: Option<f64>,
    /// Whether being above the threshold counts for the verdict; otherwise being below does.
    pub above: bool,
}

/// All numbers of a verdict.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Evidence {
    /// Those that say so.
    #[serde(rename = "for")]
    pub says_so: Vec<EvidenceFact>,
    /// Those that speak against it.
    pub against: Vec<EvidenceFact>,
}
