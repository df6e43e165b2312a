//! The ledger's tables: what was published, by whom, and where ours is known to differ.

use std::sync::LazyLock;

use catalog::Date;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// How a claim is checked, from the cheapest answer to the dearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// The closed-form model.
    Model,
    /// The planner.
    Plan,
    /// Virtual time.
    Simulate,
    /// Real time on a mounted disk.
    Mount,
    /// A measured run.
    Bench,
    /// Files written for other tools.
    Render,
    /// A verdict on a timeline.
    Diagnose,
    /// Actions on a live cluster.
    Pilot,
}

impl Rung {
    /// All of them, as they are declared.
    pub const ALL: [Self; 8] =
        [Self::Model, Self::Plan, Self::Simulate, Self::Mount, Self::Bench, Self::Render, Self::Diagnose, Self::Pilot];

    /// Whether the answer is computed at once.
    pub fn immediate(self) -> bool {
        !self.measured()
    }

    /// Whether the answer is measured or simulated, which takes minutes.
    pub fn measured(self) -> bool {
        matches!(self, Self::Mount | Self::Bench | Self::Simulate)
    }
}

impl std::fmt::Display for Rung {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Model => "model",
            Self::Plan => "plan",
            Self::Simulate => "simulate",
            Self::Mount => "mount",
            Self::Bench => "bench",
            Self::Render => "render",
            Self::Diagnose => "diagnose",
            Self::Pilot => "pilot",
        })
    }
}

/// A published result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// `A01`: a letter for the source, a number.
    pub id: String,
    /// The source's number in `sources.csv`.
    pub source: String,
    /// Where it is checked.
    pub rung: Rung,
    /// Under which circumstances it was found.
    pub setup: String,
    /// What was found.
    pub metric: String,
    /// The result: values apart by `;` or ` / `.
    pub published: String,
    /// Its unit.
    pub unit: String,
    /// How near ours must be; see [`crate::Tolerance`].
    pub tolerance: String,
    /// What to know besides.
    pub note: String,
}

/// A document with claims.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSource {
    /// Its number.
    pub source: String,
    /// Who published it under which title.
    pub title: String,
    /// The region whose prices we compute with.
    pub region: String,
    /// The day whose limits and prices we compute with.
    pub as_of: Date,
    /// Why that day.
    pub note: String,
}

/// A claim that we do not reproduce, and why.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimShortfall {
    /// The claim.
    pub id: String,
    /// Why.
    pub reason: String,
}

static CLAIMS: LazyLock<Vec<Claim>> = LazyLock::new(|| read(include_str!("../tables/claims.csv")));
static SOURCES: LazyLock<Vec<ClaimSource>> = LazyLock::new(|| read(include_str!("../tables/sources.csv")));
static SHORTFALLS: LazyLock<Vec<ClaimShortfall>> = LazyLock::new(|| read(include_str!("../tables/shortfalls.csv")));

fn read<T: DeserializeOwned>(table: &str) -> Vec<T> {
    let rows: Result<_, _> = csv::Reader::from_reader(table.as_bytes()).into_deserialize().collect();
    rows.expect("tables that ship with the program are read by a test")
}

/// All claims, in the ledger's order.
pub fn claims() -> &'static [Claim] {
    &CLAIMS
}

/// The documents.
pub fn sources() -> &'static [ClaimSource] {
    &SOURCES
}

/// Where ours is known to differ.
pub fn shortfalls() -> &'static [ClaimShortfall] {
    &SHORTFALLS
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_claim_has_its_own_id_and_a_result() {
        let ids: BTreeSet<&str> = claims().iter().map(|claim| claim.id.as_str()).collect();
        assert_eq!(ids.len(), claims().len());
        for claim in claims() {
            assert!(!claim.published.is_empty() && !claim.tolerance.is_empty(), "{}", claim.id);
        }
    }

    #[test]
    fn every_source_of_a_claim_computed_at_once_has_a_day_and_a_region() {
        for claim in claims().iter().filter(|claim| claim.rung.immediate()) {
            let known = sources().iter().any(|source| source.source == claim.source);
            assert!(known, "{} has source {}", claim.id, claim.source);
        }
    }

    #[test]
    fn a_shortfall_is_of_a_claim_that_exists_and_says_why() {
        for shortfall in shortfalls() {
            assert!(claims().iter().any(|claim| claim.id == shortfall.id), "{}", shortfall.id);
            assert!(!shortfall.reason.is_empty());
        }
    }
}
