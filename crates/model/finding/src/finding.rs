//! The noun: a named bottleneck, where, when, why, and what to do.

use units::{Nanos, Usd};

use crate::{Evidence, FindingKind, FindingSubject, Remedy, RemedyEffect};

/// What is wrong with a part of a deployment, or that nothing is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// With what.
    pub subject: FindingSubject,
    /// Since when, on the Timeline's clock.
    #[serde(serialize_with = "seconds")]
    pub from: Nanos,
    /// Until when.
    #[serde(serialize_with = "seconds")]
    pub to: Nanos,
    /// Every time that it was so, in order, this one among them: more than one is what comes again. Empty where all that was
    /// seen is meant.
    pub episodes: Vec<Episode>,
    /// For people: what goes on, in a sentence.
    pub says: String,
    /// The numbers.
    pub evidence: Evidence,
    /// How sure this is, 0 to 1.
    pub confidence: f64,
    /// What to do; `None` where nothing is to be done.
    pub remedy: Option<Remedy>,
    /// What the remedy adds to a month's price, negative if it saves; `None` where it cannot be told.
    #[serde(rename = "monthly_usd_delta", serialize_with = "usd")]
    pub monthly: Option<Usd>,
    /// What the remedy would do by the disk model; `None` where it cannot be told.
    pub predicted: Option<RemedyEffect>,
}

/// One of several times that something was so, on the Timeline's clock.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Episode {
    /// Since when.
    #[serde(serialize_with = "seconds")]
    pub from: Nanos,
    /// Until when.
    #[serde(serialize_with = "seconds")]
    pub to: Nanos,
}

impl Finding {
    /// Whether two verdicts hold at one time.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.from < other.to && other.from < self.to
    }
}

fn seconds<S: serde::Serializer>(at: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(at.as_secs_f64())
}

fn usd<S: serde::Serializer>(usd: &Option<Usd>, serializer: S) -> Result<S::Ok, S::Error> {
    match usd {
        Some(usd) => serializer.serialize_f64((usd.0 * 100.0).round() / 100.0),
        None => serializer.serialize_none(),
    }
}
